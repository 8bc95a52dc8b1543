package lifecycle

import (
	"context"
	"errors"
	"strings"
	"testing"

	"git-okstra/gitops"
	"git-okstra/plan"
)

// uncleanable asks why a stage is to stay.
func (f *fixture) uncleanable(n plan.StageNumber, landed Landed) string {
	f.t.Helper()
	why, err := f.eng.Uncleanable(f.t.Context(), f.task(), n, landed)
	if err != nil {
		f.t.Fatal(err)
	}
	return why
}

// branches lists the stage's branches with how many commits only they have.
func (f *fixture) branches(n plan.StageNumber) map[string]int {
	f.t.Helper()
	list, err := f.eng.BranchesOf(f.t.Context(), f.task(), n)
	if err != nil {
		f.t.Fatal(err)
	}
	out := map[string]int{}
	for _, b := range list {
		out[b.Short()] = len(b.Lost)
	}
	return out
}

// drop deletes the stage's branch as it stands now.
func (f *fixture) drop(n plan.StageNumber, b StageBranch) string {
	f.t.Helper()
	kept, err := f.eng.DropBranch(f.t.Context(), f.task(), n, b)
	if err != nil {
		f.t.Fatal(err)
	}
	return kept
}

// only is the stage's one branch.
func (f *fixture) only(n plan.StageNumber) StageBranch {
	f.t.Helper()
	list, err := f.eng.BranchesOf(f.t.Context(), f.task(), n)
	if err != nil || len(list) != 1 {
		f.t.Fatalf("branches: %+v %v", list, err)
	}
	return list[0]
}

func TestUncleanable(t *testing.T) {
	f := newFixture(t)
	f.approve("1:\n2:\n")
	if why := f.uncleanable(1, nil); why != "it is not done" {
		t.Errorf("ready: %q", why)
	}
	if _, err := f.start(1); err != nil {
		t.Fatal(err)
	}
	if why := f.uncleanable(1, nil); why != "it is active: taken by me" {
		t.Errorf("active: %q", why)
	}
	done, err := f.finish(1)
	if err != nil {
		t.Fatal(err)
	}
	if why := f.uncleanable(1, nil); !strings.HasPrefix(why, "not landed: "+done.Head.Short()+" is not in main") {
		t.Errorf("done: %q", why)
	}
	asked := gitops.Hash("")
	yes := func(_ context.Context, head, _ gitops.Hash) (bool, error) { asked = head; return true, nil }
	if why := f.uncleanable(1, yes); why != "" || asked != done.Head {
		t.Errorf("landed by another measure: %q, asked for %s", why, asked)
	}
	no := errors.New("no")
	if _, err := f.eng.Uncleanable(t.Context(), f.task(), 1, func(context.Context, gitops.Hash, gitops.Hash) (bool, error) { return false, no }); !errors.Is(err, no) {
		t.Errorf("an error is an answer: %v", err)
	}
	f.repo.Git("merge", "-q", "fix-T-1-s1")
	if why := f.uncleanable(1, nil); why != "" {
		t.Errorf("landed: %q", why)
	}
	if _, err := f.eng.Uncleanable(t.Context(), f.task(), 9, nil); err == nil {
		t.Error("a stage that is none")
	}
	f.repo.Git("update-ref", "refs/okstra/p/g/T-1/reserved/1", "HEAD")
	if why := f.uncleanable(1, nil); !strings.Contains(why, "doctor --repair") {
		t.Errorf("done and held: %q", why)
	}
	f.repo.Git("update-ref", "-d", "refs/okstra/p/g/T-1/reserved/1")
	f.repo.Git("update-ref", "refs/okstra/p/g/T-1/reserved/2", "HEAD")
	if why := f.uncleanable(2, nil); why != "it is active" {
		t.Errorf("held by nobody knows whom: %q", why)
	}
	f.repo.Git("checkout", "-q", "--detach")
	f.repo.Git("branch", "-D", "main")
	if why := f.uncleanable(1, nil); !strings.Contains(why, "the integration branch main is not here") {
		t.Errorf("no integration branch: %q", why)
	}
}

// TestUnheld refuses what was decided on refs that have moved since.
func TestUnheld(t *testing.T) {
	f := newFixture(t)
	f.approve("1:\n")
	before := f.task()
	if err := f.eng.Unheld(t.Context(), before, 1); err != nil {
		t.Errorf("nothing moved: %v", err)
	}
	if _, err := f.start(1); err != nil {
		t.Fatal(err)
	}
	f.mustKind(f.eng.Unheld(t.Context(), before, 1), Refused)
	if _, err := f.finish(1); err != nil {
		t.Fatal(err)
	}
	f.mustKind(f.eng.Unheld(t.Context(), before, 1), Refused)
	if err := f.eng.Unheld(t.Context(), f.task(), 1); err != nil {
		t.Errorf("read anew: %v", err)
	}
}

