package gitops

import (
	"bytes"
	"encoding/binary"
	"io/fs"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/go-git/go-git/v5/plumbing/format/index"
)

// TestUnchangedRules changes one thing at a time.
func TestUnchangedRules(t *testing.T) {
	t.Parallel()
	written := time.Unix(1_700_000_100, 5)
	file := time.Unix(1_700_000_000, 7)
	same := Stat{CTime: file, MTime: file, Dev: 1, Ino: 2, UID: 3, GID: 4, Size: 5, Known: true}
	for what, c := range map[string]struct {
		change func(kept, now *Stat)
		want   bool
	}{
		"nothing":                     {func(_, _ *Stat) {}, true},
		"device":                      {func(_, now *Stat) { now.Dev++ }, true},
		"size":                        {func(_, now *Stat) { now.Size++ }, false},
		"inode":                       {func(_, now *Stat) { now.Ino++ }, false},
		"user":                        {func(_, now *Stat) { now.UID++ }, false},
		"group":                       {func(_, now *Stat) { now.GID++ }, false},
		"mtime":                       {func(_, now *Stat) { now.MTime = file.Add(1) }, false},
		"ctime":                       {func(_, now *Stat) { now.CTime = file.Add(1) }, false},
		"link":                        {func(_, now *Stat) { now.Mode = fs.ModeSymlink }, false},
		"folder":                      {func(_, now *Stat) { now.Mode = fs.ModeDir }, false},
		"platform tells nothing":      {func(_, now *Stat) { now.Known = false }, false},
		"index knows nothing":         {func(kept, _ *Stat) { kept.Known = false }, false},
		"index without nanoseconds":   {func(kept, _ *Stat) { kept.MTime, kept.CTime = file.Truncate(time.Second), file.Truncate(time.Second) }, true},
		"another second":              {func(kept, _ *Stat) { kept.MTime = file.Truncate(time.Second).Add(-time.Second) }, false},
		"racily clean":                {func(kept, now *Stat) { kept.MTime, now.MTime = written, written }, false},
		"racily clean in the second":  {func(kept, now *Stat) { kept.MTime, now.MTime = written.Truncate(time.Second), written }, false},
		"written after the index":     {func(kept, now *Stat) { kept.MTime, now.MTime = written.Add(9), written.Add(9) }, false},
		"just older than the index":   {func(kept, now *Stat) { kept.MTime, now.MTime = written.Add(-1), written.Add(-1) }, true},
		"smudged by git (size 0)":     {func(kept, _ *Stat) { kept.Size = 0 }, false},
		"more than 4 GiB, low bits =": {func(_, now *Stat) { now.WholeSize = 5 + 1<<32 }, true},
	} {
		kept, now := same, same
		c.change(&kept, &now)
		idx := &Index{ModTime: written}
		if got := idx.Unchanged(&IndexEntry{Stat: kept}, now); got != c.want {
			t.Errorf("%s: %v", what, got)
		}
	}
}

// TestUnchangedAgainstFiles asks about real files after real changes.
func TestUnchangedAgainstFiles(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("file facts are not read here")
	}
	s, r, wt := everyIndexForm(t)
	unchanged := func(name string) bool {
		idx, err := r.ReadIndex(wt)
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Lstat(s.path("a/" + name))
		if err != nil {
			t.Fatal(err)
		}
		for i := range idx.Entries {
			if idx.Entries[i].Name == name {
				return idx.Unchanged(&idx.Entries[i], StatOf(info))
			}
		}
		t.Fatalf("%q is not in the index", name)
		return false
	}
	past := time.Now().Add(-time.Hour)
	settle(t, s, past)
	if !unchanged("file.txt") || !unchanged("exec") || unchanged("link") {
		t.Fatal("clean files are not unchanged, or a link is")
	}
	// The same size, and the old time put back: only ctime tells.
	s.write("a/file.txt", "TEXT\n")
	if err := os.Chtimes(s.path("a/file.txt"), past, past); err != nil {
		t.Fatal(err)
	}
	if unchanged("file.txt") {
		t.Error("changed with size and time kept")
	}
	if err := os.Chmod(s.path("a/exec"), 0o700); err != nil {
		t.Fatal(err)
	}
	if unchanged("exec") {
		t.Error("mode changed")
	}
}

// settle gives all files an old time and lets git see them so.
func settle(t *testing.T, s *sandbox, when time.Time) {
	t.Helper()
	for _, name := range []string{"a/file.txt", "a/exec"} {
		if err := os.Chtimes(s.path(name), when, when); err != nil {
			t.Fatal(err)
		}
	}
	s.git("a", "update-index", "--refresh")
}

// FuzzPlainIndex holds that no bytes make plainIndex panic, and that what it accepts
// and go-git can read has no assume-valid entry.
func FuzzPlainIndex(f *testing.F) {
	var b bytes.Buffer
	entries := []*index.Entry{
		{Name: "a", Mode: 0o100644, Size: 1},
		{Name: string(bytes.Repeat([]byte("long"), 2000)), Mode: 0o100755},
		{Name: "skip", Mode: 0o100644, SkipWorktree: true},
	}
	if err := index.NewEncoder(&b).Encode(&index.Index{Version: 3, Entries: entries}); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add(b.Bytes()[:len(b.Bytes())-30])
	f.Add([]byte("DIRC\x00\x00\x00\x02\xff\xff\xff\xff"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		if !plainIndex(data) {
			return
		}
		if len(data) < 12 || string(data[:4]) != "DIRC" || binary.BigEndian.Uint32(data[4:]) > 3 {
			t.Fatalf("accepted %q", data)
		}
		var idx index.Index
		if err := index.NewDecoder(bytes.NewReader(data)).Decode(&idx); err != nil {
			return
		}
		rest := data[12:]
		for _, e := range idx.Entries { // every entry that go-git sees was walked at its place
			at := bytes.Index(rest, append([]byte(e.Name), 0))
			if at < 62 || rest[60]&0x80 != 0 {
				t.Fatalf("entry %q is marked, or not where it was looked for", e.Name)
			}
			size := 62
			if rest[60]&0x40 != 0 {
				size += 2
			}
			rest = rest[(size+len(e.Name)+8)&^7:]
		}
	})
}

func TestPlainIndexOfGit(t *testing.T) {
	t.Parallel()
	s, _, _ := everyIndexForm(t)
	read := func() []byte {
		data, err := os.ReadFile(s.path("a/.git/index"))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	if !plainIndex(read()) {
		t.Error("git's index is not plain")
	}
	for cut := range 90 {
		if data := read(); plainIndex(data[:cut]) {
			t.Errorf("plain when cut to %d bytes", cut)
		}
	}
	s.git("a", "update-index", "--assume-unchanged", "new\nline") // the last entry
	if plainIndex(read()) {
		t.Error("assume-valid is plain")
	}
}
