package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestRemoveBesideStart lets release --remove, clean, doctor and starts of the same
// stage run at once. Whoever is told that the stage is his by a start of his own must
// find his worktree, whole; and nothing is left half-made.
func TestRemoveBesideStart(t *testing.T) {
	rounds := 6
	if testing.Short() {
		rounds = 2
	}
	b := newBench(t, 1)
	wt := b.stagePath(1)
	for round := range rounds {
		first, second := fmt.Sprintf("r%d", 2*round), fmt.Sprintf("r%d", 2*round+1)
		b.must(b.repo.Dir, "stage", "start", "1", "--run", first)
		words := [][]string{
			{"stage", "start", "1", "--run", second},
			{"stage", "release", "1", "--remove"},
			{"stage", "start", "1", "--run", second},
			{"stage", "clean"},
			{"doctor", "--repair"},
			{"stage", "start", "1", "--run", second},
		}
		out := b.atOnce(len(words), func(i int) (string, []string) { return b.repo.Dir, words[i] })
		mine := false
		for i, o := range out {
			switch {
			case i == 1 && o.code != 0:
				t.Errorf("round %d: release: %+v", round, o)
			case words[i][1] == "start" && o.code == 0:
				mine = true
			case words[i][1] == "start" && o.code != exitNothing:
				t.Errorf("round %d: start: %+v", round, o)
			}
		}
		if mine {
			b.whole(wt)
		}
		b.noneHalfRemoved(wt)
		if o := b.run(b.repo.Dir, "stage", "release", "1", "--remove"); mine && o.code != 0 {
			t.Errorf("round %d: in the end: %+v", round, o)
		}
		if _, err := os.Lstat(wt); !os.IsNotExist(err) {
			t.Errorf("round %d: the worktree stayed: %v", round, err)
		}
	}
	b.wholesome()
}

// whole checks that a stage's worktree is there, clean, marked and on its branch.
func (b *bench) whole(wt string) {
	b.t.Helper()
	if out, errOut, code := b.repo.TryGit("-C", wt, "status", "--porcelain", "--branch"); code != 0 || strings.TrimSpace(out) != "## "+stageBranch {
		b.t.Errorf("the worktree of a started stage: %d %q %q", code, out, errOut)
	}
	if out, _, _ := b.repo.TryGit("-C", wt, "for-each-ref", "--format=%(refname)", "refs/worktree"); strings.TrimSpace(out) != "refs/worktree/okstra/"+benchKey+"/1" {
		b.t.Errorf("marks %q", out)
	}
}

// noneHalfRemoved checks that no folder was left aside.
func (b *bench) noneHalfRemoved(wt string) {
	b.t.Helper()
	left, err := filepath.Glob(filepath.Join(filepath.Dir(wt), ".*"))
	if err != nil || len(left) > 0 {
		b.t.Errorf("left over: %v %v", left, err)
	}
}

// TestCleanBesideWriter: files that come into a worktree while it is being removed are
// never lost. Either the removal saw none, then none was written, or it did not happen.
func TestCleanBesideWriter(t *testing.T) {
	rounds := 12
	if testing.Short() {
		rounds = 3
	}
	b := newBench(t, rounds)
	removed := 0
	for n := 1; n <= rounds; n++ {
		wt := b.stagePath(n)
		b.must(b.repo.Dir, "stage", "start", fmt.Sprint(n))
		b.must(b.repo.Dir, "stage", "done", fmt.Sprint(n), "--allow-empty")
		stop := make(chan struct{})
		wrote := 0
		var writer sync.WaitGroup
		writer.Go(func() {
			time.Sleep(time.Duration(n) * 8 * time.Millisecond)
			for {
				select {
				case <-stop:
					return
				default:
				}
				if os.WriteFile(filepath.Join(wt, fmt.Sprintf("late-%d", wrote)), []byte("work"), 0o600) != nil {
					return // the folder is gone
				}
				wrote++
				time.Sleep(time.Millisecond)
			}
		})
		o := b.run(b.repo.Dir, "stage", "clean", fmt.Sprint(n))
		close(stop)
		writer.Wait()
		_, err := os.Lstat(wt)
		switch gone := os.IsNotExist(err); {
		case gone && wrote > 0:
			t.Errorf("stage %d: %d files are lost: %+v", n, wrote, o)
		case gone:
			removed++
		case o.code != exitFindings && wrote == 0:
			t.Errorf("stage %d stays, and nothing was written: %+v", n, o)
		}
		b.filesThere(wt, wrote)
		b.noneHalfRemoved(wt)
	}
	t.Logf("%d of %d were removed", removed, rounds)
	b.wholesome()
}

// filesThere checks that everything that was written still is.
func (b *bench) filesThere(wt string, n int) {
	b.t.Helper()
	for i := range n {
		data, err := os.ReadFile(filepath.Join(wt, fmt.Sprintf("late-%d", i)))
		if err != nil || string(data) != "work" {
			b.t.Errorf("late-%d: %q %v", i, data, err)
		}
	}
}

// TestCleanersAtOnce: many that clean up at once remove everything once, and agree.
func TestCleanersAtOnce(t *testing.T) {
	n := 4
	if testing.Short() {
		n = 2
	}
	b := newBench(t, n)
	for i := 1; i <= n; i++ {
		b.must(b.repo.Dir, "stage", "start", fmt.Sprint(i))
		b.must(b.repo.Dir, "stage", "done", fmt.Sprint(i), "--allow-empty")
	}
	for _, o := range b.atOnce(2*n, func(int) (string, []string) { return b.repo.Dir, []string{"stage", "clean"} }) {
		if o.code != 0 {
			t.Errorf("clean: %+v", o)
		}
	}
	if out := b.repo.Git("worktree", "list", "--porcelain"); strings.Count(out, "worktree ") != 1 {
		t.Errorf("worktrees %s", out)
	}
	if out := b.repo.Git("for-each-ref", "refs/heads"); strings.Contains(out, "feat-") {
		t.Errorf("branches %s", out)
	}
	b.noneHalfRemoved(b.stagePath(1))
	b.wholesome()
}
