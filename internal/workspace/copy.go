package workspace

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"git-okstra/gitops"
)

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// makeDirs makes the folders of all entries, each once.
func makeDirs(dest string, index []gitops.IndexEntry) error {
	made := map[string]bool{}
	for _, e := range index {
		slash := strings.LastIndexByte(e.Name, '/')
		if slash < 0 || made[e.Name[:slash]] || e.TreeEntry.Mode == gitops.ModeSymlink {
			continue
		}
		if err := os.MkdirAll(filepath.Join(dest, filepath.FromSlash(e.Name[:slash])), 0o777); err != nil {
			return fmt.Errorf("make folders: %w", err)
		}
		made[e.Name[:slash]] = true
	}
	return nil
}

// copyOne copies one file if the sibling's index and the file itself prove that
// it is as committed; otherwise it leaves no trace and git writes it. Only
// faults on the new worktree's side are errors.
func (s *sibling) copyOne(dest string, e *gitops.IndexEntry) error {
	have, ok := s.byName[e.Name]
	if !ok || have.TreeEntry != e.TreeEntry || e.TreeEntry.Mode == gitops.ModeSymlink {
		return nil
	}
	from := filepath.Join(s.path, filepath.FromSlash(e.Name))
	before, err := os.Lstat(from)
	if err != nil || !s.index.Unchanged(have, gitops.StatOf(before)) {
		return nil
	}
	to := filepath.Join(dest, filepath.FromSlash(e.Name))
	good, err := copyFile(from, to, before)
	if err != nil {
		return err
	}
	if !good {
		return nil
	}
	after, err := os.Lstat(to)
	if err != nil {
		return fmt.Errorf("copy file: %w", err)
	}
	e.Stat = gitops.StatOf(after)
	return nil
}

// copyFile copies bytes and modification time. False, and no file, where the
// source cannot be read or changed meanwhile.
func copyFile(from, to string, before fs.FileInfo) (bool, error) {
	src, err := os.Open(from)
	if err != nil {
		return false, nil
	}
	defer func() { _ = src.Close() }()
	dst, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, createMode(before))
	if err != nil {
		return false, fmt.Errorf("copy file: %w", err)
	}
	err = errors.Join(transfer(dst, src), dst.Close())
	if err != nil || !stillSame(src, before) {
		return false, os.Remove(to)
	}
	if err := os.Chtimes(to, before.ModTime(), before.ModTime()); err != nil {
		return false, fmt.Errorf("copy file: %w", err)
	}
	return true, nil
}

// createMode is what git creates files with: the umask does the rest.
func createMode(info fs.FileInfo) fs.FileMode {
	if info.Mode()&0o100 != 0 {
		return 0o777
	}
	return 0o666
}

// transfer copies the content, by sharing the file system's blocks where it can.
// io.Copy uses copy_file_range between files.
func transfer(dst, src *os.File) error {
	if clone(dst, src) {
		return nil
	}
	_, err := io.Copy(dst, src)
	return err
}

// stillSame reports whether the open source is the file that was looked at, and
// was not written while it was copied.
func stillSame(src *os.File, before fs.FileInfo) bool {
	after, err := src.Stat()
	return err == nil && gitops.StatOf(after) == gitops.StatOf(before)
}
