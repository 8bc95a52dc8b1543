package lifecycle

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"git-okstra/gitops"
	"git-okstra/notes"
	"git-okstra/plan"
)

// doneStages starts and ends stages, each with one commit.
func (f *fixture) doneStages(src string, stages ...plan.StageNumber) {
	f.t.Helper()
	f.approve(src)
	for _, n := range stages {
		if _, err := f.start(n); err != nil {
			f.t.Fatal(err)
		}
		if _, err := f.finish(n); err != nil {
			f.t.Fatal(err)
		}
	}
}

// again makes a commit of the same content on the same parent.
func (f *fixture) again(h gitops.Hash, message string) gitops.Hash {
	f.t.Helper()
	return gitops.Hash(f.repo.Git("commit-tree", string(h)+"^{tree}", "-p", string(h)+"^", "-m", message))
}

// logLines reads a task's log.
func (f *fixture) logLines() []notes.Line {
	f.t.Helper()
	lines, err := notes.Read(f.t.Context(), f.eng.Repo, f.task().NotesTip)
	if err != nil {
		f.t.Fatal(err)
	}
	return lines
}

// TestRewriteMovesAndCopies: the ref, the row that says why, and the old rows beside it.
func TestRewriteMovesAndCopies(t *testing.T) {
	f := newFixture(t)
	f.doneStages("1:\n2: 1\n", 1, 2)
	task := f.task()
	old := task.Done[1]
	next := f.again(old, "again")
	moves := []Move{{Stage: 1, From: old, To: next, Reason: "patch-id", Base: task.Base, Commits: []Rewrite{{old, next}}}}
	got, err := f.eng.Rewrite(t.Context(), task, moves, nil)
	if err != nil || len(got.Moved) != 1 || got.Carried != 2 { // stage 1 done, stage 2 started
		t.Fatalf("%+v %v", got, err)
	}
	if now := f.task(); now.Done[1] != next || now.Done[2] != task.Done[2] {
		t.Errorf("%v", now.Done)
	}
	lines := f.logLines()
	if len(lines) != 5 {
		t.Errorf("%d rows: a copy counts once", len(lines))
	}
	r := lines[4].Row
	if r.Status != notes.Done || r.Head != next || r.Replaces != old || r.Reason != "patch-id" || r.Claim != lines[1].Row.Claim ||
		r.Carry == nil || r.Carry.StageCommitRange != (notes.CommitRange{Base: task.Base, Head: next}) {
		t.Errorf("%+v", r)
	}
	note, err := f.eng.Repo.NoteGet(t.Context(), f.task().NotesTip, next)
	if err != nil || strings.Count(string(note), "\n") != 3 {
		t.Errorf("%s %v", note, err)
	}
	ranges, err := f.eng.Ranges(t.Context(), f.task())
	if err != nil || len(ranges) != 2 || ranges[0].Base != task.Base || ranges[0].Head != next || ranges[1].Base != old {
		t.Errorf("%+v %v", ranges, err)
	}

	// the same again, also from what was read before, changes nothing
	before := f.repo.Git("for-each-ref")
	for _, view := range []*Task{task, f.task()} {
		if _, err := f.eng.Rewrite(t.Context(), view, moves, nil); err != nil {
			t.Error(err)
		}
	}
	if f.repo.Git("for-each-ref") != before {
		t.Error("the same call twice is not one")
	}

	// and back: the last row wins, so the way back is a row as well
	back := []Move{{Stage: 1, From: next, To: old, Reason: "manual"}}
	if _, err := f.eng.Rewrite(t.Context(), f.task(), back, nil); err != nil {
		t.Fatal(err)
	}
	if lines := f.logLines(); len(lines) != 6 || f.task().Done[1] != old {
		t.Errorf("%d rows, done at %s", len(lines), f.task().Done[1])
	}
}

// TestRewriteRefuses what was not asked of the state that is there.
func TestRewriteRefuses(t *testing.T) {
	f := newFixture(t)
	f.doneStages("1:\n2: 1\n", 1)
	old := f.task().Done[1]
	next, other := f.again(old, "next"), f.again(old, "other")
	before := f.repo.Git("for-each-ref")
	for _, m := range []Move{{Stage: 2, From: old, To: next}, {Stage: 1, From: other, To: next}} {
		_, err := f.eng.Rewrite(t.Context(), f.task(), []Move{m}, nil)
		f.mustKind(err, Refused)
	}
	if _, err := f.eng.Ranges(t.Context(), f.task(), 2); err == nil {
		t.Error("the range of a stage that is not done")
	}
	if f.repo.Git("for-each-ref") != before {
		t.Error("a refused rewrite changed refs")
	}
}

// TestRewriteFinishesAPrefix: a killed transaction leaves the row without the ref.
func TestRewriteFinishesAPrefix(t *testing.T) {
	f := newFixture(t)
	f.doneStages("1:\n", 1)
	old := f.task().Done[1]
	next := f.again(old, "next")
	moves := []Move{{Stage: 1, From: old, To: next, Reason: "squash"}}
	if _, err := f.eng.Rewrite(t.Context(), f.task(), moves, nil); err != nil {
		t.Fatal(err)
	}
	f.repo.Git("update-ref", string(f.task().doneRef(1)), string(old))
	if _, err := f.eng.Rewrite(t.Context(), f.task(), moves, nil); err != nil {
		t.Fatal(err)
	}
	if f.task().Done[1] != next || len(f.logLines()) != 3 {
		t.Errorf("done at %s, %d rows", f.task().Done[1], len(f.logLines()))
	}
}

