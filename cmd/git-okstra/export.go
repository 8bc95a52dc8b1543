package main

import (
	"errors"
	"fmt"

	"git-okstra/gitops"
	"git-okstra/internal/lifecycle"
	"git-okstra/internal/taskfolder"
	"git-okstra/notes"
	"git-okstra/plan"
)

type exportCmd struct {
	Dir string `arg:"" help:"Where to: a folder that does not exist yet, or is empty." placeholder:"DIR"`
}

// exportJSON is okstra.export/v1.
type exportJSON struct {
	Schema   string   `json:"schema"`
	Task     string   `json:"task"`
	Dir      string   `json:"dir"`
	Files    []string `json:"files"`
	Imported int      `json:"imported"` // rows that came from okstra
	Native   int      `json:"native"`   // rows that were written here
	LeftOut  int      `json:"left_out"` // lines of the log that are no rows
}

// Run writes the task as an okstra task folder.
func (c *exportCmd) Run(a *app) error {
	_, t, err := a.look()
	if err != nil {
		return err
	}
	state, err := exportState(a, t)
	if err != nil {
		return err
	}
	end := a.progress("exporting %d rows", len(state.Lines))
	out, err := taskfolder.Export(state)
	if err == nil {
		err = taskfolder.Write(c.Dir, out.Files)
	}
	end()
	if errors.Is(err, taskfolder.ErrNotEmpty) {
		return &commandError{code: exitFindings, message: fmt.Sprintf("%q is not empty", c.Dir), hints: []string{"name a folder that does not exist yet"}}
	}
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	r := exportJSON{Schema: "okstra.export/v1", Task: t.Key.String(), Dir: c.Dir, Files: []string{}, Imported: out.Imported, Native: out.Native, LeftOut: out.Foreign}
	for _, f := range out.Files {
		r.Files = append(r.Files, f.Path)
	}
	if a.flags.JSON {
		writeJSON(a.std.out, r)
		return nil
	}
	a.tell("%s: %d rows in %d files below %s\n", plan.Printable(r.Task), r.Imported+r.Native, len(r.Files), plan.Printable(r.Dir))
	if r.LeftOut > 0 {
		a.say("%d lines of the log are no rows and were left out", r.LeftOut)
	}
	return nil
}

// exportState reads all of the task.
func exportState(a *app, t *lifecycle.Task) (taskfolder.State, error) {
	s := taskfolder.State{Key: t.Key, Base: t.Base, PlanPath: t.Meta.Path}
	var err error
	if s.Lines, err = notes.Read(a.ctx, a.repo, t.NotesTip); err != nil {
		return s, err
	}
	entries, err := a.repo.FlattenTree(a.ctx, t.PlanCommit)
	if err != nil {
		return s, err
	}
	for _, entry := range entries {
		if entry.Mode != gitops.ModeFile && entry.Mode != gitops.ModeExec {
			continue
		}
		content, err := a.repo.FileAt(a.ctx, t.PlanCommit, entry.Name)
		if err != nil {
			return s, err
		}
		if entry.Name == "plan.md" {
			s.Plan = content
			continue
		}
		s.QA = append(s.QA, taskfolder.File{Path: entry.Name, Exec: entry.Mode == gitops.ModeExec, Content: content})
	}
	return s, nil
}
