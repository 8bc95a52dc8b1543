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
	return e.release(ctx, t, n, why, e.stillItsOwn)
}

// ReleaseStale is Release for a stage whose reservation is stale, which the row says.
// Errors: *Refusal of kind Taken where it is not.
func (e *Engine) ReleaseStale(ctx context.Context, t *Task, n plan.StageNumber, why string) (Reservation, error) {
	return e.release(ctx, t, n, why, e.onlyStale)
}

// judge decides whether a reservation may be given back, and what the row says.
type judge func(ctx context.Context, t *Task, n plan.StageNumber, r Reservation, why string) (reason string, err error)

// stillItsOwn lets everybody give a stage back but the run that lost it.
func (e *Engine) stillItsOwn(_ context.Context, _ *Task, n plan.StageNumber, r Reservation, why string) (string, error) {
	if e.lost(r) {
		return "", e.lostLease(n, r)
	}
	return why, nil
}

func (e *Engine) onlyStale(ctx context.Context, t *Task, n plan.StageNumber, r Reservation, why string) (string, error) {
	reason, err := e.Stale(ctx, t, n, r)
	if err != nil {
		return "", err
	}
	if reason == "" {
		refusal := taken(n, r)
		refusal.Message += "; it is not stale"
		return "", refusal
	}
	if why != "" {
		reason += ": " + why
	}
	return "stale: " + reason, nil
}

func (e *Engine) release(ctx context.Context, t *Task, n plan.StageNumber, why string, may judge) (Reservation, error) {
	var out Reservation
	want := t.Reserved[n]
	err := e.inTurn(ctx, func(again bool) (err error) {
		if again {
			if t, err = e.Reload(ctx, t); err != nil {
				return err
			}
		}
		if err := e.notice(ctx, t); err != nil {
			return e.confirm(ctx, t, err)
		}
		out, err = e.releaseOnce(ctx, t, n, why, want, may)
		return e.confirm(ctx, t, err)
	})
	return out, err
}

// releaseOnce gives back the reservation whose tag is wanted, the one that stood when
// the command began, or its renewal: never somebody else's newer one.
func (e *Engine) releaseOnce(ctx context.Context, t *Task, n plan.StageNumber, why string, want gitops.Hash, may judge) (Reservation, error) {
	r, held, err := e.Reservation(ctx, t, n)
	if err != nil {
		return r, err
	}
	if err := e.releasable(t, n, held); err != nil {
		return r, err
	}
	if r.Tag != want && !e.renewalOf(ctx, r, n, want) {
		return r, refuse(Refused, "see who holds it now with: git okstra stage list", "stage %d changed hands meanwhile", n)
	}
	if why, err = may(ctx, t, n, r, why); err != nil {
		return r, err
	}
	return r, e.writeRelease(ctx, t, n, r, why, false)
}

// renewalOf reports whether a reservation is the same claim as an earlier tag.
func (e *Engine) renewalOf(ctx context.Context, r Reservation, n plan.StageNumber, tag gitops.Hash) bool {
	if r.Claim == "" || tag == "" {
		return false
	}
	old, _, err := e.Reservation(ctx, &Task{Reserved: map[plan.StageNumber]gitops.Hash{n: tag}}, n)
	return err == nil && old.Claim == r.Claim
}

func (e *Engine) releasable(t *Task, n plan.StageNumber, held bool) error {
	// A forced revision may have taken a stage out of the map that somebody holds.
	if _, ok := t.Plan.Stage(n); !ok && !held {
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
	dropMarks(&rec.tx, t, n)
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
