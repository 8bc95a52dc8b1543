package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"git-okstra/gitops"
	"git-okstra/notes"
	"git-okstra/plan"
)

// work gives a stage's branch a commit that adds a file, and ends it.
func (f *fixture) work(n plan.StageNumber, name string) gitops.Hash {
	f.t.Helper()
	branch, _ := branchNames(f.task(), n)
	blob := f.repo.Git("hash-object", "-w", "--stdin")
	tree := f.repo.Git("ls-tree", string(branch))
	entries := strings.TrimSpace(tree + "\n100644 blob " + blob + "\t" + name)
	commit := f.repo.Git("commit-tree", f.mktree(entries), "-p", string(branch), "-m", "adds "+name)
	f.repo.Git("update-ref", string(branch), commit)
	if _, err := f.eng.Finish(f.t.Context(), f.task(), DoneRequest{Stage: n}); err != nil {
		f.t.Fatal(err)
	}
	return gitops.Hash(commit)
}

// mktree makes a tree of what ls-tree would print.
func (f *fixture) mktree(entries string) string {
	f.t.Helper()
	w := f.eng.Repo.NewObjects()
	var list []gitops.TreeEntry
	for line := range strings.SplitSeq(entries, "\n") {
		var mode gitops.Mode
		head, name, _ := strings.Cut(line, "\t")
		fields := strings.Fields(head)
		if _, err := fmt.Sscanf(fields[0], "%o", &mode); err != nil {
			f.t.Fatal(err)
		}
		list = append(list, gitops.TreeEntry{Name: name, Mode: mode, Hash: gitops.Hash(fields[2])})
	}
	tree, err := w.Tree(list)
	if err != nil {
		f.t.Fatal(err)
	}
	if err := f.eng.Repo.ApplyObjects(f.t.Context(), w, gitops.Transaction{}); err != nil {
		f.t.Fatal(err)
	}
	return string(tree)
}

func (f *fixture) land(req LandRequest) Landing {
	f.t.Helper()
	out, err := f.eng.Land(f.t.Context(), f.task(), req)
	if err != nil {
		f.t.Fatal(err)
	}
	return out
}

// apart starts and ends stages 1 and 2 with a file each, and lets main move on.
func (f *fixture) apart(src string) (one, two gitops.Hash) {
	f.t.Helper()
	f.approve(src)
	var heads []gitops.Hash
	for n := plan.StageNumber(1); n < 3; n++ {
		if _, err := f.start(n); err != nil {
			f.t.Fatal(err)
		}
		heads = append(heads, f.work(n, fmt.Sprint("file", n)))
	}
	f.repo.Git("commit", "-q", "--allow-empty", "-m", "main moves")
	return heads[0], heads[1]
}

// TestLandAsks: what decides whether a stage may land is asked about each that has not
// landed, and its word ends it before anything is written.
func TestLandAsks(t *testing.T) {
	f := newFixture(t)
	one, _ := f.apart("1:\n2:\n")
	before := f.repo.Git("for-each-ref")
	no := errors.New("not this one")
	var asked []gitops.Hash
	answer := no
	f.eng.MayLand = func(_ context.Context, _ *Task, _ plan.StageNumber, head gitops.Hash) error {
		asked = append(asked, head)
		return answer
	}
	if _, err := f.eng.Land(t.Context(), f.task(), LandRequest{Stages: []plan.StageNumber{1, 2}}); !errors.Is(err, no) || !slices.Equal(asked, []gitops.Hash{one}) {
		t.Errorf("%v, asked about %v", err, asked)
	}
	if f.repo.Git("for-each-ref") != before {
		t.Error("refs changed")
	}
	answer = nil
	f.land(LandRequest{Stages: []plan.StageNumber{1}})
	if out := f.land(LandRequest{Stages: []plan.StageNumber{1}}); out.Stages[0].How != LandedBefore || len(asked) != 2 {
		t.Errorf("%+v, asked %d times", out, len(asked))
	}
}

// TestLandLosesARace: where the branch moves while a merge is computed, it is computed
// anew on what is there then.
func TestLandLosesARace(t *testing.T) {
	f := newFixture(t)
	one, _ := f.apart("1:\n2:\n")
	moved := ""
	f.eng.MayLand = func(context.Context, *Task, plan.StageNumber, gitops.Hash) error {
		if moved == "" {
			f.repo.Write("beside", "x\n")
			f.repo.Commit("meanwhile")
			moved = f.repo.Git("rev-parse", "HEAD")
		}
		return nil
	}
	out := f.land(LandRequest{Stages: []plan.StageNumber{1}}).Stages[0]
	if out.How != Merge || string(out.From) != moved || f.repo.Git("rev-parse", "main^1") != moved || f.repo.Git("rev-parse", "main^2") != string(one) {
		t.Errorf("%+v", out)
	}
	if status := f.repo.Git("status", "--porcelain"); status != "" {
		t.Errorf("status %s", status)
	}
}

