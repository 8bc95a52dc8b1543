package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"git-okstra/gitops"
	"git-okstra/internal/lifecycle"
	"git-okstra/internal/report"
	"git-okstra/plan"
	"git-okstra/plan/revision"
	"git-okstra/plan/rules"
)

type planApproveCmd struct {
	File    string `arg:"" optional:"" help:"The plan file; with --amend it may be left out." placeholder:"FILE"`
	Ruleset string `help:"The okstra release whose rules count." placeholder:"VERSION"`
	Onto    string `help:"Integration branch. Default: the current branch." placeholder:"BRANCH"`
	Amend   bool   `help:"Approve a revision of a plan that is approved already."`
	Force   bool   `help:"Also if the revision changes stages that are done or under way; the log says so."`
	Why     string `help:"The reason for --force, for the log." placeholder:"TEXT"`
}

// approveJSON is okstra.plan-approve/v1.
type approveJSON struct {
	Schema   string               `json:"schema"`
	Task     string               `json:"task"`
	Commit   gitops.Hash          `json:"commit"`
	Previous gitops.Hash          `json:"previous"`
	Onto     string               `json:"onto"`
	Stages   int                  `json:"stages"`
	Already  bool                 `json:"already"`
	Signed   bool                 `json:"signed"`
	Changes  []report.StageChange `json:"changes"` // since the previous revision
	Forced   []plan.StageNumber   `json:"forced"`  // changed although done or under way
}

// Run checks, pins, and marks the file as approved.
func (c *planApproveCmd) Run(a *app) error {
	e, err := a.engine("")
	if err != nil {
		return err
	}
	if err := c.findFile(a, e); err != nil {
		return err
	}
	src, err := a.interruptible(func() ([]byte, error) { return readFile(c.File) })
	if err != nil {
		return missingPlan(c.File, err)
	}
	doc, res, err := a.judge(c.File, c.Ruleset, taskRoot(absolute(c.File)), src)
	if err != nil {
		return err
	}
	req, err := a.approveRequest(c, src, doc, res)
	if err != nil {
		return err
	}
	changes, err := a.changesSince(e, req)
	if err != nil {
		return err
	}
	mark, err := prepareMark(c.File, src, req.Source)
	if err != nil {
		return err
	}
	defer mark.discard()
	req.Trust = true // a person has read it, and says so here
	out, err := e.Approve(a.ctx, req)
	if err != nil {
		var refusal *lifecycle.Refusal
		if errors.As(err, &refusal) && !a.flags.JSON {
			_, _ = fmt.Fprint(a.std.err, report.ChangesText(changes))
		}
		return err
	}
	if err := mark.write(); err != nil {
		return err
	}
	a.warnManifest(req)
	a.sayApproved(out, len(req.Plan.Stages), changes)
	return nil
}

// findFile takes the approved plan's own file where --amend names none.
func (c *planApproveCmd) findFile(a *app, e *lifecycle.Engine) error {
	switch {
	case c.File != "":
		return nil
	case !c.Amend:
		return &commandError{code: exitUsage, message: "which plan is to be approved?", hints: []string{"name its file: git okstra plan approve FILE"}}
	}
	t, err := e.Load(a.ctx, a.flags.Task)
	if err != nil {
		return err
	}
	c.File, err = a.planFile(t)
	return err
}

// changesSince compares with the approved plan, if there is one.
func (a *app) changesSince(e *lifecycle.Engine, req lifecycle.ApproveRequest) ([]report.StageChange, error) {
	old, err := e.Current(a.ctx, req.Key)
	if err != nil || old == nil {
		return []report.StageChange{}, err
	}
	return report.StageChanges(revision.Stages(old.Plan, req.Plan)), nil
}

func missingPlan(file string, err error) error {
	if isMissing(err) {
		return &commandError{code: exitUsage, message: fmt.Sprintf("no plan at %q", file), hints: []string{"name the plan's Markdown file; a file, not a revision of one"}}
	}
	return err
}

