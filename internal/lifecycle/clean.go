package lifecycle

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"git-okstra/gitops"
	"git-okstra/notes"
	"git-okstra/plan"
)

// Landed reports whether a done commit's work is in the integration branch's tip.
type Landed func(ctx context.Context, head, onto gitops.Hash) (bool, error)

// Uncleanable says why what a stage leaves behind is to stay; "" where it may go. The
// stage must be done, held by nobody, and landed: landed nil asks for ancestry, then for
// content.
func (e *Engine) Uncleanable(ctx context.Context, t *Task, n plan.StageNumber, landed Landed) (string, error) {
	if _, ok := t.Plan.Stage(n); !ok {
		return "", notInMap(t, n)
	}
	r, held, err := e.Reservation(ctx, t, n)
	if err != nil {
		return "", err
	}
	head, done := t.Done[n]
	switch {
	case held && done:
		return "it is done, but its reservation still stands (git okstra doctor --repair)", nil
	case held && r.Broken != "":
		return "it is active", nil
	case held:
		return "it is active: taken by " + plan.Printable(r.By), nil
	case !done:
		return "it is not done", nil
	}
	if landed == nil {
		landed = func(ctx context.Context, head, onto gitops.Hash) (bool, error) {
			return e.landed(ctx, t, n, head, onto)
		}
	}
	onto := plan.Printable(shortBranch(t.Meta.Onto))
	values, err := e.Repo.RefValues(ctx, t.Meta.Onto)
	if err != nil {
		return "", err
	}
	tip := values[t.Meta.Onto]
	if tip == "" {
		return fmt.Sprintf("not landed: the integration branch %s is not here", onto), nil
	}
	in, err := landed(ctx, head, tip)
	switch {
	case err != nil || in:
		return "", err
	case e.Repo.Shallow():
		return fmt.Sprintf("cannot tell in a shallow clone whether it landed in %s (%s)", onto, fetchRest), nil
	}
	return fmt.Sprintf("not landed: %s is not in %s (%s)", head.Short(), onto, tip.Short()), nil
}

// landed asks for ancestry and, where the history is whole, for content. Nothing is
// recorded.
func (e *Engine) landed(ctx context.Context, t *Task, n plan.StageNumber, head, onto gitops.Hash) (bool, error) {
	in, err := e.Repo.IsAncestor(ctx, head, onto)
	if err != nil || in || e.Repo.Shallow() {
		return in, err
	}
	left, err := e.mergedByContent(ctx, t, []plan.StageNumber{n}, onto, true)
	return err == nil && len(left) == 0, err
}

// Unheld refuses if somebody holds the stage, or if its end is not the one that stood
// when the task was read: what was decided on that does not count any more.
func (e *Engine) Unheld(ctx context.Context, t *Task, n plan.StageNumber) error {
	now, err := e.Reload(ctx, t)
	if err != nil {
		return err
	}
	if _, held := now.Reserved[n]; held || now.Done[n] != t.Done[n] {
		return refuse(Refused, "see who holds it now with: git okstra stage list", "stage %d changed hands meanwhile", n)
	}
	return nil
}

// StageBranch is a branch that was made for a stage.
type StageBranch struct {
	Name gitops.RefName
	Tip  gitops.Hash
	Lost []gitops.CommitLine // the commits that nothing else leads to
}

// Short is the branch's name for people, not yet printable.
func (b StageBranch) Short() string { return shortBranch(b.Name) }

// BranchesOf finds the branches that were made for a stage and still are there: under
// the names that its branch can have, if the log or a reservation made here says so,
// and under any other that a reservation made here names. A row from elsewhere cannot
// make another branch the stage's. The integration branch never is one.
func (e *Engine) BranchesOf(ctx context.Context, t *Task, n plan.StageNumber) ([]StageBranch, error) {
	claimed, err := e.claimedBranches(ctx, t, n)
	if err != nil {
		return nil, err
	}
	short, long := branchNames(t, n)
	names := append([]gitops.RefName{short, long}, claimed...)
	values, err := e.Repo.RefValues(ctx, names...)
	if err != nil {
		return nil, err
	}
	var list []StageBranch
	for i, name := range names {
		tip := values[name]
		if tip == "" || name == t.Meta.Onto || slices.Contains(names[:i], name) {
			continue
		}
		if !slices.Contains(claimed, name) {
			logged, err := e.logged(ctx, t, n, name)
			if err != nil {
				return nil, err
			}
			if !logged {
				continue
			}
		}
		lost, err := e.onlyOn(ctx, name, tip)
		if err != nil {
			return nil, err
		}
		list = append(list, StageBranch{name, tip, lost})
	}
	return list, nil
}

