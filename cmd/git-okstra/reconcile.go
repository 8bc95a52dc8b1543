package main

import (
	"fmt"

	"git-okstra/gitops"
	"git-okstra/internal/lifecycle"
	"git-okstra/internal/reconcile"
	"git-okstra/plan"
)

type reconcileCmd struct {
	DryRun bool   `help:"Show what would be recorded, change nothing."`
	Stage  string `help:"Only this stage." placeholder:"N"`
	To     string `help:"Record your own decision: the stage's work is this commit now." placeholder:"COMMIT"`
	Onto   string `help:"Integration branch instead of the plan's." placeholder:"BRANCH"`
	RunID  string `name:"run" help:"Run id, recorded with what is found. Default: OKSTRA_RUN." placeholder:"ID"`
	Limit  int    `help:"Look through at most this many commits. Default: okstra.reconcileLimit, else 25000." placeholder:"N"`
}

// reconcileJSON is okstra.reconcile/v1.
type reconcileJSON struct {
	Schema    string           `json:"schema"`
	Task      string           `json:"task"`
	Onto      string           `json:"onto"`
	Candidate gitops.Hash      `json:"candidate"`
	Looked    int              `json:"looked"`
	Limit     int              `json:"limit"`
	Stopped   bool             `json:"stopped"`
	DryRun    bool             `json:"dry_run"`
	Stages    []reconciledJSON `json:"stages"`
}

// reconciledJSON is one stage. Where it is recorded, done moved from "from" to "to".
type reconciledJSON struct {
	Stage    plan.StageNumber `json:"stage"`
	Verdict  string           `json:"verdict"` // done, not-done, cannot-tell
	By       string           `json:"by"`      // ancestor, patch-id, squash, split, manual; "" where it is not done
	Branch   string           `json:"branch"`  // where it was found
	From     gitops.Hash      `json:"from"`
	To       gitops.Hash      `json:"to"`
	Recorded bool             `json:"recorded"`
	Commits  []pairJSON       `json:"commits"`
	Why      string           `json:"why"`
}

type pairJSON struct {
	Old gitops.Hash `json:"old"`
	New gitops.Hash `json:"new"`
}

// Run looks for done stages and records where they are now.
func (c *reconcileCmd) Run(a *app) error {
	n, err := oneStage(c.Stage)
	if err != nil {
		return err
	}
	if c.To != "" && n == 0 {
		return &commandError{code: exitUsage, message: "--to needs the stage", hints: []string{"name it with --stage N"}}
	}
	e, t, err := a.loadTo(c.DryRun, c.RunID)
	if err != nil {
		return err
	}
	var stages []plan.StageNumber
	if n != 0 {
		if err := e.Known(t, n); err != nil {
			return err
		}
		stages = append(stages, n)
	}
	ranges, err := e.Ranges(a.ctx, t, stages...)
	if err != nil {
		return err
	}
	l := &looker{app: a, engine: e, task: t, ranges: ranges}
	if l.limit, err = a.reconcileLimit(c.Limit); err != nil {
		return err
	}
	if c.To != "" {
		err = l.manual(c.To)
	} else {
		err = l.look(c.Onto)
	}
	if err == nil && !c.DryRun {
		err = l.record()
	}
	if err != nil {
		return err
	}
	l.report(c.DryRun)
	return nil
}

// manual takes a person's word for it.
func (l *looker) manual(word string) error {
	to, err := l.app.repo.ResolveCommit(l.app.ctx, word)
	if err != nil {
		return &commandError{code: exitUsage, message: printableLines(err.Error())}
	}
	r := l.ranges[0]
	if err := l.related(word, r.Head, to); err != nil {
		return err
	}
	f := finding{result: reconcile.Result{
		Stage:   reconcile.Stage{Number: r.Stage, Base: r.Base, Head: r.Head},
		Verdict: reconcile.Done, How: lifecycle.Manual, Head: to,
	}}
	if to != r.Head {
		f.move = &lifecycle.Move{
			Stage: r.Stage, From: r.Head, To: to, Reason: lifecycle.Manual, Changed: true, Commits: []lifecycle.Rewrite{{Old: r.Head, New: to}},
		}
		// Where its base is below the commit, the stage's work is what lies between.
		if on, err := l.app.repo.IsAncestor(l.app.ctx, r.Base, to); r.Base != "" && err == nil && on && r.Base != to {
			f.move.Base = r.Base
		}
	}
	l.found = append(l.found, f)
	return nil
}

// related refuses a commit that can be nobody's work on the task, such as a plan's or one of
// the log: the stages behind it would be started there.
func (l *looker) related(word string, head, to gitops.Hash) error {
	if l.app.repo.Shallow() {
		return nil
	}
	values, err := l.app.repo.RefValues(l.app.ctx, l.task.Meta.Onto)
	if err != nil {
		return err
	}
	for _, with := range []gitops.Hash{head, values[l.task.Meta.Onto]} {
		if with == "" {
			continue
		}
		if ok, err := l.app.repo.Related(l.app.ctx, with, to); ok || err != nil {
			return err
		}
	}
	return &commandError{
		code:    exitUsage,
		message: plan.Printable(fmt.Sprintf("%q (%s) has no history in common with stage %d, nor with %s", word, to.Short(), l.ranges[0].Stage, shortName(l.task.Meta.Onto))),
	}
}
