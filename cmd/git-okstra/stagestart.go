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
	Show    stageShowCmd    `cmd:"" help:"Show everything about one stage."`
	Next    stageNextCmd    `cmd:"" help:"Take the next ready stage and make its worktree."`
	Start   stageStartCmd   `cmd:"" help:"Take the named stages and make their worktrees."`
	Pick    stagePickCmd    `cmd:"" help:"Choose stages at the terminal, and take those that are ready."`
	Done    stageDoneCmd    `cmd:"" help:"Record a stage as done at its branch's tip."`
	Land    stageLandCmd    `cmd:"" help:"Bring done stages into the integration branch."`
	Reopen  stageReopenCmd  `cmd:"" help:"Make a done stage ready again; the next start goes on from what was done."`
	Release stageReleaseCmd `cmd:"" help:"Give a stage back."`
	Clean   stageCleanCmd   `cmd:"" help:"Remove worktrees and branches of stages that are done and landed."`
	PR      stagePRCmd      `cmd:"" name:"pr" help:"Print a pull request's title and text for stages."`
	Renew   stageRenewCmd   `cmd:"" help:"Let the lease of a stage begin anew."`
}

// startFlags are common to next and start.
type startFlags struct {
	planFlag `embed:""`

	PrintPath bool   `help:"Print only the worktree's path."`
	DryRun    bool   `help:"Show what would happen, change nothing."`
	Run       string `name:"run" help:"Run id, free text, recorded with the stage; the same id resumes it. Default: OKSTRA_RUN." placeholder:"ID"`
	Keep      bool   `help:"Keep a stage reserved whose worktree cannot be made, instead of giving it back."`
	Onto      string `help:"Integration branch instead of the plan's." placeholder:"BRANCH"`
	Local     bool   `help:"Take it in this clone alone, although okstra.remote is set; the next sync settles who has it."`
	NoSmudge  bool   `name:"no-smudge" help:"Run no smudge filter (such as Git LFS) for the new worktree: its files stay as they are stored."`
}

type stageNextCmd struct {
	startFlags `embed:""`

	Budget *int `help:"Take further ready stages while the steps of all add up to no more than this." placeholder:"STEPS"`
}

// Run takes the next ready stage, or as many as the budget holds.
func (c *stageNextCmd) Run(a *app) error {
	if c.Budget != nil && *c.Budget < 1 {
		return &commandError{code: exitUsage, message: fmt.Sprintf("a budget of %d steps holds no stage", *c.Budget), hints: []string{"name a number of steps from 1"}}
	}
	x, err := a.shared(c.Local || c.DryRun)
	defer x.end()
	if err != nil {
		return err
	}
	e, t, err := a.loadTo(c.DryRun, c.startFlags.Run)
	if err != nil {
		return err
	}
	if c.Budget != nil {
		err = a.startBatch(e, t, x, c.startFlags, *c.Budget)
	} else {
		err = a.start(e, t, x, c.startFlags, []plan.StageNumber{0}, taking{})
	}
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

	Takeover bool   `help:"Take a stale stage from its holder: same branch, same worktree, its commits kept."`
	Why      string `help:"Reason of a takeover, recorded with the row." placeholder:"TEXT"`
}

// Run takes the named stages, all of them checked before the first is taken.
func (c *stageStartCmd) Run(a *app) error {
	numbers, err := parseStages(c.Stages)
	if err != nil {
		return err
	}
	if c.Why != "" && !c.Takeover {
		return &commandError{code: exitUsage, message: "--why is the reason of a takeover", hints: []string{"add --takeover, or leave it out"}}
	}
	x, err := a.shared(c.Local || c.DryRun)
	defer x.end()
	if err != nil {
		return err
	}
	e, t, err := a.loadTo(c.DryRun, c.startFlags.Run)
	if err != nil {
		return err
	}
	how := taking{resume: c.Resume, takeover: c.Takeover, why: oneLine(c.Why)}
	if err := a.tryAll(e, t, c.startFlags, numbers, how); err != nil {
		return err
	}
	return a.start(e, t, x, c.startFlags, numbers, how)
}

// tryAll refuses a set of stages of which one cannot be started, before the first is
// taken.
func (a *app) tryAll(e *lifecycle.Engine, t *lifecycle.Task, f startFlags, numbers []plan.StageNumber, how taking) error {
	if len(numbers) < 2 {
		return nil
	}
	if err := e.Choose(a.ctx, t, numbers, lifecycle.StartRequest{Resume: how.resume, Takeover: how.takeover}); err != nil || f.DryRun {
		return err
	}
	for _, n := range numbers {
		if err := a.tryStart(e, t, f, n, how); err != nil {
			return err
		}
	}
	return nil
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
	// Later are the chosen stages, and what they wait for, that could not start yet.
	Later []plan.StageNumber `json:"later,omitempty"`
}

type startedJSON struct {
	Stage    plan.StageNumber `json:"stage"`
	Base     gitops.Hash      `json:"base"`
	Branch   string           `json:"branch"`
	Worktree string           `json:"worktree"`
	Already  bool             `json:"already"`
	PortBase int              `json:"port_base"`
	// Post is done, already or failed; "" where there is no okstra.postProvision.
	Post workspace.PostOutcome `json:"post_provision"`
	// TakenOver: it was another holder's, whose reservation was stale.
	TakenOver bool `json:"taken_over"`
}

// taking is what start may do with a stage that somebody holds.
type taking struct {
	resume, takeover bool
	why              string
}

