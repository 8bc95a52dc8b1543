//go:build unix

package workspace

import (
	"os"
	"syscall"
)

// tryLockDir takes the lock of a folder if nobody has it.
func tryLockDir(path string) (unlock func(), free bool) {
	dir, err := os.Open(path)
	if err != nil {
		return nil, false
	}
	if syscall.Flock(int(dir.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil || !stillAt(path, dir) {
		_ = dir.Close()
		return nil, false
	}
	return func() { release(dir) }, true
}
