package lifecycle

import (
	"context"
	"fmt"
	"time"

	"git-okstra/gitops"
	"git-okstra/plan"
)

// Renewed is a reservation whose lease begins anew.
type Renewed struct {
	Stage plan.StageNumber
	Claim string
	Lease time.Duration // 0: it has no expiry, and nothing was done
	Until time.Time     // by this clone's clock; zero without an expiry
}

// Renew lets a reservation's lease begin anew: a new tag of the same claim. Only its
// holder can (the same run, a call from inside the worktree, the same actor on the same
// host). n 0 is the stage whose worktree the caller stands in. Errors: *Refusal, of kind
// Taken with the holder's name where the caller is none, or no longer.
func (e *Engine) Renew(ctx context.Context, t *Task, n plan.StageNumber) (Renewed, error) {
	if n == 0 {
		n = t.Here
	}
	if n == 0 {
		return Renewed{}, refuse(Usage, "name the stage, or run this inside its worktree", "which stage is to be renewed?")
	}
	var out Renewed
	err := e.inTurn(ctx, func(again bool) (err error) {
		if again {
			if t, err = e.Reload(ctx, t); err != nil {
				return err
			}
		}
		out, err = e.renewOnce(ctx, t, n)
		return e.confirm(ctx, t, err)
	})
	return out, err
}

func (e *Engine) renewOnce(ctx context.Context, t *Task, n plan.StageNumber) (Renewed, error) {
	if err := e.notice(ctx, t); err != nil {
		return Renewed{}, err
	}
	r, held, err := e.Reservation(ctx, t, n)
	if err != nil {
		return Renewed{}, err
	}
	if err := e.renewable(ctx, t, n, r, held); err != nil {
		return Renewed{}, err
	}
	lease, err := e.lease()
	if err != nil {
		return Renewed{}, err
	}
	if lease == 0 {
		lease = r.leaseOf()
	}
	out := Renewed{Stage: n, Claim: r.Claim, Lease: lease}
	if lease == 0 {
		return out, nil
	}
	if err := e.branchIsHere(ctx, t, n, r); err != nil {
		return out, err
	}
	now := e.Now()
	out.Until = now.Add(lease)
	old := r.Tag
	r.Lease, r.Renewed = lease.String(), now.UTC().Format(time.RFC3339Nano)
	return out, e.writeRenewal(ctx, t, n, r, old)
}

// renewable refuses whom the reservation is not.
func (e *Engine) renewable(ctx context.Context, t *Task, n plan.StageNumber, r Reservation, held bool) error {
	if _, ok := t.Plan.Stage(n); !ok {
		return notInMap(t, n)
	}
	if head, done := t.Done[n]; done {
		return refuse(Refused, "", "stage %d is done at %s; there is nothing to renew", n, head.Short())
	}
	switch {
	case !held:
		return refuse(Refused, fmt.Sprintf("take it again with: git okstra stage start %d", n), "nobody holds stage %d; a lease that was there is lost", n)
	case r.Broken != "":
		return taken(n, r)
	case e.lost(r), e.Caller.Run != "" && r.Run != "" && e.Caller.Run != r.Run:
		return e.lostLease(n, r)
	case !e.mine(t, n, r, true), e.strayed(ctx, t, r, true):
		return taken(n, r)
	}
	return nil
}

// branchIsHere refuses to move a reservation whose work is in another clone: the tag of
// a reservation that was made here says that its branch belongs here.
func (e *Engine) branchIsHere(ctx context.Context, t *Task, n plan.StageNumber, r Reservation) error {
	branch := gitops.RefName("refs/heads/" + r.Branch)
	if !gitops.ValidRefName(branch) {
		return nil
	}
	if _, err := e.ownBranch(ctx, t, n, r); err != nil {
		return err
	}
	values, err := e.Repo.RefValues(ctx, branch, t.claimRef(r.Tag))
	if err != nil {
		return err
	}
	if values[branch] != "" || values[t.claimRef(r.Tag)] != "" || e.madeHere(ctx, t, r) {
		return nil
	}
	return elsewhere(n, r)
}

// elsewhere is the refusal for a stage whose branch is in another clone.
func elsewhere(n plan.StageNumber, r Reservation) *Refusal {
	return refuse(Taken, "take it up there, or fetch its branch "+plan.Printable(r.Branch)+" first",
		"stage %d was started in another clone, on host %s, and its branch is not here", n, plan.Printable(r.Host))
}

// StillHeld refuses whose claim is no longer the one that holds the stage: the remote
// gave it to somebody else while it was renewed here.
func (e *Engine) StillHeld(ctx context.Context, t *Task, r Renewed) error {
	now, held, err := e.Reservation(ctx, t, r.Stage)
	switch {
	case err != nil:
		return err
	case !held:
		return refuse(Taken, "see its log with: git okstra log", "stage %d is not held any more; its lease is lost", r.Stage)
	case now.Broken == "" && now.Claim == r.Claim:
		return nil
	}
	refusal := taken(r.Stage, now)
	refusal.Message = "the lease is lost: " + refusal.Message
	return refusal
}

// writeRenewal replaces the reservation's tag. There is no row: the log says who held
// the stage, and that did not change.
func (e *Engine) writeRenewal(ctx context.Context, t *Task, n plan.StageNumber, r Reservation, old gitops.Hash) error {
	rec, err := e.begin(ctx, fmt.Sprintf("renew stage %d", n))
	if err != nil {
		return err
	}
	if r.Tag, err = r.tag(rec.objects, t.Key, n, rec.sig); err != nil {
		return err
	}
	if r.Tag == old {
		return nil // renewed in this very moment
	}
	rec.tx.Tags = true
	rec.tx.Verify(t.doneRef(n), "")
	rec.tx.Create(t.claimRef(r.Tag), r.Tag)
	e.mark(&rec.tx, t, n, r)
	rec.tx.Update(t.reservedRef(n), old, r.Tag)
	slots, err := e.slotsOf(ctx, t, n) // after a renewal that was cut short it has the tag before
	if err != nil {
		return err
	}
	if len(slots) > 0 {
		rec.tx.Update(slotRef(slots[0]), t.ports.slots[slots[0]], r.Tag)
	}
	dropMarks(&rec.tx, t, n)
	return e.commit(ctx, rec)
}
