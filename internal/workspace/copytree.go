package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
	"sync/atomic"
)

// treeCopier copies files and folders as they are: bytes, modes, times of files and
// folders, links as links. It replaces nothing, and what cannot be copied it tells.
type treeCopier struct {
	slots   chan struct{} // one for each further goroutine
	files   atomic.Int64
	between func() // between the copy and the second look at a file; nil but in tests

	mu      sync.Mutex
	trouble []string
}

func newTreeCopier(workers int) *treeCopier {
	return &treeCopier{slots: make(chan struct{}, max(workers-1, 0))}
}

// tell notes what could not be copied.
func (c *treeCopier) tell(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.trouble = append(c.trouble, fmt.Sprintf(format, args...))
}

// entry copies one entry of a folder to the same name in another one; rel is its
// path, to be shown.
func (c *treeCopier) entry(ctx context.Context, from, to *os.Root, name, rel string) {
	if ctx.Err() != nil {
		return
	}
	info, err := from.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return // it went meanwhile
	}
	if err == nil {
		switch info.Mode().Type() {
		case fs.ModeDir:
			err = c.folder(ctx, from, to, name, rel)
		case fs.ModeSymlink:
			err = copyLink(from, to, name)
		case 0:
			err = c.file(from, to, name)
		default:
			err = errors.New("neither a file nor a folder nor a link")
		}
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		c.tell("%q was not copied: %s", rel, cause(err))
	}
}

// cause is an error without the path, which is told beside it.
func cause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// folder copies a folder and all that is in it, unless it is a repository of its own:
// a copy would be a second one with the same worktrees and the same identity.
func (c *treeCopier) folder(ctx context.Context, from, to *os.Root, name, rel string) error {
	src, err := from.OpenRoot(name)
	if err != nil {
		return err
	}
	defer func() { _ = src.Close() }()
	info, entries, err := list(src)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if strings.EqualFold(e.Name(), ".git") {
			return errors.New("a repository of its own")
		}
	}
	made := to.Mkdir(name, 0o700)
	if made != nil {
		if there, err := to.Lstat(name); err != nil || !there.IsDir() {
			return made
		}
	}
	dst, err := to.OpenRoot(name)
	if err != nil {
		return err
	}
	defer func() { _ = dst.Close() }()
	c.entries(ctx, src, dst, entries, rel)
	if made != nil {
		return nil // it was there: its mode and time are not ours
	}
	// A folder that even its owner may not change could not be removed again.
	err = to.Chmod(name, info.Mode().Perm()|0o700)
	return errors.Join(err, to.Chtimes(name, info.ModTime(), info.ModTime()))
}

// entries copies the entries of a folder, folders beside each other where there is a
// free goroutine, and waits for them.
func (c *treeCopier) entries(ctx context.Context, src, dst *os.Root, entries []fs.DirEntry, rel string) {
	var beside sync.WaitGroup
	defer beside.Wait()
	for _, e := range entries {
		below := rel + "/" + e.Name()
		if e.IsDir() {
			select {
			case c.slots <- struct{}{}:
				beside.Go(func() {
					defer func() { <-c.slots }()
					c.entry(ctx, src, dst, e.Name(), below)
				})
				continue
			default:
			}
		}
		c.entry(ctx, src, dst, e.Name(), below)
	}
}

// list reads a folder.
func list(dir *os.Root) (fs.FileInfo, []fs.DirEntry, error) {
	f, err := dir.Open(".")
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	entries, err := f.ReadDir(-1)
	return info, entries, err
}

func copyLink(from, to *os.Root, name string) error {
	target, err := from.Readlink(name)
	if err != nil {
		return err
	}
	return to.Symlink(target, name)
}

// errUnsteady is a file that somebody wrote to each time it was copied.
var errUnsteady = errors.New("it changed while it was copied")

// file copies one file; one that changes meanwhile is tried again.
func (c *treeCopier) file(from, to *os.Root, name string) error {
	const tries = 3
	for try := 1; ; try++ {
		err := c.copyOnce(from, to, name)
		if err == nil {
			c.files.Add(1)
		}
		if !errors.Is(err, errUnsteady) || try == tries {
			return err
		}
	}
}

// copyOnce leaves the whole file behind or none. The kernel copies, and shares the
// blocks where the file system can.
func (c *treeCopier) copyOnce(from, to *os.Root, name string) (err error) {
	src, err := from.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = src.Close() }()
	before, err := src.Stat()
	if err != nil {
		return err
	}
	dst, err := to.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, to.Remove(name))
		}
	}()
	_, err = io.Copy(dst, src)
	if err = errors.Join(err, dst.Chmod(before.Mode().Perm()), dst.Close()); err != nil {
		return err
	}
	if c.between != nil {
		c.between()
	}
	after, err := src.Stat()
	if err == nil && (after.Size() != before.Size() || !after.ModTime().Equal(before.ModTime())) {
		err = errUnsteady
	}
	if err != nil {
		return err
	}
	return to.Chtimes(name, before.ModTime(), before.ModTime())
}
