package main

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"git-okstra/gitops"
	"git-okstra/internal/conform/manifest"
	"git-okstra/internal/conform/proof"
	"git-okstra/internal/conform/verdict"
	"git-okstra/internal/lifecycle"
	"git-okstra/internal/prove"
	"git-okstra/notes"
	"git-okstra/plan"
)

type conformRunCmd struct {
	planFlag `embed:""`

	Stages  []string      `arg:"" optional:"" help:"Stage numbers: 2, 2,4 or 2-4. Default: the stage whose worktree this is, else all that are under way and declare tests." placeholder:"N"`
	Timeout time.Duration `help:"Stop a command after this time. Default: okstra.qaTimeout, else 30m." placeholder:"DURATION"`
	Trust   bool          `help:"Agree to run what the manifest names, in this clone, from now on."`
	Local   bool          `help:"Do not publish the results now, although okstra.remote is set."`
	RunID   string        `name:"run" help:"Run id, recorded with the result. Default: OKSTRA_RUN." placeholder:"ID"`
}

// The limits on a conformance command.
const (
	defaultQATimeout = 30 * time.Minute
	maxQAOutput      = 16 << 20 // bytes
	qaGrace          = 5 * time.Second
)

// conformRunJSON is okstra.conform-run/v1.
type conformRunJSON struct {
	Schema  string         `json:"schema"`
	Task    string         `json:"task"`
	OK      bool           `json:"ok"`
	Results []proof.Result `json:"results"` // as they stand in the notes
	Exempt  []exemptJSON   `json:"exempt"`  // named stages that have nothing to run
}

type exemptJSON struct {
	Stage plan.StageNumber `json:"stage"`
	Why   string           `json:"why"`
}

// Run runs the commands of stages.
func (c *conformRunCmd) Run(a *app) error {
	e, t, err := a.load(c.RunID)
	if err != nil {
		return err
	}
	all, err := a.conformance(a.ctx, e, t)
	if err != nil {
		return err
	}
	limit, err := c.limit(a)
	if err != nil {
		return err
	}
	out := conformRunJSON{Schema: "okstra.conform-run/v1", Task: t.Key.String(), OK: true, Results: []proof.Result{}, Exempt: []exemptJSON{}}
	numbers, err := c.chosen(all, &out)
	if err != nil {
		return err
	}
	if len(numbers) > 0 {
		if err := all.sound(); err != nil {
			return err
		}
		if err := all.trust(numbers, c.Trust); err != nil {
			return err
		}
	}
	for _, n := range numbers {
		r, err := all.prove(a.ctx, n, limit)
		if err != nil {
			return err
		}
		out.Results = append(out.Results, r)
		out.OK = out.OK && r.Verdict == proof.Pass
		a.sayResult(r)
	}
	if len(numbers) > 0 {
		a.publish(c.Local)
	}
	if !out.OK {
		a.code = exitFindings
	}
	if a.flags.JSON {
		writeJSON(a.std.out, out)
	}
	return nil
}

func (c *conformRunCmd) limit(a *app) (time.Duration, error) {
	limit := c.Timeout
	if word := a.repo.Config().Get("okstra.qaTimeout"); limit == 0 && word != "" {
		var err error
		if limit, err = time.ParseDuration(word); err != nil {
			return 0, &commandError{code: exitUsage, message: fmt.Sprintf("okstra.qaTimeout is %s, and should be a time such as 10m", plan.Quote(word))}
		}
	}
	if limit < 0 {
		return 0, &commandError{code: exitUsage, message: "a time limit cannot be negative"}
	}
	if limit == 0 {
		limit = defaultQATimeout
	}
	return limit, nil
}

// chosen are the stages that have something to run.
func (c *conformRunCmd) chosen(all *conformance, out *conformRunJSON) ([]plan.StageNumber, error) {
	t := all.t
	numbers, err := parseStages(c.Stages)
	named := len(c.Stages) > 0
	switch {
	case named && err != nil:
		return nil, err
	case named:
	case t.Here != 0:
		numbers, named = []plan.StageNumber{t.Here}, true
	default:
		numbers = nil
		for _, st := range t.Plan.Stages {
			if _, held := t.Reserved[st.Number]; held {
				numbers = append(numbers, st.Number)
			}
		}
	}
	var run []plan.StageNumber
	for _, n := range numbers {
		if err := all.e.Known(t, n); err != nil {
			return nil, err
		}
		st, _ := t.Plan.Stage(n)
		d := verdict.DeclarationOf(st)
		switch {
		case d.Kind == verdict.Tests:
			run = append(run, n)
		case named:
			why := "its plan declares nothing"
			if d.Kind == verdict.Exemption {
				why = "it is exempt: " + d.Reason
			}
			out.Exempt = append(out.Exempt, exemptJSON{n, why})
			if !all.a.flags.JSON {
				all.a.tell("stage %d has nothing to run: %s\n", n, plan.Printable(why))
			}
		}
	}
	if len(run) == 0 && !named && !all.a.flags.JSON {
		all.a.tell("nothing to run: no stage under way declares conformance tests\n")
	}
	return run, nil
}

