package lifecycle

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"git-okstra/gitops"
	"git-okstra/internal/testrepo"
	"git-okstra/plan"
)

// TestSettled: what keeps a stage's worktree from being done.
func TestSettled(t *testing.T) {
	f := newFixture(t)
	f.approve("1:\n")
	s, err := f.start(1)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir() + "/stage-1"
	f.repo.Git("worktree", "add", "-q", dir, shortBranch(s.Branch))
	look := func() (gitops.RefName, error) {
		t.Helper()
		wt, ok, err := f.eng.Repo.WorktreeAt(t.Context(), dir)
		if err != nil || !ok {
			t.Fatalf("%v %v", ok, err)
		}
		return f.eng.settled(t.Context(), 1, wt, s.Branch)
	}
	if branch, err := look(); err != nil || branch != s.Branch {
		t.Errorf("a clean worktree: %s %v", branch, err)
	}
	for i := range 25 {
		if err := os.WriteFile(fmt.Sprintf("%s/new-%02d\x1b", dir, i), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	_, err = look()
	f.mustKind(err, Refused)
	if n := strings.Count(err.Error(), "?? "); n != 10 || !strings.HasSuffix(err.Error(), "\n  and 15 more") || strings.Contains(err.Error(), "\x1b") {
		t.Errorf("%d named: %q", n, err)
	}
	f.repo.Git("-C", dir, "clean", "-fq")

	f.repo.Git("-C", dir, "commit", "-q", "--allow-empty", "-m", "work")
	f.repo.Git("-C", dir, "bisect", "start")
	if _, err = look(); !strings.Contains(fmt.Sprint(err), "a bisect is under way") {
		t.Errorf("bisect: %v", err)
	}
	f.repo.Git("-C", dir, "bisect", "reset")
	f.repo.Git("-C", dir, "checkout", "-q", "--detach")
	if _, err = look(); !strings.Contains(fmt.Sprint(err), "detached HEAD") {
		t.Errorf("detached: %v", err)
	}
	f.repo.Git("-C", dir, "checkout", "-q", "-b", "another")
	if _, err = look(); !strings.Contains(fmt.Sprint(err), "has branch another checked out") {
		t.Errorf("another branch: %v", err)
	}
	f.repo.Git("-C", dir, "checkout", "-q", shortBranch(s.Branch))
	f.repo.Git("-C", dir, "branch", "-m", "own-name")
	if branch, err := look(); err != nil || branch != "refs/heads/own-name" {
		t.Errorf("the branch, renamed: %s %v", branch, err)
	}
}

// TestShallowCannotTell: where history is missing, "not an ancestor" is no
// answer: a person must fetch first, and nothing was written.
func TestShallowCannotTell(t *testing.T) {
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
	f.repo.Git("merge", "-q", "--no-edit", "fix-T-1-s1")
	f.repo.Git("merge", "-q", "--no-edit", "fix-T-1-s2")
	for range 3 {
		f.repo.Git("commit", "-q", "--allow-empty", "-m", "main moves on")
	}
	if _, err := f.eng.Start(t.Context(), f.task(), dry(f.request(3))); err != nil {
		t.Fatalf("in the whole history: %v", err)
	}

	c := f.cloneWith("--depth=1")
	_, err := c.start(3)
	c.mustKind(err, Gate)
	var r *Refusal
	if !errors.As(err, &r) || !strings.Contains(r.Message, "cannot tell in a shallow clone") || !strings.Contains(r.Message, "stage 1 (") ||
		len(r.Hints) != 1 || !strings.Contains(r.Hints[0], "git fetch --unshallow") {
		t.Errorf("%+v", r)
	}
	if len(c.task().Reserved) != 0 {
		t.Error("a stage was reserved all the same")
	}
	c.repo.Git("fetch", "-q", "--unshallow")
	c.reopen()
	if s, err := c.start(3); err != nil || string(s.Base) != f.repo.Git("rev-parse", "main") {
		t.Errorf("with the whole history: %+v %v", s, err)
	}
}

func dry(r StartRequest) StartRequest {
	r.DryRun = true
	return r
}

// cloneWith is a fixture over a clone that has the state too.
func (f *fixture) cloneWith(flags ...string) *fixture {
	f.t.Helper()
	c := newFixture(f.t)
	dir := c.repo.Dir + "/clone"
	f.repo.Git(append(append([]string{"clone", "-q"}, flags...), "file://"+f.repo.Dir, dir)...)
	c.repo.Dir = dir
	c.repo.Git("fetch", "-q", "origin", "refs/okstra/*:refs/okstra/*", "refs/notes/okstra/*:refs/notes/okstra/*")
	c.reopen()
	return c
}

// reopen looks at the repository anew, as the next command does.
func (f *fixture) reopen() {
	f.t.Helper()
	g, err := gitops.Open(f.t.Context(), gitops.Options{Dir: f.repo.Dir, Env: f.repo.Env})
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(g.Close)
	f.eng.Repo = g
}

// TestOntoOfAStart: another integration branch for one start, and names that are
// none.
func TestOntoOfAStart(t *testing.T) {
	f := newFixture(t)
	f.approve("1:\n")
	other := f.repo.Git("commit-tree", "main^{tree}", "-m", "other root")
	f.repo.Git("update-ref", "refs/heads/topic/x", other)
	req := dry(f.request(1))
	for _, name := range []string{"topic/x", "refs/heads/topic/x"} {
		req.Onto = name
		if s, err := f.eng.Start(t.Context(), f.task(), req); err != nil || string(s.Base) != other {
			t.Errorf("--onto %s: %+v %v", name, s, err)
		}
	}
	for name, kind := range map[string]Kind{"nix": Environment, "topic": Environment, "a b": Usage, "../x": Usage, "x.lock": Usage, "x@{1}": Usage} {
		req.Onto = name
		_, err := f.eng.Start(t.Context(), f.task(), req)
		f.mustKind(err, kind)
	}
	if f.task().Base != "" || len(f.task().Reserved) != 0 {
		t.Error("a dry run wrote something")
	}
}

// TestTaskWithoutItsRoom: the integration branch is gone; what stands on the
// anchor or a predecessor still starts.
func TestTaskWithoutItsRoom(t *testing.T) {
	f := newFixture(t)
	f.approve("1:\n2: 1\n3:\n4: 1 2\n")
	f.repo.Git("checkout", "-q", "--detach")
	f.repo.Git("branch", "-D", "main")
	_, err := f.start(1)
	f.mustKind(err, Environment)
	f.repo.Git("branch", "main")
	if _, err := f.start(1); err != nil {
		t.Fatal(err)
	}
	one, err := f.finish(1)
	if err != nil {
		t.Fatal(err)
	}
	f.repo.Git("branch", "-D", "main")
	if s, err := f.start(2); err != nil || s.Base != one.Head {
		t.Errorf("on its predecessor: %+v %v", s, err)
	}
	if s, err := f.start(3); err != nil || s.Base != gitops.Hash(f.repo.Git("rev-parse", "HEAD")) {
		t.Errorf("on the anchor: %+v %v", s, err)
	}
	if _, err := f.finish(2); err != nil {
		t.Fatal(err)
	}
	_, err = f.start(4)
	f.mustKind(err, Environment)
	if !strings.Contains(err.Error(), `"main" has no commit here`) {
		t.Errorf("%v", err)
	}
}

// TestDoneElsewhere: a second done at another commit is refused, with both ids.
func TestDoneElsewhere(t *testing.T) {
	f := newFixture(t)
	f.approve("1:\n")
	if _, err := f.start(1); err != nil {
		t.Fatal(err)
	}
	one, err := f.finish(1)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.finish(1)
	f.mustKind(err, Refused)
	if tip := gitops.Hash(f.repo.Git("rev-parse", "fix-T-1-s1")); !strings.Contains(err.Error(), one.Head.Short()) || !strings.Contains(err.Error(), tip.Short()) {
		t.Errorf("%v", err)
	}
	f.repo.Git("branch", "-D", "fix-T-1-s1")
	again, err := f.eng.Finish(t.Context(), f.task(), DoneRequest{Stage: 1})
	if err != nil || !again.Already || again.Head != one.Head {
		t.Errorf("after its branch was cleaned away: %+v %v", again, err)
	}
	if want := testrepo.Name; !strings.Contains(f.repo.Git("log", "-1", "--format=%cn", "refs/notes/okstra/p/g/T-1"), want) {
		t.Errorf("the log's commit is not by %s", want)
	}
}
