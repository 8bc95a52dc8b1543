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
func endPolitely(pid int, ended <-chan struct{}, _ time.Duration) {
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill()
	}
	<-ended
}

func endLeftovers(int, string) {}

// tryLock and abandoned: what a killed process has left is not told from what is in use
// here, and stays.
func tryLock(*os.File) bool { return true }

func abandoned(string) (*os.File, bool) { return nil, false }
