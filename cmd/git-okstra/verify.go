package main

import (
	"context"
	"slices"

	"git-okstra/gitops"
	"git-okstra/internal/lifecycle"
	"git-okstra/internal/report"
	"git-okstra/internal/verify"
	"git-okstra/notes"
	"git-okstra/plan"
)

type verifyCmd struct {
	Stage  string `help:"Only this stage, in its own worktree. Default: the whole task." placeholder:"N"`
	Onto   string `help:"Integration branch instead of the plan's." placeholder:"BRANCH"`
	Record string `help:"Record the verdict: accepted, conditional-accept or blocked." placeholder:"VERDICT"`
	RunID  string `name:"run" help:"Run id, recorded with the verdict. Default: OKSTRA_RUN." placeholder:"ID"`
}

// Run shows what is to be verified, or all that is missing for it, and records a
// verdict.
func (c *verifyCmd) Run(a *app) error {
	v := verifying{app: a, onto: c.Onto}
	var err error
	if c.Record != "" {
		if v.verdict, err = lifecycle.ParseVerdict(c.Record); err != nil {
			return err
		}
	}
	if v.stage, err = oneStage(c.Stage); err != nil {
		return err
	}
	e, t, err := a.load(c.RunID)
	if err != nil {
		return err
	}
	v.engine = e
	written, err := e.Verify(a.ctx, t, v.judge)
	if err != nil {
		return err
	}
	if v.out.OK && v.verdict != "" {
		v.out.Recorded = &report.RecordedVerdict{Verdict: string(v.verdict), Stages: orEmpty(written)}
		if err := v.refresh(t); err != nil {
			return err
		}
	}
	return v.say()
}

// verifying is one run of verify.
type verifying struct {
	app     *app
	engine  *lifecycle.Engine
	stage   plan.StageNumber // 0: the whole task
	onto    string
	verdict lifecycle.Verdict
	missing []verify.Missing
	out     report.Verify
}

// judge looks at the task as it is now.
func (v *verifying) judge(ctx context.Context, t *lifecycle.Task) (lifecycle.Judged, error) {
	f, err := v.facts(ctx, t)
	if err != nil {
		return lifecycle.Judged{}, err
	}
	v.missing = verify.Check(f)
	if err := v.describe(ctx, t, f); err != nil || len(v.missing) > 0 {
		return lifecycle.Judged{}, err
	}
	return lifecycle.Judged{Stages: f.Scope(), Verdict: v.verdict}, nil
}

func (v *verifying) facts(ctx context.Context, t *lifecycle.Task) (verify.Facts, error) {
	f := verify.Facts{Plan: t.Plan, Progress: t.Progress(), Stage: v.stage}
	if v.stage != 0 {
		if err := v.engine.Known(t, v.stage); err != nil {
			return f, err
		}
		wt, found, err := v.engine.WorktreeOf(ctx, t, v.stage)
		if err != nil || !found {
			return f, err
		}
		f.Tree, err = verify.Look(ctx, v.app.repo, wt)
		return f, err
	}
	onto, tip, err := v.engine.Integration(ctx, t, v.onto)
	if err != nil {
		return f, err
	}
	f.Onto, f.Candidate = shortName(onto), tip
	done := slices.DeleteFunc(f.Scope(), func(n plan.StageNumber) bool { return t.Done[n] == "" })
	lacking, err := v.engine.Unmerged(ctx, t, done, tip, true)
	if err != nil {
		return f, err
	}
	for _, s := range lacking {
		f.Lacking = append(f.Lacking, verify.Lacking{Stage: s.Stage, Head: t.Done[s.Stage], Doubt: s.Unsure, CannotTell: s.Elsewhere})
	}
	wt, found, err := v.app.treeOf(ctx, onto)
	if err != nil || !found {
		return f, err
	}
	f.Tree, err = verify.Look(ctx, v.app.repo, wt)
	return f, err
}

// describe fills in what is printed.
func (v *verifying) describe(ctx context.Context, t *lifecycle.Task, f verify.Facts) error {
	v.out = report.Verify{
		Schema: "okstra.verify/v1", Task: t.Key.String(), Scope: "task", Onto: shortName(t.Meta.Onto), Base: string(t.Base),
		Head: string(f.Candidate), OK: len(v.missing) == 0, Stages: []report.VerifyStage{}, Reports: []string{}, Missing: []report.VerifyMissing{},
	}
	if f.Onto != "" {
		v.out.Onto = f.Onto
	}
	if f.Tree != nil {
		v.out.Worktree, v.out.WorktreeHead = f.Tree.Path, string(f.Tree.Head)
	}
	for _, m := range v.missing {
		v.out.Missing = append(v.out.Missing, report.VerifyMissing{
			Kind: string(m.Kind), Stage: m.Stage, Text: m.Text, Paths: orEmpty(m.Paths), CannotTell: m.CannotTell,
		})
	}
	if err := v.describeStages(ctx, t, f); err != nil || v.stage == 0 {
		return err
	}
	only := v.out.Stages[0]
	v.out.Scope, v.out.Base, v.out.Head = "stage", only.Base, only.HeadCommit
	return nil
}

