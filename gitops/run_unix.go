//go:build unix

package gitops

import (
	"os/exec"
	"syscall"
)

// ownGroup puts the process in a group of its own, out of reach of the
// terminal's Ctrl-C, and lets a cancelled context end it politely.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
}
