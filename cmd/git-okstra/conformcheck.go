package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"git-okstra/gitops"
	"git-okstra/internal/conform/verdict"
	"git-okstra/internal/lifecycle"
	"git-okstra/internal/report"
	"git-okstra/plan"
)

type conformCheckCmd struct {
	planFlag `embed:""`

	What   string `arg:"" optional:"" help:"A stage number, or a range A..B or A...B of a stage's commits. Default: the stage whose worktree this is, else all that have commits." placeholder:"N|RANGE"`
	Stage  string `help:"The stage whose change a range is." placeholder:"N"`
	Staged bool   `help:"Judge the stage's commits with what is staged, as a commit would."`
	WIP    bool   `name:"wip" help:"Judge it as work in progress: a result that is missing is a notice."`
	Format string `help:"text, json, sarif (SARIF 2.1.0) or github (workflow annotations)." enum:"text,json,sarif,github" default:"text" placeholder:"FORMAT"`
}

// Run judges stages.
func (c *conformCheckCmd) Run(a *app) error {
	a.flags.JSON = a.flags.JSON || c.Format == "json"
	e, t, err := a.look()
	if err != nil {
		return err
	}
	all, err := a.conformance(a.ctx, e, t)
	if err != nil {
		return err
	}
	stages, err := c.stages(all)
	if err != nil {
		return err
	}
	if len(stages) > 1 && c.Staged {
		return &commandError{code: exitUsage, message: "which stage is staged?", hints: []string{"run this inside the stage's worktree, or name the stage"}}
	}
	var found []report.Conformance
	for _, n := range stages {
		j, err := c.judge(all, n)
		var none *errNoRange
		if errors.As(err, &none) {
			if len(stages) > 1 || !c.chosen() {
				continue
			}
			return &commandError{code: exitFindings, message: none.why}
		}
		if err != nil {
			return err
		}
		found = append(found, j.report())
	}
	out := report.NewConformCheck(t.Key.String(), t.Meta.Path, found, all.problems)
	if !out.OK {
		a.code = exitFindings
	}
	c.say(a, out)
	return nil
}

// chosen reports whether a stage or range was named.
func (c *conformCheckCmd) chosen() bool { return c.What != "" || c.Stage != "" }

func (c *conformCheckCmd) isRange() bool { return strings.Contains(c.What, "..") }

// stages are those that are meant.
func (c *conformCheckCmd) stages(all *conformance) ([]plan.StageNumber, error) {
	word := c.Stage
	if c.What != "" && !c.isRange() {
		if word != "" {
			return nil, &commandError{code: exitUsage, message: "a stage is named twice"}
		}
		word = c.What
	}
	if c.isRange() && c.Staged {
		return nil, &commandError{code: exitUsage, message: "a range and --staged exclude each other", hints: []string{"leave one out"}}
	}
	n, err := oneStage(word)
	if err != nil {
		return nil, err
	}
	if n == 0 {
		n = all.t.Here
	}
	if n != 0 {
		return []plan.StageNumber{n}, all.e.Known(all.t, n)
	}
	if c.isRange() {
		return nil, &commandError{code: exitUsage, message: "of which stage is the range?", hints: []string{"name it with --stage N, or run this inside its worktree"}}
	}
	var out []plan.StageNumber
	for _, st := range all.t.Plan.Stages {
		out = append(out, st.Number)
	}
	return out, nil
}

// judge judges one of them.
func (c *conformCheckCmd) judge(all *conformance, n plan.StageNumber) (judged, error) {
	var base, tip gitops.Hash
	var err error
	if c.isRange() {
		var d gitops.DiffSides
		d, err = (&conformTouchesCmd{Range: c.What}).sides(all.a)
		base, tip = d.From, d.To
	} else {
		base, tip, err = all.rangeOf(all.a.ctx, n)
		var none *errNoRange
		if errors.As(err, &none) && c.Staged && base != "" {
			err = nil
		}
	}
	if err != nil {
		return judged{}, err
	}
	moment := verdict.Done
	switch {
	case c.Staged:
		moment, tip = verdict.Commit, ""
	case c.WIP:
		moment = verdict.PushWIP
	}
	return all.judge(all.a.ctx, n, base, tip, moment)
}

func (c *conformCheckCmd) say(a *app, out report.ConformCheck) {
	switch {
	case a.flags.JSON:
		writeJSON(a.std.out, out)
	case c.Format == "sarif":
		writeJSON(a.std.out, out.SARIF(version))
	case c.Format == "github":
		a.print("%s", out.Annotations())
	default:
		if len(out.Stages) == 0 && len(out.Manifest) == 0 {
			a.tell("nothing to judge: no stage has commits yet\n")
		}
		a.print("%s", out.Text())
	}
}

// report is the judgement as outputs have it.
func (j judged) report() report.Conformance {
	return report.NewConformance(report.Judged{
		Stage: j.stage, Base: string(j.base), Head: string(j.tip), Moment: j.moment, Declared: j.declared,
		Verdict: j.verdict, Found: j.found, Proof: j.proof, Result: j.result,
	})
}

// refusal is the answer of a gate to a verdict that blocks.
func (j judged) refusal() error {
	r := j.report()
	e := &commandError{code: exitFindings, message: fmt.Sprintf("stage %d does not conform:", j.stage), hints: r.Hints(verdict.Block)}
	for _, line := range r.ReasonLines(verdict.Block) {
		e.message += "\n  " + line
	}
	return e
}

// conforms is the gate of a stage's end. What it judged is in out afterwards.
func (a *app) conforms(e *lifecycle.Engine, out **judged) func(context.Context, *lifecycle.Task, plan.StageNumber, gitops.Hash, gitops.Hash) (string, error) {
	return func(ctx context.Context, t *lifecycle.Task, n plan.StageNumber, base, tip gitops.Hash) (string, error) {
		all, err := a.conformance(ctx, e, t)
		if err != nil {
			return "", err
		}
		j, err := all.judge(ctx, n, base, tip, verdict.Done)
		if err != nil {
			return "", err
		}
		*out = &j
		if j.verdict.Blocks() {
			return "", j.refusal()
		}
		return j.waivedWords(), nil
	}
}

// notices tells a person what a verdict lets pass.
func (a *app) notices(j judged) {
	for _, line := range j.report().ReasonLines(verdict.Notice) {
		a.say("notice: %s", line)
	}
}

// waivedWords lists the surfaces that a verdict took out, as a row has them.
func (j judged) waivedWords() string {
	var words []string
	for _, w := range j.verdict.Waived {
		if !slices.Contains(words, string(w.Surface)) {
			words = append(words, string(w.Surface))
		}
	}
	return strings.Join(words, ",")
}