// start reserves and provisions stages one after the other and prints the
// receipt.
func (a *app) start(e *lifecycle.Engine, t *lifecycle.Task, x *shared, f startFlags, numbers []plan.StageNumber, how taking) error {
	made, err := a.startEach(e, t, x, f, numbers, how)
	if err == nil || isMade(err) {
		a.receipt(t, f, made)
	}
	return err
}

// startEach is start without the receipt. An error that isMade leaves the stages before
// it, and its own, to be told of.
func (a *app) startEach(e *lifecycle.Engine, t *lifecycle.Task, x *shared, f startFlags, numbers []plan.StageNumber, how taking) ([]startedJSON, error) {
	root, err := workspace.Root(a.repo)
	if err != nil {
		return nil, err
	}
	if x == nil {
		a.sayView()
	}
	var made []startedJSON
	for _, n := range numbers {
		var one startedJSON
		one, t, err = a.startOne(e, t, x, f, a.startRequest(f, n, how, root), root)
		switch {
		case isMade(err):
			return append(made, one), err
		case err != nil:
			return nil, afterSome(err, made)
		}
		made = append(made, one)
		if len(numbers) > 1 {
			if t, err = e.Reload(a.ctx, t); err != nil {
				return nil, afterSome(err, made)
			}
		}
	}
	return made, nil
}

// startOne reserves and provisions one stage, and gives the task as it was then. With an
// error that isMade the stage stands all the same.
func (a *app) startOne(e *lifecycle.Engine, t *lifecycle.Task, x *shared, f startFlags, req lifecycle.StartRequest, root string) (startedJSON, *lifecycle.Task, error) {
	var ahead workspace.Ahead
	defer ahead.Stop()
	s, t, err := x.take(a, e, t, a.lookAhead(req, &ahead, root))
	var post workspace.PostOutcome
	var postErr *workspace.PostError
	if err == nil && !f.DryRun {
		post, err = a.ready(e, t, s, root, f, &ahead)
		if err != nil && x != nil && !f.Keep && a.ctx.Err() == nil && !errors.As(err, &postErr) {
			a.publish(f.Local) // it was given back
		}
	}
	if errors.As(err, &postErr) {
		err = a.postFailed(s, err)
	}
	return startedJSON{
		Stage: s.Stage, Base: s.Base, Branch: shortName(s.Branch), Already: s.Already, Worktree: pathOf(s, root),
		PortBase: s.PortBase, Post: post, TakenOver: s.TakenOver,
	}, t, err
}

// lookAhead lets the search for what the worktree can be copied from begin as soon as it
// is known which one is wanted.
func (a *app) lookAhead(req lifecycle.StartRequest, ahead *workspace.Ahead, root string) lifecycle.StartRequest {
	check := req.Preflight
	req.Preflight = func(ctx context.Context, s lifecycle.Started) error {
		err := check(ctx, s)
		if err == nil && !req.DryRun {
			ahead.Begin(a.ctx, a.repo, target(s, root))
		}
		return err
	}
	return req
}

// tryStart is a dry run of one start.
func (a *app) tryStart(e *lifecycle.Engine, t *lifecycle.Task, f startFlags, n plan.StageNumber, how taking) error {
	root, err := workspace.Root(a.repo)
	if err != nil {
		return err
	}
	f.DryRun = true
	_, err = e.Start(a.ctx, t, a.startRequest(f, n, how, root))
	return err
}

func (a *app) startRequest(f startFlags, n plan.StageNumber, how taking, root string) lifecycle.StartRequest {
	return lifecycle.StartRequest{
		Stage: n, Resume: how.resume, Takeover: how.takeover, Why: how.why, Onto: f.Onto, DryRun: f.DryRun, Worktree: workspace.Relative,
		Preflight: func(ctx context.Context, s lifecycle.Started) error {
			return workspace.Preflight(ctx, a.repo, target(s, root))
		},
	}
}

func target(s lifecycle.Started, root string) workspace.Target {
	return workspace.Target{
		Path: pathOf(s, root), Root: root, Branch: s.Branch, Head: s.Tip, Bind: s.Bind, Base: s.Base,
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
// that was reserved just now is given back, unless it is to be kept.
func (a *app) provision(e *lifecycle.Engine, t *lifecycle.Task, s lifecycle.Started, root string, f startFlags, ahead *workspace.Ahead) error {
	to := target(s, root)
	to.NoSmudge, to.Ahead = f.NoSmudge, ahead
	tell, end := a.counted("making the worktree of stage %d", s.Stage)
	to.Tell = tell
	res, err := workspace.Provision(a.ctx, a.repo, to)
	end()
	if err == nil {
		a.sayProvisioned(res)
		return nil
	}
	if s.Already || s.TakenOver || f.Keep { // the work of before stays held
		return stillHeld(err, s.Stage)
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

// receipt prints what was started, and in JSON what is left for later.
func (a *app) receipt(t *lifecycle.Task, f startFlags, made []startedJSON, later ...plan.StageNumber) {
	switch {
	case a.flags.JSON:
		writeJSON(a.std.out, startJSON{Schema: startSchema, Task: t.Key.String(), Stages: made, Later: later})
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
		if a.flags.Verbose > 0 {
			a.print("  ports     from %d\n", m.PortBase)
		}
		switch {
		case f.DryRun:
			a.print("  (dry run: nothing was changed)\n")
		case m.Already:
			a.print("  (it was yours already)\n")
		case m.TakenOver:
			a.print("  (taken over)\n")
		}
	}
}