// TestLandPrefix: of a squash that was killed behind the branch's move, the rest follows,
// also where nothing looks for content.
func TestLandPrefix(t *testing.T) {
	f := newFixture(t)
	one, _ := f.apart("1:\n2: 1\n")
	log := f.task().NotesTip
	out := f.land(LandRequest{Stages: []plan.StageNumber{1}, How: Squash}).Stages[0]
	task := f.task()
	if out.How != Squash || task.Done[1] != out.To {
		t.Fatalf("%+v, done at %s", out, task.Done[1])
	}
	f.repo.Git("update-ref", string(notes.Ref(task.Key)), string(log))
	f.repo.Git("update-ref", string(task.doneRef(1)), string(one))
	again := f.land(LandRequest{Stages: []plan.StageNumber{1}, How: Squash}).Stages[0]
	lines := f.logLines()
	if last := lines[len(lines)-1].Row; again.How != LandedBefore || f.task().Done[1] != out.To || last.Replaces != one || last.Head != out.To {
		t.Errorf("%+v, done at %s, last row %+v", again, f.task().Done[1], last)
	}
	if f.repo.Git("rev-parse", "main") != string(out.To) {
		t.Error("it landed twice")
	}
	f.land(LandRequest{Stages: []plan.StageNumber{2}, How: Rebase})
	if got := f.repo.Git("diff", "--name-only", string(out.From), "main"); got != "file1\nfile2" {
		t.Errorf("landed %q", got)
	}
}

// TestLandOrder: what a stage depends on lands before it, in whatever order they are named.
func TestLandOrder(t *testing.T) {
	f := newFixture(t)
	f.apart("2: 1\n1:\n")
	for _, how := range []LandHow{Squash, Rebase, ""} {
		out := f.land(LandRequest{Stages: []plan.StageNumber{2, 1, 2}, How: how, DryRun: true})
		if len(out.Stages) != 2 || out.Stages[0].Stage != 1 || out.Stages[1].Stage != 2 || out.Stages[1].From != out.Stages[0].To {
			t.Errorf("%q: %+v", how, out)
		}
	}
	_, err := f.eng.Land(t.Context(), f.task(), LandRequest{Stages: []plan.StageNumber{2}, How: Squash})
	f.mustKind(err, Refused)
	_, err = f.eng.Land(t.Context(), f.task(), LandRequest{Stages: []plan.StageNumber{2}, Onto: "a..b"})
	f.mustKind(err, Usage)
}

// TestReopenPrefix: a reopening that was killed before its last ref is finished by the
// next one, with one row.
func TestReopenPrefix(t *testing.T) {
	f := newFixture(t)
	f.doneStages("1:\n", 1)
	head := f.task().Done[1]
	req := ReopenRequest{Stage: 1, Why: "again"}
	if r, err := f.eng.Reopen(t.Context(), f.task(), req); err != nil || r.Already || r.Head != head {
		t.Fatalf("%+v %v", r, err)
	}
	f.repo.Git("update-ref", string(f.task().doneRef(1)), string(head))
	rows := len(f.logLines())
	if r, err := f.eng.Reopen(t.Context(), f.task(), req); err != nil || r.Already {
		t.Errorf("%+v %v", r, err)
	}
	if now := f.task(); len(f.logLines()) != rows || now.Done[1] != "" || now.Reopened[1] != head {
		t.Errorf("%d rows, %+v", len(f.logLines()), now)
	}
	if r, err := f.eng.Reopen(t.Context(), f.task(), req); err != nil || !r.Already {
		t.Errorf("%+v %v", r, err)
	}

	// another round, and of a killed done what is left goes with the next one
	s, err := f.start(1)
	if err != nil || s.Base != head {
		t.Fatalf("%+v %v", s, err)
	}
	if _, err := f.finish(1); err != nil {
		t.Fatal(err)
	}
	f.repo.Git("update-ref", string(f.task().reopenedRef(1)), string(head))
	if _, err := f.eng.Finish(t.Context(), f.task(), DoneRequest{Stage: 1}); err != nil {
		t.Fatal(err)
	}
	ranges, err := f.eng.Ranges(t.Context(), f.task(), 1)
	if err != nil || ranges[0].Base != f.task().Base || len(f.task().Reopened) != 0 {
		t.Errorf("the range of both rounds is %+v (%v), reopened %v", ranges, err, f.task().Reopened)
	}
}
