package main

import (
	"context"
	"errors"
	"fmt"

	"git-okstra/gitops"
	"git-okstra/internal/lifecycle"
	"git-okstra/internal/workspace"
	"git-okstra/plan"
	"git-okstra/plan/stage"
)

type stageCmd struct {
	List    stageListCmd    `cmd:"" help:"Show the state of every stage."`
	Next    stageNextCmd    `cmd:"" help:"Take the next ready stage and make its worktree."`
	Start   stageStartCmd   `cmd:"" help:"Take the named stages and make their worktrees."`
	Done    stageDoneCmd    `cmd:"" help:"Record a stage as done at its branch's tip."`
	Release stageReleaseCmd `cmd:"" help:"Give a stage back."`
}

// startFlags are common to next and start.
type startFlags struct {
	PrintPath bool   `help:"Print only the worktree's path."`
	DryRun    bool   `help:"Show what would happen, change nothing."`
	Run       string `name:"run" help:"Run id, free text, recorded with the stage; the same id resumes it. Default: OKSTRA_RUN." placeholder:"ID"`
	Onto      string `help:"Integration branch instead of the plan's." placeholder:"BRANCH"`
	Local     bool   `help:"Take it in this clone alone, although okstra.remote is set; the next sync settles who has it."`
}

type stageNextCmd struct {
	startFlags `embed:""`
}

// Run takes the next ready stage.
func (c *stageNextCmd) Run(a *app) error {
	x, err := a.shared(c.Local || c.DryRun)
	defer x.end()
	if err != nil {
		return err
	}
	e, t, err := a.load(c.startFlags.Run)
	if err != nil {
		return err
	}
	err = a.start(e, t, x, c.startFlags, []plan.StageNumber{0}, false)
	var refusal *lifecycle.Refusal
	if !errors.As(err, &refusal) || refusal.Kind != lifecycle.AllDone {
		return err
	}
	return a.allDone(t, c.startFlags, refusal)
}

// allDone answers next where nothing is left: a success, but with --print-path
// a loop must see its end.
func (a *app) allDone(t *lifecycle.Task, f startFlags, r *lifecycle.Refusal) error {
	if f.PrintPath {
		return &commandError{code: exitNothing, message: r.Message}
	}
	if a.flags.JSON {
		writeJSON(a.std.out, startJSON{Schema: startSchema, Task: t.Key.String(), Stages: []startedJSON{}})
		return nil
	}
	a.tell("%s\n", r.Message)
	return nil
}

type stageStartCmd struct {
	startFlags `embed:""`

	Stages []string `arg:"" help:"Stage numbers: 2, 2,4 or 2-4." placeholder:"N"`
	Resume bool     `help:"Take up a stage that the same actor started on this host."`
}

// Run takes the named stages, all of them checked before the first is taken.
func (c *stageStartCmd) Run(a *app) error {
	numbers, err := parseStages(c.Stages)
	if err != nil {
		return err
	}
	x, err := a.shared(c.Local || c.DryRun)
	defer x.end()
	if err != nil {
		return err
	}
	e, t, err := a.load(c.startFlags.Run)
	if err != nil {
		return err
	}
	if len(numbers) > 1 && !c.DryRun {
		for _, n := range numbers {
			if err := a.tryStart(e, t, c.startFlags, n, c.Resume); err != nil {
				return err
			}
		}
	}
	return a.start(e, t, x, c.startFlags, numbers, c.Resume)
}

func parseStages(args []string) ([]plan.StageNumber, error) {
	numbers, err := stage.ParseNumbers(args)
	if err != nil {
		return nil, &commandError{code: exitUsage, message: err.Error(), hints: []string{"stages are named as 2, 2,4 or 2-4"}}
	}
	return numbers, nil
}

const startSchema = "okstra.stage-start/v1"

// startJSON is okstra.stage-start/v1.
type startJSON struct {
	Schema string        `json:"schema"`
	Task   string        `json:"task"`
	Stages []startedJSON `json:"stages"`
}

type startedJSON struct {
	Stage    plan.StageNumber `json:"stage"`
	Base     gitops.Hash      `json:"base"`
	Branch   string           `json:"branch"`
	Worktree string           `json:"worktree"`
	Already  bool             `json:"already"`
}

