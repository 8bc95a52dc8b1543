package notes

import (
	"os/exec"
	"strings"
	"testing"

	"git-okstra/gitops"
	"git-okstra/internal/testrepo"
	"git-okstra/plan"
)

// ledger is a real repository with a log on it.
type ledger struct {
	*testrepo.Repo
	t    *testing.T
	repo *gitops.Repo
	ref  gitops.RefName
	head gitops.Hash // of main
}

var key = plan.TaskKey{Project: "p", Group: "g", Task: "t"}

func newLedger(t *testing.T, recipe string) *ledger {
	t.Helper()
	r := testrepo.New(t, recipe)
	repo, err := gitops.Open(t.Context(), gitops.Options{Dir: r.Dir, Env: r.Env})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(repo.Close)
	return &ledger{r, t, repo, Ref(key), gitops.Hash(r.Git("rev-parse", "main"))}
}

func (l *ledger) tip() gitops.Hash {
	l.t.Helper()
	values, err := l.repo.RefValues(l.t.Context(), l.ref)
	if err != nil {
		l.t.Fatal(err)
	}
	return values[l.ref]
}

// add appends a row and moves the ref.
func (l *ledger) add(target gitops.Hash, row Row) Appended {
	l.t.Helper()
	ctx := l.t.Context()
	sig, err := l.repo.Committer(ctx, testrepo.Epoch())
	if err != nil {
		l.t.Fatal(err)
	}
	old, w := l.tip(), l.repo.NewObjects()
	out, err := Append(ctx, l.repo, w, old, sig, Entry{Target: target, Row: row})
	if err != nil {
		l.t.Fatal(err)
	}
	tx := gitops.Transaction{Reason: "row"}
	tx.Update(l.ref, old, out.Tip)
	if err := l.repo.ApplyObjects(ctx, w, tx); err != nil {
		l.t.Fatal(err)
	}
	return out
}

func (l *ledger) read() []Line {
	l.t.Helper()
	lines, err := Read(l.t.Context(), l.repo, l.tip())
	if err != nil {
		l.t.Fatal(err)
	}
	return lines
}

// ids lists the rows' ids, and ? for what is foreign.
func ids(lines []Line) string {
	var out []string
	for _, l := range lines {
		if l.Foreign {
			l.Row.ID = "?"
		}
		out = append(out, l.Row.ID)
	}
	return strings.Join(out, " ")
}

func (l *ledger) note(target gitops.Hash) string {
	l.t.Helper()
	return l.Git("notes", "--ref="+string(l.ref), "show", string(target))
}

// stdin runs git with input.
func (l *ledger) stdin(in string, args ...string) string {
	l.t.Helper()
	cmd := exec.CommandContext(l.t.Context(), "git", args...)
	cmd.Dir, cmd.Env, cmd.Stdin = l.Dir, l.Env, strings.NewReader(in)
	out, err := cmd.Output()
	if err != nil {
		l.t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

func row(id string, status Status, stage int, head gitops.Hash, claim string) Row {
	return Row{ID: id, Stage: plan.StageNumber(stage), Status: status, Head: head, Claim: claim}
}
