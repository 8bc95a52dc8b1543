package main

import (
	"context"
	"slices"

	"git-okstra/internal/conform/verdict"
	"git-okstra/internal/lifecycle"
	"git-okstra/internal/report"
	"git-okstra/internal/verify"
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
	e, t, err := a.loadTo(c.Record == "", c.RunID)
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
	conform []report.Conformance
	out     report.Verify
}

// judge looks at the task as it is now.
func (v *verifying) judge(ctx context.Context, t *lifecycle.Task) (lifecycle.Judged, error) {
	f, err := v.facts(ctx, t)
	if err != nil {
		return lifecycle.Judged{}, err
	}
	if err := v.conformance(ctx, t, &f); err != nil {
		return lifecycle.Judged{}, err
	}
	v.missing = verify.Check(f)
	if err := v.describe(ctx, t, f); err != nil || len(v.missing) > 0 {
		return lifecycle.Judged{}, err
	}
	return lifecycle.Judged{Stages: f.Scope(), Verdict: v.verdict}, nil
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
	for _, c := range v.conform {
		for _, hint := range c.Hints(verdict.Block) {
			if !slices.Contains(hints, hint) {
				hints = append(hints, hint)
			}
		}
	}
	return hints
}
