//go:build !linux

package workspace

import (
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

	"git-okstra/gitops"
)

// folders is what a copier keeps open; nothing here.
type folders struct{}

func (folders) close() {}

// copyOne copies one file if the sibling's index and the file itself say that it
// is as committed, and its content proves it; otherwise it leaves no trace and
// git writes it. Only faults on the new worktree's side are errors.
func (c *copier) copyOne(e *gitops.IndexEntry) error {
	have, ok := c.source(e)
	if !ok || !c.inFolders(path.Dir(e.Name)) {
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

// transfer copies the content and sums it up.
func (c *copier) transfer(dst, src *os.File, sum hash.Hash) error {
	_, err := io.CopyBuffer(io.MultiWriter(dst, sum), struct{ io.Reader }{src}, c.buf)
	return err
}
