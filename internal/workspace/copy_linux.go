package workspace

import (
	"crypto/sha1" //nolint:gosec // git's own format; nothing is trusted because of it
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"path"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"git-okstra/gitops"
)

// folders are the folder of the sibling and that of the new worktree in which a
// copier works now, as descriptors: most of the time of a copy goes into system calls,
// and the shorter a name the cheaper its look-up. Descriptors of the os package would
// each be offered to the poller as well.
type folders struct {
	dir      string // below both tops; "" before the first
	from, to int
	usable   bool // the sibling has the folder
}

func (f *folders) close() {
	if f.dir == "" {
		return
	}
	if f.usable {
		_ = unix.Close(f.from)
	}
	_ = unix.Close(f.to) // both were only looked through
	*f = folders{}
}

// enter opens the two folders.
func (c *copier) enter(dir string) error {
	if c.dir == dir {
		return nil
	}
	c.close()
	const flags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC
	to, err := open(unix.AT_FDCWD, filepath.Join(c.dest, filepath.FromSlash(dir)), flags, 0)
	if err != nil {
		return fmt.Errorf("copy files: %w", err)
	}
	c.dir, c.folders.to = dir, to
	if c.inFolders(dir) {
		c.from, err = open(unix.AT_FDCWD, filepath.Join(c.path, filepath.FromSlash(dir)), flags, 0)
		c.usable = err == nil
	}
	return nil
}

// open is openat(2), again where a signal came in between.
func open(dir int, name string, flags int, mode uint32) (fd int, err error) {
	for {
		if fd, err = unix.Openat(dir, name, flags, mode); err != unix.EINTR {
			return fd, err
		}
	}
}

// copyOne copies one file if the sibling's index and the file itself say that it
// is as committed, and its content proves it; otherwise it leaves no trace and
// git writes it. Only faults on the new worktree's side are errors.
func (c *copier) copyOne(e *gitops.IndexEntry) error {
	have, ok := c.source(e)
	if !ok {
		return nil
	}
	if err := c.enter(path.Dir(e.Name)); err != nil || !c.usable {
		return err
	}
	name := path.Base(e.Name)
	var before unix.Stat_t
	if unix.Fstatat(c.from, name, &before, unix.AT_SYMLINK_NOFOLLOW) != nil || !c.index.Unchanged(have, statOf(&before)) {
		return nil
	}
	src, err := open(c.from, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer func() { _ = unix.Close(src) }()
	good, err := c.copyFile(src, name, before.Size, e.TreeEntry)
	if err != nil || !good {
		return err
	}
	var after unix.Stat_t
	err = unix.UtimesNanoAt(c.folders.to, name, []unix.Timespec{before.Mtim, before.Mtim}, unix.AT_SYMLINK_NOFOLLOW)
	if err == nil {
		err = unix.Fstatat(c.folders.to, name, &after, unix.AT_SYMLINK_NOFOLLOW)
	}
	if err == nil && after.Size != before.Size {
		return unix.Unlinkat(c.folders.to, name, 0) // it grew while its blocks were shared
	}
	if err != nil {
		return fmt.Errorf("copy file: %w", &fs.PathError{Op: "stat", Path: filepath.Join(c.dest, e.Name), Err: err})
	}
	e.Stat = statOf(&after)
	return nil
}

// copyFile copies the bytes. False, and no file, where the source cannot be read or
// is not what the blob holds: it may have been written when other attributes were in
// force, or while it was copied.
func (c *copier) copyFile(src int, name string, size int64, want gitops.TreeEntry) (bool, error) {
	fault := func(op string, err error) error {
		return fmt.Errorf("copy file: %w", &fs.PathError{Op: op, Path: filepath.Join(c.dest, want.Name), Err: err})
	}
	dst, err := open(c.folders.to, name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_CLOEXEC, uint32(createMode(want.Mode)))
	if err != nil {
		return false, fault("create", err)
	}
	sum := sha1.New() //nolint:gosec // as above
	fmt.Fprintf(sum, "blob %d\x00", size)
	whole, err := c.transfer(dst, src, size, sum)
	err = errors.Join(err, unix.Close(dst))
	if err == nil && whole && hex.EncodeToString(sum.Sum(nil)) == string(want.Hash) {
		return true, nil
	}
	if gone := unix.Unlinkat(c.folders.to, name, 0); gone != nil {
		return false, fault("remove", errors.Join(err, gone))
	}
	if err != nil {
		return false, fault("write", err)
	}
	return false, nil
}

// transfer copies size bytes, by sharing the file system's blocks where it can, and
// sums them up. Not whole: the source has fewer, or cannot be read. Errors are those
// of writing.
func (c *copier) transfer(dst, src int, size int64, sum hash.Hash) (whole bool, err error) {
	c.clones = c.clones && unix.IoctlFileClone(dst, src) == nil
	for left := size; left > 0; {
		n, err := unix.Read(src, c.buf[:min(left, int64(len(c.buf)))])
		if err == unix.EINTR {
			continue
		}
		if err != nil || n == 0 {
			return false, nil
		}
		_, _ = sum.Write(c.buf[:n])
		if err := writeAll(dst, c.buf[:n], !c.clones); err != nil {
			return false, err
		}
		left -= int64(n)
	}
	return true, nil
}

// writeAll writes the bytes, if they are to be written.
func writeAll(fd int, data []byte, wanted bool) error {
	for wanted && len(data) > 0 {
		n, err := unix.Write(fd, data)
		if err != nil && err != unix.EINTR {
			return err
		}
		data = data[max(n, 0):]
	}
	return nil
}

// statOf is gitops.StatOf without the detour of the os package.
func statOf(s *unix.Stat_t) gitops.Stat {
	mode := fs.FileMode(s.Mode & 0o777)
	switch s.Mode & unix.S_IFMT {
	case unix.S_IFREG:
	case unix.S_IFDIR:
		mode |= fs.ModeDir
	default:
		mode |= fs.ModeIrregular
	}
	return gitops.Stat{
		CTime: time.Unix(s.Ctim.Unix()), MTime: time.Unix(s.Mtim.Unix()),
		Dev: uint32(s.Dev), Ino: uint32(s.Ino), UID: s.Uid, GID: s.Gid,
		Size: uint32(s.Size), WholeSize: s.Size, Mode: mode, Known: true,
	}
}
