package main

import (
	"strings"

	"git-okstra/gitops"
	"git-okstra/internal/lifecycle"
	"git-okstra/plan"
)

type stageDoneCmd struct {
	Stage      string `arg:"" optional:"" help:"Stage number; not needed inside its worktree." placeholder:"N"`
	AllowEmpty bool   `help:"Accept a stage without a commit of its own."`
	Report     string `help:"Path of a report, recorded with the row." placeholder:"PATH"`
	Local      bool   `help:"Do not publish it now, although okstra.remote is set."`
}

// doneJSON is okstra.stage-done/v1.
type doneJSON struct {
	Schema     string             `json:"schema"`
	Task       string             `json:"task"`
	Stage      plan.StageNumber   `json:"stage"`
	HeadCommit gitops.Hash        `json:"head_commit"`
	Already    bool               `json:"already"`
	Ready      []plan.StageNumber `json:"ready"`
}

// Run records a stage as done.
func (c *stageDoneCmd) Run(a *app) error {
	n, err := oneStage(c.Stage)
	if err != nil {
		return err
	}
	e, t, err := a.load("")
	if err != nil {
		return err
	}
	f, err := e.Finish(a.ctx, t, lifecycle.DoneRequest{Stage: n, AllowEmpty: c.AllowEmpty, ReportPath: c.Report})
	if err != nil {
		return err
	}
	a.publish(c.Local)
	if a.flags.JSON {
		writeJSON(a.std.out, doneJSON{"okstra.stage-done/v1", f.Key.String(), f.Stage, f.Head, f.Already, orEmpty(f.Ready)})
		return nil
	}
	suffix := ""
	if f.Already {
		suffix = " (it was done already)"
	}
	a.tell("stage %d done at %s%s\n", f.Stage, f.Head.Short(), suffix)
	if len(f.Ready) > 0 {
		a.tell("ready now: %s\n", lifecycle.Numbers(f.Ready))
	}
	return nil
}

type stageReleaseCmd struct {
	Stage string `arg:"" optional:"" help:"Stage number; not needed inside its worktree." placeholder:"N"`
	Why   string `help:"Reason, recorded with the row." placeholder:"TEXT"`
	Local bool   `help:"Do not publish it now, although okstra.remote is set."`
}

// releaseJSON is okstra.stage-release/v1.
type releaseJSON struct {
	Schema   string           `json:"schema"`
	Task     string           `json:"task"`
	Stage    plan.StageNumber `json:"stage"`
	Holder   string           `json:"holder"`
	Branch   string           `json:"branch"`
	Worktree string           `json:"worktree"`
}

// Run gives a stage back; its branch and worktree stay.
func (c *stageReleaseCmd) Run(a *app) error {
	n, err := oneStage(c.Stage)
	if err != nil {
		return err
	}
	e, t, err := a.load("")
	if err != nil {
		return err
	}
	if n == 0 {
		n = t.Here
	}
	if n == 0 {
		return &commandError{code: exitUsage, message: "which stage is to be released?", hints: []string{"name the stage, or run this inside its worktree"}}
	}
	r, err := e.Release(a.ctx, t, n, c.Why)
	if err != nil {
		return err
	}
	a.publish(c.Local)
	path, err := a.worktreePath()
	if err != nil {
		return err
	}
	if a.flags.JSON {
		writeJSON(a.std.out, releaseJSON{"okstra.stage-release/v1", t.Key.String(), n, r.By, r.Branch, path(t.Key, n)})
		return nil
	}
	a.tell("stage %d released; branch %s and its worktree stay\n", n, plan.Printable(r.Branch))
	return nil
}

// oneStage reads an optional stage number; 0 where none was given.
func oneStage(arg string) (plan.StageNumber, error) {
	if arg == "" {
		return 0, nil
	}
	numbers, err := parseStages([]string{arg})
	if err != nil {
		return 0, err
	}
	if len(numbers) != 1 {
		return 0, &commandError{code: exitUsage, message: "one stage at a time", hints: []string{"name one stage number"}}
	}
	return numbers[0], nil
}

// shortName is a branch without refs/heads/.
func shortName(name gitops.RefName) string { return strings.TrimPrefix(string(name), "refs/heads/") }