// TestCarryOverManyToOne: what git's hook tells of a squash of two stages.
func TestCarryOverManyToOne(t *testing.T) {
	f := newFixture(t)
	f.doneStages("1:\n2: 1\n3: 2\n", 1, 2)
	if _, err := f.start(3); err != nil {
		t.Fatal(err)
	}
	task := f.task()
	one, two := task.Done[1], task.Done[2]
	squashed := gitops.Hash(f.repo.Git("commit-tree", string(two)+"^{tree}", "-p", string(task.Base), "-m", "both"))
	var told []string
	hear := func(key string, moved []Move) {
		for _, m := range moved {
			told = append(told, fmt.Sprint(key, " ", m.Stage, " ", m.To == squashed, " ", m.Base == task.Base))
		}
	}
	commits := []Rewrite{{one, squashed}, {two, squashed}, {squashed, one}}[:2]
	for range 2 {
		if err := f.eng.CarryOver(t.Context(), commits, "rebase", hear); err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{"p:g:T 1 1 true true", "p:g:T 1 2 true true"}; !slices.Equal(told, want) {
		t.Errorf("told %q", told)
	}
	note, err := f.eng.Repo.NoteGet(t.Context(), f.task().NotesTip, squashed)
	if err != nil {
		t.Fatal(err)
	}
	var have []string
	for _, l := range notes.ParseNote(squashed, note) {
		have = append(have, fmt.Sprint(l.Row.Stage, l.Row.Status, l.Row.Reason))
	}
	if want := []string{"1done", "2started", "2done", "3started", "1donerebase", "2donerebase"}; !slices.Equal(have, want) {
		t.Errorf("rows on the result: %q", have)
	}
	if lines := f.logLines(); len(lines) != 7 {
		t.Errorf("%d rows", len(lines))
	}
	if err := f.eng.CarryOver(t.Context(), []Rewrite{{task.PlanCommit, one}}, "amend", hear); err != nil || len(told) != 2 {
		t.Errorf("commits without rows: %v, %q", err, told)
	}
}

// TestGateAsksBeforeItRefuses: what is found is recorded at once, and a dry run
// records nothing.
func TestGateAsksBeforeItRefuses(t *testing.T) {
	f := newFixture(t)
	f.doneStages("1:\n2:\n3: 1 2\n", 1, 2)
	task := f.task()
	one, two := f.again(task.Done[1], "merged one"), task.Done[2]
	f.repo.Git("reset", "-q", "--hard", string(one))
	asked := 0
	unsure := "stopped somewhere"
	f.eng.Seek = func(_ context.Context, now *Task, stages []plan.StageNumber, tip gitops.Hash) []Sought {
		asked++
		var out []Sought
		for _, n := range stages {
			s := Sought{Stage: n}
			switch {
			case n == 1 && tip == one:
				s.Found = &Move{Stage: 1, From: now.Done[1], To: one, Reason: "patch-id"}
			case n == 2 && unsure == "":
				s.Found = &Move{Stage: 2, From: now.Done[2], To: tip, Reason: "squash"}
			case n == 2:
				s.Unsure = unsure
			}
			out = append(out, s)
		}
		return out
	}
	_, err := f.start(3)
	f.mustKind(err, Gate)
	if !strings.Contains(err.Error(), "stage 2 (") || !strings.Contains(err.Error(), "cannot tell: stopped somewhere") || strings.Contains(err.Error(), "stage 1 (") {
		t.Error(err)
	}
	if now := f.task(); now.Done[1] != one || now.Done[2] != two || asked != 2 {
		t.Errorf("%v, asked %d times", now.Done, asked)
	}
	unsure = ""
	before := f.repo.Git("for-each-ref")
	req := f.request(3)
	req.DryRun = true
	if s, err := f.eng.Start(t.Context(), f.task(), req); err != nil || s.Base != one {
		t.Errorf("%+v %v", s, err)
	}
	if f.repo.Git("for-each-ref") != before {
		t.Error("a dry run changed refs")
	}
	if s, err := f.start(3); err != nil || s.Base != one || f.task().Done[2] != one {
		t.Errorf("%+v %v", s, err)
	}
}

// TestRangesWithoutEvidence: rows of other tools may say nothing of the range.
func TestRangesWithoutEvidence(t *testing.T) {
	f := newFixture(t)
	f.doneStages("1:\n2: 1\n3: 1 2\n", 1, 2)
	task := f.task()
	f.repo.Git("update-ref", "-d", string(notes.Ref(task.Key)))
	f.repo.Git("update-ref", string(task.doneRef(3)), string(task.Done[2]))
	ranges, err := f.eng.Ranges(t.Context(), f.task())
	if err != nil || len(ranges) != 3 || ranges[0].Base != task.Base || ranges[1].Base != task.Done[1] || ranges[2].Base != "" {
		t.Errorf("%+v %v", ranges, err)
	}
	if !slices.Contains(ranges[0].Branches, "refs/heads/fix-T-1-s1") {
		t.Errorf("%v", ranges[0].Branches)
	}
}
