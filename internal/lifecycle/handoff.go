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

// HandoffRequest says what to hand on.
type HandoffRequest struct {
	Stages  []plan.StageNumber
	Onto    string // integration branch instead of the plan's, short name
	DryRun  bool   // look and merge, but write no ref
	Signing gitops.Signing
}

// HandedOff is what was handed on.
type HandedOff struct {
	Key    plan.TaskKey
	Stages []plan.StageNumber // in the order of the map
	Branch gitops.RefName     // the collector; "" where all is in the integration branch already
	Onto   gitops.RefName
	Base   gitops.Hash        // the integration branch's tip
	Head   gitops.Hash        // the collector's tip, or Base
	Merged []plan.StageNumber // by this call
	// Along are accepted stages that come with these, which stand on them, and are neither
	// named nor in the integration branch.
	Along []plan.StageNumber
	// Already says that nothing was left to be done.
	Already bool
}

// Handoff merges stages that were accepted on a collector branch, without any worktree,
// and records it: branch and rows in one transaction. The same call twice is one. A
// conflict changes nothing. Errors: *Refusal.
func (e *Engine) Handoff(ctx context.Context, t *Task, req HandoffRequest) (HandedOff, error) {
	var out HandedOff
	err := e.inTurn(ctx, func(again bool) (err error) {
		if again {
			if t, err = e.Reload(ctx, t); err != nil {
				return err
			}
		}
		out, err = e.handOffOnce(ctx, t, req)
		return e.confirm(ctx, t, err)
	})
	return out, err
}

func (e *Engine) handOffOnce(ctx context.Context, t *Task, req HandoffRequest) (HandedOff, error) {
	out := HandedOff{Key: t.Key}
	stages, err := e.acceptable(ctx, t, req.Stages)
	if err != nil {
		return out, err
	}
	out.Stages = stages
	if out.Onto, out.Base, err = e.Integration(ctx, t, req.Onto); err != nil {
		return out, err
	}
	c := &collector{engine: e, task: t, out: &out, how: req.Signing}
	if c.rec, err = e.begin(ctx, "hand off stage "+Numbers(stages)); err != nil {
		return out, err
	}
	if c.sketch, err = e.Repo.Sketch(); err != nil {
		return out, err
	}
	defer c.sketch.Close()
	if err := c.collect(ctx); err != nil || req.DryRun {
		return out, err
	}
	return out, c.record(ctx)
}

// acceptable sorts the stages as the map has them, and refuses those whose last verdict
// on the commit that they are done at is not accepted.
func (e *Engine) acceptable(ctx context.Context, t *Task, asked []plan.StageNumber) ([]plan.StageNumber, error) {
	var list, unknown []plan.StageNumber
	for _, n := range asked {
		if _, ok := t.Plan.Stage(n); !ok {
			unknown = append(unknown, n)
		}
	}
	if len(unknown) > 0 {
		return nil, notInMap(t, unknown...)
	}
	for _, st := range t.Plan.Stages {
		if slices.Contains(asked, st.Number) {
			list = append(list, st.Number)
		}
	}
	_, no, err := e.notAccepted(ctx, t, list)
	if err != nil {
		return nil, err
	}
	if len(no) > 0 {
		return nil, refuse(Refused, "verify with: git okstra verify --stage N --record accepted", "only accepted stages are handed off: %s", strings.Join(no, "; "))
	}
	return list, nil
}

// notAccepted lists those of some stages that are not, and says of each why.
func (e *Engine) notAccepted(ctx context.Context, t *Task, list []plan.StageNumber) (which []plan.StageNumber, why []string, err error) {
	verdicts, err := e.Verdicts(ctx, t)
	if err != nil {
		return nil, nil, err
	}
	judged := map[plan.StageNumber]bool{} // on whatever commit
	if err := e.eachRow(ctx, t, notes.Verified, func(r notes.Row) { judged[r.Stage] = true }); err != nil {
		return nil, nil, err
	}
	no := func(n plan.StageNumber, format string, args ...any) {
		which, why = append(which, n), append(why, fmt.Sprintf(format, args...))
	}
	for _, n := range list {
		head, done := t.Done[n]
		switch v, ok := verdicts[n]; {
		case !done && t.Reopened[n] != "":
			no(n, "stage %d was reopened", n)
		case !done:
			no(n, "stage %d is not done", n)
		case !ok && judged[n]:
			no(n, "stage %d is done at %s since it was verified, and not verified again", n, head.Short())
		case !ok:
			no(n, "stage %d was not verified", n)
		case v.Verdict != string(Accepted):
			no(n, "the verdict on stage %d is %s", n, plan.Printable(v.Verdict))
		}
	}
	return which, why, nil
}
