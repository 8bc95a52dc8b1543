//go:build unix

package workspace

import "syscall"

// umask takes from files what the mask has, for the whole process.
func umask(mask int) { syscall.Umask(mask) }
