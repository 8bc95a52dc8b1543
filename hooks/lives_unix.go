//go:build unix

package hooks

import (
	"errors"
	"syscall"
)

// lives reports whether a process may be there. Somebody else's is (EPERM).
func lives(pid int) bool {
	return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}
