package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestManyReconcileAtOnce: processes that find the same rewritten stages record each
// once, beside git's hook that tells of the same rewrite.
func TestManyReconcileAtOnce(t *testing.T) {
	t.Parallel()
	const stages = 3
	b := newBench(t, stages)
	var pairs []string
	for n := 1; n <= stages; n++ {
		b.must(b.repo.Dir, "stage", "start", fmt.Sprint(n))
		wt := b.stagePath(n)
		b.repo.Git("-C", wt, "rm", "-q", "--cached", "src/main.txt")
		b.repo.Git("-C", wt, "commit", "-q", "-m", fmt.Sprint("work ", n))
		b.repo.Git("-C", wt, "checkout", "-q", "-f", "HEAD")
		b.repo.Git("-C", wt, "clean", "-qfd")
		b.must(b.repo.Dir, "stage", "done", fmt.Sprint(n))
		old := b.repo.Git("-C", wt, "rev-parse", "HEAD")
		b.repo.Git("-C", wt, "commit", "-q", "--amend", "-m", fmt.Sprint("again ", n))
		pairs = append(pairs, old+" "+b.repo.Git("-C", wt, "rev-parse", "HEAD"))
	}
	list := filepath.Join(t.TempDir(), "pairs")
	if err := os.WriteFile(list, []byte(strings.Join(pairs, "\n")+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	hook := make(chan struct{})
	go func() {
		defer close(hook)
		b.repo.Git("-c", "alias.tell=!git okstra hooks run post-rewrite rebase <'"+list+"'", "tell")
	}()
	for _, o := range b.atOnce(8, func(int) (string, []string) { return b.repo.Dir, []string{"reconcile"} }) {
		if o.code != 0 {
			t.Errorf("%+v", o)
		}
	}
	<-hook
	if got := b.rows("done"); got != 2*stages {
		t.Errorf("%d done rows, want %d", got, 2*stages)
	}
	for n, pair := range pairs {
		_, want, _ := strings.Cut(pair, " ")
		if got := b.repo.Git("rev-parse", fmt.Sprintf("refs/okstra/%s/done/%d", benchKey, n+1)); got != want {
			t.Errorf("stage %d is done at %s, want %s", n+1, got, want)
		}
	}
	b.wholesome()
}