// judge runs the rules; a plan with errors is shown and refused. root is its task's
// folder.
func (a *app) judge(file, ruleset, root string, src []byte) (*plan.Document, rules.Result, error) {
	opts := ruleOptions(a.repo.Config(), ruleset, false)
	opts.Approval, opts.TaskRoot = true, a.pathInRepo(root)
	doc := plan.Parse(src)
	res := rules.Check(doc, opts)
	if res.OK() && res.Plan != nil && len(res.Plan.Stages) > 0 {
		return doc, res, nil
	}
	var check report.PlanCheck
	check.Add(file, src, res, false)
	a.showCheck(&check, "text")
	return doc, res, &commandError{code: exitFindings, silent: a.flags.JSON, message: "the plan is not approved: it has errors", hints: []string{"mend them, then approve it again"}}
}

// approveRequest gathers what is pinned beside the plan itself.
func (a *app) approveRequest(c *planApproveCmd, src []byte, doc *plan.Document, res rules.Result) (lifecycle.ApproveRequest, error) {
	file, err := filepath.Abs(c.File)
	if err != nil {
		return lifecycle.ApproveRequest{}, fmt.Errorf("locate plan: %w", err)
	}
	req := lifecycle.ApproveRequest{
		Plan: res.Plan, Ruleset: res.Ruleset, Onto: c.Onto, Amend: c.Amend, Force: c.Force, Why: oneLine(c.Why),
		Signing:  gitops.Signing{Terminal: a.interactive(), Limit: signingLimit},
		Category: doc.FrontMatter.Category.Text, Path: a.pathInRepo(file),
	}
	if req.Key, err = a.taskKey(doc, file); err != nil {
		return req, err
	}
	if err := markIn(&req, src); err != nil {
		return req, err
	}
	req.QA, err = readQA(os.DirFS(taskRoot(file)), taskRoot(file))
	return req, err
}

// markIn puts the plan into the request, marked as approved.
func markIn(req *lifecycle.ApproveRequest, src []byte) (err error) {
	if req.Source, err = plan.SetApproved(src); err != nil {
		return &commandError{code: exitFindings, message: err.Error()}
	}
	marked := rules.Check(plan.Parse(req.Source), rules.Options{Ruleset: req.Ruleset})
	if marked.Plan == nil {
		return &commandError{code: exitFindings, message: "the plan cannot be marked as approved without changing it"}
	}
	req.Plan = marked.Plan
	return nil
}

// pathInRepo is a file's path below the worktree with slashes, "" outside.
func (a *app) pathInRepo(file string) string {
	top := a.repo.WorkTree()
	if target, err := filepath.EvalSymlinks(file); err == nil {
		file = target
	}
	rel, err := filepath.Rel(top, file)
	if top == "" || err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	return filepath.ToSlash(rel)
}

// taskKey finds the task's identity: the command line, the front matter, the
// path, then configuration and the main folder's name for the project alone.
func (a *app) taskKey(doc *plan.Document, file string) (plan.TaskKey, error) {
	if a.flags.Task != "" {
		key, err := plan.ParseTaskKey(a.flags.Task)
		if err != nil {
			return key, &commandError{code: exitUsage, message: err.Error(), hints: []string{"write it as PROJECT:GROUP:TASK"}}
		}
		return key, nil
	}
	fm := doc.FrontMatter
	group, task, _ := plan.KeyFromPath(filepath.ToSlash(file))
	key := plan.TaskKey{
		Project: firstNonEmpty(fm.Project.Text, a.repo.Config().Get("okstra.project"), a.repo.Name()),
		Group:   firstNonEmpty(fm.Group.Text, group),
		Task:    firstNonEmpty(fm.Task.Text, task),
	}
	if key.Group == "" || key.Task == "" {
		return key, &commandError{
			code: exitUsage, message: "the plan does not say which task it is for",
			hints: []string{"add group: and task: to its front matter, or name it with --task PROJECT:GROUP:TASK"},
		}
	}
	if _, err := plan.ParseTaskKey(key.String()); err != nil {
		return key, &commandError{code: exitFindings, message: err.Error(), hints: []string{"mend project, group or task in the front matter"}}
	}
	return key, nil
}

