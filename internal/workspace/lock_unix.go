//go:build unix

package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// lockDir takes an advisory lock on the folder itself: it needs no lock file,
// and the system drops it when the process dies, however it dies. A folder that
// is no longer at path when the lock is ours is errGone.
func lockDir(ctx context.Context, path string) (unlock func(), err error) {
	dir, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errGone
	}
	if err != nil {
		return nil, fmt.Errorf("lock worktree folder: %w", err)
	}
	for {
		err := syscall.Flock(int(dir.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil && !stillAt(path, dir) {
			err = errGone
		}
		if err == nil {
			return func() { release(dir) }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			_ = dir.Close()
			return nil, fmt.Errorf("lock worktree folder: %w", err)
		}
		select {
		case <-ctx.Done():
			_ = dir.Close()
			return nil, ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// release gives a lock back. Closing alone does not, for a moment: a process that is
// just being started has the descriptor too until it runs its program.
func release(dir *os.File) {
	_ = syscall.Flock(int(dir.Fd()), syscall.LOCK_UN) // closing does it as well, if later
	_ = dir.Close()
}

// stillAt reports whether the open folder is the one at path.
func stillAt(path string, dir *os.File) bool {
	a, errA := dir.Stat()
	b, errB := os.Stat(path)
	return errA == nil && errB == nil && os.SameFile(a, b)
}
