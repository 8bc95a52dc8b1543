//go:build !linux

package workspace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"git-okstra/gitops"
)

// folders is what a copier knows of folders.
type folders struct {
	made string          // the one last made in the new worktree, with a slash at the end
	real map[string]bool // those of the sibling: whether it is one, and no link
}

func (*folders) close() {}

// inFolders reports whether the way to a folder of the sibling leads through
// folders only. Git takes what lies behind a link for gone.
func (c *copier) inFolders(dir string) bool {
	if dir == "." {
		return true
	}
	if known, ok := c.real[dir]; ok {
		return known
	}
	info, err := os.Lstat(filepath.Join(c.path, filepath.FromSlash(dir)))
	is := err == nil && info.IsDir() && c.inFolders(path.Dir(dir))
	if c.real == nil {
		c.real = map[string]bool{}
	}
	c.real[dir] = is
	return is
}

// copyOne copies one file if the sibling's index says that it is as wanted, and its
// content proves it; otherwise it leaves no trace and git writes it. Only faults on the new worktree's side are errors.
func (c *copier) copyOne(e *gitops.IndexEntry) error {
	have, ok := c.source(e)
	if !ok || e.TreeEntry.Mode == gitops.ModeSymlink || !c.inFolders(path.Dir(e.Name)) {
		return nil
	}
	from := filepath.Join(c.path, filepath.FromSlash(e.Name))
	before, err := os.Lstat(from)
	if err != nil || !before.Mode().IsRegular() || uint32(before.Size()) != have.Size { // the content proves the rest
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

// copyFile copies bytes and modification time. False, and no file, where the
// source cannot be read or is not what the blob holds: it may have been written
// when other attributes were in force, or while it was copied.
func (c *copier) copyFile(from, to string, before fs.FileInfo, want gitops.TreeEntry) (bool, error) {
	src, err := os.Open(from)
	if err != nil {
		return false, nil
	}
	defer func() { _ = src.Close() }()
	if dir, _ := path.Split(want.Name); dir != c.made {
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			return false, fmt.Errorf("copy file: %w", err)
		}
		c.made = dir
	}
	dst, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, createMode(want.Mode))
	if err != nil {
		return false, fmt.Errorf("copy file: %w", err)
	}
	c.begin(before.Size())
	var seen looker
	_, err = io.CopyBuffer(io.MultiWriter(dst, c.sum, &seen), struct{ io.Reader }{src}, c.buf)
	err = errors.Join(err, dst.Close())
	if err != nil || !c.proves(want.Hash) || c.noCR && seen.cr {
		return false, os.Remove(to)
	}
	when := c.timeFor(before.ModTime())
	if err := os.Chtimes(to, when, when); err != nil {
		return false, fmt.Errorf("copy file: %w", err)
	}
	return true, nil
}

// looker sees whether a CR is written to it.
type looker struct{ cr bool }

func (l *looker) Write(data []byte) (int, error) {
	l.cr = l.cr || bytes.IndexByte(data, '\r') >= 0
	return len(data), nil
}
