package main

import (
	"errors"

	"git-okstra/gitops"
	"git-okstra/internal/conform/verdict"
	"git-okstra/internal/report"
	"git-okstra/plan"
)

type conformStatusCmd struct {
	planFlag `embed:""`

	Stages []string `arg:"" optional:"" help:"Stage numbers: 2, 2,4 or 2-4. Default: all." placeholder:"N"`
}

// Run lists what there is.
func (c *conformStatusCmd) Run(a *app) error {
	e, t, err := a.look()
	if err != nil {
		return err
	}
	var numbers []plan.StageNumber
	if len(c.Stages) > 0 {
		if numbers, err = parseStages(c.Stages); err != nil {
			return err
		}
	} else {
		for _, st := range t.Plan.Stages {
			numbers = append(numbers, st.Number)
		}
	}
	all, err := a.conformance(a.ctx, e, t)
	if err != nil {
		return err
	}
	out := report.ConformStatus{
		Schema: "okstra.conform-status/v1", Task: t.Key.String(), Stages: []report.ConformStage{},
		Waivers: []report.WaiverLine{}, Manifest: report.NewManifestProblems(all.problems),
	}
	for _, n := range numbers {
		if err := e.Known(t, n); err != nil {
			return err
		}
		line, err := c.stage(all, n)
		if err != nil {
			return err
		}
		out.Stages = append(out.Stages, line)
		for _, w := range all.waivers(n) {
			out.Waivers = append(out.Waivers, report.NewWaiver(n, w, !w.Live(e.Now())))
		}
	}
	if a.flags.JSON {
		writeJSON(a.std.out, out)
		return nil
	}
	a.print("%s", out.Text())
	return nil
}

// stage is the line of one stage.
func (c *conformStatusCmd) stage(all *conformance, n plan.StageNumber) (report.ConformStage, error) {
	st, _ := all.t.Plan.Stage(n)
	d := verdict.DeclarationOf(st)
	line := report.ConformStage{
		Stage: n, State: string(all.t.Progress().Of(st)), Declared: string(d.Kind), Reason: d.Reason, Script: d.Script, Requires: orEmpty(d.Requires),
	}
	if all.manifest != nil {
		if entry, ok := all.manifest.Entry(n); ok {
			line.Command, line.Requirements = entry.RunCommand, entry.RequirementIDs
		}
	}
	line.Requirements = orEmpty(line.Requirements)
	tree := gitops.Hash("")
	_, tip, err := all.rangeOf(all.a.ctx, n)
	var none *errNoRange
	switch {
	case errors.As(err, &none):
	case err != nil:
		return line, err
	default:
		commit, err := all.a.repo.ReadCommit(all.a.ctx, tip)
		if err != nil {
			return line, err
		}
		tree, line.Head = commit.Tree, string(tip)
	}
	if d.Kind == verdict.Tests {
		p, r := all.proofOf(n, tree)
		line.Result = report.NewResult(p, r)
	}
	return line, nil
}
