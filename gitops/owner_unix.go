//go:build unix

package gitops

import (
	"io/fs"
	"os"
	"syscall"
)

// ownFile reports whether a file is the caller's own.
func ownFile(info fs.FileInfo) bool {
	sys, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(sys.Uid) == os.Geteuid()
}
