package lifecycle

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"git-okstra/gitops"
	"git-okstra/plan"
	"git-okstra/plan/stage"
)

// LandHow is the way in which a stage's commits came into the integration branch.
type LandHow string

// The ways.
const (
	FastForward LandHow = "fast-forward"
	Merge       LandHow = "merge"
	Squash      LandHow = "squash"
	Rebase      LandHow = "rebase"
	// LandedBefore: its work was there.
	LandedBefore LandHow = "already"
)

// LandRequest says which done stages are to land, and how.
type LandRequest struct {
	Stages  []plan.StageNumber // none: the stage whose worktree the caller stands in
	Onto    string             // integration branch instead of the plan's, short name
	How     LandHow            // Squash or Rebase; else fast-forward or merge
	DryRun  bool
	Signing gitops.Signing
}

// StageLanding is what became of one stage.
type StageLanding struct {
	Stage     plan.StageNumber
	From, To  gitops.Hash // the integration branch before and after
	Head      gitops.Hash // where the stage was done when it was landed
	How       LandHow
	Conflicts []string           // paths; then nothing was changed
	At        gitops.Hash        // the commit whose change conflicts
	Standing  []plan.StageNumber // active stages that were started from Head, which is not what landed
	Worktrees []string           // that had the branch checked out, and followed
}

// Landing is what became of all of them, in the order in which they were landed; it ends
// at a conflict.
type Landing struct {
	Onto   gitops.RefName
	Stages []StageLanding
}

// landRun is one call of Land.
type landRun struct {
	req   LandRequest
	onto  gitops.RefName
	again bool
	// of a dry run: all stages are tried in one sketch, each on what the one before
	// would have made
	sketch *gitops.Sketch
	tip    gitops.Hash
}

// Land brings done stages into the integration branch, each in a transaction of its own,
// after those that it depends on. Errors: *Refusal.
func (e *Engine) Land(ctx context.Context, t *Task, req LandRequest) (Landing, error) {
	if len(req.Stages) == 0 && t.Here != 0 {
		req.Stages = []plan.StageNumber{t.Here}
	}
	l := landRun{req: req, onto: t.Meta.Onto}
	if req.Onto != "" {
		l.onto = gitops.RefName("refs/heads/" + strings.TrimPrefix(req.Onto, "refs/heads/"))
	}
	out := Landing{Onto: l.onto}
	order, err := landOrder(t, l)
	if err != nil {
		return out, err
	}
	if req.DryRun {
		if l.sketch, err = e.Repo.Sketch(); err != nil {
			return out, err
		}
		defer l.sketch.Close()
	}
	for _, n := range order {
		s, err := e.landStage(ctx, t, &l, n)
		if err != nil {
			return out, err
		}
		out.Stages = append(out.Stages, s)
		if len(s.Conflicts) > 0 {
			break
		}
	}
	return out, nil
}

// landOrder checks the stages, all of them before the first is landed.
func landOrder(t *Task, l landRun) ([]plan.StageNumber, error) {
	if len(l.req.Stages) == 0 {
		return nil, refuse(Usage, "name the stage, or run this inside its worktree", "which stage is to land?")
	}
	if !gitops.ValidRefName(l.onto) {
		return nil, refuse(Usage, "", "%q is no branch name", plan.Printable(shortBranch(l.onto)))
	}
	var unknown, open []plan.StageNumber
	for _, n := range unique(l.req.Stages) {
		if _, ok := t.Plan.Stage(n); !ok {
			unknown = append(unknown, n)
		} else if _, done := t.Done[n]; !done {
			open = append(open, n)
		}
	}
	if len(unknown) > 0 {
		return nil, notInMap(t, unknown...)
	}
	if len(open) > 0 {
		return nil, refuse(Refused, "a stage lands once it is done: git okstra stage done N", "%s", oneByOne(open, func(n plan.StageNumber) string {
			return fmt.Sprintf("stage %d is not done", n)
		}))
	}
	all, err := stage.Progress{}.Closure(t.Plan, l.req.Stages)
	return slices.DeleteFunc(all, func(n plan.StageNumber) bool { return !slices.Contains(l.req.Stages, n) }), err
}

func (e *Engine) landStage(ctx context.Context, t *Task, l *landRun, n plan.StageNumber) (StageLanding, error) {
	var out StageLanding
	err := e.inTurn(ctx, func(again bool) (err error) {
		if again || l.again {
			if t, err = e.Reload(ctx, t); err != nil {
				return err
			}
		}
		l.again = true
		out, err = e.landOnce(ctx, t, l, n)
		return e.confirm(ctx, t, err)
	})
	return out, err
}

// landOnce decides and carries out.
func (e *Engine) landOnce(ctx context.Context, t *Task, l *landRun, n plan.StageNumber) (StageLanding, error) {
	head, done := t.Done[n]
	if !done {
		return StageLanding{}, refuse(Refused, "", "stage %d is not done", n)
	}
	values, err := e.Repo.RefValues(ctx, l.onto)
	if err != nil {
		return StageLanding{}, err
	}
	d := landing{
		engine: e, task: t, stage: n, how: l.req.How, signing: l.req.Signing, onto: l.onto,
		head: head, ref: values[l.onto], tip: values[l.onto], dryRun: l.req.DryRun, sketch: l.sketch,
	}
	if d.ref == "" {
		return StageLanding{}, noIntegration(headRefs{ontoName: l.onto})
	}
	if l.tip != "" {
		d.tip, d.virtual = l.tip, l.tip != d.ref
	}
	if d.sketch == nil {
		if d.sketch, err = e.Repo.Sketch(); err != nil {
			return StageLanding{}, err
		}
		defer d.sketch.Close()
	}
	out, err := d.land(ctx)
	if l.req.DryRun && err == nil {
		l.tip = out.To
	}
	return out, err
}
