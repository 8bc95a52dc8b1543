package main

import (
	"git-okstra/gitops"
	"git-okstra/internal/lifecycle"
	"git-okstra/plan"
)

type stageReopenCmd struct {
	Stage string `arg:"" optional:"" help:"Stage number; not needed inside its worktree." placeholder:"N"`
	Why   string `help:"Reason, recorded with the row." placeholder:"TEXT"`
	Force bool   `help:"Although stages that depend on it are done or under way; recorded."`
	RunID string `name:"run" help:"Run id, recorded with the row. Default: OKSTRA_RUN." placeholder:"ID"`
}

// reopenJSON is okstra.stage-reopen/v1.
type reopenJSON struct {
	Schema     string             `json:"schema"`
	Task       string             `json:"task"`
	Stage      plan.StageNumber   `json:"stage"`
	HeadCommit gitops.Hash        `json:"head_commit"` // what was done, and the next base
	Already    bool               `json:"already"`
	Forced     []plan.StageNumber `json:"forced"` // stages that build on it
}

// Run reopens a stage.
func (c *stageReopenCmd) Run(a *app) error {
	n, err := oneStage(c.Stage)
	if err != nil {
		return err
	}
	why := oneLine(c.Why)
	if why == "" {
		return &commandError{code: exitUsage, message: "a stage is reopened for a reason", hints: []string{"say it with --why TEXT"}}
	}
	e, t, err := a.load(c.RunID)
	if err != nil {
		return err
	}
	r, err := e.Reopen(a.ctx, t, lifecycle.ReopenRequest{Stage: n, Why: why, Force: c.Force})
	if err != nil {
		return err
	}
	if a.flags.JSON {
		writeJSON(a.std.out, reopenJSON{"okstra.stage-reopen/v1", t.Key.String(), r.Stage, r.Head, r.Already, orEmpty(r.Forced)})
		return nil
	}
	suffix := ""
	if r.Already {
		suffix = " (it was reopened already)"
	}
	a.tell("stage %d is ready again; its next start goes on from %s%s\n", r.Stage, r.Head.Short(), suffix)
	return nil
}
