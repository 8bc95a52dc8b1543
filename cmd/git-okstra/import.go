package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"git-okstra/gitops"
	"git-okstra/internal/lifecycle"
	"git-okstra/internal/taskfolder"
	"git-okstra/notes"
	"git-okstra/plan"
	"git-okstra/plan/rules"
)

type importCmd struct {
	Path    string `arg:"" help:"The task's folder, usually .okstra/tasks/GROUP/TASK." placeholder:"PATH"`
	Onto    string `help:"Integration branch of a plan that comes along. Default: the current branch." placeholder:"BRANCH"`
	Ruleset string `help:"The okstra release whose rules count for it." placeholder:"VERSION"`
	DryRun  bool   `help:"Show what would be done, and change nothing."`
}

// Run takes an okstra task folder over.
func (c *importCmd) Run(a *app) error {
	e, err := a.engine("")
	if err != nil {
		return err
	}
	end := a.progress("reading %s", plan.Printable(c.Path))
	folder, err := taskfolder.Open(a.ctx, c.Path)
	end()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &commandError{code: exitUsage, message: fmt.Sprintf("no folder at %q", c.Path), hints: []string{"name a task's folder: .okstra/tasks/GROUP/TASK"}}
	case err != nil && a.ctx.Err() == nil:
		return fmt.Errorf("read task folder: %w", err)
	case err != nil:
		return err
	}
	defer folder.Close()
	req, rows, err := c.request(a, e, folder)
	if err != nil {
		return err
	}
	end = a.progress("importing %d rows", len(req.Entries))
	out, err := e.Import(a.ctx, req)
	end()
	if err != nil {
		return err
	}
	r := newImportReport(c, folder, req, rows, out)
	a.sayImported(r)
	if len(r.Skipped) > 0 {
		a.code = exitFindings
	}
	return nil
}

// request gathers what is to be imported.
func (c *importCmd) request(a *app, e *lifecycle.Engine, folder *taskfolder.Folder) (lifecycle.ImportRequest, taskfolder.Rows, error) {
	req := lifecycle.ImportRequest{DryRun: c.DryRun}
	var err error
	if req.Key, err = c.key(a, e, folder); err != nil {
		return req, taskfolder.Rows{}, err
	}
	known := taskfolder.Known{}
	if known.Commits, err = a.repo.ResolveIDs(a.ctx, folder.Commits()); err != nil {
		return req, taskfolder.Rows{}, err
	}
	old, err := e.Current(a.ctx, req.Key)
	if err != nil {
		return req, taskfolder.Rows{}, err
	}
	approved := (*plan.Plan)(nil)
	switch {
	case old != nil:
		approved = old.Plan
		if folder.HasEvidence() {
			known.Evidence, err = evidenceIn(a, old)
		}
		if err != nil {
			return req, taskfolder.Rows{}, err
		}
	case folder.Report != nil:
		if req.Approve, err = c.approval(a, folder, req.Key); err != nil {
			return req, taskfolder.Rows{}, err
		}
		approved = req.Approve.Plan
	}
	rows := folder.Rows(req.Key, known)
	req.Entries, req.Here = rows.Entries, map[gitops.Hash]bool{}
	for _, h := range known.Commits {
		req.Here[h] = true
	}
	req.Base = folder.Base(func(n plan.StageNumber) bool {
		if approved == nil {
			return false
		}
		st, ok := approved.Stage(n)
		return ok && len(st.DependsOn) == 0
	}, known)
	return req, rows, nil
}

// key finds out which task the folder is: what --task names, a task that is approved
// here or a whole key; what an export noted; else what the report, or the path, says.
func (c *importCmd) key(a *app, e *lifecycle.Engine, folder *taskfolder.Folder) (plan.TaskKey, error) {
	if a.flags.Task != "" {
		if key, err := plan.ParseTaskKey(a.flags.Task); err == nil {
			return key, nil
		}
		t, err := e.Load(a.ctx, a.flags.Task)
		if err != nil {
			return plan.TaskKey{}, err
		}
		return t.Key, nil
	}
	if folder.Task != "" {
		key, err := plan.ParseTaskKey(folder.Task)
		if err == nil && oneLine(folder.Task) != folder.Task {
			err = fmt.Errorf("%w: %q", plan.ErrTaskKey, folder.Task)
		}
		if err != nil {
			return key, &commandError{code: exitFindings, message: "git-okstra.jsonl: " + plan.Printable(err.Error()), hints: []string{"name the task with --task PROJECT:GROUP:TASK"}}
		}
		return key, nil
	}
	name, src := "consumers.jsonl", []byte(nil)
	if folder.Report != nil {
		name, src = folder.Report.Path, folder.Report.Source
	}
	return a.taskKey(plan.Parse(src), filepath.Join(absolute(c.Path), filepath.FromSlash(name)))
}

// approval checks the report as plan approve does.
func (c *importCmd) approval(a *app, folder *taskfolder.Folder, key plan.TaskKey) (*lifecycle.ApproveRequest, error) {
	root := absolute(c.Path)
	file := filepath.Join(root, filepath.FromSlash(folder.Report.Path))
	var doc *plan.Document
	var res rules.Result
	var err error
	if doc, res, err = a.judge(filepath.Join(c.Path, filepath.FromSlash(folder.Report.Path)), c.Ruleset, root, folder.Report.Source); err != nil {
		return nil, err
	}
	req := &lifecycle.ApproveRequest{
		Key: key, Ruleset: res.Ruleset, Onto: c.Onto, Category: doc.FrontMatter.Category.Text, Path: a.pathInRepo(file),
		Signing: gitops.Signing{Terminal: a.interactive(), Limit: signingLimit},
	}
	if err := markIn(req, folder.Report.Source); err != nil {
		return nil, err
	}
	req.QA, err = readQA(folder.FS(), c.Path)
	return req, err
}

// evidenceIn is the evidence that was imported before, the newest of each stage.
func evidenceIn(a *app, t *lifecycle.Task) (map[plan.StageNumber][]byte, error) {
	lines, err := notes.Read(a.ctx, a.repo, t.NotesTip)
	if err != nil {
		return nil, err
	}
	out := map[plan.StageNumber][]byte{}
	for _, l := range lines {
		if l.Row.Status == notes.Imported && l.Row.Stage > 0 && l.Row.Okstra != nil {
			out[l.Row.Stage] = l.Row.Okstra.Bytes()
		}
	}
	return out, nil
}
