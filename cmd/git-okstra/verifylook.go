package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"git-okstra/gitops"
	"git-okstra/internal/conform/verdict"
	"git-okstra/internal/lifecycle"
	"git-okstra/internal/report"
	"git-okstra/internal/verify"
	"git-okstra/notes"
	"git-okstra/plan"
)

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
	lacking, err := v.engine.Unmerged(ctx, t, done, tip, v.engine.Caller.Actor != "")
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

// conformance judges the done stages in scope.
func (v *verifying) conformance(ctx context.Context, t *lifecycle.Task, f *verify.Facts) error {
	v.conform = nil
	all, err := v.app.conformance(ctx, v.engine, t)
	if err != nil {
		return err
	}
	for _, n := range f.Scope() {
		if t.Done[n] == "" {
			continue
		}
		base, tip, err := all.rangeOf(ctx, n)
		var none *errNoRange
		if errors.As(err, &none) {
			if !slices.ContainsFunc(f.Lacking, func(l verify.Lacking) bool { return l.Stage == n }) {
				f.Conform = append(f.Conform, verify.Nonconforming{Stage: n, Why: "cannot tell what stage " + fmt.Sprint(n) + " touches: " + none.why, CannotTell: true})
			}
			continue
		}
		if err != nil {
			return err
		}
		j, err := all.judge(ctx, n, base, tip, verdict.Verify)
		if err != nil {
			return err
		}
		r := j.report()
		v.conform = append(v.conform, r)
		for _, why := range r.Reasons {
			if why.Level == verdict.Block {
				f.Conform = append(f.Conform, verify.Nonconforming{Stage: n, Why: why.Message, Places: why.Places()})
			}
		}
	}
	return nil
}

// describe fills in what is printed.
func (v *verifying) describe(ctx context.Context, t *lifecycle.Task, f verify.Facts) error {
	v.out = report.Verify{
		Schema: "okstra.verify/v1", Task: t.Key.String(), Scope: "task", Onto: shortName(t.Meta.Onto), Base: string(t.Base),
		Conformance: orEmpty(v.conform),
		Head:        string(f.Candidate), OK: len(v.missing) == 0, Stages: []report.VerifyStage{}, Reports: []string{}, Missing: []report.VerifyMissing{},
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
