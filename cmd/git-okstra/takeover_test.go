package main

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// takenBy is how who comes too late is told of the holder.
var takenBy = regexp.MustCompile(`stage 1 is taken by Test Person <test@example\.com> since \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ on host .* \(run r\d+\)`)

// TestOneTakeover: of eight processes that take a stale stage over at once one wins; the
// others are told who, for it is not stale any more.
func TestOneTakeover(t *testing.T) {
	n, rounds := 8, 3
	if testing.Short() {
		n, rounds = 4, 1
	}
	b := newBench(t, 1)
	lease(b)
	b.must(b.repo.Dir, "stage", "start", "1", "--run", "first")
	b.repo.Git("-C", b.stagePath(1), "commit", "-q", "--allow-empty", "-m", "half")
	for round := 1; round <= rounds; round++ {
		loseWorktree(b)
		winner := ""
		for i, o := range b.atOnce(n, func(i int) (string, []string) {
			return b.repo.Dir, []string{"stage", "start", "1", "--takeover", "--run", fmt.Sprintf("r%d%d", round, i)}
		}) {
			switch {
			case o.code == 0 && winner == "":
				winner = fmt.Sprintf("r%d%d", round, i)
			case o.code != exitNothing || !takenBy.MatchString(o.errOut):
				t.Errorf("round %d, caller %d: %+v", round, i, o)
			}
		}
		if tag := b.repo.Git("cat-file", "tag", "refs/okstra/"+benchKey+"/reserved/1"); winner == "" || !strings.Contains(tag, "\nRun: "+winner+"\n") {
			t.Errorf("round %d: %q won: %s", round, winner, tag)
		}
		if got := b.rows("taken-over"); got != round {
			t.Errorf("%d taken-over rows after round %d", got, round)
		}
		if out := b.repo.Git("-C", b.stagePath(1), "log", "-1", "--format=%s"); out != "half" {
			t.Errorf("round %d: the worktree is at %q", round, out)
		}
	}
	if got := b.repo.Git("for-each-ref", "--format=%(refname)", "refs/okstra-local/seen"); strings.Count(got, "\n") != 0 || got == "" {
		t.Errorf("marks: %q", got)
	}
	b.wholesome()
}

// TestAListPromisesNothing is field report A4: two callers read the same line "ready";
// only the answer of a start counts, and the second is told by whom and since when.
func TestAListPromisesNothing(t *testing.T) {
	b := newBench(t, 1)
	ready := func() {
		t.Helper()
		var list struct{ Stages []struct{ State string } }
		o := b.must(b.repo.Dir, "stage", "list", "--json")
		if err := json.Unmarshal([]byte(o.out), &list); err != nil || list.Stages[0].State != "ready" {
			t.Fatalf("list: %v: %+v", err, o)
		}
	}
	ready()
	ready()
	b.must(b.repo.Dir, "stage", "start", "1", "--run", "r1")
	o := b.run(b.repo.Dir, "stage", "start", "1", "--run", "r2")
	if o.code != exitNothing || !takenBy.MatchString(o.errOut) || strings.Contains(o.errOut, "stale") {
		t.Errorf("the second: %+v", o)
	}
}

// TestTakeoverWithoutWorktree: where the worktree of a stage that was taken over cannot be
// made, the stage stays held: the work of before is not given away.
func TestTakeoverWithoutWorktree(t *testing.T) {
	b := newBench(t, 1)
	badFilter(b)
	b.repo.Git("config", "filter.bad.smudge", "cat")
	b.must(b.repo.Dir, "stage", "start", "1", "--run", "old")
	loseWorktree(b)
	b.repo.Git("config", "filter.bad.smudge", "false")
	o := b.run(b.repo.Dir, "stage", "start", "1", "--takeover", "--run", "new")
	if o.code == 0 {
		t.Fatalf("%+v", o)
	}
	if b.rows("released") != 0 || b.rows("taken-over") != 1 {
		t.Errorf("%d released and %d taken-over rows", b.rows("released"), b.rows("taken-over"))
	}
	b.repo.Git("config", "filter.bad.smudge", "cat")
	b.must(b.repo.Dir, "stage", "start", "1", "--run", "new")
	if _, err := os.Stat(b.stagePath(1)); err != nil {
		t.Error(err)
	}
	b.wholesome()
}
