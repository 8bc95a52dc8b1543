package main

import (
	"path/filepath"

	"git-okstra/internal/lifecycle"
	"git-okstra/internal/report"
	"git-okstra/internal/workspace"
	"git-okstra/plan"
	"git-okstra/plan/stage"
)

type stageListCmd struct {
	planFlag `embed:""`
}

// Run lists the state of all stages, from the refs alone.
func (stageListCmd) Run(a *app) error {
	e, t, err := a.look()
	if err != nil {
		return err
	}
	list, err := a.stageList(e, t)
	if err != nil {
		return err
	}
	a.sayView()
	if a.flags.JSON {
		writeJSON(a.std.out, list)
		return nil
	}
	a.print("%s", list.Text())
	return nil
}

// stageList gathers what stage list shows.
func (a *app) stageList(e *lifecycle.Engine, t *lifecycle.Task) (report.StageList, error) {
	root, err := workspace.Root(a.repo)
	if err != nil {
		return report.StageList{}, err
	}
	progress := t.Progress()
	out := report.StageList{Schema: "okstra.stage-list/v1", Task: t.Key.String(), Stages: []report.StageLine{}}
	for _, st := range t.Plan.Stages {
		line, err := a.stageLine(e, t, progress, st, root)
		if err != nil {
			return out, err
		}
		out.Stages = append(out.Stages, line)
	}
	return out, nil
}

// stageLine tells the state of one stage.
func (a *app) stageLine(e *lifecycle.Engine, t *lifecycle.Task, progress stage.Progress, st plan.Stage, root string) (report.StageLine, error) {
	line := report.StageLine{
		Stage: st.Number, Title: st.Title, State: string(progress.Of(st)), Steps: st.Steps,
		DependsOn: orEmpty(st.DependsOn), WaitingFor: orEmpty(progress.WaitingFor(st)),
		HeadCommit: string(t.Done[st.Number]),
	}
	if line.State == "done" || line.State == "active" {
		line.WaitingFor = []plan.StageNumber{}
	}
	if line.State != "active" {
		return line, nil
	}
	err := a.addHolder(e, t, &line, root)
	return line, err
}

// addHolder tells who holds an active stage, and whether that looks stale.
func (a *app) addHolder(e *lifecycle.Engine, t *lifecycle.Task, line *report.StageLine, root string) error {
	r, held, err := e.Reservation(a.ctx, t, line.Stage)
	if err != nil || !held {
		return err
	}
	line.Holder = &report.Holder{By: r.By, Host: r.Host, Run: r.Run, Since: r.At}
	if r.Broken != "" {
		line.Holder.By = "(reservation cannot be read: " + r.Broken + ")"
	}
	if line.StaleReason, err = e.Stale(a.ctx, t, line.Stage, r); err != nil {
		return err
	}
	line.Stale = line.StaleReason != ""
	line.Branch = r.Branch
	if line.PortBase, err = e.PortBase(t, line.Stage); err != nil {
		return err
	}
	if r.Worktree == "" || !filepath.IsLocal(filepath.FromSlash(r.Worktree)) {
		return nil
	}
	line.Worktree = workspace.Path(root, r.Worktree)
	wt, bound, err := a.repo.FindBound(a.ctx, t.BindRef(line.Stage))
	if err != nil {
		return err
	}
	if bound {
		line.Worktree, line.Branch = wt.Path, shortName(wt.Branch)
	}
	return nil
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
