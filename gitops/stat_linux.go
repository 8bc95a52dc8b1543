package gitops

import (
	"io/fs"
	"syscall"
	"time"
)

// StatOf turns what the system says of a file into what the index keeps of it.
func StatOf(info fs.FileInfo) Stat {
	sys, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return Stat{Mode: info.Mode()}
	}
	return Stat{
		CTime: time.Unix(sys.Ctim.Unix()), MTime: time.Unix(sys.Mtim.Unix()),
		Dev: uint32(sys.Dev), Ino: uint32(sys.Ino), UID: sys.Uid, GID: sys.Gid,
		Size: uint32(info.Size()), WholeSize: info.Size(), Mode: info.Mode(), Known: true,
	}
}
