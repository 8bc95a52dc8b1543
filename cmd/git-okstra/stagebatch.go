package main

import (
	"errors"

	"git-okstra/internal/lifecycle"
	"git-okstra/internal/workspace"
	"git-okstra/plan"
)

// startBatch takes the next ready stage and then further ones while their steps stay
// within the budget. Each is chosen when it is taken: what others take meanwhile is
// passed over. Once one stage is taken, a refusal of the next ends the batch and is
// said, but it is no failure.
func (a *app) startBatch(e *lifecycle.Engine, t *lifecycle.Task, x *shared, f startFlags, budget int) error {
	root, err := workspace.Root(a.repo)
	if err != nil {
		return err
	}
	if x == nil {
		a.sayView()
	}
	var made []startedJSON
	planned := t.Progress().Batch(t.Plan, budget)
	for {
		req := a.startRequest(f, 0, taking{}, root)
		req.Fits = func(st plan.Stage) bool { return len(made) == 0 || st.Steps <= budget }
		if f.DryRun && len(made) > 0 { // nothing is taken, so the next one is still the first
			if len(made) == len(planned) {
				break
			}
			req.Stage = planned[len(made)]
		}
		var one startedJSON
		one, t, err = a.startOne(e, t, x, f, req, root)
		if isMade(err) {
			a.receipt(t, f, append(made, one))
			return err
		}
		if err != nil {
			if len(made) > 0 && a.endsBatch(err) {
				break
			}
			return afterSome(err, made)
		}
		made = append(made, one)
		st, _ := t.Plan.Stage(one.Stage)
		budget -= st.Steps
		if t, err = e.Reload(a.ctx, t); err != nil {
			return afterSome(err, made)
		}
	}
	a.receipt(t, f, made)
	return nil
}

// endsBatch reports whether an error only says that there is no further stage to take,
// and tells why, unless it is that none fits or none is ready.
func (a *app) endsBatch(err error) bool {
	if errors.Is(err, lifecycle.ErrNoFit) {
		return true
	}
	var refusal *lifecycle.Refusal
	if !errors.As(err, &refusal) {
		return false
	}
	if refusal.Kind != lifecycle.NothingReady && refusal.Kind != lifecycle.AllDone {
		a.say("warning: no further stage was taken: %s", refusal.Message)
		for _, h := range refusal.Hints {
			a.say("hint: %s", h)
		}
	}
	return true
}
