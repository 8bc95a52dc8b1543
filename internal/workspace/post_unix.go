//go:build unix

package workspace

import (
	"errors"
	"os/exec"
	"syscall"
	"time"
)

// runGroup runs a command in a process group of its own. What ends the context ends the
// whole group: politely first, and what is left of it after a while for good.
func runGroup(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stopped := false
	cmd.Cancel = func() error {
		stopped = true
		return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
	}
	cmd.WaitDelay = postGrace
	err := cmd.Run()
	if stopped {
		err = errors.Join(err, endGroup(cmd.Process.Pid))
	}
	return err
}

// endGroup waits for the rest of a group that was told to end, and then ends it.
func endGroup(group int) error {
	for deadline := time.Now().Add(postGrace); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if errors.Is(syscall.Kill(-group, 0), syscall.ESRCH) {
			return nil
		}
	}
	if err := syscall.Kill(-group, syscall.SIGKILL); !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return nil
}
