package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestNotOfferedFiftyTimes is field report A5 in its own words: a stage that is
// claimed is in none of 50 later answers.
func TestNotOfferedFiftyTimes(t *testing.T) {
	b := newBench(t, 2)
	b.must(b.repo.Dir, "stage", "start", "1", "--run", "long")
	rounds := 50
	if testing.Short() {
		rounds = 5
	}
	for i := range rounds {
		if o := b.must(b.repo.Dir, "stage", "next", "--dry-run", "--json"); !strings.Contains(o.out, `"stage":2,`) || strings.Contains(o.out, `"stage":1,`) {
			t.Fatalf("call %d: %s", i, o.out)
		}
	}
}

// TestReleaseOfChangedHands is field report A11: between the look at a reservation
// and its deletion another one comes; it must stay. The interleave is forced by a git
// that puts the newer tag there before the first transaction.
func TestReleaseOfChangedHands(t *testing.T) {
	b := newBench(t, 1)
	ref := "refs/okstra/" + benchKey + "/reserved/1"
	b.must(b.repo.Dir, "stage", "start", "1", "--run", "mine")
	b.must(b.repo.Dir, "stage", "release", "1")
	b.must(b.repo.Dir, "stage", "start", "1", "--run", "theirs")
	newer := b.repo.Git("rev-parse", ref)
	b.must(b.repo.Dir, "stage", "release", "1")
	b.must(b.repo.Dir, "stage", "start", "1", "--run", "mine again")
	rows := b.rows("released")
	b.beforeUpdateRef(fmt.Sprintf("git update-ref %s %s", ref, newer))
	o := b.run(b.repo.Dir, "stage", "release", "1")
	if o.code != exitFindings || !strings.Contains(o.errOut, "stage 1 changed hands meanwhile") {
		t.Errorf("release: %+v", o)
	}
	if got := b.repo.Git("rev-parse", ref); got != newer {
		t.Errorf("the newer reservation %s became %s", newer, got)
	}
	if got := b.rows("released"); got != rows {
		t.Errorf("%d rows released, want %d", got, rows)
	}
	b.wholesome()
}

// TestTwoWritersFromOneParent is field report A13: a second writer's row comes in
// between the first one's reading and writing of the log. Both rows survive.
func TestTwoWritersFromOneParent(t *testing.T) {
	b := newBench(t, 2)
	b.must(b.repo.Dir, "stage", "start", "1")
	revise(b)
	// An approval does not wait for its turn. Its folder is the one that git was given.
	b.beforeUpdateRef("cd .. && git-okstra plan approve plan.md --amend --force --why tried")
	b.must(b.repo.Dir, "stage", "start", "2")
	if started, revised := b.rows("started"), b.rows("revised"); started != 2 || revised != 1 {
		t.Errorf("%d started and %d revised rows, want 2 and 1", started, revised)
	}
	b.wholesome()
}