func firstNonEmpty(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

// approvedMark is the approved text, ready beside the plan's file to take its place.
type approvedMark struct {
	target string // the file behind all links
	before []byte
	tmp    string // "" where nothing changes
}

// prepareMark does all that can fail before anything is pinned: the approved text
// stands beside the file, with its mode. Nothing is written where nothing changes.
func prepareMark(file string, before, after []byte) (approvedMark, error) {
	m := approvedMark{before: before}
	if bytes.Equal(before, after) {
		return m, nil
	}
	info, err := os.Stat(file)
	if err != nil {
		return m, fmt.Errorf("mark plan approved: %w", err)
	}
	if !info.Mode().IsRegular() {
		return m, &commandError{code: exitUsage, message: fmt.Sprintf("%q is no regular file, so it cannot be marked as approved", file), hints: []string{"name the plan's Markdown file"}}
	}
	if m.target, err = filepath.EvalSymlinks(file); err != nil {
		return m, fmt.Errorf("mark plan approved: %w", err)
	}
	if m.tmp, err = writeBeside(m.target, after, info.Mode().Perm()); err != nil {
		return m, fmt.Errorf("mark plan approved: %w", err)
	}
	return m, nil
}

// writeBeside makes a file next to the one whose place it is to take, whole and flushed to
// disk.
func writeBeside(target string, text []byte, mode fs.FileMode) (string, error) {
	tmp, err := os.CreateTemp(filepath.Dir(target), ".okstra-new-*")
	if err != nil {
		return "", err
	}
	_, err = tmp.Write(text)
	err = errors.Join(err, tmp.Chmod(mode), tmp.Sync(), tmp.Close())
	if err != nil {
		return "", errors.Join(err, os.Remove(tmp.Name()))
	}
	return tmp.Name(), nil
}

// write puts the approved text in the file's place, unless somebody changed the file
// meanwhile: a signature can take a person's time.
func (m *approvedMark) write() error {
	if m.tmp == "" {
		return nil
	}
	now, err := os.ReadFile(m.target)
	if err != nil || !bytes.Equal(now, m.before) {
		return &commandError{
			code: exitFindings, message: fmt.Sprintf("%q was changed while it was approved: the revision is pinned as it was read, and the file is left alone", m.target),
			hints: []string{"see what differs with: git okstra plan diff", "approve the file again to pin the change"},
		}
	}
	if err := os.Rename(m.tmp, m.target); err != nil {
		return fmt.Errorf("mark plan approved (the revision is pinned all the same): %w", err)
	}
	m.tmp = ""
	return nil
}

// discard removes what was not put in place.
func (m *approvedMark) discard() {
	if m.tmp != "" {
		_ = os.Remove(m.tmp)
	}
}

// signingLimit is how long a signing program may take where nobody can answer it.
const signingLimit = 10 * time.Second

func (a *app) sayApproved(out lifecycle.Approved, stages int, changes []report.StageChange) {
	if a.flags.JSON {
		writeJSON(a.std.out, approveJSON{
			"okstra.plan-approve/v1", out.Key.String(), out.Commit, out.Previous, out.Onto, stages, out.Already, out.Signed,
			changes, orEmpty(out.Forced),
		})
		return
	}
	verb := "approved"
	if out.Already {
		verb = "was approved already"
	}
	a.tell("plan of %s %s: %s onto %s\n", plan.Printable(out.Key.String()), verb, report.Count(stages, "stage"), plan.Printable(out.Onto))
	signed := ""
	if out.Signed {
		signed = ", signed"
	}
	a.tell("  revision  %s  (refs/okstra/%s/plan%s)\n", out.Commit.Short(), out.Key.Ref(), signed)
	if len(out.Forced) > 0 {
		a.tell("  forced    stage %s changed although done or under way; see: git okstra log\n", lifecycle.Numbers(out.Forced))
	}
	if len(changes) > 0 {
		a.tell("\n%s", report.ChangesText(changes))
	}
}
