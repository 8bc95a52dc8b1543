package main

import (
	"bytes"
	"fmt"

	"github.com/alecthomas/kong"

	"git-okstra/internal/lifecycle"
	"git-okstra/plan"
)

// planFlag is for the commands that work on stages.
type planFlag struct {
	Plan string `name:"plan" help:"Pin this plan first, if it passes and says approved: true; its task is the one that is meant." placeholder:"FILE"`
}

// pinFrom takes from a parsed command line which plan is to be pinned first, and whether
// anything may be.
func (a *app) pinFrom(kctx *kong.Context) {
	for _, f := range kctx.Flags() {
		switch f.Name {
		case "plan":
			a.pin = f.Target.String()
		case "dry-run":
			a.pinDry = f.Target.Bool()
		}
	}
}

// pinPlan pins the plan that --plan names as the newest revision of its task, under the
// rules of an approval, and makes that the task of the command.
func (a *app) pinPlan(e *lifecycle.Engine) error {
	if a.pin == "" {
		return nil
	}
	file := a.pin
	src, err := a.interruptible(func() ([]byte, error) { return readFile(file) })
	if err != nil {
		return missingPlan(file, err)
	}
	doc, res, err := a.judge(file, "", taskRoot(absolute(file)), src)
	if err != nil {
		return err
	}
	if !doc.FrontMatter.Approved {
		return &commandError{
			code: exitFindings, message: fmt.Sprintf("%q does not say approved: true in its front matter", file),
			hints: []string{"approve it first: git okstra plan approve FILE"},
		}
	}
	wanted := a.flags.Task
	if _, err := plan.ParseTaskKey(wanted); err != nil {
		a.flags.Task = "" // the end of a key: the plan says the whole
	}
	req, err := a.approveRequest(&planApproveCmd{File: file}, src, doc, res)
	if err != nil {
		return err
	}
	old, err := e.Current(a.ctx, req.Key)
	if err != nil {
		return err
	}
	if old != nil && req.Path == "" {
		req.Path = old.Meta.Path // named from another worktree, it is no other plan
	}
	if a.pinDry {
		err = a.pinned(old, req)
	} else {
		err = a.pinNow(e, req)
	}
	if err != nil {
		return err
	}
	a.flags.Task = req.Key.String()
	if wanted == "" {
		return nil
	}
	t, err := e.Load(a.ctx, wanted)
	if err != nil {
		return err
	}
	if t.Key != req.Key {
		return &commandError{code: exitUsage, message: fmt.Sprintf("--task %q is %s, and the plan is of %s", wanted, plan.Printable(t.Key.String()), plan.Printable(req.Key.String()))}
	}
	return nil
}

func (a *app) pinNow(e *lifecycle.Engine, req lifecycle.ApproveRequest) error {
	out, err := e.Approve(a.ctx, req)
	if err == nil && !out.Already {
		a.say("plan of %s pinned: %s", plan.Printable(req.Key.String()), out.Commit.Short())
	}
	return err
}

// pinned demands that the plan is the approved one already: a dry run pins nothing.
func (a *app) pinned(t *lifecycle.Task, req lifecycle.ApproveRequest) error {
	if t != nil {
		now, err := a.repo.FileAt(a.ctx, t.PlanCommit, "plan.md")
		if err != nil || bytes.Equal(now, req.Source) {
			return err
		}
	}
	return &commandError{
		code: exitFindings, message: fmt.Sprintf("%q is not the approved revision, and a dry run pins nothing", a.pin),
		hints: []string{"see what differs with: git okstra plan diff FILE"},
	}
}
