//go:build unix

package gitops

import (
	"errors"
	"syscall"
)

// processRuns reports whether a process of this number runs here; in doubt it does.
func processRuns(pid int) bool {
	return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}
