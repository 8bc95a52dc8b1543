package workspace

import (
	"errors"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// maxOpenFolders bounds the descriptors that a copier holds. What lies deeper is left
// to git.
const maxOpenFolders = 64

// folders are the folders on the way to the one in which a copier works now, in the
// sibling and in the new worktree, as descriptors: most of the time of a copy goes into
// system calls, and the shorter a name the cheaper its look-up. Each is opened from the
// one above it and never through a link: git takes what lies behind one for gone.
// Descriptors of the os package would each be offered to the poller as well.
type folders struct {
	dir   string // where the copier is: "" at the top, else with a slash at the end
	chain []folder
}

// folder is one step of the way.
type folder struct {
	name     string // "" for the top
	end      int    // of it in folders.dir
	from, to int    // -1: the sibling has none; not opened yet
}

const folderFlags = unix.O_PATH | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC

func (f *folders) close() { f.leave(0) }

// leave closes all but the first n; they were only looked through.
func (f *folders) leave(n int) {
	for len(f.chain) > n {
		last := f.chain[len(f.chain)-1]
		if last.from >= 0 {
			_ = unix.Close(last.from)
		}
		if last.to >= 0 {
			_ = unix.Close(last.to)
		}
		f.chain = f.chain[:len(f.chain)-1]
	}
}

// usable reports whether the sibling has the folder.
func (f *folders) usable() bool { return f.chain[len(f.chain)-1].from >= 0 }

// from is the sibling's folder.
func (f *folders) from() int { return f.chain[len(f.chain)-1].from }

// enter goes to a folder, which is "" or ends with a slash.
func (c *copier) enter(dir string) error {
	if len(c.chain) == 0 {
		top := folder{from: openOr(unix.AT_FDCWD, c.path), to: -1}
		c.chain = append(c.chain, top)
	} else if c.dir == dir {
		return nil
	}
	keep := 1
	for keep < len(c.chain) && strings.HasPrefix(dir, c.dir[:c.chain[keep].end]) {
		keep++
	}
	c.leave(keep)
	c.dir = dir
	for at := c.chain[keep-1].end; at < len(dir); {
		end := at + strings.IndexByte(dir[at:], '/') + 1
		next := folder{name: dir[at : end-1], end: end, from: -1, to: -1}
		if above := c.from(); above >= 0 && len(c.chain) < maxOpenFolders {
			next.from = openOr(above, next.name)
		}
		c.chain = append(c.chain, next)
		at = end
	}
	return nil
}

// openOr opens a folder to look through; -1 where there is none.
func openOr(above int, name string) int {
	fd, err := open(above, name, folderFlags, 0)
	if err != nil {
		return -1
	}
	return fd
}

// to is the new worktree's folder. Those on the way that are not there are made; of
// several workers, one makes a folder and the others find it.
func (c *copier) to() (int, error) {
	for i := range c.chain {
		f := &c.chain[i]
		if f.to >= 0 {
			continue
		}
		var err error
		if i == 0 {
			f.to, err = open(unix.AT_FDCWD, filepath.Clean(c.dest), folderFlags, 0)
		} else {
			above := c.chain[i-1].to
			if err = unix.Mkdirat(above, f.name, 0o777); err == nil || errors.Is(err, unix.EEXIST) {
				f.to, err = open(above, f.name, folderFlags, 0)
			}
		}
		if err != nil {
			f.to = -1
			return -1, err
		}
	}
	return c.chain[len(c.chain)-1].to, nil
}

// open is openat(2), again where a signal came in between.
func open(dir int, name string, flags int, mode uint32) (fd int, err error) {
	for {
		if fd, err = unix.Openat(dir, name, flags, mode); err != unix.EINTR {
			return fd, err
		}
	}
}