// sound refuses a manifest with problems: what it says cannot be relied on.
func (c *conformance) sound() error {
	if len(c.problems) == 0 {
		return nil
	}
	e := &commandError{code: exitFindings, message: "the manifest that is pinned with the plan is not sound:", hints: []string{"mend it, and approve the plan again"}}
	if _, pinned := c.pinned[manifest.Path]; !pinned {
		e.message = fmt.Sprintf("no %s is pinned with the plan:", manifest.Path)
		e.hints = []string{"write it beside the plan (docs/conformance.md says how), and approve the plan again"}
	}
	for _, p := range c.problems {
		e.message += "\n  " + p.Error()
	}
	return e
}

// prove runs the command of one stage in its worktree, and records the result on the
// commit that is checked out there.
func (c *conformance) prove(ctx context.Context, n plan.StageNumber, limit time.Duration) (proof.Result, error) {
	entry, _ := c.manifest.Entry(n)
	wt, err := c.worktree(ctx, n)
	if err != nil {
		return proof.Result{}, err
	}
	head, err := c.head(ctx, wt)
	if err != nil {
		return proof.Result{}, err
	}
	commit, err := c.a.repo.ReadCommit(ctx, head)
	if err != nil {
		return proof.Result{}, err
	}
	folder, err := prove.NewFolder()
	if err != nil {
		return proof.Result{}, err
	}
	defer folder.Remove()
	qa, err := c.pinned.LayOut(ctx, c.a.repo, folder.Path)
	if err != nil {
		return proof.Result{}, err
	}
	env, err := c.env(n, wt, qa)
	if err != nil {
		return proof.Result{}, err
	}
	c.a.say("stage %d: %s", n, plan.Printable(entry.RunCommand))
	out, err := prove.Run(ctx, prove.Command{
		Text: c.pinned.Aim(entry.RunCommand, qa, c.roots()...), Dir: wt.Path, Env: env, Mark: folder.Mark(),
		Timeout: limit, Output: maxQAOutput, Grace: qaGrace, Line: c.line,
	})
	if err != nil {
		return proof.Result{}, err
	}
	word, reqs, reasons := out.Said.Judge(out.Exit, entry.RequirementIDs)
	changed, err := c.changed(ctx, wt, head)
	if err != nil {
		return proof.Result{}, err
	}
	if changed != "" {
		word, reasons = proof.Fail, append(reasons, changed)
	}
	id, err := c.e.NewID()
	if err != nil {
		return proof.Result{}, err
	}
	r := proof.Result{
		V: notes.Version, ID: id, Task: c.t.Key.String(), Stage: n, Status: proof.Status, At: notes.Time(c.e.Now()),
		By: c.e.Caller.Actor, Host: c.e.Caller.Host, Run: c.e.Caller.Run, Head: string(head), Tree: string(commit.Tree), Plan: string(c.t.PlanCommit),
		Script: string(c.pinned[entry.Script].Hash), Command: entry.RunCommand, Verdict: word, Reason: strings.Join(reasons, "; "),
		ExitCode: out.Exit.Code, DurationMS: out.Duration.Milliseconds(), Requirements: orEmpty(reqs),
	}
	tip, err := c.e.RecordResult(ctx, c.t, head, func(seq uint64) ([]byte, error) {
		r.Seq = seq
		return r.Encode()
	})
	if err != nil {
		return r, err
	}
	c.t.QATip = tip
	c.results = append(c.results, r)
	return r, nil
}

// roots are the folders below which qa/ lies, as commands may name it.
func (c *conformance) roots() []string {
	roots := []string{""}
	if p := c.t.Meta.Path; p != "" {
		if root := path.Clean(strings.ReplaceAll(taskRoot(p), "\\", "/")); root != "." {
			roots = append(roots, root)
		}
	}
	return roots
}

