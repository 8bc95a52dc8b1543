package workspace

import (
	"context"
	"crypto/sha1" //nolint:gosec // git's own format; nothing is trusted because of it
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sync"

	"git-okstra/gitops"
)

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// copyAll copies every entry that the sibling holds unchanged, several at once.
// Entries that were copied get their stat data.
func copyAll(ctx context.Context, s *sibling, dest string, index []gitops.IndexEntry, n int) error {
	if err := makeDirs(dest, index); err != nil {
		return err
	}
	var (
		wg   sync.WaitGroup
		mu   sync.Mutex
		errs error
	)
	const chunk = 64
	next := make(chan []gitops.IndexEntry)
	for range n {
		wg.Go(func() {
			c := copier{sibling: s, dest: dest, clones: true, buf: make([]byte, 128<<10)}
			for part := range next {
				if err := c.copyPart(ctx, part); err != nil {
					mu.Lock()
					errs = errors.Join(errs, err)
					mu.Unlock()
				}
			}
		})
	}
	for start := 0; start < len(index); start += chunk {
		next <- index[start:min(start+chunk, len(index))]
	}
	close(next)
	wg.Wait()
	return errs
}

// copier copies files one after the other.
type copier struct {
	*sibling
	dest   string
	clones bool // the file system may share blocks; false after it once could not
	buf    []byte
}

func (c *copier) copyPart(ctx context.Context, part []gitops.IndexEntry) error {
	for i := range part {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := c.copyOne(&part[i]); err != nil {
			return err
		}
	}
	return nil
}

// makeDirs makes the folders of all entries, each once.
func makeDirs(dest string, index []gitops.IndexEntry) error {
	made := map[string]bool{".": true}
	for _, e := range index {
		dir := path.Dir(e.Name)
		if made[dir] || e.TreeEntry.Mode == gitops.ModeSymlink {
			continue
		}
		if err := os.MkdirAll(filepath.Join(dest, filepath.FromSlash(dir)), 0o777); err != nil {
			return fmt.Errorf("make folders: %w", err)
		}
		made[dir] = true
	}
	return nil
}

// copyOne copies one file if the sibling's index and the file itself say that it
// is as committed, and its content proves it; otherwise it leaves no trace and
// git writes it. Only faults on the new worktree's side are errors.
func (c *copier) copyOne(e *gitops.IndexEntry) error {
	have, ok := c.byName[e.Name]
	if !ok || have.TreeEntry != e.TreeEntry || e.TreeEntry.Mode == gitops.ModeSymlink || !c.inFolders(path.Dir(e.Name)) {
		return nil
	}
	from := filepath.Join(c.path, filepath.FromSlash(e.Name))
	before, err := os.Lstat(from)
	if err != nil || !c.index.Unchanged(have, gitops.StatOf(before)) {
		return nil
	}
	to := filepath.Join(c.dest, filepath.FromSlash(e.Name))
	good, err := c.copyFile(from, to, before, e.TreeEntry)
	if err != nil || !good {
		return err
	}
	after, err := os.Lstat(to)
	if err != nil {
		return fmt.Errorf("copy file: %w", err)
	}
	e.Stat = gitops.StatOf(after)
	return nil
}

// inFolders reports whether the way to a folder of the sibling leads through
// folders only. Git takes what lies behind a link for gone.
func (s *sibling) inFolders(dir string) bool {
	if dir == "." {
		return true
	}
	if known, ok := s.real.Load(dir); ok {
		return known.(bool)
	}
	info, err := os.Lstat(filepath.Join(s.path, filepath.FromSlash(dir)))
	is := err == nil && info.IsDir() && s.inFolders(path.Dir(dir))
	s.real.Store(dir, is)
	return is
}

// copyFile copies bytes and modification time. False, and no file, where the
// source cannot be read or is not what the blob holds: it may have been written
// when other attributes were in force, or while it was copied.
func (c *copier) copyFile(from, to string, before fs.FileInfo, want gitops.TreeEntry) (bool, error) {
	src, err := os.Open(from)
	if err != nil {
		return false, nil
	}
	defer func() { _ = src.Close() }()
	dst, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, createMode(want.Mode))
	if err != nil {
		return false, fmt.Errorf("copy file: %w", err)
	}
	sum := sha1.New() //nolint:gosec // as above
	fmt.Fprintf(sum, "blob %d\x00", before.Size())
	err = errors.Join(c.transfer(dst, src, sum), dst.Close())
	if err != nil || hex.EncodeToString(sum.Sum(nil)) != string(want.Hash) {
		return false, os.Remove(to)
	}
	if err := os.Chtimes(to, before.ModTime(), before.ModTime()); err != nil {
		return false, fmt.Errorf("copy file: %w", err)
	}
	return true, nil
}

// createMode is what git creates files with: the umask does the rest.
func createMode(mode gitops.Mode) fs.FileMode {
	if mode == gitops.ModeExec {
		return 0o777
	}
	return 0o666
}

// transfer copies the content, by sharing the file system's blocks where it can,
// and sums it up.
func (c *copier) transfer(dst, src *os.File, sum hash.Hash) error {
	var to io.Writer = sum
	if c.clones = c.clones && clone(dst, src); !c.clones {
		to = io.MultiWriter(dst, sum)
	}
	_, err := io.CopyBuffer(to, struct{ io.Reader }{src}, c.buf)
	return err
}
