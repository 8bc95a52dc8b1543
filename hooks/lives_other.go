//go:build !unix

package hooks

import "os"

// lives reports whether a process may be there.
func lives(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	_ = p.Release()
	return true
}
