package main

import (
	"fmt"
	"strings"
	"time"

	"git-okstra/internal/board"
	"git-okstra/internal/lifecycle"
	"git-okstra/internal/report"
	"git-okstra/plan"
	"git-okstra/plan/rules"
)

type planShowCmd struct {
	File    string `arg:"" optional:"" help:"A plan file, - or REV:PATH; without it the task's approved plan." placeholder:"FILE"`
	Stage   string `help:"Only these stages, with their text: 2, 2,4 or 2-4." placeholder:"N"`
	Raw     bool   `help:"Print the plan as it is, byte by byte."`
	Ruleset string `help:"The okstra release whose rules count." placeholder:"VERSION"`
}

// Run shows a plan.
func (c *planShowCmd) Run(a *app) error {
	if c.Raw && (a.flags.JSON || c.Stage != "") {
		return &commandError{code: exitUsage, message: "--raw prints the whole plan as it is, so it goes with neither --json nor --stage", hints: []string{"leave one of them out"}}
	}
	out, src, err := c.gather(a)
	if err != nil {
		return err
	}
	if c.Raw {
		_, _ = a.std.out.Write(src)
		return nil
	}
	if c.Stage != "" {
		if out.Stages, err = only(out.Stages, c.Stage); err != nil {
			return err
		}
	}
	if a.flags.JSON {
		writeJSON(a.std.out, out)
		return nil
	}
	a.print("%s", out.Text(c.Stage != ""))
	return nil
}

// only keeps the named stages.
func only(list []report.ShowStage, words string) ([]report.ShowStage, error) {
	numbers, err := parseStages([]string{words})
	if err != nil {
		return nil, err
	}
	out := []report.ShowStage{}
	for _, n := range numbers {
		before := len(out)
		for _, s := range list {
			if s.Stage == n {
				out = append(out, s)
			}
		}
		if len(out) == before {
			return nil, &commandError{code: exitUsage, message: fmt.Sprintf("stage %d is not in the plan's Stage Map", n)}
		}
	}
	return out, nil
}

func (c *planShowCmd) gather(a *app) (report.PlanShow, []byte, error) {
	if c.File == "" {
		e, t, err := a.look()
		if err != nil {
			return report.PlanShow{}, nil, err
		}
		return a.showApproved(e, t)
	}
	d, err := a.document(c.File, c.Ruleset)
	if err != nil || c.Raw {
		return report.PlanShow{}, d.src, err
	}
	if err := d.readable(); err != nil {
		return report.PlanShow{}, nil, err
	}
	fm := d.doc.FrontMatter
	out := report.PlanShow{
		Schema: "okstra.plan-show/v1", File: c.File, Ruleset: d.res.Ruleset, Category: fm.Category.Text,
		Stages: report.ShowStages(d.res.Plan.Stages),
	}
	return out, d.src, nil
}

// showApproved tells what the approved revision's commit says beside the plan.
func (a *app) showApproved(_ *lifecycle.Engine, t *lifecycle.Task) (report.PlanShow, []byte, error) {
	commit, err := a.repo.ReadCommit(a.ctx, t.PlanCommit)
	if err != nil {
		return report.PlanShow{}, nil, err
	}
	src, err := a.repo.FileAt(a.ctx, t.PlanCommit, "plan.md")
	out := report.PlanShow{
		Schema: "okstra.plan-show/v1", Task: t.Key.String(), File: t.Meta.Path, Revision: string(t.PlanCommit),
		By: fmt.Sprintf("%s <%s>", commit.Author.Name, commit.Author.Email), At: commit.Author.When.UTC().Format(time.RFC3339),
		Signed: commit.Signed(), Onto: strings.TrimPrefix(string(t.Meta.Onto), "refs/heads/"),
		Ruleset: t.Meta.Ruleset, Category: t.Meta.Category, Stages: report.ShowStages(t.Plan.Stages),
	}
	return out, src, err
}

type planGraphCmd struct {
	File    string `arg:"" optional:"" help:"A plan file, - or REV:PATH; without it the task's approved plan, with states." placeholder:"FILE"`
	Format  string `help:"text, svg, dot (Graphviz), mermaid or json." enum:"text,svg,dot,mermaid,json" default:"text" placeholder:"FORMAT"`
	Ruleset string `help:"The okstra release whose rules count." placeholder:"VERSION"`
}

// Run draws the graph.
func (c *planGraphCmd) Run(a *app) error {
	a.flags.JSON = a.flags.JSON || c.Format == "json"
	g, err := c.gather(a)
	if err != nil {
		return err
	}
	switch {
	case a.flags.JSON:
		writeJSON(a.std.out, g)
	case c.Format == "svg":
		picture, err := board.SVG(g)
		if err != nil {
			return err
		}
		a.print("%s", picture)
	case c.Format == "dot":
		a.print("%s", g.DOT())
	case c.Format == "mermaid":
		a.print("%s", g.Mermaid())
	default:
		a.print("%s", g.Text())
	}
	return nil
}

func (c *planGraphCmd) gather(a *app) (report.Graph, error) {
	out := report.Graph{Schema: "okstra.plan-graph/v1", Stages: []report.GraphStage{}}
	state := func(plan.Stage) string { return "" }
	var stages []plan.Stage
	if c.File == "" {
		_, t, err := a.look()
		if err != nil {
			return out, err
		}
		progress := t.Progress()
		state = func(s plan.Stage) string { return string(progress.Of(s)) }
		out.Task, stages = t.Key.String(), t.Plan.Stages
	} else {
		d, err := a.document(c.File, c.Ruleset)
		if err != nil {
			return out, err
		}
		if err := d.readable(); err != nil {
			return out, err
		}
		stages = d.res.Plan.Stages
	}
	for _, s := range stages {
		out.Stages = append(out.Stages, report.GraphStage{Stage: s.Number, Title: s.Title, State: state(s), DependsOn: orEmpty(s.DependsOn)})
	}
	return out, nil
}

// document is a plan that was read from a file, standard input or history.
type document struct {
	name string
	src  []byte
	doc  *plan.Document
	res  rules.Result
}

func (a *app) document(name, ruleset string) (document, error) {
	d := document{name: name}
	opts, err := a.checkOptions(ruleset, false)
	if err != nil {
		return d, err
	}
	if d.src, err = a.readPlan(name); err != nil {
		return d, err
	}
	d.doc = plan.Parse(d.src)
	d.res = rules.Check(d.doc, opts)
	return d, nil
}

// readable refuses a document without stages: there is nothing to show of it.
func (d document) readable() error {
	if d.res.Plan != nil && len(d.res.Plan.Stages) > 0 {
		return nil
	}
	e := &commandError{
		code: exitFindings, message: fmt.Sprintf("%q has no Stage Map that can be read (ruleset %s)", d.name, d.res.Ruleset),
		hints: []string{"see what is wrong with: git okstra plan check"},
	}
	for _, f := range d.res.Findings {
		if f.Code == "P1" || f.Code == "S1" {
			e.message = fmt.Sprintf("%s:%d:%d: %s %s", plan.Printable(d.name), f.Pos.Line, f.Pos.Column, f.Code, f.Message)
			e.hints = []string{f.Hint}
			break
		}
	}
	return e
}
