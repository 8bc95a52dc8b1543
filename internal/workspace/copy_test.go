package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"git-okstra/gitops"
	"git-okstra/internal/testrepo"
)

// TestCopyOne holds that a file is copied with its time, only with the content that
// is wanted, never over another, and that a refusal leaves no trace.
func TestCopyOne(t *testing.T) {
	t.Parallel()
	w := small(t)
	repo := w.open()
	all, err := repo.Worktrees(t.Context())
	w.must(err)
	s := readSibling(repo, all[0])
	hashB := gitops.Hash(w.Git("rev-parse", "HEAD:b.txt"))
	info, err := os.Lstat(w.path("a.txt"))
	w.must(err)
	for what, change := range map[string]func(have, e *gitops.IndexEntry){
		"good":          func(_, _ *gitops.IndexEntry) {},
		"vanished":      func(have, e *gitops.IndexEntry) { e.Name, have.Name = "a.txt.gone", "a.txt.gone" },
		"other content": func(have, e *gitops.IndexEntry) { e.Hash, have.Hash = hashB, hashB },
		"another entry": func(_, e *gitops.IndexEntry) { e.Hash = hashB },
		"another size":  func(have, _ *gitops.IndexEntry) { have.Size++ },
		"another mode":  func(_, e *gitops.IndexEntry) { e.TreeEntry.Mode = gitops.ModeExec },
		"a link": func(have, e *gitops.IndexEntry) {
			e.TreeEntry.Mode, have.TreeEntry.Mode = gitops.ModeSymlink, gitops.ModeSymlink
		},
		"a folder instead": func(have, e *gitops.IndexEntry) { e.Name, have.Name = "sub", "sub" },
		"no such folder":   func(have, e *gitops.IndexEntry) { e.Name, have.Name = "no/a.txt", "no/a.txt" },
		"below a file":     func(have, e *gitops.IndexEntry) { e.Name, have.Name = "b.txt/a.txt", "b.txt/a.txt" },
	} {
		for _, small := range []int{1 << 10, 7} { // proved first, and proved while it is copied
			w.copyOne(s, what, change, small, info)
		}
	}
}

// copyOne changes what is wanted and what the sibling is said to have, both a.txt, and
// looks at what comes of it.
func (w *world) copyOne(s *sibling, what string, change func(have, e *gitops.IndexEntry), small int, info os.FileInfo) {
	w.t.Helper()
	at, ok := s.find("a.txt", 0)
	if !ok {
		w.t.Fatal("no a.txt")
	}
	have := s.index.Entries[at]
	e := gitops.IndexEntry{TreeEntry: have.TreeEntry}
	change(&have, &e)
	only := &sibling{path: s.path, index: &gitops.Index{ModTime: s.index.ModTime, Entries: []gitops.IndexEntry{have}}}
	c := newCopier(only, filepath.Join(w.root, what, fmt.Sprint(small)), small)
	defer c.close()
	w.must(os.MkdirAll(c.dest, 0o777))
	w.must(c.copyOne(&e))
	to := filepath.Join(c.dest, e.Name)
	if want := what == "good"; e.Known != want || exists(to) != want {
		w.t.Errorf("%s (%d): known %v, left %v", what, small, e.Known, exists(to))
	}
	if what != "good" {
		return
	}
	data, err := os.ReadFile(to)
	after, err2 := os.Lstat(to)
	if err != nil || err2 != nil || string(data) != "content of a.txt\n" || !after.ModTime().Equal(info.ModTime()) || e.Stat != gitops.StatOf(after) {
		w.t.Errorf("%q, %v, %v, %+v", data, err, err2, e.Stat)
	}
	if err := c.copyOne(&e); err == nil {
		w.t.Error("copied over a file")
	}
}

// TestCopyWhileSiblingChanges edits and removes the sibling's files all the time. What
// comes out is the commit, whatever was read meanwhile.
func TestCopyWhileSiblingChanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "empty")
	w.Repo = testrepo.BigTree(t, 900)
	w.settle()
	var stop atomic.Bool
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := 899; !stop.Load() && i >= 0; i-- {
			name := w.path(fmt.Sprintf("d%04d/f%04d.txt", i/100, i))
			if i%2 == 0 {
				_ = os.Remove(name)
			} else {
				_ = os.WriteFile(name, []byte(fmt.Sprintf("FILE %d\n", i)), 0o644)
			}
		}
	}()
	target, res := w.mustProvision("main")
	stop.Store(true)
	<-done
	oracle := target.Path + "-by-git"
	w.Git("worktree", "add", "-q", "--detach", oracle, "main")
	w.compare(target.Path, oracle)
	if res.Copied+res.Written != 900 {
		t.Errorf("result %+v", res)
	}
}

// TestCopyAllReportsFaults holds that a fault on the new worktree's side is an error,
// and that a cancelled context stops the copying.
func TestCopyAllReportsFaults(t *testing.T) {
	t.Parallel()
	w := small(t)
	repo := w.open()
	all, err := repo.Worktrees(t.Context())
	w.must(err)
	s := readSibling(repo, all[0])
	entries := func() []gitops.IndexEntry {
		out := make([]gitops.IndexEntry, len(s.index.Entries))
		for i, e := range s.index.Entries {
			out[i].TreeEntry = e.TreeEntry
		}
		return out
	}
	w.put(filepath.Join(w.root, "dest", "a.txt"), "there already")
	if err := copyAll(t.Context(), s, filepath.Join(w.root, "dest"), entries(), 4, nil); err == nil || !strings.Contains(err.Error(), "a.txt") {
		t.Errorf("a file in the way: %v", err)
	}
	w.put(filepath.Join(w.root, "dest2"), "a file")
	if err := copyAll(t.Context(), s, filepath.Join(w.root, "dest2"), entries(), 4, nil); err == nil {
		t.Error("a file for a folder")
	}
	index := entries()
	w.must(os.MkdirAll(filepath.Join(w.root, "dest3"), 0o777))
	w.must(copyAll(t.Context(), s, filepath.Join(w.root, "dest3"), index, 1, nil))
	for _, e := range index {
		if !e.Known || e.MTime.After(time.Now().Add(-time.Minute)) {
			t.Errorf("%s: stat %+v", e.Name, e.Stat)
		}
	}
}
