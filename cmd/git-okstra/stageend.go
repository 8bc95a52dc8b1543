package main

import (
	"strings"

	"git-okstra/gitops"
	"git-okstra/internal/lifecycle"
	"git-okstra/internal/report"
	"git-okstra/plan"
)

type stageDoneCmd struct {
	planFlag `embed:""`

	Stage      string `arg:"" optional:"" help:"Stage number; not needed inside its worktree." placeholder:"N"`
	AllowEmpty bool   `help:"Accept a stage without a commit of its own."`
	Report     string `help:"Path of a report, recorded with the row; evidence is taken from it if it has a Stage Carry Evidence." placeholder:"PATH"`
	Carry      string `help:"Evidence that only the worker knows, a JSON file or - for standard input: newIdentifiers, stepResults, validationsPassed, notes." placeholder:"FILE"`
	RunID      string `name:"run" help:"Run id that the stage was started under. Default: OKSTRA_RUN." placeholder:"ID"`
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
	// Conformance is what was judged, null where the stage was done already.
	Conformance *report.Conformance `json:"conformance"`
}

// Run records a stage as done.
func (c *stageDoneCmd) Run(a *app) error {
	n, err := oneStage(c.Stage)
	if err != nil {
		return err
	}
	e, t, err := a.load(c.RunID)
	if err != nil {
		return err
	}
	if n == 0 {
		n = t.Here
	}
	evidence, err := a.evidence(n, c.Carry, c.Report)
	if err != nil {
		return err
	}
	var j *judged
	f, err := e.Finish(a.ctx, t, lifecycle.DoneRequest{
		Stage: n, AllowEmpty: c.AllowEmpty, ReportPath: c.Report, Evidence: evidence, Conforms: a.conforms(e, &j),
	})
	if err != nil {
		return err
	}
	a.publish(c.Local)
	if a.flags.JSON {
		out := doneJSON{"okstra.stage-done/v1", f.Key.String(), f.Stage, f.Head, f.Already, orEmpty(f.Ready), nil}
		if j != nil {
			r := j.report()
			out.Conformance = &r
		}
		writeJSON(a.std.out, out)
		return nil
	}
	if j != nil {
		a.notices(*j)
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
	planFlag `embed:""`

	Stage      string `arg:"" optional:"" help:"Stage number; not needed inside its worktree." placeholder:"N"`
	Stale      bool   `help:"Only if nobody is at it any more: its process or worktree is gone, or its lease is over."`
	Why        string `help:"Reason, recorded with the row." placeholder:"TEXT"`
	Remove     bool   `help:"Remove its worktree and branch too; refused where that would lose work."`
	Ignored    bool   `help:"With --remove: let ignored files go as well."`
	KeepBranch bool   `help:"With --remove: keep the branch."`
	RunID      string `name:"run" help:"Run id that the stage was started under. Default: OKSTRA_RUN." placeholder:"ID"`
	Local      bool   `help:"Do not publish it now, although okstra.remote is set."`
}

// releaseJSON is okstra.stage-release/v1.
type releaseJSON struct {
	Schema   string           `json:"schema"`
	Task     string           `json:"task"`
	Stage    plan.StageNumber `json:"stage"`
	Holder   string           `json:"holder"`
	Branch   string           `json:"branch"`
	Worktree string           `json:"worktree"`
	// what --remove did
	WorktreesRemoved []string      `json:"worktrees_removed"`
	BranchesRemoved  []string      `json:"branches_removed"`
	Kept             []report.Kept `json:"kept"`
}

// Run gives a stage back; its branch and worktree stay, unless they are to go and
// nothing is lost by it.
func (c *stageReleaseCmd) Run(a *app) error {
	n, err := oneStage(c.Stage)
	if err != nil {
		return err
	}
	if !c.Remove && (c.Ignored || c.KeepBranch) {
		return &commandError{code: exitUsage, message: "--ignored and --keep-branch belong to --remove"}
	}
	e, t, err := a.load(c.RunID)
	if err != nil {
		return err
	}
	if n == 0 {
		n = t.Here
	}
	if n == 0 {
		return &commandError{code: exitUsage, message: "which stage is to be released?", hints: []string{"name the stage, or run this inside its worktree"}}
	}
	var done removed
	if c.Remove {
		done, err = c.remove(a, e, t, n)
	} else {
		done.holder, err = c.giveBack(a.ctx, e, t, n)
	}
	if err != nil {
		return err
	}
	a.publish(c.Local)
	path, err := a.worktreePath()
	if err != nil {
		return err
	}
	r := done.holder
	if a.flags.JSON {
		writeJSON(a.std.out, releaseJSON{
			"okstra.stage-release/v1", t.Key.String(), n, r.By, r.Branch, path(t.Key, n),
			orEmpty(done.worktrees), orEmpty(done.branches), orEmpty(done.kept),
		})
		return nil
	}
	if c.Remove {
		a.tell("%s", done.text(n))
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