// worktree is the stage's, with nothing in it that is not committed.
func (c *conformance) worktree(ctx context.Context, n plan.StageNumber) (gitops.Worktree, error) {
	wt, bound, err := c.e.WorktreeOf(ctx, c.t, n)
	if err != nil {
		return wt, err
	}
	if !bound || !isFolder(wt.Path) {
		return wt, &commandError{
			code: exitFindings, message: fmt.Sprintf("stage %d has no worktree to run its conformance command in", n),
			hints: []string{fmt.Sprintf("start it first: git okstra stage start %d", n)},
		}
	}
	dirty, err := c.uncommitted(ctx, wt)
	if err != nil || len(dirty) == 0 {
		return wt, err
	}
	e := &commandError{code: exitFindings, message: fmt.Sprintf("the worktree of stage %d has uncommitted changes:", n), hints: []string{"commit or remove them: a result is for a commit"}}
	for _, line := range dirty[:min(10, len(dirty))] {
		e.message += "\n  " + plan.Printable(line)
	}
	return wt, e
}

// uncommitted lists what is not as committed, as git's status writes it, and what git was
// told not to look at.
func (c *conformance) uncommitted(ctx context.Context, wt gitops.Worktree) ([]string, error) {
	dirty, err := c.a.repo.Status(ctx, wt.Path)
	if err != nil {
		return nil, err
	}
	hidden, err := c.a.repo.HiddenChanges(ctx, wt.Path)
	for _, name := range hidden {
		dirty = append(dirty, " M "+name+" (marked assume-unchanged or skip-worktree)")
	}
	return dirty, err
}

// head is the commit that a worktree stands on.
func (c *conformance) head(ctx context.Context, wt gitops.Worktree) (gitops.Hash, error) {
	if wt.Branch == "" {
		return wt.Head, nil
	}
	values, err := c.a.repo.RefValues(ctx, wt.Branch)
	if err == nil && values[wt.Branch] == "" {
		err = fmt.Errorf("the branch %q has no commit", wt.Branch)
	}
	return values[wt.Branch], err
}

// changed says what the command did to the work that it was to test, "" for nothing. New
// files are no change of it.
func (c *conformance) changed(ctx context.Context, wt gitops.Worktree, head gitops.Hash) (string, error) {
	if !isFolder(wt.Path) {
		return "it removed the worktree", nil
	}
	now, ok, err := c.a.repo.WorktreeAt(ctx, wt.Path)
	if err != nil {
		return "", err
	}
	if ok {
		moved, err := c.head(ctx, now)
		ok = err == nil && moved == head
	}
	if !ok {
		return "it moved the worktree to another commit", nil
	}
	dirty, err := c.uncommitted(ctx, wt)
	for _, line := range dirty {
		if !strings.HasPrefix(line, "?") {
			return "it changed files that it was to test: " + plan.Quote(line), err
		}
	}
	return "", err
}

// env is the environment of a conformance command: the caller's without git's, and what a
// stage's commands get.
func (c *conformance) env(n plan.StageNumber, wt gitops.Worktree, qa string) ([]string, error) {
	base, _, err := c.rangeOf(c.a.ctx, n)
	var none *errNoRange
	if err != nil && !errors.As(err, &none) {
		return nil, err
	}
	ports, err := c.e.PortBase(c.t, n)
	if err != nil {
		return nil, err
	}
	s := lifecycle.Started{Stage: n, Key: c.t.Key, Base: base, PortBase: ports}
	env := append(c.a.repo.EnvOutside(), stageEnv(s, wt.Path)...)
	return append(env, "OKSTRA_QA="+qa, "PWD="+wt.Path), nil
}

// stream passes on a line of a conformance command, escaped.
func (a *app) stream(line []byte, stderr bool) {
	if a.flags.Quiet {
		return
	}
	w := a.std.out
	if stderr || a.flags.JSON {
		w = a.std.err
	}
	_, _ = fmt.Fprintln(w, plan.Printable(strings.ReplaceAll(string(line), "\t", "    ")))
}

// sayResult tells what a run came to.
func (a *app) sayResult(r proof.Result) {
	if a.flags.JSON {
		return
	}
	why := ""
	if r.Reason != "" {
		why = ": " + plan.Printable(r.Reason)
	}
	a.print("stage %d %s at %s%s\n", r.Stage, r.Verdict, gitops.Hash(r.Head).Short(), why)
}
