package gitops

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"git-okstra/internal/testrepo"
)

// TestReflogs holds that our own refs get a reflog with the reason on one line, in a
// bare repository too, and branches and notes even where tags are written.
func TestReflogs(t *testing.T) {
	t.Parallel()
	made, r, c := repoWithHistory(t, 2)
	made.Git("config", "core.logAllRefUpdates", "false")
	tx := Transaction{Reason: "a reason\nin two lines\twith\x01 blanks \n\n"}
	tx.Create("refs/okstra/k/base", c[0])
	tx.Create("refs/notes/okstra/k", c[0])
	if err := r.Apply(t.Context(), tx); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"refs/okstra/k/base", "refs/notes/okstra/k"} {
		if got := made.Git("reflog", "show", "--format=%gs", name); got != "a reason in two lines with\x01 blanks" {
			t.Errorf("reflog of %s: %q", name, got)
		}
	}
	made.Git("tag", "-a", "-m", "x", "holder")
	tag := Hash(made.Git("rev-parse", "refs/tags/holder"))
	tagged := Transaction{Reason: "reserve", Tags: true}
	tagged.Create("refs/okstra/k/reserved/1", tag)
	tagged.Create("refs/heads/stage", c[0])
	tagged.Update("refs/notes/okstra/k", c[0], c[1])
	if err := r.Apply(t.Context(), tagged); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"refs/okstra/k/reserved/1": false, "refs/heads/stage": true} {
		if _, err := os.Stat(made.Dir + "/.git/logs/" + name); (err == nil) != want {
			t.Errorf("reflog of %s: %v, want %v", name, err == nil, want)
		}
	}
	if got := made.Git("reflog", "show", "--format=%gs", "refs/notes/okstra/k"); !strings.HasPrefix(got, "reserve\n") {
		t.Errorf("reflog of the notes: %q", got)
	}
}

// TestNoReason is what git refuses with "empty message" where -m is given.
func TestNoReason(t *testing.T) {
	t.Parallel()
	made, r, c := repoWithHistory(t, 1)
	for i, reason := range []string{"", " \n\t"} {
		tx := Transaction{Reason: reason}
		tx.Create(RefName(fmt.Sprintf("refs/okstra/x%d", i)), c[0])
		if err := r.Apply(t.Context(), tx); err != nil {
			t.Errorf("reason %q: %v", reason, err)
		}
	}
	made.Git("rev-parse", "refs/okstra/x0", "refs/okstra/x1")
}

// TestGCIsQuiet runs git's housekeeping over every kind of ref that we leave behind:
// a reservation made, moved and given back. A reflog on a tag would make each gc
// complain.
func TestGCIsQuiet(t *testing.T) {
	t.Parallel()
	made, r, c := repoWithHistory(t, 2)
	made.Git("tag", "-a", "-m", "x", "one")
	made.Git("tag", "-a", "-m", "y", "two")
	one, two := Hash(made.Git("rev-parse", "refs/tags/one")), Hash(made.Git("rev-parse", "refs/tags/two"))
	start := Transaction{Reason: "start", Tags: true}
	start.Create("refs/okstra/k/reserved/1", one)
	start.Create("refs/okstra/k/reserved/2", one)
	start.Create("refs/okstra/k/base", c[0])
	takeover := Transaction{Reason: "takeover", Tags: true}
	takeover.Update("refs/okstra/k/reserved/1", one, two)
	end := Transaction{Reason: "done"}
	end.Create("refs/okstra/k/done/2", c[1])
	end.Delete("refs/okstra/k/reserved/2", one)
	for _, tx := range []Transaction{start, takeover, end} {
		if err := r.Apply(t.Context(), tx); err != nil {
			t.Fatal(err)
		}
		if stdout, stderr, code := made.TryGit("gc", "--quiet", "--prune=now"); stdout+stderr != "" || code != 0 {
			t.Errorf("gc after %s: exit %d\n%s%s", tx.Reason, code, stdout, stderr)
		}
	}
	if stdout, stderr, code := made.TryGit("fsck", "--strict"); code != 0 || strings.Contains(stderr, "error") {
		t.Errorf("fsck: exit %d\n%s%s", code, stdout, stderr)
	}
}

// TestApplyOutsideTheCallersWorktree moves a branch that is checked out while a
// commit holds that worktree's HEAD.lock.
func TestApplyOutsideTheCallersWorktree(t *testing.T) {
	t.Parallel()
	made, _, c := repoWithHistory(t, 2)
	made.Git("worktree", "add", "-q", "-b", "side", "../side", string(c[0]))
	linked, err := Open(t.Context(), Options{Dir: made.Dir + "/../side", Env: made.Env})
	if err != nil {
		t.Fatal(err)
	}
	defer linked.Close()
	made.Write(".git/worktrees/side/HEAD.lock", "")
	tx := Transaction{Reason: "x"}
	tx.Verify("refs/heads/side", c[0])
	tx.Create("refs/okstra/a", c[0])
	if err := linked.Apply(t.Context(), tx); err != nil {
		t.Error(err)
	}
}

// incrementEnv makes the test binary one of the contenders of TestIncrements.
const incrementEnv = "GITOPS_TEST_INCREMENT"

// TestIncrements lets several processes, each of several goroutines, append commits
// to one ref by compare-and-set. No commit may be lost.
func TestIncrements(t *testing.T) {
	if dir := os.Getenv(incrementEnv); dir != "" {
		increments(t, dir, os.Environ())
		return
	}
	t.Parallel()
	made := testrepo.New(t, "one-commit")
	made.Git("update-ref", "refs/okstra/counter", "HEAD")
	const processes = 3
	var wg sync.WaitGroup
	for range processes {
		wg.Go(func() {
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestIncrements$")
			cmd.Env = append(append([]string(nil), made.Env...), incrementEnv+"="+made.Dir)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	wg.Wait()
	want := fmt.Sprint(processes*goroutines*rounds + 1)
	if got := made.Git("rev-list", "--count", "refs/okstra/counter"); got != want {
		t.Errorf("%s commits, want %s", got, want)
	}
	if got := made.Git("rev-list", "--walk-reflogs", "--count", "refs/okstra/counter"); got != fmt.Sprint(processes*goroutines*rounds) {
		t.Errorf("%s lines of reflog", got)
	}
}

const goroutines, rounds = 3, 4

func increments(t *testing.T, dir string, env []string) {
	r, err := Open(t.Context(), Options{Dir: dir, Env: env})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			for i := range rounds {
				if err := increment(t, r, fmt.Sprintf("%d %d %d", os.Getpid(), g, i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

// increment tries until its commit stands on top.
func increment(t *testing.T, r *Repo, message string) error {
	ctx := t.Context()
	sig, err := r.Committer(ctx, testrepo.Epoch())
	if err != nil {
		return err
	}
	for {
		values, err := r.RefValues(ctx, "refs/okstra/counter")
		if err != nil {
			return err
		}
		old := values["refs/okstra/counter"]
		top, err := r.ReadCommit(ctx, old)
		if err != nil {
			return err
		}
		w := r.NewObjects()
		tx := Transaction{Reason: "increment"}
		tx.Update("refs/okstra/counter", old, w.Commit(CommitData{
			Tree: top.Tree, Parents: []Hash{old}, Author: sig, Committer: sig, Message: message + "\n",
		}))
		if err = r.ApplyObjects(ctx, w, tx); !errors.Is(err, ErrRefChanged) {
			return err
		}
	}
}
