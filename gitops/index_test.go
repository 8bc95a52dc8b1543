package gitops

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// everyIndexForm fills a repository's index with all kinds of entry.
func everyIndexForm(t *testing.T) (*sandbox, *Repo, Worktree) {
	t.Helper()
	s := newSandbox(t)
	s.repo("a")
	s.write("a/exec", "#!/bin/sh\n")
	if err := os.Chmod(s.path("a/exec"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("file.txt", s.path("a/link")); err != nil {
		t.Fatal(err)
	}
	s.write("a/naïve/한국어 x", "unicode\n")
	s.write("a/new\nline", "x")
	s.write("a/"+strings.Repeat(strings.Repeat("d", 200)+"/", 3)+"deep", "deep\n")
	s.git("a", "add", "-A")
	s.git("a", "commit", "-q", "-m", "all forms")
	r := s.open("a")
	wt, _, err := r.WorktreeAt(t.Context(), s.path("a"))
	if err != nil {
		t.Fatal(err)
	}
	return s, r, wt
}

// debugForm writes entries as `git ls-files --stage --debug -v -z` does.
func debugForm(idx *Index) string {
	var b strings.Builder
	for _, e := range idx.Entries {
		tag := "H"
		if !e.Plain {
			tag = "S"
		}
		fmt.Fprintf(&b, "%s %06o %s 0\t%s\x00", tag, uint32(e.TreeEntry.Mode), e.Hash, e.Name)
		fmt.Fprintf(&b, "  ctime: %d:%d\n  mtime: %d:%d\n", e.CTime.Unix(), e.CTime.Nanosecond(), e.MTime.Unix(), e.MTime.Nanosecond())
		fmt.Fprintf(&b, "  dev: %d\tino: %d\n  uid: %d\tgid: %d\n  size: %d\tflags: ", e.Dev, e.Ino, e.UID, e.GID, e.Size)
		if e.Plain {
			b.WriteString("0\n")
		} else {
			b.WriteString("40004000\n")
		}
	}
	return b.String()
}

// TestReadIndexAsGit compares every field of every entry with git's own dump.
func TestReadIndexAsGit(t *testing.T) {
	t.Parallel()
	s, r, wt := everyIndexForm(t)
	for range 2 { // version 2, then version 3
		idx, err := r.ReadIndex(wt)
		if err != nil {
			t.Fatal(err)
		}
		want := s.git("a", "ls-files", "-s", "-v", "--debug", "-z") + "\n"
		if got := debugForm(idx); got != want {
			t.Errorf("index:\n%q\ngit has:\n%q", got, want)
		}
		info, err := os.Stat(s.path("a/.git/index"))
		if err != nil || !idx.ModTime.Equal(info.ModTime()) {
			t.Errorf("time %v, %v", idx.ModTime, err)
		}
		s.git("a", "update-index", "--skip-worktree", "exec")
	}
}

// TestReadIndexOddEntries holds that what is no ordinary clean entry is not Plain.
func TestReadIndexOddEntries(t *testing.T) {
	t.Parallel()
	s, r, wt := everyIndexForm(t)
	s.write("a/later", "x")
	s.git("a", "add", "--intent-to-add", "later")
	s.git("a", "update-index", "--skip-worktree", "exec")
	blob := s.git("a", "rev-parse", "HEAD:file.txt")
	if _, err := s.try("a", nil, "100644 "+blob+" 1\tmerged\n100644 "+blob+" 2\tmerged\n", "update-index", "--index-info"); err != nil {
		t.Fatal(err)
	}
	idx, err := r.ReadIndex(wt)
	if err != nil {
		t.Fatal(err)
	}
	odd := map[string]int{}
	for _, e := range idx.Entries {
		if !e.Plain {
			odd[e.Name]++
		}
	}
	if len(odd) != 3 || odd["later"] != 1 || odd["exec"] != 1 || odd["merged"] != 2 {
		t.Errorf("not plain: %v", odd)
	}
}

// TestReadIndexUnsupported holds that each form which go-git would misread is left to
// git. The changes are made by git itself.
func TestReadIndexUnsupported(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*sandbox){
		"version 4":    func(s *sandbox) { s.git("a", "update-index", "--index-version=4") },
		"split":        func(s *sandbox) { s.git("a", "update-index", "--split-index") },
		"assume valid": func(s *sandbox) { s.git("a", "update-index", "--assume-unchanged", "exec") },
		"no checksum":  func(s *sandbox) { changeIndex(s, func(b []byte) []byte { clear(b[len(b)-20:]); return b }) },
		"damaged":      func(s *sandbox) { changeIndex(s, func(b []byte) []byte { b[30] ^= 1; return b }) },
		"cut short":    func(s *sandbox) { changeIndex(s, func(b []byte) []byte { return b[:100] }) },
		"empty":        func(s *sandbox) { changeIndex(s, func([]byte) []byte { return nil }) },
		"something":    func(s *sandbox) { changeIndex(s, func([]byte) []byte { return []byte("no index at all, but long") }) },
		"sparse folder": func(s *sandbox) { // in two calls: before 2.35 `set` takes no options
			s.git("a", "sparse-checkout", "init", "--cone", "--sparse-index")
			s.git("a", "sparse-checkout", "set", "naïve")
		},
	} {
		s, r, wt := everyIndexForm(t)
		if _, err := r.ReadIndex(wt); err != nil {
			t.Fatal(err)
		}
		change(s)
		if idx, err := r.ReadIndex(wt); !errors.Is(err, ErrIndexUnsupported) {
			t.Errorf("%s: %v, %v", name, idx, err)
		}
	}
	_, r, _ := openRecipe(t, "sha256")
	all, err := r.Worktrees(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.ReadIndex(all[0]); !errors.Is(err, ErrIndexUnsupported) {
		t.Errorf("sha256: %v", err)
	}
}

func changeIndex(s *sandbox, change func([]byte) []byte) {
	s.t.Helper()
	file := s.path("a/.git/index")
	data, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(file, change(data), 0o666)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// TestWriteIndexRoundTrip writes what was read: git finds it good, and clean without
// a look at any file.
func TestWriteIndexRoundTrip(t *testing.T) {
	t.Parallel()
	s, r, wt := everyIndexForm(t)
	idx, err := r.ReadIndex(wt)
	if err != nil {
		t.Fatal(err)
	}
	want := s.git("a", "ls-files", "-s", "-v", "--debug", "-z")
	long := TreeEntry{Name: strings.Repeat("long/", 1000) + "name", Mode: ModeFile, Hash: idx.Entries[0].Hash}
	if err := r.WriteIndex(wt, append([]IndexEntry{{TreeEntry: long}}, idx.Entries...)); err != nil {
		t.Fatal(err)
	}
	if got := s.git("a", "ls-files", "-s", "-v", "--debug", "-z", "--", ":!long"); got != want {
		t.Errorf("index:\n%q\nwant:\n%q", got, want)
	}
	if got := s.git("a", "ls-files", "--", "long"); got != long.Name {
		t.Errorf("a long name became %d bytes", len(got))
	}
	if err := r.WriteIndex(wt, idx.Entries); err != nil {
		t.Fatal(err)
	}
	if got := s.git("a", "diff-files", "--name-only"); got != "" {
		t.Errorf("diff-files wants a refresh of %q", got)
	}
	if got := s.git("a", "status", "--porcelain"); got != "" {
		t.Errorf("status %q", got)
	}
	s.git("a", "fsck", "--strict")
}

func TestWriteIndexWithoutStat(t *testing.T) {
	t.Parallel()
	s, r, wt := everyIndexForm(t)
	idx, err := r.ReadIndex(wt)
	if err != nil {
		t.Fatal(err)
	}
	for i := range idx.Entries {
		idx.Entries[i].Known = false
	}
	if err := r.WriteIndex(wt, idx.Entries); err != nil {
		t.Fatal(err)
	}
	if got := s.git("a", "diff-files", "--name-only"); strings.Count(got, "\n")+1 != len(idx.Entries) {
		t.Errorf("git trusts files that it has not seen: %q", got)
	}
	if got := s.git("a", "status", "--porcelain"); got != "" {
		t.Errorf("status %q", got)
	}
}

func TestWriteIndexUnderLock(t *testing.T) {
	t.Parallel()
	s, r, wt := everyIndexForm(t)
	before, err := os.ReadFile(s.path("a/.git/index"))
	if err != nil {
		t.Fatal(err)
	}
	s.write("a/.git/index.lock", "somebody's")
	if err := r.WriteIndex(wt, nil); !errors.Is(err, fs.ErrExist) {
		t.Errorf("error %v", err)
	}
	after, err := os.ReadFile(s.path("a/.git/index"))
	if err != nil || string(after) != string(before) {
		t.Errorf("the index changed, %v", err)
	}
	if held, err := os.ReadFile(s.path("a/.git/index.lock")); err != nil || string(held) != "somebody's" {
		t.Errorf("the lock changed: %q, %v", held, err)
	}
	gone := wt
	gone.GitDir = filepath.Join(s.dir, "nowhere")
	if err := r.WriteIndex(gone, nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
	if _, err := r.ReadIndex(gone); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no index: %v", err)
	}
	// A time that the index cannot hold leaves no lock behind.
	bad := IndexEntry{TreeEntry: TreeEntry{Name: "x", Mode: ModeFile}, Stat: Stat{Known: true, MTime: time.Unix(-5, 0)}}
	if err := os.Remove(s.path("a/.git/index.lock")); err != nil {
		t.Fatal(err)
	}
	if err := r.WriteIndex(wt, []IndexEntry{bad}); err == nil || exists(s.path("a/.git/index.lock")) {
		t.Errorf("bad time: %v, lock left: %v", err, exists(s.path("a/.git/index.lock")))
	}
}
