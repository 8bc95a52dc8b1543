package lifecycle

import (
	"context"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"git-okstra/gitops"
	"git-okstra/notes"
	"git-okstra/plan"
)

// verdict records one without looking at anything.
func (f *fixture) verdict(v Verdict, stages ...plan.StageNumber) []plan.StageNumber {
	f.t.Helper()
	out, err := f.eng.Verify(f.t.Context(), f.task(), func(context.Context, *Task) (Judged, error) { return Judged{stages, v}, nil })
	if err != nil {
		f.t.Fatal(err)
	}
	return out
}

// TestVerdictRows: one row a stage, on its done commit, all in one transaction; what
// stands is not written again, unless by somebody else.
func TestVerdictRows(t *testing.T) {
	f := newFixture(t)
	f.doneStages("1:\n2:\n3:\n", 1, 2)
	before, tip := len(f.rows()), f.task().NotesTip
	if got := Numbers(f.verdict(Accepted, 1, 2)); got != "1, 2" {
		t.Errorf("written %s", got)
	}
	rows := f.rows()[before:]
	for i, r := range rows {
		n := plan.StageNumber(i + 1)
		if head := f.task().Done[n]; r.Commit != head || r.Row.Head != head || r.Row.Stage != n || r.Row.Status != notes.Verified ||
			r.Row.Verdict != "accepted" || r.Row.By != "me" || r.Row.Claim != "" {
			t.Errorf("row %+v on %s", r.Row, r.Commit)
		}
	}
	if c, err := f.eng.Repo.ReadCommit(t.Context(), f.task().NotesTip); err != nil || len(rows) != 2 || c.Parents[0] != tip {
		t.Errorf("%d rows, not one commit: %v", len(rows), err)
	}
	if got := f.verdict(Accepted, 1, 2); len(got) > 0 {
		t.Errorf("again: %v", got)
	}
	f.eng.Caller.Run = "other"
	if got := Numbers(f.verdict(Accepted, 2)); got != "2" {
		t.Errorf("another run: %s", got)
	}
	f.eng.Caller.Actor = "you"
	f.verdict(Blocked, 1)
	last, err := f.eng.Verdicts(t.Context(), f.task())
	if err != nil || last[1].Verdict != "blocked" || last[1].By != "you" || last[2].Verdict != "accepted" || len(last) != 2 {
		t.Errorf("%+v %v", last, err)
	}
}

// TestVerdictOfAMovedStage: a stage that is done elsewhere in the moment of recording is
// looked at again, and never gets the verdict on its old commit.
func TestVerdictOfAMovedStage(t *testing.T) {
	f := newFixture(t)
	f.doneStages("1:\n", 1)
	other := gitops.Hash(f.repo.Git("commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "other"))
	asked := 0
	_, err := f.eng.Verify(t.Context(), f.task(), func(_ context.Context, now *Task) (Judged, error) {
		if asked++; asked == 1 {
			f.repo.Git("update-ref", string(now.doneRef(1)), string(other))
		}
		return Judged{[]plan.StageNumber{1}, Accepted}, nil
	})
	last, _ := f.eng.Verdicts(t.Context(), f.task())
	if err != nil || asked != 2 || last[1].Head != other {
		t.Errorf("asked %d times, %v: %+v", asked, err, last)
	}
	rows := f.rows()
	if got := rows[len(rows)-1].Row; len(rows) != 3 || got.Head != other {
		t.Errorf("%d rows, the last %+v", len(rows), got)
	}
}

// TestVerdictNotRecorded: what judge refuses is not recorded, and nothing is written
// without a verdict.
func TestVerdictNotRecorded(t *testing.T) {
	f := newFixture(t)
	f.doneStages("1:\n", 1)
	no := errors.New("no")
	_, err := f.eng.Verify(t.Context(), f.task(), func(context.Context, *Task) (Judged, error) { return Judged{}, no })
	if !errors.Is(err, no) {
		t.Error(err)
	}
	if got := f.verdict("", 1); len(got) > 0 || len(f.rows()) != 2 {
		t.Errorf("%v, %d rows", got, len(f.rows()))
	}
	_, err = ParseVerdict("Accepted")
	f.mustKind(err, Usage)
}

// TestVerdictsProperty: whatever was recorded in which order, the verdict that counts is
// the last one on the commit that the stage is done at.
func TestVerdictsProperty(t *testing.T) {
	f := newFixture(t)
	f.doneStages("1:\n", 1)
	commits := []gitops.Hash{f.task().Done[1]}
	for _, m := range []string{"a", "b"} {
		commits = append(commits, gitops.Hash(f.repo.Git("commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", m)))
	}
	want := map[gitops.Hash]Verdict{}
	rapid.Check(t, func(rt *rapid.T) {
		at := commits[rapid.IntRange(0, len(commits)-1).Draw(rt, "commit")]
		f.repo.Git("update-ref", string(f.task().doneRef(1)), string(at))
		if rapid.IntRange(0, 2).Draw(rt, "record") > 0 {
			v := rapid.SampledFrom([]Verdict{Accepted, ConditionalAccept, Blocked}).Draw(rt, "verdict")
			f.verdict(v, 1)
			want[at] = v
		}
		last, err := f.eng.Verdicts(t.Context(), f.task())
		if err != nil || Verdict(last[1].Verdict) != want[at] {
			rt.Fatalf("%v: verdict %q, want %q", err, last[1].Verdict, want[at])
		}
		_, err = f.eng.acceptable(t.Context(), f.task(), []plan.StageNumber{1})
		if (err == nil) != (want[at] == Accepted) {
			rt.Fatalf("acceptable: %v, the verdict is %q", err, want[at])
		}
	})
}

// TestCollectorNames: a name for each set, short enough for a file.
func TestCollectorNames(t *testing.T) {
	f := newFixture(t)
	f.approve("1:\n2:\n3:\n")
	c := collector{engine: f.eng, task: f.task(), out: &HandedOff{Stages: []plan.StageNumber{1, 3}}}
	if got := c.name(); got != "refs/heads/fix-t-1-handoff-1-3" && got != "refs/heads/fix-T-1-handoff-1-3" {
		t.Errorf("name %s", got)
	}
	for n := range 200 {
		c.out.Stages = append(c.out.Stages, plan.StageNumber(n+4))
	}
	if got := string(c.name()); len(got) > 120 || !strings.HasSuffix(got, "handoff-1-203-of-202") || !gitops.ValidRefName(gitops.RefName(got)) {
		t.Errorf("name %s", got)
	}
}
