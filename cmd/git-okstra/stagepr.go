package main

import (
	"slices"

	"git-okstra/internal/lifecycle"
	"git-okstra/internal/report"
	"git-okstra/notes"
	"git-okstra/plan"
)

type stagePRCmd struct {
	planFlag `embed:""`

	Stages []string `arg:"" optional:"" help:"Stage numbers: 2, 2,4 or 2-4; not needed inside a stage's worktree." placeholder:"N"`
}

// Run prints a pull request's text.
func (c *stagePRCmd) Run(a *app) error {
	e, t, err := a.look()
	if err != nil {
		return err
	}
	numbers := []plan.StageNumber{t.Here}
	switch {
	case len(c.Stages) > 0:
		if numbers, err = parseStages(c.Stages); err != nil {
			return err
		}
	case t.Here == 0:
		return &commandError{code: exitUsage, message: "a pull request for which stages?", hints: []string{"name them, or run this inside a stage's worktree"}}
	}
	for _, n := range numbers {
		if err := e.Known(t, n); err != nil {
			return err
		}
	}
	pr, err := a.pullRequest(e, t, numbers)
	if err != nil {
		return err
	}
	if a.flags.JSON {
		writeJSON(a.std.out, pr)
		return nil
	}
	a.print("%s", pr.Text())
	return nil
}

// pullRequest writes the text of a pull request for stages.
func (a *app) pullRequest(e *lifecycle.Engine, t *lifecycle.Task, numbers []plan.StageNumber) (report.PullRequest, error) {
	in := report.PRInput{Task: t.Key.String(), Plan: t.Plan}
	var err error
	if in.Template, err = a.prTemplate(t); err != nil {
		return report.PullRequest{}, err
	}
	lines, err := notes.ReadStages(a.ctx, a.repo, t.NotesTip, numbers)
	if err != nil {
		return report.PullRequest{}, err
	}
	all, err := a.conformance(a.ctx, e, t)
	if err != nil {
		return report.PullRequest{}, err
	}
	for _, st := range t.Plan.Stages {
		if !slices.Contains(numbers, st.Number) {
			continue
		}
		s := report.PRStage{Stage: st, Head: string(t.Done[st.Number])}
		for _, l := range lines {
			r := l.Row
			if r.Stage == st.Number && r.Status == notes.Done && r.Head != "" && r.Head == t.Done[st.Number] && r.Carry != nil && !ofAnother(t.Key, r) {
				s.Base, s.Files, s.Passed = string(r.Carry.StageCommitRange.Base), r.Carry.FilesChanged, r.Carry.ValidationsPassed
			}
		}
		if s.Conform, err = all.prLines(st.Number); err != nil {
			return report.PullRequest{}, err
		}
		for _, d := range st.DependsOn {
			other, _ := t.Plan.Stage(d)
			s.CarryIn = append(s.CarryIn, report.PRDependency{Stage: d, Title: other.Title, Head: string(t.Done[d])})
		}
		in.Stages = append(in.Stages, s)
	}
	return report.MakePullRequest(in), nil
}
