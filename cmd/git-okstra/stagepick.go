package main

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"git-okstra/internal/lifecycle"
	"git-okstra/internal/report"
	"git-okstra/internal/ui"
	"git-okstra/plan"
	"git-okstra/plan/stage"
)

type stagePickCmd struct {
	startFlags `embed:""`
}

// Run asks which stages are to be started, and starts of them and of what they wait for
// those that are ready, as stage start does.
func (c *stagePickCmd) Run(a *app) error {
	if !a.interactive() || os.Getenv("TERM") == "dumb" {
		return &commandError{
			code: exitUsage, message: "there is no terminal to ask at",
			hints: []string{"name the stages with: git okstra stage start N…", "or take the next one with: git okstra stage next"},
		}
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
	if len(t.Progress().Ready(t.Plan)) == 0 {
		why := e.WhyNone(a.ctx, t)
		var refusal *lifecycle.Refusal
		if errors.As(why, &refusal) && refusal.Kind == lifecycle.AllDone {
			return a.allDone(t, c.startFlags, refusal)
		}
		return why
	}
	x.end() // nobody waits for a person
	chosen, err := a.pick(e, t)
	if err != nil {
		return err
	}
	if err := x.begin(); err != nil {
		return err
	}
	if t, err = e.Reload(a.ctx, t); err != nil { // the person took a while
		return err
	}
	return a.startPicked(e, t, x, c.startFlags, chosen)
}

// pick asks. What is done or held cannot be chosen.
func (a *app) pick(e *lifecycle.Engine, t *lifecycle.Task) ([]plan.StageNumber, error) {
	list, err := a.stageList(e, t)
	if err != nil {
		return nil, err
	}
	marks := map[string]string{"done": "●", "active": "◐", "ready": "○", "blocked": "·"}
	var rows [][]string
	for _, s := range list.Stages {
		rows = append(rows, []string{marks[s.State], fmt.Sprint(s.Stage), s.State, s.Title, s.Note()})
	}
	var options []ui.Option
	for i, label := range report.TableLines(rows) {
		options = append(options, ui.Option{Label: label, Fixed: notForChoice(list.Stages[i])})
	}
	numbers := func(indexes []int) []plan.StageNumber {
		var out []plan.StageNumber
		for _, i := range indexes {
			out = append(out, list.Stages[i].Stage)
		}
		return out
	}
	note := func(indexes []int) []string { return pickNote(t, numbers(indexes)) }
	in, _ := a.std.in.(*os.File) // both are, or nobody would be asked
	out, _ := a.std.err.(*os.File)
	indexes, err := ui.Ask(a.ctx, in, out, ui.NewChoice("stages of "+plan.Printable(t.Key.String()), options, note))
	if errors.Is(err, ui.ErrGivenUp) {
		return nil, &commandError{code: exitInterrupted, message: "given up, nothing was taken"}
	}
	return numbers(indexes), err
}

// notForChoice says why a stage cannot be chosen, "" where it can.
func notForChoice(s report.StageLine) string {
	switch {
	case s.State == "done":
		return fmt.Sprintf("stage %d is done", s.Stage)
	case s.Stale:
		return plan.Printable(fmt.Sprintf("stage %d is taken, and stale: %s; see git okstra stage start %d --takeover", s.Stage, s.StaleReason, s.Stage))
	case s.State == "active":
		return fmt.Sprintf("stage %d is taken", s.Stage)
	}
	return ""
}

// pickNote says what a choice comes to: which stages start, and which ones wait for
// these, added ones among them.
func pickNote(t *lifecycle.Task, chosen []plan.StageNumber) []string {
	now, later, added, err := divide(t, chosen)
	if err != nil {
		return []string{plan.Printable(err.Error()), ""}
	}
	lines := []string{"starts now: " + stage.Ranges(now), ""}
	if len(later) > 0 {
		lines[1] = "later: " + stage.Ranges(later)
	}
	if len(added) > 0 {
		lines[1] += " (added, for others wait for them: " + stage.Ranges(added) + ")"
	}
	return lines
}

// divide gives the closure of a choice in two parts: what can be started, and what waits
// for it or for others; and what of it was not chosen.
func divide(t *lifecycle.Task, chosen []plan.StageNumber) (now, later, added []plan.StageNumber, err error) {
	progress := t.Progress()
	order, err := progress.Closure(t.Plan, chosen)
	for _, n := range order {
		st, _ := t.Plan.Stage(n)
		if progress.Of(st) == stage.Ready {
			now = append(now, n)
		} else {
			later = append(later, n)
		}
		if !slices.Contains(chosen, n) {
			added = append(added, n)
		}
	}
	return now, later, added, err
}

// startPicked starts what is ready of a choice and of what it waits for, and tells what
// is left for later. What others took meanwhile is refused as in stage start.
func (a *app) startPicked(e *lifecycle.Engine, t *lifecycle.Task, x *shared, f startFlags, chosen []plan.StageNumber) error {
	progress := t.Progress()
	free := slices.DeleteFunc(slices.Clone(chosen), func(n plan.StageNumber) bool {
		st, _ := t.Plan.Stage(n)
		return progress.Of(st) == stage.Blocked
	})
	if err := e.Choose(a.ctx, t, free, lifecycle.StartRequest{}); err != nil {
		return err
	}
	now, later, _, err := divide(t, chosen)
	switch {
	case err != nil:
		return &commandError{code: exitFindings, message: err.Error()}
	case len(now) == 0:
		return &commandError{
			code: exitNothing, message: "nothing of it can start now: " + stage.Ranges(later) + " wait for stages that others hold",
			hints: []string{"see who holds what with: git okstra stage list"},
		}
	}
	if err := a.tryAll(e, t, f, now, taking{}); err != nil {
		return err
	}
	made, err := a.startEach(e, t, x, f, now, taking{})
	if isMade(err) {
		a.receipt(t, f, made, later...)
	}
	if err != nil {
		return err
	}
	a.receipt(t, f, made, later...)
	if len(later) > 0 {
		a.say("later: %s; start each with git okstra stage start N once its dependencies are done", stage.Ranges(later))
	}
	return nil
}
