//go:build !unix

package gitops

import "os/exec"

// ownGroup does nothing where process groups are not to be had.
func ownGroup(*exec.Cmd) {}
