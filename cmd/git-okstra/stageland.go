package main

import (
	"strings"

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
	e, t, err := a.load("")
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

// sayLanded prints what became of the stages; a conflict is for a person.
func (a *app) sayLanded(key plan.TaskKey, out lifecycle.Landing, dryRun bool) {
	list := landJSON{Schema: "okstra.stage-land/v1", Task: key.String(), Onto: shortName(out.Onto), DryRun: dryRun, Stages: []landedJSON{}}
	for _, s := range out.Stages {
		if len(s.Conflicts) > 0 {
			a.code = exitGate
		}
		list.Stages = append(list.Stages, landedJSON{
			s.Stage, s.From, s.To, s.Head, string(s.How), s.How == lifecycle.LandedBefore,
			orEmpty(s.Conflicts), s.At, orEmpty(s.Standing), orEmpty(s.Worktrees),
		})
	}
	if a.flags.JSON {
		writeJSON(a.std.out, list)
		return
	}
	would := ""
	if dryRun {
		would = " (dry run)"
	}
	onto := plan.Printable(shortName(out.Onto))
	for _, s := range out.Stages {
		switch {
		case len(s.Conflicts) > 0:
			a.sayConflicts(onto, s)
		case s.How == lifecycle.LandedBefore:
			a.tell("stage %d is in %s already%s\n", s.Stage, onto, would)
		default:
			a.tell("stage %d landed in %s: %s → %s (%s)%s\n", s.Stage, onto, s.From.Short(), s.To.Short(), s.How, would)
		}
		if len(s.Standing) > 0 {
			a.say("note: stage %s stands on %s, which itself did not land", lifecycle.Numbers(s.Standing), s.Head.Short())
		}
	}
}

func (a *app) sayConflicts(onto string, s lifecycle.StageLanding) {
	var files strings.Builder
	for _, p := range s.Conflicts {
		files.WriteString("\n  " + plan.Printable(p))
	}
	fail(a.std, false, &commandError{
		code: exitGate, message: "stage " + lifecycle.Numbers([]plan.StageNumber{s.Stage}) + " conflicts with " + onto + " at " + s.At.Short() + "; nothing of it was written:" + files.String(),
		hints: []string{
			"solve it in the stage: git okstra stage reopen N --why TEXT, start it again, merge " + onto + " there, and end it",
			"or merge the stage's branch into " + onto + " yourself and solve it there",
		},
	})
}
