package workspace

import (
	"os"

	"golang.org/x/sys/unix"
)

// clone shares the source's blocks with the new file (reflink); false where the
// file system cannot. The descriptors stay as they are: File.Fd would switch
// both to blocking mode, which costs more than the call itself.
func clone(dst, src *os.File) bool {
	to, errTo := dst.SyscallConn()
	from, errFrom := src.SyscallConn()
	if errTo != nil || errFrom != nil {
		return false
	}
	err := unix.EINVAL
	ctl := to.Control(func(d uintptr) {
		_ = from.Control(func(s uintptr) {
			err, _ = unix.IoctlFileClone(int(d), int(s)).(unix.Errno)
		})
	})
	return ctl == nil && err == 0
}
