package main

import (
	"os"
	"strconv"

	"golang.org/x/term"

	"git-okstra/internal/lifecycle"
	"git-okstra/internal/report"
	"git-okstra/plan"
	"git-okstra/plan/stage"
)

type taskCmd struct {
	List taskListCmd `cmd:"" help:"Show the tasks of this repository and how far each has come."`
}

type taskListCmd struct{}

// Run lists the tasks with an approved plan.
func (taskListCmd) Run(a *app) error {
	e, err := a.reader()
	if err != nil {
		return err
	}
	list, err := e.Tasks(a.ctx, a.flags.Task)
	if err != nil {
		return err
	}
	out := report.TaskList{Schema: "okstra.task-list/v1", Tasks: []report.TaskLine{}, Hints: []string{}}
	for _, entry := range list {
		out.Tasks = append(out.Tasks, a.taskLine(entry))
	}
	if len(list) == 0 {
		out.Hints = e.NoTask().Hints
	}
	switch {
	case a.flags.JSON:
		writeJSON(a.std.out, out)
	case len(list) == 0:
		a.tell("%s\n", e.NoTask().Message)
		for _, h := range out.Hints {
			a.say("hint: %s", h)
		}
	default:
		a.print("%s", out.Text(a.width()))
	}
	return nil
}

func (a *app) taskLine(entry lifecycle.TaskEntry) report.TaskLine {
	line := report.TaskLine{Task: entry.Key}
	if entry.Problem != nil {
		line.Problem = entry.Problem.Error()
		return line
	}
	t := entry.Task
	progress := t.Progress()
	for _, st := range t.Plan.Stages {
		switch progress.Of(st) {
		case stage.Done:
			line.Done++
		case stage.Active:
			line.Active++
		case stage.Ready:
			line.Ready++
		case stage.Blocked:
			line.Blocked++
		}
	}
	line.Total, line.Onto, line.Revision = len(t.Plan.Stages), shortName(t.Meta.Onto), string(t.PlanCommit)
	if src, err := a.repo.FileAt(a.ctx, t.PlanCommit, "plan.md"); err == nil { // it was read a moment ago
		line.Title = planTitle(src)
	}
	return line
}

// planTitle is the text of a plan's first heading of level 1.
func planTitle(src []byte) string {
	for _, h := range plan.Parse(src).Headings {
		if h.Level == 1 {
			return h.Text
		}
	}
	return ""
}

// width is the terminal's, where standard output or the pager behind it shows on one, as
// git takes it: COLUMNS comes first; 0 for no limit.
func (a *app) width() int {
	f, ok := a.terminal()
	if !ok && os.Getenv("GIT_PAGER_IN_USE") != "true" {
		return 0
	}
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	if !ok {
		return 0
	}
	n, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return n
}
