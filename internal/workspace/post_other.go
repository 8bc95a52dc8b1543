//go:build !unix

package workspace

import "os/exec"

// runGroup runs a command; what ends the context ends the command.
func runGroup(cmd *exec.Cmd) error {
	cmd.WaitDelay = postGrace
	return cmd.Run()
}
