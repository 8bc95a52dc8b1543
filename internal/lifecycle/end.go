package lifecycle

import (
	"context"
	"fmt"
	"slices"

	"git-okstra/gitops"
	"git-okstra/notes"
	"git-okstra/plan"
)

// Release gives a stage back: its reservation goes, the row says why. Branch and
// worktree stay. Errors: *Refusal where nobody holds it.
func (e *Engine) Release(ctx context.Context, t *Task, n plan.StageNumber, why string) (Reservation, error) {
	var out Reservation
	want := t.Reserved[n]
	err := e.inTurn(ctx, func(again bool) (err error) {
		if again {
			if t, err = e.Reload(ctx, t); err != nil {
				return err
			}
		}
		out, err = e.releaseOnce(ctx, t, n, why, want)
		return e.confirm(ctx, t, err)
	})
	return out, err
}

// releaseOnce gives back the reservation whose tag is wanted, the one that stood when
// the command began: never somebody else's newer one.
func (e *Engine) releaseOnce(ctx context.Context, t *Task, n plan.StageNumber, why string, want gitops.Hash) (Reservation, error) {
	r, held, err := e.Reservation(ctx, t, n)
	if err != nil {
		return r, err
	}
	if err := e.releasable(t, n, held); err != nil {
		return r, err
	}
	if r.Tag != want {
		return r, refuse(Refused, "see who holds it now with: git okstra stage list", "stage %d changed hands meanwhile", n)
	}
	return r, e.writeRelease(ctx, t, n, r, why, false)
}

func (e *Engine) releasable(t *Task, n plan.StageNumber, held bool) error {
	if _, ok := t.Plan.Stage(n); !ok {
		return notInMap(t, n)
	}
	if head, done := t.Done[n]; done && !held {
		return refuse(Refused, "", "stage %d is done at %s; there is nothing to give back", n, head.Short())
	}
	if !held {
		return refuse(Refused, "", "nobody holds stage %d", n)
	}
	return nil
}

// writeRelease carries out the release transaction; dropBranch also deletes the
// branch if it still stands on the base and nobody has it checked out.
func (e *Engine) writeRelease(ctx context.Context, t *Task, n plan.StageNumber, r Reservation, why string, dropBranch bool) error {
	rec, err := e.begin(ctx, fmt.Sprintf("release stage %d", n))
	if err != nil {
		return err
	}
	row, err := e.row(t, n, notes.Released)
	if err != nil {
		return err
	}
	row.Claim, row.Reason = r.Claim, why
	target := r.Base
	if r.Broken != "" {
		row.Claim, target = string(r.Tag), t.PlanCommit // neither its claim nor its base is known
	}
	if err := e.appendRow(ctx, rec, t, target, row); err != nil {
		return err
	}
	rec.tx.Delete(t.reservedRef(n), r.Tag)
	if dropBranch {
		branch := gitops.RefName("refs/heads/" + r.Branch)
		free, err := e.untouched(ctx, branch, r.Base)
		if err != nil {
			return err
		}
		if free {
			rec.tx.Delete(branch, r.Base)
		}
	}
	return e.commit(ctx, rec)
}

// untouched reports whether a branch stands on its base still and nobody has it checked
// out.
func (e *Engine) untouched(ctx context.Context, branch gitops.RefName, base gitops.Hash) (bool, error) {
	values, err := e.Repo.RefValues(ctx, branch)
	if err != nil || values[branch] != base {
		return false, err
	}
	all, err := e.Repo.Worktrees(ctx)
	if err != nil {
		return false, err
	}
	return !slices.ContainsFunc(all, func(wt gitops.Worktree) bool { return wt.Branch == branch }), nil
}