// beforeUpdateRef runs a script once, before our next git update-ref, by a git of
// our own on PATH; inside of it the real one is used.
func (b *bench) beforeUpdateRef(script string) {
	b.t.Helper()
	dir := b.t.TempDir()
	stand := fmt.Sprintf(`#!/bin/sh
PATH=${PATH#*:}
case "$*" in
*update-ref*--stdin*)
	if mkdir %q 2>/dev/null; then
		(%s) </dev/null >%q 2>&1
	fi
	;;
esac
exec git "$@"
`, filepath.Join(dir, "ran"), script, filepath.Join(dir, "out"))
	if err := os.WriteFile(filepath.Join(dir, "git"), []byte(stand), 0o777); err != nil {
		b.t.Fatal(err)
	}
	b.repo.Env = append(b.repo.Env, "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// TestBranchClashLeavesNothing is field report A17: a foreign branch of the stage's
// name is found before and, where it comes at the last moment, by the transaction.
// Once it is gone the same command succeeds, and nothing of the first try is left.
func TestBranchClashLeavesNothing(t *testing.T) {
	b := newBench(t, 1)
	before := b.repo.Git("for-each-ref")
	env := b.repo.Env
	b.beforeUpdateRef("git branch " + stageBranch)
	o := b.run(b.repo.Dir, "stage", "start", "1", "--run", "r")
	b.repo.Env = env
	if o.code != exitFindings || !strings.Contains(o.errOut, "branch "+stageBranch+" exists already") {
		t.Errorf("start: %+v", o)
	}
	b.repo.Git("branch", "-D", stageBranch)
	if got := b.repo.Git("for-each-ref"); got != before {
		t.Errorf("left over:\n%s\nwant\n%s", got, before)
	}
	if _, err := os.Stat(b.stagePath(1)); !os.IsNotExist(err) {
		t.Errorf("worktree: %v", err)
	}
	b.must(b.repo.Dir, "stage", "start", "1", "--run", "r")
	if got := b.rows("started"); got != 1 {
		t.Errorf("%d started rows", got)
	}
	b.wholesome()
}

// TestOneRefTransaction is field report A19: we install no reference-transaction
// hook, and a user's own runs once for each transition's transaction.
func TestOneRefTransaction(t *testing.T) {
	b := newBench(t, 1)
	for _, name := range []string{"reference-transaction", "reference-transaction.sample"} {
		if _, err := os.Stat(filepath.Join(b.repo.Dir, ".git", "hooks", name)); err == nil && !strings.HasSuffix(name, ".sample") {
			t.Errorf("hook %s is there", name)
		}
	}
	log := filepath.Join(b.home, "ran")
	b.repo.Write(".git/hooks/reference-transaction", fmt.Sprintf("#!/bin/sh\nif [ \"$1\" = committed ] && grep -q 'refs/okstra/'; then echo x >>%q; fi\n", log))
	if err := os.Chmod(filepath.Join(b.repo.Dir, ".git", "hooks", "reference-transaction"), 0o755); err != nil {
		t.Fatal(err)
	}
	for i, words := range []string{"stage start 1", "stage release 1", "stage start 1", "stage done 1 --allow-empty"} {
		b.must(b.repo.Dir, strings.Fields(words)...)
		text, err := os.ReadFile(log)
		if err != nil || strings.Count(string(text), "x") != i+1 {
			t.Errorf("%s: %d transactions so far, want %d (%v)", words, strings.Count(string(text), "x"), i+1, err)
		}
	}
}

// TestSixteenDone is field report B1: 16 stages end at once, and one stage is ended by
// 16 at once. Every row is there, each once.
func TestSixteenDone(t *testing.T) {
	n := 16
	if testing.Short() {
		n = 4
	}
	b := newBench(t, n+1)
	for i := range n + 1 {
		b.must(b.repo.Dir, "stage", "start", fmt.Sprint(i+1))
	}
	for _, o := range b.atOnce(n, func(i int) (string, []string) {
		return b.repo.Dir, []string{"stage", "done", fmt.Sprint(i + 1), "--allow-empty"}
	}) {
		if o.code != 0 {
			t.Errorf("done: %+v", o)
		}
	}
	if got := b.rows("done"); got != n {
		t.Errorf("%d done rows, want %d", got, n)
	}
	fresh := 0
	for _, o := range b.atOnce(n, func(int) (string, []string) {
		return b.repo.Dir, []string{"stage", "done", fmt.Sprint(n + 1), "--allow-empty", "--json"}
	}) {
		if o.code != 0 {
			t.Errorf("done: %+v", o)
		}
		if strings.Contains(o.out, `"already":false`) {
			fresh++
		}
	}
	if got := b.rows("done"); got != n+1 || fresh != 1 {
		t.Errorf("%d done rows, want %d; %d say that they did it", got, n+1, fresh)
	}
	b.wholesome()
}

// TestHolderOfAnotherDay: a holder whose clock is a day ahead or behind is neither
// stale nor passed over, and his stage can be ended by him and by nobody's clock.
func TestHolderOfAnotherDay(t *testing.T) {
	for _, days := range []int{-1, +1} {
		b := newBench(t, 2)
		env := b.repo.Env
		date := fmt.Sprintf("%d +0000", time.Now().Add(time.Duration(days)*24*time.Hour).Unix())
		b.repo.Env = append(slices.Clone(env), "GIT_COMMITTER_DATE="+date, "GIT_AUTHOR_DATE="+date)
		b.must(b.repo.Dir, "stage", "start", "1", "--run", "r")
		b.repo.Env = env
		if o := b.must(b.repo.Dir, "stage", "list"); strings.Contains(o.out, "stale") || !strings.Contains(o.out, "1      active") {
			t.Errorf("%d days: %s", days, o.out)
		}
		if o := b.run(b.repo.Dir, "stage", "start", "1", "--run", "other"); o.code != exitNothing {
			t.Errorf("%d days: %+v", days, o)
		}
		if o := b.must(b.repo.Dir, "stage", "next", "--json"); !strings.Contains(o.out, `"stage":2,`) {
			t.Errorf("%d days: %+v", days, o)
		}
		b.must(b.repo.Dir, "stage", "done", "1", "--allow-empty")
		b.wholesome()
	}
}

// TestStaleLock: a lock file that a killed git left is named, nothing is changed
// while it is there, and once a person has removed it the same command succeeds.
func TestStaleLock(t *testing.T) {
	t.Parallel()
	b := newBench(t, 1)
	before := b.repo.Git("for-each-ref")
	lock := filepath.Join(b.repo.Dir, ".git", "refs", "okstra", filepath.FromSlash(benchKey), "base.lock")
	if err := os.WriteFile(lock, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if o := b.run(b.repo.Dir, "stage", "start", "1"); o.code == 0 || !strings.Contains(o.errOut, "base.lock") {
		t.Errorf("start: %+v", o)
	}
	if got := b.repo.Git("for-each-ref"); got != before {
		t.Errorf("refs changed: %s", got)
	}
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	b.must(b.repo.Dir, "stage", "start", "1")
	b.wholesome()
}
