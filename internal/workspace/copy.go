package workspace

import (
	"bytes"
	"context"
	"crypto/sha1" //nolint:gosec // git's own format; nothing is trusted because of it
	"encoding/hex"
	"hash"
	"io/fs"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"git-okstra/gitops"
)

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// smallFile is up to which size a file is read whole, and proved before anything of
// it is written.
const smallFile = 128 << 10

// copyAll copies every entry that is not known yet and that the sibling holds
// unchanged, by n workers at once, and tells after each part how many entries it is
// through with. Entries that were copied get their stat data. The first fault stops all.
func copyAll(ctx context.Context, s *sibling, dest string, index []gitops.IndexEntry, n int, tell func(done int)) error {
	const chunk = 256 // neighbours in one folder wait for each other
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var (
		wg         sync.WaitGroup
		next, done atomic.Int64
	)
	for range n {
		wg.Go(func() {
			c := newCopier(s, dest, smallFile)
			c.halt = ctx.Done()
			defer c.close()
			for {
				start := int(next.Add(chunk)) - chunk
				if start >= len(index) {
					return
				}
				part := index[start:min(start+chunk, len(index))]
				if err := c.copyPart(ctx, part); err != nil {
					cancel(err)
					return
				}
				if now := done.Add(int64(len(part))); tell != nil {
					tell(int(now))
				}
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

// copier copies files one after the other.
type copier struct {
	*sibling
	dest   string
	clones bool // the file system may share blocks; false after it once could not
	buf    []byte
	at     int // behind what was last found in the sibling's index
	sum    hash.Hash
	latest time.Time       // no copy gets a later time
	halt   <-chan struct{} // closed when a large file is not worth its end any more
	folders
}

// notYoung is how much older than the index a copy is at least: a file of the index's own
// second makes each status read it and write the index, and the time of what is
// proved by its content can be any.
const notYoung = 2 * time.Second

// newCopier makes a copier; small is up to which size a file is proved first.
func newCopier(s *sibling, dest string, small int) *copier {
	return &copier{
		sibling: s, dest: dest, clones: true, buf: make([]byte, small), sum: sha1.New(), //nolint:gosec // as above
		latest: time.Now().Add(-notYoung),
	}
}

// timeFor is the time that a copy gets: that of its source, unless it is too young.
func (c *copier) timeFor(source time.Time) time.Time {
	if source.After(c.latest) {
		return c.latest
	}
	return source
}

func (c *copier) copyPart(ctx context.Context, part []gitops.IndexEntry) error {
	for i := range part {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if part[i].Known {
			continue
		}
		if err := c.copyOne(&part[i]); err != nil {
			return err
		}
	}
	return nil
}

// source is the sibling's entry for a path, if it says that the file may be copied.
func (c *copier) source(e *gitops.IndexEntry) (*gitops.IndexEntry, bool) {
	at, ok := c.find(e.Name, c.at)
	c.at = at + 1
	if !ok || c.index.Entries[at].TreeEntry != e.TreeEntry || e.TreeEntry.Mode == gitops.ModeGitlink {
		return nil, false
	}
	for i := range c.but {
		if c.but[i].matches(e.Name) {
			return nil, false
		}
	}
	return &c.index.Entries[at], true
}

// unsteady reports whether git may call a file with these bytes in it changed that is as
// committed: one that is text and has line ends as text should not.
func (c *copier) unsteady(data []byte) bool { return c.noCR && bytes.IndexByte(data, '\r') >= 0 }

// begin starts the sum of a blob of that size.
func (c *copier) begin(size int64) {
	c.sum.Reset()
	var head [32]byte
	_, _ = c.sum.Write(append(strconv.AppendInt(append(head[:0], "blob "...), size, 10), 0))
}

// proves reports whether what was summed up is the blob that is wanted.
func (c *copier) proves(want gitops.Hash) bool {
	var sum [sha1.Size]byte
	var text [2 * sha1.Size]byte
	hex.Encode(text[:], c.sum.Sum(sum[:0]))
	return string(text[:]) == string(want)
}

// createMode is what git creates files with: the umask does the rest.
func createMode(mode gitops.Mode) fs.FileMode {
	if mode == gitops.ModeExec {
		return 0o777
	}
	return 0o666
}
