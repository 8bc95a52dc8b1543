package main

import (
	"encoding/json"
	"fmt"
	"slices"

	"git-okstra/internal/conform/verdict"
	"git-okstra/internal/lifecycle"
	"git-okstra/internal/report"
	"git-okstra/internal/workspace"
	"git-okstra/notes"
	"git-okstra/plan"
)

type stageShowCmd struct {
	planFlag `embed:""`

	Stage string `arg:"" optional:"" help:"Stage number; not needed inside its worktree." placeholder:"N"`
}

// mostCommits bounds how many commits of a stage are shown.
const mostCommits = 50

// Run shows one stage.
func (c *stageShowCmd) Run(a *app) error {
	n, err := oneStage(c.Stage)
	if err != nil {
		return err
	}
	e, t, err := a.look()
	if err != nil {
		return err
	}
	if n == 0 {
		n = t.Here
	}
	if n == 0 {
		return &commandError{code: exitUsage, message: "which stage is to be shown?", hints: []string{"name the stage, or run this inside its worktree"}}
	}
	if err := e.Known(t, n); err != nil {
		return err
	}
	out, err := a.stageShow(e, t, n)
	if err != nil {
		return err
	}
	if a.flags.JSON {
		writeJSON(a.std.out, out)
		return nil
	}
	a.print("%s", out.Text())
	return nil
}

// stageShow gathers what stage show shows.
func (a *app) stageShow(e *lifecycle.Engine, t *lifecycle.Task, n plan.StageNumber) (report.StageShow, error) {
	rows, err := notes.ReadStages(a.ctx, a.repo, t.NotesTip, []plan.StageNumber{n})
	if err != nil {
		return report.StageShow{}, err
	}
	all, err := a.conformance(a.ctx, e, t)
	if err != nil {
		return report.StageShow{}, err
	}
	return a.stageOf(all, n, slices.DeleteFunc(rows, func(l notes.Line) bool { return ofAnother(t.Key, l.Row) }))
}

// stageOf gathers what stage show shows of a stage with these rows.
func (a *app) stageOf(all *conformance, n plan.StageNumber, rows []notes.Line) (report.StageShow, error) {
	e, t := all.e, all.t
	out := report.StageShow{Schema: "okstra.stage-show/v1", Task: t.Key.String(), Rows: []json.RawMessage{}, Dependents: []plan.StageNumber{}}
	st, _ := t.Plan.Stage(n)
	root, err := workspace.Root(a.repo)
	if err != nil {
		return out, err
	}
	if out.StageLine, err = a.stageLine(e, t, t.Progress(), st, root); err != nil {
		return out, err
	}
	s, err := e.Story(a.ctx, t, n, rows, out.Branch, mostCommits)
	if err != nil {
		return out, err
	}
	out.Contract, out.Section, out.Files = st.Contract, st.Section, orEmpty(st.Files)
	for _, other := range t.Plan.Stages {
		if slices.Contains(other.DependsOn, n) {
			out.Dependents = append(out.Dependents, other.Number)
		}
	}
	out.Base, out.Tip, out.Branch = string(s.Base), string(s.Tip), s.Branch
	if wt, bound, err := a.repo.FindBound(a.ctx, t.BindRef(n)); err != nil {
		return out, err
	} else if bound {
		out.Worktree = wt.Path
	}
	a.addStory(&out, s)
	if err := a.addConformance(&out, all, n, s); err != nil {
		return out, err
	}
	err = a.addRows(&out, s, rows)
	return out, err
}

// addConformance puts in results, waivers and the verdict on the stage's commits: as work
// in progress until it is done.
func (a *app) addConformance(out *report.StageShow, all *conformance, n plan.StageNumber, s lifecycle.Story) error {
	out.Results, out.Waivers = []json.RawMessage{}, []report.WaiverLine{}
	for _, r := range all.results {
		if r.Stage == n {
			raw, err := r.Encode()
			if err != nil {
				return err
			}
			out.Results = append(out.Results, raw)
		}
	}
	for _, w := range all.waivers(n) {
		out.Waivers = append(out.Waivers, report.NewWaiver(n, w, !w.Live(all.e.Now())))
	}
	if s.Base == "" || s.Tip == "" || s.Missing || s.Base == s.Tip && all.t.Done[n] == "" {
		return nil
	}
	moment := verdict.Done
	if all.t.Done[n] == "" {
		moment = verdict.PushWIP
	}
	j, err := all.judge(a.ctx, n, s.Base, s.Tip, moment)
	if err != nil {
		return err
	}
	r := j.report()
	out.Conformance = &r
	return nil
}

// addStory puts in what the stage's commits changed.
func (a *app) addStory(out *report.StageShow, s lifecycle.Story) {
	out.Missing, out.MoreCommits, out.FilesChanged = s.Missing, s.More, orEmpty(s.Files)
	out.Commits = []report.ShowCommit{}
	for _, h := range s.Commits {
		out.Commits = append(out.Commits, report.ShowCommit{Commit: string(h), Subject: a.subject(h)})
	}
}

// addRows puts in the stage's rows, where each left it, and the evidence.
func (a *app) addRows(out *report.StageShow, s lifecycle.Story, rows []notes.Line) error {
	for i, l := range rows {
		raw, err := withCommit(l.Raw, l.Commit)
		if err != nil {
			return err
		}
		out.Rows = append(out.Rows, raw)
		line := a.logRow(l)
		out.History = append(out.History, append([]string{line[0], line[1], line[3], "→ " + string(s.Moments[i].State)}, line[4:]...))
		if s.Ended == nil || l.Row.ID != s.Ended.ID {
			continue
		}
		out.ReportPath = l.Row.ReportPath
		var stored struct{ Carry json.RawMessage }
		if err := json.Unmarshal(l.Raw, &stored); err != nil {
			return fmt.Errorf("read row: %w", err)
		}
		out.Carry = stored.Carry
	}
	return nil
}
