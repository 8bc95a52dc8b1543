package main

import (
	"git-okstra/gitops"
	"git-okstra/internal/lifecycle"
	"git-okstra/internal/report"
	"git-okstra/plan"
)

type handoffCmd struct {
	Stages string `required:"" help:"Accepted stages: 2, 2,4 or 2-4." placeholder:"N"`
	Onto   string `help:"Integration branch instead of the plan's." placeholder:"BRANCH"`
	DryRun bool   `help:"Merge and show the text, but make no branch and no rows."`
	RunID  string `name:"run" help:"Run id, recorded with the rows. Default: OKSTRA_RUN." placeholder:"ID"`
}

// handoffJSON is okstra.handoff/v1.
type handoffJSON struct {
	Schema  string             `json:"schema"`
	Task    string             `json:"task"`
	Stages  []plan.StageNumber `json:"stages"`
	Branch  string             `json:"branch"` // the collector; "" where all is in the integration branch
	Onto    string             `json:"onto"`
	Base    gitops.Hash        `json:"base"`   // the integration branch's tip
	Head    gitops.Hash        `json:"head"`   // the collector's tip
	Merged  []plan.StageNumber `json:"merged"` // by this call
	Already bool               `json:"already"`
	DryRun  bool               `json:"dry_run"`
	Title   string             `json:"title"`
	Body    string             `json:"body"`
	Along   []plan.StageNumber `json:"along"` // accepted ones that come with these, neither named nor landed
}

// Run merges accepted stages on a collector branch and prints the pull request's text.
// It is written first: a template that cannot be read changes nothing.
func (c *handoffCmd) Run(a *app) error {
	numbers, err := parseStages([]string{c.Stages})
	if err != nil {
		return err
	}
	e, t, err := a.load(c.RunID)
	if err != nil {
		return err
	}
	for _, n := range numbers {
		if err := e.Known(t, n); err != nil {
			return err
		}
	}
	if _, err := a.prTemplate(t); err != nil {
		return err
	}
	out, err := e.Handoff(a.ctx, t, lifecycle.HandoffRequest{
		Stages: numbers, Onto: c.Onto, DryRun: c.DryRun,
		Signing: gitops.Signing{Terminal: a.interactive(), Limit: signingLimit},
	})
	if err != nil {
		return err
	}
	if t, err = e.Reload(a.ctx, t); err != nil {
		return err
	}
	pr, err := a.pullRequest(e, t, out.Stages)
	if err != nil {
		return err
	}
	if a.flags.JSON {
		writeJSON(a.std.out, handoffJSON{
			"okstra.handoff/v1", t.Key.String(), out.Stages, shortName(out.Branch), shortName(out.Onto), out.Base, out.Head,
			orEmpty(out.Merged), out.Already, c.DryRun, pr.Title, pr.Body, orEmpty(out.Along),
		})
		return nil
	}
	a.sayHandoff(out, c.DryRun)
	a.print("%s", pr.Text())
	return nil
}

// sayHandoff tells a person what became of the branch; standard output is the text.
func (a *app) sayHandoff(out lifecycle.HandedOff, dryRun bool) {
	which := report.Count(len(out.Stages), "stage")
	if n := len(out.Along); n > 0 {
		what, them := "stage "+lifecycle.Numbers(out.Along)+" comes", "it"
		if n > 1 {
			what, them = "stages "+lifecycle.Numbers(out.Along)+" come", "them"
		}
		on := "it stands"
		if len(out.Stages) > 1 {
			on = "they stand"
		}
		defer a.say("note: %s along, on which %s; name %s too to have %s in the text", what, on, them, them)
	}
	branch, onto := plan.Printable(shortName(out.Branch)), plan.Printable(shortName(out.Onto))
	switch {
	case out.Branch == "":
		a.say("%s handed off: all of it is in %s already", which, onto)
	case dryRun:
		a.say("dry run: %s would be on %s, beside %s", which, branch, onto)
	case len(out.Merged) == 0:
		a.say("%s handed off on %s (%s), as before", which, branch, out.Head.Short())
	default:
		a.say("%s handed off on %s (%s), beside %s", which, branch, out.Head.Short(), onto)
	}
}