func (v *verifying) describeStages(ctx context.Context, t *lifecycle.Task, f verify.Facts) error {
	verdicts, err := v.engine.Verdicts(ctx, t)
	if err != nil {
		return err
	}
	lines, err := notes.ReadStages(ctx, v.app.repo, t.NotesTip, f.Scope())
	if err != nil {
		return err
	}
	for _, n := range f.Scope() {
		st, _ := t.Plan.Stage(n)
		s := report.VerifyStage{
			Stage: n, Title: st.Title, State: string(f.Progress.Of(st)), HeadCommit: string(t.Done[n]),
			Verdict: verdicts[n].Verdict, VerdictBy: verdicts[n].By, VerdictAt: verdicts[n].At,
		}
		for _, l := range lines {
			if r := l.Row; r.Stage == n && r.Status == notes.Done && r.Head != "" && r.Head == t.Done[n] {
				s.ReportPath = r.ReportPath
				if r.Carry != nil {
					s.Base = string(r.Carry.StageCommitRange.Base)
				}
			}
		}
		if s.ReportPath != "" && !slices.Contains(v.out.Reports, s.ReportPath) {
			v.out.Reports = append(v.out.Reports, s.ReportPath)
		}
		v.out.Stages = append(v.out.Stages, s)
	}
	return nil
}

// refresh shows the verdicts as they are now that one was recorded.
func (v *verifying) refresh(t *lifecycle.Task) error {
	t, err := v.engine.Reload(v.app.ctx, t)
	if err != nil {
		return err
	}
	verdicts, err := v.engine.Verdicts(v.app.ctx, t)
	for i := range v.out.Stages {
		s := &v.out.Stages[i]
		now := verdicts[s.Stage]
		s.Verdict, s.VerdictBy, s.VerdictAt = now.Verdict, now.By, now.At
	}
	return err
}

// say prints the target, or what is missing; a person must decide where nothing is known
// to be missing and not everything can be told.
func (v *verifying) say() error {
	a := v.app
	if v.out.OK {
		if a.flags.JSON {
			writeJSON(a.std.out, v.out)
		} else {
			a.tell("%s", v.out.Text())
		}
		return nil
	}
	e := &commandError{code: exitFindings, message: v.out.MissingText(), hints: v.hints()}
	if verify.Unsure(v.missing) {
		e.code = exitGate
	}
	if a.flags.JSON {
		writeJSON(a.std.out, v.out)
		e.silent = true
	}
	return e
}

func (v *verifying) hints() []string {
	var hints []string
	say := func(kind verify.Kind, sure bool, hint string) {
		if slices.ContainsFunc(v.missing, func(m verify.Missing) bool { return m.Kind == kind && m.CannotTell != sure }) {
			hints = append(hints, hint)
		}
	}
	say(verify.NotDone, true, "see where each stage stands with: git okstra stage list")
	say(verify.NotMerged, true, "merge what is missing, or say where it is: git okstra reconcile --stage N --to COMMIT")
	if v.app.repo.Shallow() {
		say(verify.NotMerged, false, "fetch the rest of the history with: git fetch --unshallow")
	} else {
		say(verify.NotMerged, false, "fetch what this clone lacks, or say where it is: git okstra reconcile --stage N --to COMMIT")
	}
	say(verify.NoWorktree, true, "the whole task is verified without --stage")
	say(verify.UnderWay, true, "finish or abort it first")
	say(verify.NotClean, true, "commit or remove them: what is verified is what is committed")
	return hints
}

// treeOf is the worktree that has a branch checked out, else the caller's own.
func (a *app) treeOf(ctx context.Context, branch gitops.RefName) (gitops.Worktree, bool, error) {
	users, err := a.repo.UsersOf(ctx, branch)
	if err != nil {
		return gitops.Worktree{}, false, err
	}
	for _, wt := range users {
		if isFolder(wt.Path) {
			return wt, true, nil
		}
	}
	if a.repo.WorkTree() == "" {
		return gitops.Worktree{}, false, nil
	}
	return a.repo.WorktreeAt(ctx, a.repo.WorkTree())
}
