//go:build unix

package gitops

import (
	"os/exec"
	"syscall"
)

// ownGroup puts the process in a group of its own, out of reach of the
// terminal's Ctrl-C, and lets a cancelled context end the whole group politely:
// a filter that git started must not outlive it.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
}
