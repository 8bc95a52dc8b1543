package main

import (
	"encoding/json"
	"errors"
	"path/filepath"

	"git-okstra/gitops"
	"git-okstra/internal/report"
	"git-okstra/plan"
	"git-okstra/plan/rules"
)

type planCmd struct {
	Check   planCheckCmd   `cmd:"" help:"Check plans against the rules of their okstra release."`
	Approve planApproveCmd `cmd:"" help:"Check a plan, mark it approved and pin the revision."`
	Show    planShowCmd    `cmd:"" help:"Show what a plan says of its stages."`
	Graph   planGraphCmd   `cmd:"" help:"Draw the stages and what they depend on."`
	Diff    planDiffCmd    `cmd:"" help:"Compare two revisions of a plan, stage by stage and word by word."`
	Rules   planRulesCmd   `cmd:"" help:"List the rules and the okstra releases where they are in force."`
	Explain planExplainCmd `cmd:"" help:"Explain a rule, with a failing and a passing example."`
	New     planNewCmd     `cmd:"" help:"Write a new plan that is valid but for the places to fill in."`
}

type planCheckCmd struct {
	Files   []string `arg:"" help:"Plan files; - is standard input, REV:PATH a file in history." placeholder:"FILE"`
	Format  string   `help:"text, json, sarif (SARIF 2.1.0) or github (workflow annotations)." enum:"text,json,sarif,github" default:"text" placeholder:"FORMAT"`
	Ruleset string   `help:"The okstra release whose rules count." placeholder:"VERSION"`
	Strict  bool     `help:"Let S9 warnings and every other warning reject the plan."`
}

// Run checks every file and reports all findings.
func (c *planCheckCmd) Run(a *app) error {
	a.flags.JSON = a.flags.JSON || c.Format == "json"
	var check report.PlanCheck
	opts, err := a.checkOptions(c.Ruleset, c.Strict)
	if err != nil {
		return err
	}
	for _, file := range c.Files {
		src, err := a.readPlan(file)
		if err != nil {
			return err
		}
		if err := a.checkPlan(&check, file, src, opts); err != nil {
			return err
		}
	}
	a.showCheck(&check, c.Format)
	if !check.OK() {
		a.code = exitFindings
	}
	return nil
}

// checkPlan judges one plan. Where it lies in the repository matters to S11 alone,
// so git is asked for that only where S11 asks.
func (a *app) checkPlan(check *report.PlanCheck, file string, src []byte, opts rules.Options) error {
	doc := plan.Parse(src)
	res := rules.Check(doc, opts)
	if res.Rootless {
		root, err := a.taskRootOf(file)
		if err != nil {
			return err
		}
		if root != "" {
			opts.TaskRoot = root
			res = rules.Check(doc, opts)
		}
	}
	check.Add(file, src, res, res.OK())
	return nil
}

// showCheck prints the findings in one of the formats.
func (a *app) showCheck(check *report.PlanCheck, format string) {
	switch {
	case a.flags.JSON:
		writeJSON(a.std.out, check)
	case format == "sarif":
		check.Place(a.placeInRepo)
		log, err := json.MarshalIndent(check.SARIF(version), "", "  ")
		if err != nil { // our own structs: strings and numbers
			panic(err)
		}
		a.print("%s\n", log)
	case format == "github":
		check.Place(a.placeInRepo)
		a.print("%s", check.Annotations())
	case !a.flags.Quiet || !check.OK():
		a.print("%s", check.Text())
	}
}

// checkOptions takes okstra.ruleset and the projects' roots from git's
// configuration, in a repository or outside: a plan can be checked anywhere.
func (a *app) checkOptions(ruleset string, strict bool) (rules.Options, error) {
	config, err := a.planConfig()
	if err != nil {
		return rules.Options{}, err
	}
	return ruleOptions(config, ruleset, strict), nil
}

func ruleOptions(config gitops.Config, ruleset string, strict bool) rules.Options {
	return rules.Options{
		Ruleset: ruleset, Strict: strict,
		ConfigRuleset: config.Get("okstra.ruleset"), ProjectRoots: projectRoots(config),
	}
}

// projectRoots reads okstra.project.<name>.root, the folders of a repository with
// several projects.
func projectRoots(c gitops.Config) map[string]string {
	roots := map[string]string{}
	for _, name := range c.Subsections("okstra.project.", ".root") {
		roots[name] = c.Get("okstra.project." + name + ".root")
	}
	return roots
}

// openIfAny opens the repository; false where there is none.
func (a *app) openIfAny() (bool, error) {
	_, err := a.open()
	if errors.Is(err, gitops.ErrNotRepository) {
		return false, nil
	}
	return err == nil, err
}

// placeInRepo is a plan's path from the top of the worktree, with slashes; "" where
// it has none.
func (a *app) placeInRepo(name string) string {
	place, _ := a.inRepo(name, func(file string) string { return file })
	return place
}

// taskRootOf is a plan's task root below the worktree's top, "" where the plan is
// no file of this repository.
func (a *app) taskRootOf(name string) (string, error) { return a.inRepo(name, taskRoot) }

// inRepo is what of makes of a plan's path, seen from the repository's top.
func (a *app) inRepo(name string, of func(file string) string) (string, error) {
	ok, err := a.openIfAny()
	if !ok || err != nil || name == "-" {
		return "", err
	}
	file, fromTop := fileOf(name)
	if !fromTop {
		return a.pathInRepo(of(absolute(file))), nil
	}
	if !filepath.IsLocal(file) {
		return "", nil
	}
	return filepath.ToSlash(of(filepath.Clean(file))), nil
}
