package main

import (
	"git-okstra/gitops"
	"git-okstra/internal/lifecycle"
	"git-okstra/plan"
)

type stageLandCmd struct {
	Stages []string `arg:"" optional:"" help:"Stage numbers: 2, 2,4 or 2-4; not needed inside a stage's worktree." placeholder:"N"`
	Squash bool     `help:"One commit of all that the stage changes."`
	Rebase bool     `help:"Each of its commits again, on top of the branch."`
	Onto   string   `help:"Integration branch instead of the plan's." placeholder:"BRANCH"`
	DryRun bool     `help:"Show what would happen, conflicts included; change nothing."`
	RunID  string   `name:"run" help:"Run id, recorded where a stage moves to other commits. Default: OKSTRA_RUN." placeholder:"ID"`
}

// Help describes what is not in the flags.
func (stageLandCmd) Help() string {
	return "Fast-forward if possible, else a merge commit; signed if your git signs commits. No commit hook runs. " +
		"Worktrees that have the branch checked out follow it; local changes that would be in the way refuse it. " +
		"With a conflict nothing of that stage is written: exit code 3, and its files are listed.\n\n" +
		"Several stages land one after the other, what they depend on first."
}

// landJSON is okstra.stage-land/v1.
type landJSON struct {
	Schema string       `json:"schema"`
	Task   string       `json:"task"`
	Onto   string       `json:"onto"`
	DryRun bool         `json:"dry_run"`
	Stages []landedJSON `json:"stages"`
}

// landedJSON is one stage; with conflicts, nothing of it was written.
type landedJSON struct {
	Stage      plan.StageNumber   `json:"stage"`
	From       gitops.Hash        `json:"from"` // the integration branch
	To         gitops.Hash        `json:"to"`
	HeadCommit gitops.Hash        `json:"head_commit"` // what was landed
	How        string             `json:"how"`         // fast-forward, merge, squash, rebase, already
	Already    bool               `json:"already"`
	Conflicts  []string           `json:"conflicts"`
	At         gitops.Hash        `json:"at"`       // the commit that conflicts; "" for none
	Standing   []plan.StageNumber `json:"standing"` // active stages that stand on head_commit, which itself did not land
	Worktrees  []string           `json:"worktrees"`
}

// Run lands stages.
func (c *stageLandCmd) Run(a *app) error {
	if c.Squash && c.Rebase {
		return &commandError{code: exitUsage, message: "--squash and --rebase are two ways", hints: []string{"name one of them"}}
	}
	req := lifecycle.LandRequest{Onto: c.Onto, DryRun: c.DryRun, Signing: gitops.Signing{Terminal: a.interactive(), Limit: signingLimit}}
	switch {
	case c.Squash:
		req.How = lifecycle.Squash
	case c.Rebase:
		req.How = lifecycle.Rebase
	}
	var err error
	if len(c.Stages) > 0 {
		if req.Stages, err = parseStages(c.Stages); err != nil {
			return err
		}
	}
	e, t, err := a.load(c.RunID)
	if err != nil {
		return err
	}
	out, err := e.Land(a.ctx, t, req)
	if err != nil && (a.flags.JSON || len(out.Stages) == 0) {
		return err
	}
	a.sayLanded(t.Key, out, c.DryRun)
	return err
}
