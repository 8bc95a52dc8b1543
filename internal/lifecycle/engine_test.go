package lifecycle

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"git-okstra/gitops"
	"git-okstra/internal/testrepo"
	"git-okstra/notes"
	"git-okstra/plan"
)

// fixture is a real repository with an engine on it. The plan is made of lines
// "stage:dependencies", so that these tests need no Markdown.
type fixture struct {
	t    *testing.T
	repo *testrepo.Repo
	eng  *Engine
	ids  int
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	r := testrepo.New(t, "one-commit")
	f := &fixture{t: t, repo: r}
	g, err := gitops.Open(t.Context(), gitops.Options{Dir: r.Dir, Env: r.Env})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	f.eng = &Engine{
		Repo: g, Now: testrepo.Epoch, Caller: Caller{Actor: "me", Host: "here", Pid: 7},
		NewID: func() (string, error) { f.ids++; return fmt.Sprintf("id-%03d", f.ids), nil },
		Parse: func(src []byte, _ string) (*plan.Plan, error) { return lines(string(src)), nil },
	}
	return f
}

// lines reads the toy plan.
func lines(src string) *plan.Plan {
	p := &plan.Plan{}
	for line := range strings.Lines(src) {
		line = strings.TrimSpace(line)
		head, deps, _ := strings.Cut(line, ":")
		st := plan.Stage{Title: "stage " + head, Section: line, Steps: 1}
		_, _ = fmt.Sscan(head, &st.Number)
		for d := range strings.FieldsSeq(deps) {
			var n plan.StageNumber
			_, _ = fmt.Sscan(d, &n)
			st.DependsOn = append(st.DependsOn, n)
		}
		p.Stages = append(p.Stages, st)
	}
	return p
}

func (f *fixture) approve(src string) Approved {
	f.t.Helper()
	out, err := f.tryApprove(src)
	if err != nil {
		f.t.Fatal(err)
	}
	return out
}

func (f *fixture) tryApprove(src string) (Approved, error) {
	return f.eng.Approve(f.t.Context(), ApproveRequest{
		Key: plan.TaskKey{Project: "p", Group: "g", Task: "T 1"}, Source: []byte(src), Plan: lines(src), Category: "bugfix",
	})
}

func (f *fixture) task() *Task {
	f.t.Helper()
	t, err := f.eng.Load(f.t.Context(), "")
	if err != nil {
		f.t.Fatal(err)
	}
	return t
}

func (f *fixture) start(n plan.StageNumber) (Started, error) {
	return f.eng.Start(f.t.Context(), f.task(), f.request(n))
}

func (f *fixture) request(n plan.StageNumber) StartRequest {
	return StartRequest{Stage: n, Worktree: func(k plan.TaskKey, n plan.StageNumber) string { return fmt.Sprintf("%s/stage-%d", k.Ref(), n) }}
}

// finish gives a stage's branch one commit and ends it. No worktree is needed.
func (f *fixture) finish(n plan.StageNumber) (Finished, error) {
	f.t.Helper()
	branch, _ := branchNames(f.task(), n)
	commit := f.repo.Git("commit-tree", string(branch)+"^{tree}", "-p", string(branch), "-m", fmt.Sprint("stage ", n))
	f.repo.Git("update-ref", string(branch), commit)
	return f.eng.Finish(f.t.Context(), f.task(), DoneRequest{Stage: n})
}

func (f *fixture) mustKind(err error, want Kind) {
	f.t.Helper()
	var r *Refusal
	if !errors.As(err, &r) || r.Kind != want {
		f.t.Errorf("error %v, want a refusal of kind %d", err, want)
	}
}

// TestBasesAndBranches: where each stage starts, and what its branch is called.
func TestBasesAndBranches(t *testing.T) {
	f := newFixture(t)
	f.approve("1:\n2: 1\n3:\n4: 2 3\n")
	head := gitops.Hash(f.repo.Git("rev-parse", "HEAD"))
	one, err := f.start(1)
	if err != nil || one.Base != head || one.Branch != "refs/heads/fix-T-1-s1" || one.Worktree != "p/g/T-1/stage-1" {
		t.Fatalf("%+v %v", one, err)
	}
	_, err = f.start(2)
	f.mustKind(err, Refused)
	done, err := f.finish(1)
	if err != nil || done.Already || !slices.Equal(done.Ready, []plan.StageNumber{2}) {
		t.Fatalf("%+v %v", done, err)
	}
	f.repo.Git("commit", "-q", "--allow-empty", "-m", "main moves on")
	two, err := f.start(2)
	if err != nil || two.Base != done.Head {
		t.Fatalf("%+v %v", two, err)
	}
	three, err := f.start(3)
	if err != nil || three.Base != head {
		t.Errorf("an independent stage left the anchor: %+v %v", three, err)
	}
}

