//go:build !unix

package prove

import (
	"os"
	"os/exec"
	"time"
)

// shell is a command without standard input: there are no process groups here.
func shell(text string) *exec.Cmd { return exec.Command("sh", "-c", text) }

// endPolitely ends the one process that is known.
func endPolitely(pid int, ended <-chan error, _ time.Duration) {
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill()
	}
	<-ended
}

func endLeftovers(int, string) {}
