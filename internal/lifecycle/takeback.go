package lifecycle

import (
	"context"
	"fmt"
	"time"

	"git-okstra/gitops"
	"git-okstra/plan"
)

// replaced is a reservation that was taken over.
type replaced struct {
	Reservation

	seen time.Time // when this clone first saw it; zero for no mark
}

// undoTakeover gives a stage back to whom it was taken from, because the remote did not
// take the takeover: the old tag stands again, as stale as it was. A row in its holder's
// name says so, for the log already says that the claim had ended.
func (e *Engine) undoTakeover(ctx context.Context, t *Task, s Started, why string) error {
	old := s.took
	rec, err := e.begin(ctx, fmt.Sprintf("undo takeover of stage %d", s.Stage))
	if err != nil {
		return err
	}
	r := old.Reservation
	r.TookWhy = why
	rec.tx.Tags = true
	if !old.seen.IsZero() {
		e.markAt(&rec.tx, t, s.Stage, old.Tag, old.seen)
	}
	rec.tx.Verify(t.claimRef(old.Tag), old.Tag)
	rec.tx.Update(t.reservedRef(s.Stage), s.tag, old.Tag)
	if slot, ok := t.slotHeld(s.tag); ok {
		rec.tx.Update(slotRef(slot), s.tag, old.Tag)
	}
	if err := e.inNameOf(r).appendTakenOver(ctx, rec, t, s.Stage, r); err != nil {
		return err
	}
	dropMarks(&rec.tx, t, s.Stage)
	return e.commit(ctx, rec)
}

// Notice marks the reservations of a task that this clone sees for the first time, after
// others' came in: their leases begin here now.
func (e *Engine) Notice(ctx context.Context, t *Task) error {
	return e.inTurn(ctx, func(again bool) (err error) {
		if again {
			if t, err = e.Reload(ctx, t); err != nil {
				return err
			}
		}
		return e.notice(ctx, t)
	})
}

// markAt adds the mark of a reservation that was first seen at a time.
func (e *Engine) markAt(tx *gitops.Transaction, t *Task, n plan.StageNumber, tag gitops.Hash, at time.Time) gitops.RefName {
	name := gitops.RefName(e.markPrefix(t, n, tag) + at.UTC().Format(seenLayout))
	tx.Create(name, t.PlanCommit) // any commit that is surely here
	return name
}