// TestGateNamesEveryMissingPredecessor: two dependencies need the integration
// branch to hold both; all that lack are named at once, and nothing is written.
func TestGateNamesEveryMissingPredecessor(t *testing.T) {
	f := newFixture(t)
	f.approve("1:\n2:\n3: 1 2\n")
	for _, n := range []plan.StageNumber{1, 2} {
		if _, err := f.start(n); err != nil {
			t.Fatal(err)
		}
		if _, err := f.finish(n); err != nil {
			t.Fatal(err)
		}
	}
	before := f.repo.Git("for-each-ref")
	_, err := f.start(3)
	f.mustKind(err, Gate)
	for _, want := range []string{"stage 1 (", "stage 2 (", "fix-T-1-s1", "fix-T-1-s2"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not name %q", err, want)
		}
	}
	if f.repo.Git("for-each-ref") != before {
		t.Error("a refused start changed refs")
	}
	f.repo.Git("merge", "-q", "--no-edit", "fix-T-1-s1")
	_, err = f.start(3)
	if f.mustKind(err, Gate); strings.Contains(err.Error(), "stage 1 (") {
		t.Errorf("a merged stage is still missed: %v", err)
	}
	f.repo.Git("merge", "-q", "--no-edit", "fix-T-1-s2")
	s, err := f.start(3)
	if err != nil || s.Base != gitops.Hash(f.repo.Git("rev-parse", "main")) {
		t.Errorf("%+v %v", s, err)
	}
}

// TestReleaseNeverTakesANewerClaim is field report A11.
func TestReleaseNeverTakesANewerClaim(t *testing.T) {
	f := newFixture(t)
	f.approve("1:\n")
	if _, err := f.start(1); err != nil {
		t.Fatal(err)
	}
	stale := f.task()
	if _, err := f.eng.Release(t.Context(), f.task(), 1, ""); err != nil {
		t.Fatal(err)
	}
	f.eng.Caller.Actor = "somebody else"
	if _, err := f.start(1); err != nil {
		t.Fatal(err)
	}
	_, err := f.eng.Release(t.Context(), stale, 1, "")
	f.mustKind(err, Refused)
	r, held, err := f.eng.Reservation(t.Context(), f.task(), 1)
	if err != nil || !held || r.By != "somebody else" {
		t.Errorf("the newer claim is gone: %+v %v %v", r, held, err)
	}
}

// TestUndoTakesBackOnlyItsOwn: a start whose worktree failed leaves no branch
// and no reservation, but never somebody else's.
func TestUndoTakesBackOnlyItsOwn(t *testing.T) {
	f := newFixture(t)
	f.approve("1:\n")
	s, err := f.start(1)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.eng.Undo(t.Context(), f.task(), s, "no room"); err != nil {
		t.Fatal(err)
	}
	if _, _, code := f.repo.TryGit("rev-parse", "--verify", "-q", string(s.Branch)); code == 0 {
		t.Error("the branch stayed")
	}
	f.eng.Caller.Actor = "somebody else"
	if _, err := f.start(1); err != nil {
		t.Fatal(err)
	}
	if err := f.eng.Undo(t.Context(), f.task(), s, "no room"); err != nil {
		t.Fatal(err)
	}
	if len(f.task().Reserved) != 1 {
		t.Error("the other claim was taken back")
	}
}

// TestUndoKeepsCommits: work on the branch outlives an undo.
func TestUndoKeepsCommits(t *testing.T) {
	f := newFixture(t)
	f.approve("1:\n")
	s, err := f.start(1)
	if err != nil {
		t.Fatal(err)
	}
	f.repo.Git("update-ref", string(s.Branch), f.repo.Git("commit-tree", "main^{tree}", "-p", "main", "-m", "work"))
	if err := f.eng.Undo(t.Context(), f.task(), s, "no room"); err != nil {
		t.Fatal(err)
	}
	f.repo.Git("rev-parse", "--verify", string(s.Branch))
}

// TestRowsSayWhatHappened: who, when, claim and plan are in the rows, in order.
func TestRowsSayWhatHappened(t *testing.T) {
	f := newFixture(t)
	approved := f.approve("1:\n")
	f.eng.Caller.Run = "run 1"
	if _, err := f.start(1); err != nil {
		t.Fatal(err)
	}
	if _, err := f.finish(1); err != nil {
		t.Fatal(err)
	}
	lines, err := notes.Read(t.Context(), f.eng.Repo, f.task().NotesTip)
	if err != nil || len(lines) != 2 {
		t.Fatalf("%v %v", lines, err)
	}
	started, done := lines[0].Row, lines[1].Row
	if started.Status != notes.Started || started.Seq != 1 || started.By != "me" || started.Host != "here" || started.Run != "run 1" ||
		started.Plan != approved.Commit || started.At != notes.Time(testrepo.Epoch()) || started.Task != "p:g:T 1" {
		t.Errorf("started: %+v", started)
	}
	if done.Status != notes.Done || done.Seq != 2 || done.Claim != started.Claim || done.Head != lines[1].Commit || done.Carry == nil {
		t.Errorf("done: %+v", done)
	}
}

