package main

import (
	"fmt"
	"strings"
	"testing"
)

// TestHandoffAtOnce: however many hand the same stages off, there is one branch with one
// merge a stage and one row a stage, and all succeed; so with verdicts.
func TestHandoffAtOnce(t *testing.T) {
	const n = 6
	b := newBench(t, 3)
	for stage := 1; stage <= 2; stage++ {
		b.must(b.repo.Dir, "stage", "start", fmt.Sprint(stage))
		b.repo.Git("-C", b.stagePath(stage), "commit", "-q", "--allow-empty", "-m", fmt.Sprint("work ", stage))
		b.must(b.repo.Dir, "stage", "done", fmt.Sprint(stage))
	}
	for _, words := range []string{"verify --stage 1 --record accepted", "verify --stage 2 --record accepted", "handoff --stages 1,2"} {
		for _, o := range b.atOnce(n, func(int) (string, []string) { return b.repo.Dir, strings.Fields(words) }) {
			if o.code != 0 {
				t.Errorf("%s: %+v", words, o)
			}
		}
	}
	if verified, handed := b.rows("verified"), b.rows("handed-off"); verified != 2 || handed != 2 {
		t.Errorf("%d verified and %d handed-off rows, want 2 and 2", verified, handed)
	}
	if got := b.repo.Git("rev-list", "--count", "--merges", "main..feat-HELLO-1-handoff-1-2"); got != "2" {
		t.Errorf("%s merges on the collector, want 2", got)
	}
	b.wholesome()
}

// TestHandoffRacesDone: a stage that is done elsewhere in the very moment is not handed
// off on the verdict on its old commit.
func TestHandoffRacesDone(t *testing.T) {
	b := newBench(t, 1)
	finishOne(b)
	b.must(b.repo.Dir, "verify", "--stage", "1", "--record", "accepted")
	env := b.repo.Env
	b.beforeUpdateRef("git update-ref refs/okstra/" + benchKey + "/done/1 refs/heads/main")
	o := b.run(b.repo.Dir, "handoff", "--stages", "1")
	b.repo.Env = env
	if o.code != exitFindings || !strings.Contains(o.errOut, "not verified again") {
		t.Errorf("handoff: %+v", o)
	}
	if refs := b.repo.Git("for-each-ref", "refs/heads/"+collectorBranch); refs != "" || b.rows("handed-off") != 0 {
		t.Errorf("left over %s, %d rows", refs, b.rows("handed-off"))
	}
	b.wholesome()
}
