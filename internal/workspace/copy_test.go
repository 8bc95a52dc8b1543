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

// TestCopyFile holds that a file is copied with its time, only with the content that
// is wanted, never over another, and that a refusal leaves no trace.
func TestCopyFile(t *testing.T) {
	t.Parallel()
	w := small(t)
	from, c := w.path("a.txt"), copier{clones: true, buf: make([]byte, 7)}
	info, err := os.Lstat(from)
	w.must(err)
	good := gitops.TreeEntry{Name: "a.txt", Mode: gitops.ModeFile, Hash: gitops.Hash(w.Git("rev-parse", "HEAD:a.txt"))}
	other := good
	other.Hash = gitops.Hash(w.Git("rev-parse", "HEAD:b.txt"))
	later, err := os.Lstat(w.path("run"))
	w.must(err)
	for what, x := range map[string]struct {
		from   string
		before os.FileInfo
		entry  gitops.TreeEntry
		want   bool
	}{
		"good":             {from, info, good, true},
		"vanished":         {from + "-gone", info, good, false},
		"other content":    {from, info, other, false},
		"another size":     {from, later, good, false},
		"a folder instead": {w.path("sub"), info, good, false},
	} {
		to := filepath.Join(w.root, what)
		done, err := c.copyFile(x.from, to, x.before, x.entry)
		if done != x.want || err != nil || exists(to) != x.want {
			t.Errorf("%s: %v, %v, left %v", what, done, err, exists(to))
		}
		if done {
			data, err := os.ReadFile(to)
			after, err2 := os.Lstat(to)
			if err != nil || err2 != nil || string(data) != "content of a.txt\n" || !after.ModTime().Equal(info.ModTime()) {
				t.Errorf("%s: %q, %v, %v", what, data, err, err2)
			}
		}
	}
	if _, err := c.copyFile(from, filepath.Join(w.root, "good"), info, good); err == nil {
		t.Error("copied over a file")
	}
	if _, err := c.copyFile(from, filepath.Join(w.root, "no", "folder"), info, good); err == nil {
		t.Error("copied to nowhere")
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
	if err := copyAll(t.Context(), s, filepath.Join(w.root, "dest"), entries(), 4); err == nil || !strings.Contains(err.Error(), "a.txt") {
		t.Errorf("a file in the way: %v", err)
	}
	w.put(filepath.Join(w.root, "dest2"), "a file")
	if err := copyAll(t.Context(), s, filepath.Join(w.root, "dest2"), entries(), 4); err == nil {
		t.Error("a file for a folder")
	}
	index := entries()
	w.must(os.MkdirAll(filepath.Join(w.root, "dest3"), 0o777))
	w.must(copyAll(t.Context(), s, filepath.Join(w.root, "dest3"), index, 1))
	for _, e := range index {
		if !e.Known || e.MTime.After(time.Now().Add(-time.Minute)) {
			t.Errorf("%s: stat %+v", e.Name, e.Stat)
		}
	}
}