// TestMine: what makes a reservation the caller's own.
func TestMine(t *testing.T) {
	r := Reservation{By: "me", Host: "here", Run: "r1"}
	for _, c := range []struct {
		name   string
		caller Caller
		here   plan.StageNumber
		resume bool
		want   bool
	}{
		{"same identity alone", Caller{Actor: "me", Host: "here"}, 0, false, false},
		{"same run", Caller{Actor: "x", Host: "y", Run: "r1"}, 0, false, true},
		{"other run", Caller{Actor: "me", Host: "here", Run: "r2"}, 0, false, false},
		{"inside the worktree", Caller{Actor: "x"}, 1, false, true},
		{"inside another stage's", Caller{Actor: "x"}, 2, false, false},
		{"resume, same actor and host", Caller{Actor: "me", Host: "here"}, 0, true, true},
		{"resume, other host", Caller{Actor: "me", Host: "there"}, 0, true, false},
		{"resume, other actor", Caller{Actor: "you", Host: "here"}, 0, true, false},
	} {
		e := &Engine{Caller: c.caller}
		if got := e.mine(&Task{Here: c.here}, 1, r, c.resume); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	if (&Engine{}).mine(&Task{}, 1, Reservation{}, false) {
		t.Error("an empty run id is nobody's")
	}
}

// TestConfirmDoubtsMovedRefs: an answer found on refs that have moved since is a
// lost race, not an answer.
func TestConfirmDoubtsMovedRefs(t *testing.T) {
	f := newFixture(t)
	f.approve("1:\n2:\n")
	old := f.task()
	said := refuse(Refused, "", "no")
	if err := f.eng.confirm(t.Context(), old, said); lostRace(err) || !errors.Is(err, error(said)) {
		t.Errorf("on unmoved refs: %v", err)
	}
	if _, err := f.start(1); err != nil {
		t.Fatal(err)
	}
	if err := f.eng.confirm(t.Context(), old, said); !lostRace(err) {
		t.Errorf("on moved refs: %v", err)
	}
}

// TestRevisionsLeaveStartedStagesAlone: free stages may change, others not.
func TestRevisionsLeaveStartedStagesAlone(t *testing.T) {
	f := newFixture(t)
	first := f.approve("1:\n2: 1\n")
	if again := f.approve("1:\n2: 1\n"); !again.Already || again.Commit != first.Commit {
		t.Errorf("the same plan again: %+v", again)
	}
	if _, err := f.start(1); err != nil {
		t.Fatal(err)
	}
	second := f.approve("1:\n2:\n3:\n")
	if second.Previous != first.Commit || f.repo.Git("rev-parse", string(second.Commit)+"^") != string(first.Commit) {
		t.Errorf("the revision does not follow the first: %+v", second)
	}
	_, err := f.tryApprove("1: 2\n2:\n3:\n")
	f.mustKind(err, Refused)
	_, err = f.tryApprove("2:\n3:\n")
	f.mustKind(err, Refused)
}

// TestPicksTheTask: what --task may say.
func TestPicksTheTask(t *testing.T) {
	all := []*refState{{key: "p/g/T-1"}, {key: "p/h/T-1"}, {key: "q/g/T-2"}}
	for want, n := range map[string]int{
		"T-1": 2, "h:T-1": 1, "p:g:T-1": 1, "p/g/T-1": 1, "p/g:T-1": 0, "T-2": 1, "T 2": 1, "g:T": 0, "-1": 0, "": 0, ":": 0, "..": 0,
	} {
		if got := matching(all, want); len(got) != n {
			t.Errorf("%q fits %d tasks, want %d", want, len(got), n)
		}
	}
}

// TestForeignRefsAreLeftAlone: names that this version does not know never break
// the reading of the state.
func TestForeignRefsAreLeftAlone(t *testing.T) {
	f := newFixture(t)
	f.approve("1:\n")
	for _, name := range []string{"later/thing", "done/x", "done/01", "done/-1", "reserved/1/x"} {
		f.repo.Git("update-ref", "refs/okstra/p/g/T-1/"+name, "HEAD")
	}
	f.repo.Git("update-ref", "refs/okstra/short", "HEAD")
	f.repo.Git("update-ref", "refs/notes/okstra/short", "HEAD")
	task := f.task()
	if len(task.Done) != 0 || len(task.Reserved) != 0 {
		t.Errorf("%+v", task)
	}
}

// TestPlanNotOurs: a plan ref that something else wrote is named, not guessed at.
func TestPlanNotOurs(t *testing.T) {
	f := newFixture(t)
	f.repo.Git("update-ref", "refs/okstra/p/g/t/plan", "HEAD")
	_, err := f.eng.Load(t.Context(), "")
	f.mustKind(err, Environment)
}

// TestRetryGivesUpOnlyOnOtherErrors: lost races are tried again, nothing else.
func TestRetryGivesUpOnlyOnOtherErrors(t *testing.T) {
	n := 0
	err := retry(t.Context(), func() error {
		if n++; n < 4 {
			return fmt.Errorf("x: %w", &gitops.RefChangedError{})
		}
		return errors.New("other")
	})
	if n != 4 || err == nil || err.Error() != "other" {
		t.Errorf("%d attempts, %v", n, err)
	}
	n = 0
	if err := retry(t.Context(), func() error { n++; return nil }); err != nil || n != 1 {
		t.Errorf("a success was tried %d times: %v", n, err)
	}
}
