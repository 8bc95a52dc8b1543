package gitops

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Stat is what the index keeps of a file, to see later whether it changed.
type Stat struct {
	CTime, MTime time.Time
	Dev, Ino     uint32
	UID, GID     uint32
	Size         uint32 // the low 32 bits, as git keeps it
	Mode         fs.FileMode
	WholeSize    int64
	Known        bool // false where the platform does not tell
}

// IndexEntry is one path of an index.
type IndexEntry struct {
	TreeEntry
	Stat
	Plain bool // an ordinary entry: merged, not skip-worktree, not intent-to-add
}

// Index is a worktree's index as it stood on disk at ModTime.
type Index struct {
	Entries []IndexEntry
	ModTime time.Time
}

// ErrIndexUnsupported is the sentinel for an index with features (split, sparse,
// assume-valid, version 4, SHA-256) that are left to git.
var ErrIndexUnsupported = errors.New("index form is left to git")

// ReadIndex reads a worktree's index. Errors: fs.ErrNotExist where there is none
// yet, ErrIndexUnsupported, or that of reading.
func (r *Repo) ReadIndex(wt Worktree) (*Index, error) {
	file := filepath.Join(wt.GitDir, "index")
	info, err := os.Stat(file)
	if err != nil {
		return nil, fmt.Errorf("read index: %w", err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read index: %w", err)
	}
	if r.format != "sha1" || !plainIndex(data) {
		return nil, fmt.Errorf("read index %q: %w", file, ErrIndexUnsupported)
	}
	entries, err := decodeIndex(data)
	if err != nil {
		return nil, fmt.Errorf("read index %q: %w: %w", file, ErrIndexUnsupported, err)
	}
	return &Index{ModTime: info.ModTime(), Entries: entries}, nil
}

// CountIndex tells how many entries a worktree's index has, from its head alone; none
// where there is no index.
func (r *Repo) CountIndex(wt Worktree) (int, error) {
	file, err := os.Open(filepath.Join(wt.GitDir, "index"))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read index: %w", err)
	}
	defer func() { _ = file.Close() }()
	var head [indexHeader]byte
	if _, err := io.ReadFull(file, head[:]); err != nil {
		return 0, fmt.Errorf("read index: %w", err)
	}
	return int(binary.BigEndian.Uint32(head[8:])), nil
}

// plainIndex walks the entries of a version 2 or 3 index and reports whether
// all of them are there and none is marked assume-valid: a file that git was told not to
// look at proves nothing.
func plainIndex(data []byte) bool {
	if len(data) < indexHeader+sha1Len || string(data[:4]) != "DIRC" {
		return false
	}
	version, count := binary.BigEndian.Uint32(data[4:]), binary.BigEndian.Uint32(data[8:])
	if version != 2 && version != 3 {
		return false
	}
	rest := data[indexHeader : len(data)-sha1Len]
	for range count {
		if len(rest) < indexFixed {
			return false
		}
		flags := binary.BigEndian.Uint16(rest[60:])
		size := indexFixed
		if flags&flagAssumeValid != 0 {
			return false
		}
		if flags&flagExtended != 0 {
			size += 2
		}
		name := int(flags & indexNameLen)
		if name == indexNameLen {
			end := bytes.IndexByte(rest[min(size, len(rest)):], 0)
			if end < 0 {
				return false
			}
			name = end
		}
		size = (size + name + 8) &^ 7
		if len(rest) < size {
			return false
		}
		rest = rest[size:]
	}
	return true
}

// WriteIndex writes a worktree's first index: beside it, under git's own lock
// name, then renamed. Entries without Known carry no stat data, so that git
// looks at those files itself. Errors: fs.ErrExist where git holds the lock.
func (r *Repo) WriteIndex(wt Worktree, entries []IndexEntry) error {
	file := filepath.Join(wt.GitDir, "index")
	lock, err := os.OpenFile(file+".lock", os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return fmt.Errorf("write index: %w", err)
	}
	if err := errors.Join(encodeIndex(lock, entries), lock.Close()); err != nil {
		return fmt.Errorf("write index: %w", errors.Join(err, os.Remove(lock.Name())))
	}
	if err := os.Rename(lock.Name(), file); err != nil {
		return fmt.Errorf("write index: %w", errors.Join(err, os.Remove(lock.Name())))
	}
	return nil
}

// Unchanged reports whether a file still is what the index saw: size, both
// times, inode and owner agree, and it was not written so close to the index
// itself that its times prove nothing (git's "racily clean").
func (idx *Index) Unchanged(e *IndexEntry, now Stat) bool {
	return e.Known && now.Known && now.Mode.IsRegular() &&
		e.Size == now.Size && e.Ino == now.Ino && e.UID == now.UID && e.GID == now.GID &&
		sameTime(e.MTime, now.MTime) && sameTime(e.CTime, now.CTime) &&
		now.MTime.Before(idx.ModTime)
}

// sameTime compares two times as the index keeps them; a git built without
// nanoseconds keeps none.
func sameTime(kept, now time.Time) bool {
	if kept.Nanosecond() == 0 {
		return kept.Unix() == now.Unix()
	}
	return kept.Equal(now)
}
