package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"git-okstra/gitops"
	"git-okstra/internal/testrepo"
)

// beside adds a settled worktree on rev.
func (w *world) beside(name, rev string) string {
	w.t.Helper()
	dir := filepath.Join(w.root, name)
	w.Git("worktree", "add", "-q", "-b", "on-"+name, dir, rev)
	w.settle(dir)
	return dir
}

// chain makes commits c0, c1 … that differ from the one before in one file.
func (w *world) chain(n int) {
	w.t.Helper()
	for i := range n {
		w.Write(fmt.Sprintf("step/%d", i), "x\n")
		w.Commit(fmt.Sprint("step ", i))
		w.Git("tag", fmt.Sprint("c", i))
	}
	w.settle()
}

// TestNearestIsFirst has more worktrees than indexes are read: the nearest tree is found
// wherever in the list it stands, on a branch or detached, loose or packed.
func TestNearestIsFirst(t *testing.T) {
	t.Parallel()
	w := small(t)
	w.chain(8)
	w.Git("checkout", "-q", "-b", "old", "c0")
	w.settle()
	for i := range 6 {
		w.beside(fmt.Sprint("w", i), fmt.Sprint("c", i))
	}
	near := filepath.Join(w.root, "zz")
	w.Git("worktree", "add", "-q", "--detach", near, "c7")
	w.settle(near)
	first := func(rev string) string {
		t.Helper()
		ranked, err := rank(t.Context(), w.open(), w.target(rev))
		w.must(err)
		return filepath.Base(ranked[0].Path)
	}
	for rev, want := range map[string]string{"c7": "zz", "c5": "w5", "c2": "w2"} {
		if got := first(rev); got != want {
			t.Errorf("%s: %s is nearest, want %s", rev, got, want)
		}
	}
	w.Git("pack-refs", "--all")
	if got := first("c4"); got != "w4" {
		t.Errorf("packed: %s is nearest", got)
	}
	if res := w.sameAsGit("c4"); res.Written != 0 {
		t.Errorf("result %+v", res)
	}
}

// TestSeveralSiblings takes from a second worktree what the first has not, or has changed.
func TestSeveralSiblings(t *testing.T) {
	t.Parallel()
	w := small(t)
	w.chain(3)
	w.Write("a.txt", "changed, not committed")
	far := w.beside("far", "c0")
	if res := w.sameAsGit("main"); res.Written != 0 || res.Copied != 8 {
		t.Errorf("result %+v", res)
	}
	// One whose index proves nothing is passed over, and so is one that is gone.
	w.Git("update-index", "--assume-unchanged", "b.txt")
	if res := w.sameAsGit("c0"); res.Written != 0 {
		t.Errorf("result %+v", res)
	}
	w.must(os.RemoveAll(far))
	w.sameAsGit("c0")
}

// TestForeignSiblings has worktrees whose HEAD promises what is not there.
func TestForeignSiblings(t *testing.T) {
	t.Parallel()
	w := small(t)
	w.chain(2)
	near := w.beside("near", "main")
	w.Git("checkout", "-q", "c0")
	for what, spoil := range map[string]func(dir, admin string){
		"edited":        func(dir, _ string) { w.put(filepath.Join(dir, "a.txt"), "other\n") },
		"no index":      func(_, admin string) { w.must(os.Remove(filepath.Join(admin, "index"))) },
		"another index": func(_, admin string) { w.put(filepath.Join(admin, "index"), "DIRC no index") },
		"no head":       func(_, admin string) { w.put(filepath.Join(admin, "HEAD"), "ref: refs/../../etc\n") },
		"another place": func(_, admin string) {
			w.put(filepath.Join(admin, "gitdir"), filepath.Join(w.root, "elsewhere", ".git")+"\n")
		},
		"other files": func(dir, _ string) {
			w.must(os.Rename(dir, dir+".away"))
			w.put(filepath.Join(dir, "a.txt"), "content of A.txt\n")
		},
	} {
		admin := w.Git("-C", near, "rev-parse", "--absolute-git-dir")
		spoil(near, admin)
		t.Log(what)
		w.sameAsGit("main")
		w.must(os.RemoveAll(near))
		w.must(os.RemoveAll(near + ".away"))
		w.must(os.RemoveAll(admin))
		w.Git("branch", "-D", "on-near")
		near = w.beside("near", "main")
	}
}

// TestCancelledWhileCopying cancels when the first files are there: nothing is left.
func TestCancelledWhileCopying(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "empty")
	w.Repo = testrepo.BigTree(t, 2000)
	w.settle()
	w.Git("config", "checkout.workers", "1")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	target := w.target("main")
	seen := 0
	target.Tell = func(done, total int) {
		if seen = done; total == 2000 && done < total {
			cancel()
		}
	}
	if _, err := Provision(ctx, w.open(), target); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if seen == 0 || seen > 512 {
		t.Errorf("stopped after %d files", seen)
	}
	w.nothingLeft(target)
}

// TestWorkers holds that no more copy at once than checkout.workers says, in all of its
// spellings.
func TestWorkers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "empty")
	w.Repo = testrepo.BigTree(t, 1500)
	w.settle()
	all := workers(w.open())
	for value, want := range map[string]int{"1": 1, "3": 3, "0": all, "-1": all, "nonsense": all} {
		w.Git("config", "checkout.workers", value)
		if got := workers(w.open()); got != want {
			t.Errorf("%q: %d workers, want %d", value, got, want)
		}
	}
	// Each of them is held back in its first report: as many come as there are.
	repo := w.open()
	trees, err := repo.Worktrees(t.Context())
	w.must(err)
	for _, n := range []int{1, 2, 4} {
		s := readSibling(repo, trees[0])
		index := make([]gitops.IndexEntry, len(s.index.Entries))
		for i, e := range s.index.Entries {
			index[i].TreeEntry = e.TreeEntry
		}
		var mu sync.Mutex
		in, most := 0, 0
		arrived := make(chan struct{}, 100)
		release := make(chan struct{})
		dest := filepath.Join(w.root, fmt.Sprint("dest", n))
		w.must(os.Mkdir(dest, 0o777))
		done := make(chan error, 1)
		go func() {
			done <- copyAll(t.Context(), s, dest, index, n, func(int) {
				mu.Lock()
				in++
				most = max(most, in)
				mu.Unlock()
				arrived <- struct{}{}
				<-release
				mu.Lock()
				in--
				mu.Unlock()
			})
		}()
		for range n {
			<-arrived
		}
		close(release)
		w.must(<-done)
		if most != n {
			t.Errorf("%d at once, want %d", most, n)
		}
		if got := strings.Count(strings.Join(picture(t, dest), "\n"), "file "); got < 1500 {
			t.Errorf("%d files", got)
		}
	}
}
