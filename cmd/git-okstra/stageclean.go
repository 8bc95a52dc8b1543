package main

import (
	"git-okstra/internal/lifecycle"
	"git-okstra/internal/report"
	"git-okstra/internal/workspace"
	"git-okstra/plan"
)

type stageCleanCmd struct {
	planFlag `embed:""`

	Stages  []string `arg:"" optional:"" help:"Stage numbers: 2, 2,4 or 2-4; all that are done and landed if none is named." placeholder:"N"`
	DryRun  bool     `help:"Show what would go and what stays, change nothing."`
	Ignored bool     `help:"Let ignored files go as well."`
}

// Run removes the worktrees and branches of stages that are done and landed.
func (c *stageCleanCmd) Run(a *app) error {
	var numbers []plan.StageNumber
	if len(c.Stages) > 0 {
		var err error
		if numbers, err = parseStages(c.Stages); err != nil {
			return err
		}
	}
	load := func() (*lifecycle.Engine, *lifecycle.Task, error) { return a.load("") }
	if c.DryRun {
		load = a.look
	}
	e, t, err := load()
	if err != nil {
		return err
	}
	root, err := workspace.Root(a.repo)
	if err != nil {
		return err
	}
	cl := cleaner{app: a, e: e, t: t, dir: workspace.Path(root, t.Key.Ref()), dryRun: c.DryRun, ignored: c.Ignored, named: len(numbers) > 0}
	out := report.StageClean{Schema: "okstra.stage-clean/v1", Task: t.Key.String(), DryRun: c.DryRun, Stages: []report.CleanedStage{}}
	if out.Settled, err = cl.settle(); err != nil {
		return err
	}
	if !cl.named {
		for _, st := range t.Plan.Stages {
			numbers = append(numbers, st.Number)
		}
	}
	for _, n := range numbers {
		s, err := cl.stage(n)
		if err != nil {
			return afterCleaning(err, out)
		}
		if s.Blocked || len(s.Worktrees)+len(s.Branches)+len(s.Kept) > 0 {
			out.Stages = append(out.Stages, s)
		}
	}
	c.print(a, cl, out)
	return nil
}

// print shows what was done; what was not is said even with -q.
func (c *stageCleanCmd) print(a *app, cl cleaner, out report.StageClean) {
	if out.Blocked() {
		a.code = exitFindings
	}
	switch text := out.Text(a.flags.Quiet); {
	case a.flags.JSON:
		writeJSON(a.std.out, out)
		return
	case a.flags.Quiet:
		_, _ = a.std.err.Write([]byte(text))
	default:
		a.print("%s", text)
	}
	for _, h := range cl.hints() {
		a.say("hint: %s", h)
	}
}

// afterCleaning adds what was removed before the error.
func afterCleaning(err error, out report.StageClean) error {
	e := *classify(err)
	for _, s := range out.Stages {
		for _, w := range s.Worktrees {
			e.hints = append(e.hints, "removed before that: "+plan.Printable(w))
		}
	}
	return &e
}
