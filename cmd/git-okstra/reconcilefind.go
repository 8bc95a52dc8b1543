package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"git-okstra/gitops"
	"git-okstra/internal/lifecycle"
	"git-okstra/internal/reconcile"
	"git-okstra/plan"
)

// reconcileLimit is how many commits are looked through: the flag's, else
// okstra.reconcileLimit, else the default.
func (a *app) reconcileLimit(flag int) (int, error) {
	limit := flag
	if word := a.repo.Config().Get("okstra.reconcileLimit"); flag == 0 && word != "" {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 {
			return 0, &commandError{code: exitEnvironment, message: fmt.Sprintf("okstra.reconcileLimit is %q, and no number of commits", word)}
		}
		limit = n
	}
	switch {
	case limit < 0:
		return 0, &commandError{code: exitUsage, message: "--limit is a number of commits, at least 1"}
	case limit == 0:
		return reconcile.DefaultLimit, nil
	}
	return limit, nil
}

// find looks for done stages in the history of a commit.
func (a *app) find(ctx context.Context, ranges []lifecycle.Range, tip gitops.Hash, limit int) (reconcile.Answer, error) {
	stages := make([]reconcile.Stage, len(ranges))
	for i, r := range ranges {
		stages[i] = reconcile.Stage{Number: r.Stage, Base: r.Base, Head: r.Head}
	}
	return reconcile.Find(ctx, a.repo, stages, tip, limit)
}

// move is what is recorded of a stage that was found, nil where there is nothing to
// record.
func move(r reconcile.Result) *lifecycle.Move {
	if r.Verdict != reconcile.Done || r.How == reconcile.Ancestor {
		return nil
	}
	m := &lifecycle.Move{Stage: r.Stage.Number, From: r.Stage.Head, To: r.Head, Base: r.Base, Reason: string(r.How)}
	for _, p := range r.Pairs {
		m.Commits = append(m.Commits, lifecycle.Rewrite{Old: p.Old, New: p.New})
	}
	if !slices.Contains(m.Commits, lifecycle.Rewrite{Old: m.From, New: m.To}) {
		m.Commits = append(m.Commits, lifecycle.Rewrite{Old: m.From, New: m.To})
	}
	return m
}

// seeker is what a gate asks before it refuses: it looks by content, says what it
// found, and leaves the decision to the gate where it cannot look.
func (a *app) seeker(e *lifecycle.Engine) func(context.Context, *lifecycle.Task, []plan.StageNumber, gitops.Hash) []lifecycle.Sought {
	said := map[string]bool{}
	once := func(format string, args ...any) {
		if text := fmt.Sprintf(format, args...); !said[text] {
			said[text] = true
			a.say("%s", text)
		}
	}
	return func(ctx context.Context, t *lifecycle.Task, stages []plan.StageNumber, tip gitops.Hash) []lifecycle.Sought {
		out := make([]lifecycle.Sought, len(stages))
		for i, n := range stages {
			out[i].Stage = n
		}
		answer, err := a.seekAll(ctx, e, t, stages, tip)
		if err != nil {
			once("warning: not looked for in rewritten history: %s", printableLines(err.Error()))
			return out
		}
		for i, r := range answer.Results {
			switch out[i].Found = move(r); {
			case out[i].Found != nil:
				once("stage %d was found by content: %s is %s now (%s)", r.Stage.Number, r.Stage.Head.Short(), r.Head.Short(), r.How)
			case r.Verdict == reconcile.CannotTell:
				out[i].Unsure = r.Why
			}
		}
		return out
	}
}

func (a *app) seekAll(ctx context.Context, e *lifecycle.Engine, t *lifecycle.Task, stages []plan.StageNumber, tip gitops.Hash) (reconcile.Answer, error) {
	limit, err := a.reconcileLimit(0)
	if err != nil {
		return reconcile.Answer{}, err
	}
	ranges, err := e.Ranges(ctx, t, stages...)
	if err != nil {
		return reconcile.Answer{}, err
	}
	defer a.progress("looking for %d stages in rewritten history", len(stages))()
	return a.find(ctx, ranges, tip, limit)
}