// start reserves and provisions stages one after the other and prints the
// receipt.
func (a *app) start(e *lifecycle.Engine, t *lifecycle.Task, x *shared, f startFlags, numbers []plan.StageNumber, resume bool) error {
	root, err := workspace.Root(a.repo)
	if err != nil {
		return err
	}
	if x == nil {
		a.sayView()
	}
	var made []startedJSON
	for _, n := range numbers {
		var s lifecycle.Started
		s, t, err = x.take(a, e, t, a.startRequest(f, n, resume, root))
		if err == nil && !f.DryRun {
			err = a.provision(e, t, s, root)
		}
		if err != nil {
			return afterSome(err, made)
		}
		made = append(made, startedJSON{
			Stage: s.Stage, Base: s.Base, Branch: shortName(s.Branch), Already: s.Already, Worktree: pathOf(s, root),
		})
		if len(numbers) > 1 {
			if t, err = e.Reload(a.ctx, t); err != nil {
				return afterSome(err, made)
			}
		}
	}
	a.receipt(t, f, made)
	return nil
}

// tryStart is a dry run of one start.
func (a *app) tryStart(e *lifecycle.Engine, t *lifecycle.Task, f startFlags, n plan.StageNumber, resume bool) error {
	root, err := workspace.Root(a.repo)
	if err != nil {
		return err
	}
	f.DryRun = true
	_, err = e.Start(a.ctx, t, a.startRequest(f, n, resume, root))
	return err
}

func (a *app) startRequest(f startFlags, n plan.StageNumber, resume bool, root string) lifecycle.StartRequest {
	return lifecycle.StartRequest{
		Stage: n, Resume: resume, Onto: f.Onto, DryRun: f.DryRun, Worktree: workspace.Relative,
		Preflight: func(ctx context.Context, s lifecycle.Started) error {
			return workspace.Preflight(ctx, a.repo, target(s, root))
		},
	}
}

func target(s lifecycle.Started, root string) workspace.Target {
	return workspace.Target{
		Path: pathOf(s, root), Branch: s.Branch, Head: s.Tip, Bind: s.Bind, Base: s.Base,
	}
}

// pathOf is where the stage's worktree stands, or is to stand.
func pathOf(s lifecycle.Started, root string) string {
	if s.Path != "" {
		return s.Path
	}
	return workspace.Path(root, s.Worktree)
}

// provision makes the worktree of a reserved stage. Where that fails, a stage
// that was reserved just now is given back.
func (a *app) provision(e *lifecycle.Engine, t *lifecycle.Task, s lifecycle.Started, root string) error {
	res, err := workspace.Provision(a.ctx, a.repo, target(s, root))
	if err == nil {
		if res.HookErr != nil {
			a.say("warning: %s", printableLines(res.HookErr.Error()))
		}
		if a.flags.Verbose > 0 && !res.Existed {
			a.say("worktree: %d files copied, %d written by git", res.Copied, res.Written)
		}
		return nil
	}
	if s.Already {
		return err
	}
	undo := e.Undo(context.WithoutCancel(a.ctx), t, s, "worktree not made")
	return errors.Join(err, undo)
}

// afterSome adds which stages were taken before the one that was refused.
func afterSome(err error, made []startedJSON) error {
	if len(made) == 0 {
		return err
	}
	e := *classify(err)
	for _, m := range made {
		e.hints = append(e.hints, fmt.Sprintf("stage %d was started before that, in %q", m.Stage, m.Worktree))
	}
	return &e
}

// receipt prints what was started.
func (a *app) receipt(t *lifecycle.Task, f startFlags, made []startedJSON) {
	switch {
	case a.flags.JSON:
		writeJSON(a.std.out, startJSON{Schema: startSchema, Task: t.Key.String(), Stages: made})
		return
	case f.PrintPath:
		for _, m := range made {
			a.print("%s\n", m.Worktree)
		}
		return
	}
	if a.flags.Quiet && !f.DryRun { // a dry run is there to be read
		return
	}
	csv := ""
	for i, m := range made {
		if i > 0 {
			csv += ","
		}
		csv += fmt.Sprint(m.Stage)
	}
	a.print("selected stages: %s\n", csv)
	for _, m := range made {
		st, _ := t.Plan.Stage(m.Stage)
		a.print("\nstage %d  %s\n", m.Stage, plan.Printable(st.Title))
		a.print("  base      %s\n  branch    %s\n  worktree  %s\n", m.Base.Short(), plan.Printable(m.Branch), plan.Printable(m.Worktree))
		switch {
		case f.DryRun:
			a.print("  (dry run: nothing was changed)\n")
		case m.Already:
			a.print("  (it was yours already)\n")
		}
	}
}
