//go:build !unix

package chain

import (
	"context"
	"os"
	"os/exec"
	"time"
)

// wrapped is the command itself: there are no process groups here.
func wrapped(_ string, argv []string) *exec.Cmd { return exec.Command(argv[0], argv[1:]...) }

func (*worker) hand(*exec.Cmd) {}

func (*worker) letGo() {}

func (*worker) takeLock(context.Context, time.Duration, bool) error { return nil }

// endGroup ends the one process that is known.
func endGroup(pid int, sig os.Signal, _ Grace) {
	if sig == nil {
		return
	}
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill()
	}
}

func endRest(int, Grace) {}

func hold(int) {}

func goOn(int) {}
