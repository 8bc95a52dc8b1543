package gitops

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"git-okstra/internal/testrepo"
)

// hurry makes transactions lose their patience soon. Its tests are not parallel.
func hurry(t *testing.T, patience time.Duration) {
	t.Helper()
	old := lockPatience
	lockPatience = patience
	t.Cleanup(func() { lockPatience = old })
}

// allRefs is every ref of the repository but the reflogs, as text.
func allRefs(r *testrepo.Repo) string {
	return r.Git("for-each-ref", "--format=%(objectname) %(refname)")
}

func TestApplyEveryKindOfChange(t *testing.T) {
	t.Parallel()
	made, r, c := repoWithHistory(t, 3)
	made.Git("update-ref", "refs/okstra/moved", string(c[0]))
	made.Git("update-ref", "refs/okstra/gone", string(c[0]))
	made.Git("update-ref", "refs/okstra/stays", string(c[1]))
	tx := Transaction{Reason: "all kinds"}
	tx.Create("refs/okstra/new", c[2])
	tx.Update("refs/okstra/moved", c[0], c[1])
	tx.Update("refs/okstra/created", "", c[1])
	tx.Verify("refs/okstra/stays", c[1])
	tx.Verify("refs/okstra/absent", "")
	tx.Delete("refs/okstra/gone", c[0])
	calls := &callCount{}
	r.trace = calls.add
	if err := r.Apply(t.Context(), tx); err != nil || calls.take() != 1 {
		t.Fatalf("more than one process, or %v", err)
	}
	want := string(c[2]) + " refs/heads/main\n" + string(c[1]) + " refs/okstra/created\n" + string(c[1]) + " refs/okstra/moved\n" +
		string(c[2]) + " refs/okstra/new\n" + string(c[1]) + " refs/okstra/stays"
	if got := allRefs(made); got != want {
		t.Errorf("refs:\n%s\nwant:\n%s", got, want)
	}
}

// TestApplyAllOrNothing puts one wrong expectation of each kind behind changes that
// alone would succeed.
func TestApplyAllOrNothing(t *testing.T) {
	t.Parallel()
	made, r, c := repoWithHistory(t, 3)
	made.Git("update-ref", "refs/okstra/there", string(c[0]))
	before := allRefs(made)
	for _, try := range []struct {
		what string
		add  func(*Transaction)
		want RefChangedError
	}{
		{"create of what exists", func(t *Transaction) { t.Create("refs/okstra/there", c[1]) }, RefChangedError{"refs/okstra/there", "", c[0]}},
		{"update from another", func(t *Transaction) { t.Update("refs/okstra/there", c[1], c[2]) }, RefChangedError{"refs/okstra/there", c[1], c[0]}},
		{"update of the absent", func(t *Transaction) { t.Update("refs/okstra/none", c[1], c[2]) }, RefChangedError{"refs/okstra/none", c[1], ""}},
		{"verify of another", func(t *Transaction) { t.Verify("refs/okstra/there", c[1]) }, RefChangedError{"refs/okstra/there", c[1], c[0]}},
		{"verify of absence", func(t *Transaction) { t.Verify("refs/okstra/there", "") }, RefChangedError{"refs/okstra/there", "", c[0]}},
		{"verify of the absent", func(t *Transaction) { t.Verify("refs/okstra/none", c[1]) }, RefChangedError{"refs/okstra/none", c[1], ""}},
		{"delete of another", func(t *Transaction) { t.Delete("refs/okstra/there", c[1]) }, RefChangedError{"refs/okstra/there", c[1], c[0]}},
		{"delete of the absent", func(t *Transaction) { t.Delete("refs/okstra/none", c[1]) }, RefChangedError{"refs/okstra/none", c[1], ""}},
	} {
		tx := Transaction{Reason: "x"}
		tx.Create("refs/okstra/a", c[0])
		try.add(&tx)
		tx.Update("refs/heads/main", c[2], c[1])
		refused(t, r, tx, try.want, try.what)
	}
	if got := allRefs(made); got != before {
		t.Errorf("refs:\n%s\nwant:\n%s", got, before)
	}
}

