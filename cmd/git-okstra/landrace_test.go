package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestManyLandAtOnce: stages land in every way at once, one of them twice, beside one
// that ends and a person who commits on the branch in its worktree. All of it is there
// afterwards, and the worktree has it.
func TestManyLandAtOnce(t *testing.T) {
	t.Parallel()
	const stages = 5
	b := newBench(t, stages)
	for n := 1; n <= stages; n++ {
		b.must(b.repo.Dir, "stage", "start", fmt.Sprint(n))
		wt := b.stagePath(n)
		if err := os.WriteFile(filepath.Join(wt, fmt.Sprint("work", n)), []byte(fmt.Sprint("work ", n, "\n")), 0o666); err != nil {
			t.Fatal(err)
		}
		b.repo.Git("-C", wt, "add", ".")
		b.repo.Git("-C", wt, "commit", "-q", "-m", fmt.Sprint("work ", n))
		if n < stages {
			b.must(b.repo.Dir, "stage", "done", fmt.Sprint(n))
		}
	}
	b.repo.Write("first", "x\n")
	b.repo.Commit("main moves")
	person := make(chan int)
	go func() {
		made := 0
		for i := range 6 {
			name := fmt.Sprint("mine", i)
			b.repo.Write(name, "mine\n")
			for range 500 { // another git may have the index
				if _, _, code := b.repo.TryGit("add", name); code != 0 {
					continue
				}
				if _, _, code := b.repo.TryGit("commit", "-q", "-m", name); code == 0 {
					made++
					break
				}
			}
		}
		person <- made
	}()
	calls := [][]string{
		{"stage", "land", "1"},
		{"stage", "land", "1"},
		{"stage", "land", "2", "--squash"},
		{"stage", "land", "3", "--rebase"},
		{"stage", "land", "4"},
		{"stage", "done", "5"},
	}
	for i, o := range b.atOnce(len(calls), func(i int) (string, []string) { return b.repo.Dir, calls[i] }) {
		if o.code != 0 {
			t.Errorf("%q: %+v", calls[i], o)
		}
	}
	if made := <-person; made != 6 {
		t.Errorf("%d commits beside, want 6", made)
	}
	b.must(b.repo.Dir, "stage", "land", "1-5")
	for n := 1; n <= stages; n++ {
		if got := b.repo.Git("show", fmt.Sprintf("main:work%d", n)); got != fmt.Sprint("work ", n) {
			t.Errorf("stage %d: %q", n, got)
		}
		if _, _, code := b.repo.TryGit("merge-base", "--is-ancestor", fmt.Sprintf("refs/okstra/%s/done/%d", benchKey, n), "main"); code != 0 {
			t.Errorf("stage %d is not in main", n)
		}
	}
	subjects := b.repo.Git("log", "--format=%s", "main")
	for i := range 6 {
		if !strings.Contains(subjects, fmt.Sprint("mine", i)) {
			t.Errorf("mine%d was lost", i)
		}
	}
	if out := b.repo.Git("status", "--porcelain"); out != "" {
		t.Errorf("status %q", out)
	}
	if got := b.rows("done"); got != stages+2 {
		t.Errorf("%d done rows, want %d", got, stages+2)
	}
	if o := b.must(b.repo.Dir, "doctor"); strings.Contains(o.out, "error") {
		t.Errorf("doctor: %s", o.out)
	}
	b.wholesome()
}
