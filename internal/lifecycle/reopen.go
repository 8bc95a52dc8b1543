package lifecycle

import (
	"context"
	"fmt"
	"slices"

	"git-okstra/gitops"
	"git-okstra/notes"
	"git-okstra/plan"
)

// ReopenRequest says which done stage is to be done again, and why.
type ReopenRequest struct {
	Stage plan.StageNumber // 0: the stage whose worktree the caller stands in
	Why   string
	Force bool // although other stages build on it
}

// Reopened is a stage that is to be done again.
type Reopened struct {
	Stage   plan.StageNumber
	Head    gitops.Hash // what was done, and what the next start bases on
	Already bool
	Forced  []plan.StageNumber // the stages that build on it
}

// Reopen makes a done stage ready again. What was done stays in the log, and a ref keeps
// it as the base of the next round. Errors: *Refusal.
func (e *Engine) Reopen(ctx context.Context, t *Task, req ReopenRequest) (Reopened, error) {
	if req.Stage == 0 {
		req.Stage = t.Here
	}
	if req.Stage == 0 {
		return Reopened{}, refuse(Usage, "name the stage, or run this inside its worktree", "which stage is to be reopened?")
	}
	var out Reopened
	err := e.inTurn(ctx, func(again bool) (err error) {
		if again {
			if t, err = e.Reload(ctx, t); err != nil {
				return err
			}
		}
		out, err = e.reopenOnce(ctx, t, req)
		return e.confirm(ctx, t, err)
	})
	return out, err
}

func (e *Engine) reopenOnce(ctx context.Context, t *Task, req ReopenRequest) (Reopened, error) {
	n := req.Stage
	if _, ok := t.Plan.Stage(n); !ok {
		return Reopened{}, notInMap(t, n)
	}
	head, done := t.Done[n]
	if _, held := t.Reserved[n]; held {
		if done {
			return Reopened{}, refuse(Refused, "finish that first: git okstra doctor --repair", "stage %d is done, but its reservation still stands", n)
		}
		return Reopened{}, refuse(Refused, "", "stage %d is under way, not done", n)
	}
	if !done {
		if before := t.Reopened[n]; before != "" {
			return Reopened{Stage: n, Head: before, Already: true}, nil
		}
		return Reopened{}, refuse(Refused, "", "stage %d is not done", n)
	}
	out := Reopened{Stage: n, Head: head, Forced: builtOn(t, n)}
	if len(out.Forced) > 0 && !req.Force {
		return Reopened{}, refuse(Refused, "do the change in a stage of its own; or say --force, which is recorded: what builds on it keeps the old work until you bring it over",
			"stage %d cannot be reopened: %s", n, oneByOne(out.Forced, func(d plan.StageNumber) string {
				if at, ok := t.Done[d]; ok {
					return fmt.Sprintf("stage %d, which depends on it, is done at %s", d, at.Short())
				}
				return fmt.Sprintf("stage %d, which depends on it, is under way", d)
			}))
	}
	return out, e.writeReopen(ctx, t, out, req.Why)
}

// builtOn lists the stages that depend on one and are done or under way.
func builtOn(t *Task, n plan.StageNumber) []plan.StageNumber {
	var list []plan.StageNumber
	for _, st := range t.Plan.Stages {
		if slices.Contains(st.DependsOn, n) && t.Progress().Occupied(st.Number) {
			list = append(list, st.Number)
		}
	}
	slices.Sort(list)
	return list
}

// writeReopen carries the transaction out: the ref that keeps what was done, the row, and
// last the end of the done ref; before that the stage still is done.
func (e *Engine) writeReopen(ctx context.Context, t *Task, r Reopened, why string) error {
	rec, err := e.begin(ctx, fmt.Sprintf("reopen stage %d", r.Stage))
	if err != nil {
		return err
	}
	if before := t.Reopened[r.Stage]; before == r.Head {
		rec.tx.Verify(t.reopenedRef(r.Stage), before)
	} else {
		rec.tx.Update(t.reopenedRef(r.Stage), before, r.Head)
	}
	stands, err := e.reopenedSince(ctx, t, r)
	if err != nil {
		return err
	}
	if !stands {
		row, err := e.row(t, r.Stage, notes.Reopened)
		if err != nil {
			return err
		}
		row.Head, row.Reason = r.Head, why
		if len(r.Forced) > 0 {
			row.Reason += fmt.Sprintf(" (forced: stage %s builds on it)", Numbers(r.Forced))
		}
		if err := e.appendRow(ctx, rec, t, r.Head, row); err != nil {
			return err
		}
	}
	rec.tx.Delete(t.doneRef(r.Stage), r.Head)
	return e.commit(ctx, rec)
}

// reopenedSince reports whether the stage's last word in the log is that it was reopened
// from this commit: then a transaction was cut short.
func (e *Engine) reopenedSince(ctx context.Context, t *Task, r Reopened) (bool, error) {
	lines, err := notes.ReadStages(ctx, e.Repo, t.NotesTip, []plan.StageNumber{r.Stage})
	if err != nil {
		return false, err
	}
	for _, l := range slices.Backward(lines) {
		switch {
		case l.Foreign || l.Row.Stage != r.Stage:
		case l.Row.Status == notes.Reopened:
			return l.Row.Head == r.Head, nil
		case l.Row.Status == notes.Done:
			return false, nil
		}
	}
	return false, nil
}

// dropReopened ends a round: what was done before it is in the history of its commit.
func (t *Task) dropReopened(rec *record, n plan.StageNumber) {
	if before := t.Reopened[n]; before != "" {
		rec.tx.Delete(t.reopenedRef(n), before)
	}
}
