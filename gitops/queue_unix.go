//go:build unix

package gitops

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// queuePatience bounds how long Queue waits; a variable for tests only.
var queuePatience = 30 * time.Second

// Queue lets one process at a time through, in this clone, until leave is called or
// the process dies. It is a courtesy that keeps many writers from undoing each other's
// attempts, and nothing depends on it: where it cannot be had, or not within half a
// minute, the caller goes on without. waited says that others were let through
// first, so that what was read before may be old.
func (r *Repo) Queue(ctx context.Context) (leave func(), waited bool) {
	return queue(ctx, r.commonDir)
}

// QueueRemote is Queue for those that talk to a remote, which takes longer: they wait
// for each other and for nobody else.
func (r *Repo) QueueRemote(ctx context.Context) (leave func(), waited bool) {
	return queue(ctx, filepath.Join(r.commonDir, "refs"))
}

func queue(ctx context.Context, folder string) (leave func(), waited bool) {
	dir, err := os.Open(folder) // a lock on the folder itself: no file to be left behind
	if err != nil {
		return func() {}, false
	}
	fd := int(dir.Fd())
	unlock := func() {
		_ = syscall.Flock(int(dir.Fd()), syscall.LOCK_UN) // a process that is just being started has the descriptor too
		_ = dir.Close()
	}
	if err := syscall.Flock(fd, syscall.LOCK_EX|syscall.LOCK_NB); !errors.Is(err, syscall.EWOULDBLOCK) {
		return unlock, false
	}
	turn := make(chan struct{})
	gone := make(chan struct{})
	go func() {
		for errors.Is(syscall.Flock(fd, syscall.LOCK_EX), syscall.EINTR) {
		}
		select {
		case turn <- struct{}{}:
		case <-gone: // nobody waits any more
			unlock()
		}
	}()
	timer := time.NewTimer(queuePatience)
	defer timer.Stop()
	select {
	case <-turn:
		return unlock, true
	case <-timer.C:
	case <-ctx.Done():
	}
	close(gone)
	return func() {}, true
}