// TestBranchesOf: a stage's branches are those that the log or a reservation made here
// says, under names that such a branch can have.
func TestBranchesOf(t *testing.T) {
	f := newFixture(t)
	f.approve("1:\n2:\n")
	if got := f.branches(1); len(got) > 0 {
		t.Errorf("never started: %v", got)
	}
	f.repo.Git("branch", "fix-T-1-s2")
	if got := f.branches(2); len(got) > 0 {
		t.Errorf("somebody's branch under the stage's name: %v", got)
	}
	if _, err := f.start(1); err != nil {
		t.Fatal(err)
	}
	if got := f.branches(1); len(got) != 1 || got["fix-T-1-s1"] != 0 {
		t.Errorf("started: %v", got)
	}
	commit := f.repo.Git("commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "own")
	f.repo.Git("update-ref", "refs/heads/fix-T-1-s1", commit)
	if got := f.branches(1); got["fix-T-1-s1"] != 1 {
		t.Errorf("with a commit of its own: %v", got)
	}
	f.repo.Git("update-ref", "refs/okstra-remote/origin/state/p/g/T-1/done/1", commit)
	if got := f.branches(1); got["fix-T-1-s1"] != 0 {
		t.Errorf("a remote has it as done: %v", got)
	}
	// the log alone says so, where no reservation was made here
	f.repo.Git("update-ref", "-d", string(f.task().claimRef(f.task().Reserved[1])))
	if got := f.branches(1); len(got) != 1 {
		t.Errorf("by the log: %v", got)
	}
	f.repo.Git("update-ref", "-d", "refs/notes/okstra/p/g/T-1")
	if got := f.branches(1); len(got) > 0 {
		t.Errorf("nothing says so: %v", got)
	}
}

// TestDropBranch deletes only what is as it was seen, and needed by nobody.
func TestDropBranch(t *testing.T) {
	f := newFixture(t)
	f.approve("1:\n")
	if _, err := f.start(1); err != nil {
		t.Fatal(err)
	}
	b := f.only(1)
	if kept := f.drop(1, b); kept != "the stage was started again" {
		t.Errorf("of an active stage: %q", kept)
	}
	if _, err := f.eng.Release(t.Context(), f.task(), 1, ""); err != nil {
		t.Fatal(err)
	}
	old := f.repo.Git("rev-parse", "HEAD")
	commit := f.repo.Git("commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "own")
	f.repo.Git("update-ref", string(b.Name), commit)
	if kept := f.drop(1, b); kept != "it moved meanwhile" {
		t.Errorf("moved: %q", kept)
	}
	moved := f.only(1)
	if len(moved.Lost) != 1 || moved.Lost[0].Subject != "own" {
		t.Errorf("lost: %+v", moved.Lost)
	}
	if kept := f.drop(1, moved); kept != "it alone leads to "+gitops.Hash(commit).Short() {
		t.Errorf("with work: %q", kept)
	}
	f.repo.Git("update-ref", string(b.Name), old)
	f.repo.Git("checkout", "-q", "fix-T-1-s1")
	if kept := f.drop(1, b); !strings.HasPrefix(kept, `it is checked out in "`) {
		t.Errorf("in use: %q", kept)
	}
	f.repo.Git("checkout", "-q", "main")
	if kept := f.drop(1, b); kept != "" || f.repo.Git("for-each-ref", string(b.Name)) != "" {
		t.Errorf("kept: %q", kept)
	}
	if kept := f.drop(1, b); kept != "" {
		t.Errorf("again: %q", kept)
	}
}

// TestIntegrationBranchStays, whatever a reservation says.
func TestIntegrationBranchStays(t *testing.T) {
	f := newFixture(t)
	f.approve("1:\n")
	r, err := f.eng.newReservation(gitops.Hash(f.repo.Git("rev-parse", "HEAD")), "main", "x")
	if err != nil {
		t.Fatal(err)
	}
	rec, err := f.eng.begin(t.Context(), "forge")
	if err != nil {
		t.Fatal(err)
	}
	tag, err := r.tag(rec.objects, f.task().Key, 1, rec.sig)
	if err != nil {
		t.Fatal(err)
	}
	rec.tx.Tags = true
	rec.tx.Create(f.task().claimRef(tag), tag)
	if err := f.eng.commit(t.Context(), rec); err != nil {
		t.Fatal(err)
	}
	if names, err := f.eng.claimedBranches(t.Context(), f.task(), 1); err != nil || len(names) != 1 {
		t.Fatalf("%v %v", names, err)
	}
	if got := f.branches(1); len(got) > 0 {
		t.Errorf("%v", got)
	}
}
