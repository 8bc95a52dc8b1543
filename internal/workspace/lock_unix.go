//go:build unix

package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// lockDir takes an advisory lock on the folder itself: it needs no lock file,
// and the system drops it when the process dies, however it dies.
func lockDir(ctx context.Context, path string) (unlock func(), err error) {
	dir, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("lock worktree folder: %w", err)
	}
	for {
		err := syscall.Flock(int(dir.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { _ = dir.Close() }, nil
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
