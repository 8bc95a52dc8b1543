package lifecycle

import (
	"strings"
	"testing"
	"time"

	"git-okstra/gitops"
	"git-okstra/notes"
	"git-okstra/plan"
)

// revise approves a changed plan with more of the request set.
func (f *fixture) revise(src string, change func(*ApproveRequest)) (Approved, error) {
	req := ApproveRequest{
		Key: plan.TaskKey{Project: "p", Group: "g", Task: "T 1"}, Source: []byte(src), Plan: lines(src), Category: "bugfix",
	}
	change(&req)
	return f.eng.Approve(f.t.Context(), req)
}

func force(req *ApproveRequest) { req.Force, req.Why = true, "the API moved" }

// rows reads the log.
func (f *fixture) rows() []notes.Line {
	f.t.Helper()
	out, err := notes.Read(f.t.Context(), f.eng.Repo, f.task().NotesTip)
	if err != nil {
		f.t.Fatal(err)
	}
	return out
}

// TestForcedRevision: each stage that is done or under way and that the revision
// changes gets a row, where its others stand.
func TestForcedRevision(t *testing.T) {
	f := newFixture(t)
	f.approve("1:\n2:\n3: 1\n")
	if _, err := f.start(1); err != nil {
		t.Fatal(err)
	}
	done, err := f.finish(1)
	if err != nil {
		t.Fatal(err)
	}
	two, err := f.start(2)
	if err != nil {
		t.Fatal(err)
	}
	const next = "1: 3\n2: 3\n3:\n"
	_, err = f.tryApprove(next)
	f.mustKind(err, Refused)
	if len(f.rows()) != 3 {
		t.Fatalf("a refused revision wrote rows: %+v", f.rows())
	}
	out, err := f.revise(next, force)
	if err != nil || Numbers(out.Forced) != "1, 2" {
		t.Fatalf("%+v, %v", out, err)
	}
	rows := f.rows()[3:]
	if len(rows) != 2 || rows[0].Commit != done.Head || rows[1].Commit != two.Base {
		t.Fatalf("rows %+v", rows)
	}
	for i, r := range rows {
		if r.Row.Status != notes.Revised || r.Row.Stage != plan.StageNumber(i+1) || r.Row.Plan != out.Commit ||
			r.Row.Reason != "the API moved" || r.Row.Seq != uint64(4+i) {
			t.Errorf("row %+v", r.Row)
		}
	}
	if got := f.task(); got.PlanCommit != out.Commit || out.Previous == "" {
		t.Errorf("the plan is %s, forced %s", got.PlanCommit, out.Commit)
	}
	again, err := f.revise(next, force)
	if err != nil || !again.Already || len(again.Forced) > 0 || len(f.rows()) != 5 {
		t.Errorf("the same again: %+v, %v, %d rows", again, err, len(f.rows()))
	}
}

// TestForceWithoutNeed: where no stage is touched, nothing is recorded.
func TestForceWithoutNeed(t *testing.T) {
	f := newFixture(t)
	f.approve("1:\n2:\n")
	if _, err := f.start(1); err != nil {
		t.Fatal(err)
	}
	out, err := f.revise("1:\n2: 1\n", force)
	if err != nil || len(out.Forced) > 0 || len(f.rows()) != 1 {
		t.Errorf("%+v, %v, %d rows", out, err, len(f.rows()))
	}
}

// TestForcedRevisionOfBrokenReservation: the row stands on the plan that was changed.
func TestForcedRevisionOfBrokenReservation(t *testing.T) {
	f := newFixture(t)
	first := f.approve("1:\n2:\n")
	f.repo.Git("update-ref", string(f.task().reservedRef(1)), f.repo.Git("hash-object", "-w", "--stdin"))
	out, err := f.revise("1: 2\n2:\n", force)
	if err != nil || Numbers(out.Forced) != "1" || f.rows()[0].Commit != first.Commit {
		t.Errorf("%+v, %v", out, err)
	}
}

func TestAmendNeedsAPlan(t *testing.T) {
	f := newFixture(t)
	amend := func(req *ApproveRequest) { req.Amend = true }
	_, err := f.revise("1:\n", amend)
	f.mustKind(err, Refused)
	f.approve("1:\n")
	out, err := f.revise("1:\n2:\n", amend)
	if err != nil || out.Previous == "" || len(f.task().Plan.Stages) != 2 {
		t.Errorf("%+v, %v", out, err)
	}
}

// TestAddedStageIsNoChangeOfTheLast: the blank lines between sections belong to none.
func TestAddedStageIsNoChangeOfTheLast(t *testing.T) {
	f := newFixture(t)
	f.approve("1:\n")
	if _, err := f.start(1); err != nil {
		t.Fatal(err)
	}
	old := f.task()
	next := lines("1:\n2:\n")
	next.Stages[0].Section += "\n\n"
	if got := f.eng.changed(old, next); len(got) > 0 {
		t.Errorf("changed %v", got)
	}
	next.Stages[0].Section += "more"
	if got := f.eng.changed(old, next); len(got) != 1 {
		t.Errorf("changed %v", got)
	}
}

// TestSignedApproval: only the plan's commit is signed, and only if git signs commits.
func TestSignedApproval(t *testing.T) {
	f := newFixture(t)
	f.repo.Write("gpg", "#!/bin/sh\ncat >/dev/null\necho '[GNUPG:] BEGIN_SIGNING H8' >&2\necho '[GNUPG:] SIG_CREATED ' >&2\necho '-----BEGIN PGP SIGNATURE-----'\necho '-----END PGP SIGNATURE-----'\n")
	f.repo.Git("update-index", "--add", "--chmod=+x", "gpg")
	f.repo.Git("checkout-index", "-f", "gpg")
	f.repo.Git("config", "gpg.program", f.repo.Dir+"/gpg")
	f.repo.Git("config", "commit.gpgSign", "true")
	eng := f.eng
	repo, err := gitops.Open(t.Context(), gitops.Options{Dir: f.repo.Dir, Env: f.repo.Env})
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	eng.Repo = repo
	out, err := f.revise("1:\n", func(req *ApproveRequest) { req.Signing.Limit = time.Minute })
	if err != nil || !out.Signed || !strings.Contains(f.repo.Git("cat-file", "commit", string(out.Commit)), "gpgsig") {
		t.Errorf("%+v", out)
	}
	if _, err := f.start(1); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(f.repo.Git("cat-file", "commit", string(f.task().NotesTip)), "gpgsig") {
		t.Error("the log's commit is signed")
	}
}
