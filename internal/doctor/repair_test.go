package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"git-okstra/gitops"
	"git-okstra/internal/testrepo"
	"git-okstra/notes"
	"git-okstra/plan"
)

// ward is a doctor over a real repository whose lifecycle is made up.
type ward struct {
	*testrepo.Repo
	t       *testing.T
	doctor  *Doctor
	main    gitops.Hash
	started int // calls of CompleteStart
	fails   error
}

func newWard(t *testing.T) *ward {
	t.Helper()
	r := testrepo.New(t, "linear")
	repo, err := gitops.Open(t.Context(), gitops.Options{Dir: r.Dir, Env: r.Env})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(repo.Close)
	w := &ward{Repo: r, t: t, main: gitops.Hash(r.Git("rev-parse", "main"))}
	w.doctor = &Doctor{
		Repo: repo, Lifecycle: w, Host: "here", Now: time.Now,
		Signature: func(ctx context.Context) (gitops.Signature, error) { return repo.Committer(ctx, testrepo.Epoch()) },
	}
	return w
}

func (w *ward) Claim(context.Context, gitops.Hash) Claim {
	return Claim{ID: "c1", By: "b", Branch: "main"}
}

func (w *ward) Stale(context.Context, string, plan.StageNumber, gitops.Hash, []gitops.Ref) (string, error) {
	return "", nil
}

func (w *ward) Plan(context.Context, string, gitops.Hash) (Plan, error) {
	return Plan{Task: "p:g:t"}, nil
}

func (w *ward) Surfaces(context.Context, gitops.Hash) error { return nil }

func (w *ward) CompleteStart(context.Context, string, plan.StageNumber) error {
	w.started++
	return w.fails
}

// rows writes rows 1 to n with stock git, each on main.
func (w *ward) rows(n int) {
	for i := 1; i <= n; i++ {
		w.Git("notes", "--ref=okstra/p/g/t", "append", "-m",
			fmt.Sprintf(`{"v":1,"seq":%d,"id":"r%d","impl_task_key":"p:g:t","stage":1,"status":"waived"}`, i, i), string(w.main))
	}
}

