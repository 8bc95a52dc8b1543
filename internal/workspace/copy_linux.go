package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"git-okstra/gitops"
)

// copyOne copies one file or link if the sibling's index says that it is as wanted, and
// its content proves it; otherwise it leaves no trace and git writes it. Only faults on the new worktree's side are errors.
func (c *copier) copyOne(e *gitops.IndexEntry) error {
	have, ok := c.source(e)
	if !ok {
		return nil
	}
	dir, name := path.Split(e.Name)
	if err := c.enter(dir); err != nil || !c.usable() {
		return err
	}
	if e.TreeEntry.Mode == gitops.ModeSymlink {
		return c.copyLink(e, name)
	}
	// A pipe or a terminal in the file's place must not hold the copy up.
	const flags = unix.O_RDONLY | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_NOCTTY | unix.O_CLOEXEC
	src, err := open(c.from(), name, flags, 0)
	if err != nil {
		return nil
	}
	defer func() { _ = unix.Close(src) }()
	when := have.MTime
	if when.Unix() <= 0 { // an entry that was made without a file
		when = c.latest
	}
	before := unix.Stat_t{Size: int64(have.Size), Mtim: unix.NsecToTimespec(when.UnixNano())}
	if before.Size > int64(len(c.buf)) {
		if unix.Fstat(src, &before) != nil || !c.index.Unchanged(have, statOf(&before)) {
			return nil
		}
		return c.copyLarge(e, name, src, &before)
	}
	// Its content is all the proof that a small file needs: what the source is otherwise
	// does not matter.
	data := c.buf[:before.Size]
	if !readFull(src, data) {
		return nil
	}
	c.begin(before.Size)
	_, _ = c.sum.Write(data)
	if !c.proves(e.Hash) || c.unsteady(data) {
		return nil
	}
	dst, err := c.create(e, name)
	if err != nil {
		return err
	}
	return c.finish(e, name, dst, writeAll(dst, data), &before)
}

// copyLarge copies a file that does not fit into the buffer: by sharing the file
// system's blocks where it can, and then it is the copy that is read and proved, for
// nobody else changes that.
func (c *copier) copyLarge(e *gitops.IndexEntry, name string, src int, before *unix.Stat_t) error {
	dst, err := c.create(e, name)
	if err != nil {
		return err
	}
	from := src
	if c.clones = c.clones && unix.IoctlFileClone(dst, src) == nil; c.clones {
		from = dst
	}
	c.begin(before.Size)
	var whole bool
	for left := before.Size; ; {
		data := c.buf[:min(left, int64(len(c.buf)))]
		if whole = readFull(from, data) && !c.unsteady(data); !whole {
			break
		}
		_, _ = c.sum.Write(data)
		if from == src {
			err = writeAll(dst, data)
		}
		select {
		case <-c.halt:
			err = context.Canceled
		default:
		}
		if left -= int64(len(data)); left == 0 || err != nil {
			break
		}
	}
	if err == nil && (!whole || !c.proves(e.Hash)) {
		return c.refuse(e, name, dst)
	}
	return c.finish(e, name, dst, err, before)
}

// create makes the new file, which must not be there yet, and the folders it lies in.
func (c *copier) create(e *gitops.IndexEntry, name string) (int, error) {
	to, err := c.to()
	if err == nil {
		var dst int
		const flags = unix.O_RDWR | unix.O_CREAT | unix.O_EXCL | unix.O_CLOEXEC
		if dst, err = open(to, name, flags, uint32(createMode(e.TreeEntry.Mode))); err == nil {
			return dst, nil
		}
	}
	return -1, c.fault("create", e, err)
}

// finish gives the new file its time and keeps its stat data.
func (c *copier) finish(e *gitops.IndexEntry, name string, dst int, err error, before *unix.Stat_t) error {
	var after unix.Stat_t
	if err == nil {
		err = setTime(dst, c.timespec(before))
	}
	if err == nil {
		err = unix.Fstat(dst, &after)
	}
	if after.Size != before.Size && err == nil {
		return c.refuse(e, name, dst) // it grew while its blocks were shared
	}
	if err = errors.Join(err, unix.Close(dst)); err != nil {
		return c.fault("write", e, err)
	}
	e.Stat = statOf(&after)
	return nil
}

// refuse takes the new file back: it is not what the blob holds. The old one may have been
// written when other attributes were in force, or while it was copied.
func (c *copier) refuse(e *gitops.IndexEntry, name string, dst int) error {
	to, err := c.to()
	if err = errors.Join(err, unix.Close(dst), unix.Unlinkat(to, name, 0)); err != nil {
		return c.fault("remove", e, err)
	}
	return nil
}

// copyLink makes the same symbolic link. What it says is all there is to prove.
func (c *copier) copyLink(e *gitops.IndexEntry, name string) error {
	n, err := unix.Readlinkat(c.from(), name, c.buf)
	if err != nil || n == len(c.buf) {
		return nil
	}
	c.begin(int64(n))
	_, _ = c.sum.Write(c.buf[:n])
	var before, after unix.Stat_t
	if !c.proves(e.Hash) || unix.Fstatat(c.from(), name, &before, unix.AT_SYMLINK_NOFOLLOW) != nil {
		return nil
	}
	to, err := c.to()
	if err == nil {
		err = unix.Symlinkat(string(c.buf[:n]), to, name)
	}
	if err == nil {
		err = unix.UtimesNanoAt(to, name, []unix.Timespec{c.timespec(&before), c.timespec(&before)}, unix.AT_SYMLINK_NOFOLLOW)
	}
	if err == nil {
		err = unix.Fstatat(to, name, &after, unix.AT_SYMLINK_NOFOLLOW)
	}
	if err != nil {
		return c.fault("link", e, err)
	}
	e.Stat = statOf(&after)
	return nil
}

func (c *copier) fault(op string, e *gitops.IndexEntry, err error) error {
	return fmt.Errorf("copy file: %w", &fs.PathError{Op: op, Path: filepath.Join(c.dest, filepath.FromSlash(e.Name)), Err: err})
}

// readFull reads as much as the buffer takes; false where that is not to be had.
func readFull(fd int, buf []byte) bool {
	for len(buf) > 0 {
		n, err := unix.Read(fd, buf)
		if err == unix.EINTR {
			continue
		}
		if err != nil || n <= 0 {
			return false
		}
		buf = buf[n:]
	}
	return true
}

func writeAll(fd int, data []byte) error {
	for len(data) > 0 {
		n, err := unix.Write(fd, data)
		if err != nil && err != unix.EINTR {
			return err
		}
		data = data[max(n, 0):]
	}
	return nil
}

func (c *copier) timespec(source *unix.Stat_t) unix.Timespec {
	return unix.NsecToTimespec(c.timeFor(time.Unix(source.Mtim.Unix())).UnixNano())
}

// setTime is futimens(3): no name has to be looked up once more.
func setTime(fd int, when unix.Timespec) error {
	times := [2]unix.Timespec{when, when}
	_, _, errno := unix.Syscall6(unix.SYS_UTIMENSAT, uintptr(fd), 0, uintptr(unsafe.Pointer(&times)), 0, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// statOf is gitops.StatOf without the detour of the os package.
func statOf(s *unix.Stat_t) gitops.Stat {
	mode := fs.FileMode(s.Mode & 0o777)
	switch s.Mode & unix.S_IFMT {
	case unix.S_IFREG:
	case unix.S_IFLNK:
		mode |= fs.ModeSymlink
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