// onlyOn lists the commits that nothing but a branch leads to. What was done, here or
// elsewhere, is held by its own ref.
func (e *Engine) onlyOn(ctx context.Context, name gitops.RefName, tip gitops.Hash) ([]gitops.CommitLine, error) {
	return e.Repo.Unreached(ctx, []gitops.Hash{tip}, name, "refs/okstra", "refs/okstra-remote")
}

// claimedBranches are the branches that reservations made in this clone name.
func (e *Engine) claimedBranches(ctx context.Context, t *Task, n plan.StageNumber) ([]gitops.RefName, error) {
	refs, err := e.Repo.Refs(ctx, claimPrefix+t.Key.Ref())
	if err != nil {
		return nil, err
	}
	var names []gitops.RefName
	for _, ref := range refs {
		tag, err := e.Repo.ReadTag(ctx, ref.Hash)
		if err != nil || tag.Name != tagName(t.Key, n) {
			continue // a damaged or another stage's tag names none of this stage's
		}
		for _, tr := range gitops.Trailers(tag.Message) {
			name := gitops.RefName("refs/heads/" + tr.Value)
			if tr.Key == tagBranch && gitops.ValidRefName(name) && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names, nil
}

// logged reports whether a started row of the stage names the branch.
func (e *Engine) logged(ctx context.Context, t *Task, n plan.StageNumber, name gitops.RefName) (bool, error) {
	lines, err := notes.Read(ctx, e.Repo, t.NotesTip)
	if err != nil {
		return false, fmt.Errorf("%s: %w", notes.Ref(t.Key), err)
	}
	return slices.ContainsFunc(lines, func(l notes.Line) bool {
		return l.Row.Status == notes.Started && l.Row.Stage == n && l.Row.Branch == shortBranch(name)
	}), nil
}

// DropBranch deletes a stage's branch that is no more needed and says why not where it
// is kept: somebody holds the stage, it moved, it alone leads to commits, or a worktree
// stands on it. One that was checked out in the very moment is put back.
func (e *Engine) DropBranch(ctx context.Context, t *Task, n plan.StageNumber, b StageBranch) (kept string, err error) {
	err = e.inTurn(ctx, func(bool) error {
		kept, err = e.dropOnce(ctx, t, n, b)
		return err
	})
	return kept, err
}

func (e *Engine) dropOnce(ctx context.Context, t *Task, n plan.StageNumber, b StageBranch) (string, error) {
	values, err := e.Repo.RefValues(ctx, b.Name, t.reservedRef(n))
	if err != nil {
		return "", err
	}
	switch {
	case values[b.Name] == "":
		return "", nil
	case values[t.reservedRef(n)] != "":
		return "the stage was started again", nil
	case values[b.Name] != b.Tip:
		return "it moved meanwhile", nil
	}
	if kept, err := e.usedBy(ctx, b.Name); kept != "" || err != nil {
		return kept, err
	}
	lost, err := e.onlyOn(ctx, b.Name, b.Tip)
	if err != nil {
		return "", err
	}
	if len(lost) > 0 {
		return fmt.Sprintf("it alone leads to %s", lost[0].Hash.Short()), nil
	}
	rec, err := e.begin(ctx, fmt.Sprintf("remove branch of stage %d", n))
	if err != nil {
		return "", err
	}
	rec.tx.Verify(t.reservedRef(n), "")
	rec.tx.Delete(b.Name, b.Tip)
	if err := e.commit(ctx, rec); err != nil {
		return "", err
	}
	kept, err := e.usedBy(ctx, b.Name)
	if kept == "" || err != nil {
		return "", err
	}
	back := gitops.Transaction{Reason: "okstra: branch is in use"}
	back.Create(b.Name, b.Tip)
	return kept, e.Repo.Apply(context.WithoutCancel(ctx), back)
}

// usedBy says which worktree stands on a branch, "" for none.
func (e *Engine) usedBy(ctx context.Context, name gitops.RefName) (string, error) {
	users, err := e.Repo.UsersOf(ctx, name)
	if err != nil || len(users) == 0 {
		return "", err
	}
	var paths []string
	for _, wt := range users {
		paths = append(paths, fmt.Sprintf("%q", wt.Path))
	}
	return "it is checked out in " + strings.Join(paths, ", "), nil
}