func (w *ward) examine() Report {
	w.t.Helper()
	r, err := w.doctor.Examine(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

func (w *ward) repair() Report {
	w.t.Helper()
	r, err := w.doctor.Repair(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

func codes(r Report) []string {
	var out []string
	for _, f := range r.Findings {
		word := f.Code
		if f.Repaired {
			word += " repaired"
		}
		out = append(out, word)
	}
	return out
}

// TestRepairIsIdempotent: one repair is enough, and a second finds nothing to do.
func TestRepairIsIdempotent(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	w.rows(4)
	tip := w.Git("rev-parse", "refs/notes/okstra/p/g/t")
	w.Git("update-ref", "refs/notes/okstra/p/g/t", tip+"~3")
	if got := codes(w.examine()); !slices.Equal(got, []string{"rows-dropped"}) {
		t.Fatalf("%q", got)
	}
	if r := w.repair(); !slices.Equal(codes(r), []string{"rows-dropped repaired"}) || r.Remains() {
		t.Errorf("%q", codes(r))
	}
	after := w.Git("for-each-ref")
	if r := w.repair(); len(r.Findings) != 0 || w.Git("for-each-ref") != after {
		t.Errorf("again: %q", codes(r))
	}
	note := w.Git("notes", "--ref=okstra/p/g/t", "show", string(w.main))
	for i := 1; i <= 4; i++ {
		if n := strings.Count(note, fmt.Sprintf(`"id":"r%d"`, i)); n != 1 {
			t.Errorf("row %d stands %d times", i, n)
		}
	}
}

// TestRepairExpectsWhatItFound: a ref that moved after it was looked at is left alone.
func TestRepairExpectsWhatItFound(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	w.rows(3)
	w.Git("update-ref", "refs/notes/okstra/p/g/t", "refs/notes/okstra/p/g/t~1")
	found := w.examine().Findings
	if len(found) != 1 {
		t.Fatalf("%+v", found)
	}
	w.Git("notes", "--ref=okstra/p/g/t", "append", "-m", "meanwhile", string(w.main))
	moved := w.Git("rev-parse", "refs/notes/okstra/p/g/t")
	if err := found[0].mend(t.Context(), w.doctor); !errors.Is(err, gitops.ErrRefChanged) {
		t.Errorf("%v", err)
	}
	if now := w.Git("rev-parse", "refs/notes/okstra/p/g/t"); now != moved {
		t.Errorf("moved to %s", now)
	}
	if out, errOut, code := w.TryGit("fsck", "--no-dangling"); code != 0 || out+errOut != "" {
		t.Errorf("fsck: %d %s%s", code, out, errOut)
	}
}

// TestRepairThatFails says why, once, and goes on with the rest.
func TestRepairThatFails(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	w.fails = errors.New("not \x1b today")
	w.Git("tag", "-a", "-m", "x", "holder")
	w.Git("update-ref", "refs/okstra/p/g/t/reserved/1", "refs/tags/holder")
	w.Git("update-ref", "refs/okstra/p/g/t/base", "main")
	w.Git("update-ref", "refs/okstra/p/g/t/plan", "main")
	r := w.repair()
	if !slices.Equal(codes(r), []string{"reservation-without-row"}) || !r.Remains() || w.started != 2 {
		t.Fatalf("%q, %d tries", codes(r), w.started)
	}
	if hints := r.Findings[0].Hints; !slices.Contains(hints, `not repaired: not \x1b today`) {
		t.Errorf("%q", hints)
	}
	w.fails = nil // it says that it did, and the row is not there all the same
	if r = w.repair(); !r.Remains() || w.started > 2+maxRounds {
		t.Errorf("%q, %d tries", codes(r), w.started)
	}
}

// TestRepairWithoutIdentity leaves the log as it was.
func TestRepairWithoutIdentity(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	w.rows(2)
	w.Git("update-ref", "refs/notes/okstra/p/g/t", "refs/notes/okstra/p/g/t~1")
	before := w.Git("for-each-ref")
	w.doctor.Signature = func(context.Context) (gitops.Signature, error) { return gitops.Signature{}, errors.New("who are you") }
	if r := w.repair(); !r.Remains() || !strings.Contains(strings.Join(r.Findings[0].Hints, " "), "who are you") || w.Git("for-each-ref") != before {
		t.Errorf("%+v", r)
	}
}

func TestInterrupted(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	w.rows(2)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.doctor.Examine(ctx); err == nil {
		t.Error("an answer after the end")
	}
	if _, err := w.doctor.Repair(ctx); err == nil {
		t.Error("a repair after the end")
	}
	if err := pause(ctx, time.Hour); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestEarlier chooses the notes commits that are compared: the newest of the reflog, the
// ends of history, and what stood before each foreign commit.
func TestEarlier(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	tree := w.Git("rev-parse", "main^{tree}")
	commit := func(message string, parents ...gitops.Hash) gitops.Hash {
		args := []string{"commit-tree", "-m", message, tree}
		for _, p := range parents {
			args = append(args, "-p", string(p))
		}
		return gitops.Hash(w.Git(args...))
	}
	const ours = "okstra: row\n\nOkstra-Seq: "
	a := commit(ours + "1")
	b := commit(ours+"2", a)
	foreign := commit("Notes added by 'git notes add'", b)
	now := commit(ours+"4", foreign)
	orphan := commit(ours+"3", b)
	list, partly := w.doctor.earlier(t.Context(), now, []gitops.Hash{now, orphan, gitops.Hash(strings.Repeat("12", 20))})
	if partly || !slices.Contains(list, orphan) || !slices.Contains(list, b) || slices.Contains(list, a) {
		t.Errorf("%v of a %s, b %s, foreign %s, now %s, orphan %s", list, a, b, foreign, now, orphan)
	}
	// beyond the newest, only ends of history
	var reflog []gitops.Hash
	at := now
	for range maxReflog + 20 {
		at = commit(ours+"5", at)
		reflog = append([]gitops.Hash{at}, reflog...)
	}
	reflog = append(reflog, orphan)
	list, _ = w.doctor.earlier(t.Context(), at, reflog)
	if !slices.Contains(list, orphan) || slices.Contains(list, reflog[maxReflog+5]) || !slices.Contains(list, reflog[maxReflog-1]) {
		t.Errorf("%d of %d", len(list), len(reflog))
	}
}

// TestLayout finds what lies twice, once.
func TestLayout(t *testing.T) {
	t.Parallel()
	place := func(n, depth int, mixed bool) gitops.NotePlace {
		return gitops.NotePlace{NoteEntry: gitops.NoteEntry{Target: id(n), Blob: id(n)}, Depth: depth, Mixed: mixed}
	}
	twice, mixed := layout([]gitops.NotePlace{place(1, 0, false), place(2, 1, false), place(1, 1, false), place(1, 2, false)})
	if !slices.Equal(twice, []gitops.Hash{id(1)}) || mixed {
		t.Errorf("%v %v", twice, mixed)
	}
	if twice, mixed = layout([]gitops.NotePlace{place(1, 0, true)}); len(twice) != 0 || !mixed {
		t.Errorf("%v %v", twice, mixed)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	var rows []notes.Line
	for n := 1; n <= 3; n++ {
		rows = append(rows, notes.Line{Row: notes.Row{Stage: plan.StageNumber(n), Status: notes.Done}})
	}
	if got := names(rows, 2); got != "stage 1 done, stage 2 done, …" {
		t.Error(got)
	}
	if got := names(rows[:1], 2); got != "stage 1 done" {
		t.Error(got)
	}
}
