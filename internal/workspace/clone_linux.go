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
	done := false
	ctl := to.Control(func(d uintptr) {
		_ = from.Control(func(s uintptr) {
			done = unix.IoctlFileClone(int(d), int(s)) == nil
		})
	})
	return ctl == nil && done
}