// TestApplyAsksAHookOnce: a hook that refuses is git's answer, not a lock to wait for.
func TestApplyAsksAHookOnce(t *testing.T) {
	t.Parallel()
	made, r, c := repoWithHistory(t, 2)
	hook := filepath.Join(made.Dir, ".git", "hooks", "reference-transaction")
	if err := os.MkdirAll(filepath.Dir(hook), 0o755); err != nil {
		t.Fatal(err)
	}
	const script = "#!/bin/sh\n[ \"$1\" = prepared ] || exit 0\necho asked >>asked\necho 'not today' >&2\nexit 1\n"
	if err := os.WriteFile(hook, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	var tx Transaction
	tx.Create("refs/okstra/new", c[1])
	if err := r.Apply(t.Context(), tx); err == nil || !strings.Contains(err.Error(), "not today") {
		t.Errorf("refused by a hook: %v", err)
	}
	asked, err := filepath.Glob(filepath.Join(made.Dir, "asked"))
	inGit, _ := filepath.Glob(filepath.Join(made.Dir, ".git", "asked"))
	if asked = append(asked, inGit...); err != nil || len(asked) != 1 {
		t.Fatalf("the hook was asked in %q, %v", asked, err)
	}
	if got, err := os.ReadFile(asked[0]); string(got) != "asked\n" {
		t.Errorf("the hook was asked %d times, %v", strings.Count(string(got), "asked"), err)
	}
}

func refused(t *testing.T, r *Repo, tx Transaction, want RefChangedError, what string) {
	t.Helper()
	start := time.Now()
	err := r.Apply(t.Context(), tx)
	var got *RefChangedError
	if !errors.As(err, &got) || !errors.Is(err, ErrRefChanged) || *got != want {
		t.Errorf("%s: %v, want %v", what, err, &want)
	}
	if time.Since(start) > lockPatience/2 {
		t.Errorf("%s: a lost race was waited out", what)
	}
}

func TestRefChangedErrorSaysWhatItFound(t *testing.T) {
	t.Parallel()
	h := Hash(strings.Repeat("ab", 20))
	for _, c := range []struct {
		err  RefChangedError
		want string
	}{
		{RefChangedError{"refs/x", "", h}, "ref refs/x changed meanwhile: expected nothing, found ababababab"},
		{RefChangedError{"refs/x", h, ""}, "ref refs/x changed meanwhile: expected ababababab, found nothing"},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestApplyGitsOwnRefusal holds that what is no lost race gives git's error, after
// some patience but not for ever, and changes nothing.
func TestApplyGitsOwnRefusal(t *testing.T) {
	hurry(t, 200*time.Millisecond)
	made, r, c := repoWithHistory(t, 1)
	made.Git("update-ref", "refs/okstra/dir/below", string(c[0]))
	made.Write(".git/refs/okstra/held.lock", "")
	before := allRefs(made)
	for name, says := range map[RefName]string{
		"refs/okstra/dir":            "exists; cannot create",
		"refs/okstra/dir/below/deep": "exists; cannot create",
		"refs/okstra/held":           "File exists",
	} {
		tx := Transaction{Reason: "x"}
		tx.Create("refs/okstra/a", c[0])
		tx.Create(name, c[0])
		start := time.Now()
		err := r.Apply(t.Context(), tx)
		if err == nil || !strings.Contains(err.Error(), says) || ExitCode(err) != 128 || errors.Is(err, ErrRefChanged) {
			t.Errorf("%s: %v, want git's %q", name, err, says)
		}
		if waited := time.Since(start); waited < 150*time.Millisecond || waited > 10*time.Second {
			t.Errorf("%s: waited %v", name, waited)
		}
	}
	if got := allRefs(made); got != before {
		t.Errorf("refs:\n%s\nwant:\n%s", got, before)
	}
}

// TestApplyWaitsForALock lets a lock go away while the transaction tries.
func TestApplyWaitsForALock(t *testing.T) {
	t.Parallel()
	made, r, c := repoWithHistory(t, 1)
	for _, lock := range []string{"refs/okstra/held.lock", "packed-refs.lock"} {
		made.Git("update-ref", "refs/okstra/packed", string(c[0]))
		made.Git("pack-refs", "--all")
		path := filepath.Join(made.Dir, ".git", lock)
		made.Write(".git/"+lock, "")
		go func() {
			time.Sleep(150 * time.Millisecond)
			_ = os.Remove(path)
		}()
		tx := Transaction{Reason: "x"}
		tx.Create("refs/okstra/held", c[0])
		tx.Delete("refs/okstra/packed", c[0])
		if err := r.Apply(t.Context(), tx); err != nil {
			t.Errorf("%s: %v", lock, err)
		}
		made.Git("update-ref", "-d", "refs/okstra/held")
	}
}

// TestApplyCancelled cancels before and while it waits for a lock: nothing changes.
func TestApplyCancelled(t *testing.T) {
	t.Parallel()
	made, r, c := repoWithHistory(t, 1)
	before := allRefs(made)
	tx := Transaction{Reason: "x"}
	tx.Create("refs/okstra/a", c[0])
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.Apply(ctx, tx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before: %v", err)
	}
	made.Write(".git/refs/okstra/a.lock", "")
	ctx, cancel = context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := r.Apply(ctx, tx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("cancelled while waiting: %v", err)
	}
	if got := allRefs(made); got != before {
		t.Errorf("refs:\n%s\nwant:\n%s", got, before)
	}
}

// TestApplyRefusesWhatCouldBeTwoLines tries to smuggle a second command in.
func TestApplyRefusesWhatCouldBeTwoLines(t *testing.T) {
	t.Parallel()
	made, r, c := repoWithHistory(t, 1)
	before := allRefs(made)
	evil := "\nupdate refs/heads/evil " + string(c[0])
	for _, change := range []RefChange{
		{Name: RefName("refs/okstra/a " + string(c[0]) + evil), New: c[0]},
		{Name: "refs/okstra/a b", New: c[0]},
		{Name: "refs/okstra/../../evil", New: c[0]},
		{Name: "", New: c[0]},
		{Name: "HEAD", Old: c[0], New: c[0]},
		{Name: RefName("refs/okstra/a\x00b"), Old: c[0]},
		{Name: "refs/okstra/a", New: c[0] + Hash(evil)},
		{Name: "refs/okstra/a", Old: Hash("HEAD"), New: c[0]},
		{Name: "refs/okstra/a", Old: c[0], New: c[0][:39]},
	} {
		err := r.Apply(t.Context(), Transaction{Reason: "x", Changes: []RefChange{{Name: "refs/okstra/ok", New: c[0]}, change}})
		if err == nil || errors.Is(err, ErrRefChanged) || !strings.Contains(err.Error(), "bad ") {
			t.Errorf("%q: %v", change, err)
		}
	}
	if got := allRefs(made); got != before {
		t.Errorf("refs:\n%s\nwant:\n%s", got, before)
	}
}

// TestApplyCutShort: where git cannot write all of the refs that it has locked, the first
// of them has changed by our own doing. That is no lost race, and git says what it is.
func TestApplyCutShort(t *testing.T) {
	t.Parallel()
	made, r, c := repoWithHistory(t, 1)
	made.Write(".git/logs/refs/heads/second/in-the-way", "no reflog can be here")
	var tx Transaction
	tx.Create("refs/heads/first", c[0])
	tx.Create("refs/heads/second", c[0])
	err := r.Apply(t.Context(), tx)
	var ge *GitError
	if errors.Is(err, ErrRefChanged) || !errors.Is(err, ErrCutShort) || !errors.As(err, &ge) || ge.Stderr == "" {
		t.Errorf("cut short: %v", err)
	}
	if made.Git("rev-parse", "--verify", "refs/heads/first") != string(c[0]) {
		t.Error("nothing was written: this tests nothing")
	}
	tx = Transaction{}
	tx.Create("refs/heads/first", c[0])
	if err := r.Apply(t.Context(), tx); !errors.Is(err, ErrRefChanged) {
		t.Errorf("a lost race: %v", err)
	}
}
