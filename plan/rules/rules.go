// Package rules judges a plan by the rules of an okstra release.
//
// [Check] chooses the release, runs every rule that is in force there and
// gives all findings of one run, sorted by position. Each rule is one small
// function in the table of table.go; a new one is one more line there. This is
// the only package that knows semver.
package rules

import (
	"cmp"
	"fmt"
	"slices"

	"git-okstra/plan"
)

// Severity says what a finding does to a plan.
type Severity string

// An error rejects a plan; a warning does so only under Options.Strict.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
)

// Finding is one broken rule at one place.
type Finding struct {
	Code     string // of the rule, such as "S9"
	Severity Severity
	Stage    plan.StageNumber // 0: the whole plan
	Pos      plan.Position
	Message  string // one sentence, foreign text quoted by plan.Quote
	Hint     string // how to mend it
}

// Options say how to judge.
type Options struct {
	Ruleset       string // from --ruleset; "" asks the front matter
	ConfigRuleset string // from the git config okstra.ruleset; asked last
	Strict        bool   // warnings reject too
	Approval      bool   // the plan is about to be approved: open questions reject it

	// TaskRoot is the task's folder in the repository, "" if the plan's place is
	// not known: conformance scripts may lie below it.
	TaskRoot string
	// ProjectRoots are the folders of the projects by name, from the git config
	// okstra.project.<name>.root; with none P9 has nothing to say.
	ProjectRoots map[string]string
}

// Result is the outcome of a check.
type Result struct {
	Ruleset  string // the okstra release that judged, as it was written
	Findings []Finding
	Plan     *plan.Plan // nil if the stage rules could not run
	// Rootless: S11 would have judged by Options.TaskRoot, and there was none.
	Rootless bool

	strict bool
}

// OK reports whether the plan is accepted.
func (r Result) OK() bool {
	for _, f := range r.Findings {
		if f.Severity == Error || r.strict {
			return false
		}
	}
	return true
}

// maxFindings is how many findings of one code and severity a run lists. A
// plan with more has one mistake, not thousands.
const maxFindings = 10_000

// checker is the state of one check, shared by the rules.
type checker struct {
	doc      *plan.Document
	opts     Options
	rules    ruleset
	findings []Finding
	counts   map[string]int
	rootless bool

	verification verification
	questions    []question

	stages   *stageMap // nil until S1 has found a usable map
	sections []section
	graph    *graph
}

// Check judges a document. The same document and options give the same result.
func Check(doc *plan.Document, opts Options) Result {
	c := &checker{doc: doc, opts: opts, counts: map[string]int{}}
	c.rules = c.chooseRuleset()
	if unreadable(doc) {
		c.findings = nil
		c.problems(plan.CodeUnreadable)
	} else {
		c.run()
	}
	c.sortFindings()
	return Result{Ruleset: c.rules.name, Findings: c.findings, Plan: c.plan(), Rootless: c.rootless, strict: opts.Strict}
}

func unreadable(doc *plan.Document) bool {
	return len(doc.Problems) > 0 && doc.Problems[0].Code == plan.CodeUnreadable
}

// run applies the table, the rules about stages last: they need a map, and
// once S1 has spoken there is none.
func (c *checker) run() {
	c.readVerification()
	c.readQuestions()
	for _, aboutStages := range []bool{false, true} {
		for _, r := range table {
			if r.stages == aboutStages && c.rules.inForce(r) && (!aboutStages || c.stages != nil) {
				r.run(c)
			}
		}
	}
}

// problems reports what Parse found.
func (c *checker) problems(code string) {
	for _, p := range c.doc.Problems {
		if p.Code == code {
			c.add(Finding{Code: code, Severity: Error, Pos: p.Pos, Message: p.Message, Hint: p.Hint})
		}
	}
}

// capped reports whether no more errors of the code are taken: loops over what
// a hostile plan has millions of stop there.
func (c *checker) capped(code string) bool {
	return c.counts[code+string(Error)] > maxFindings
}

func (c *checker) add(f Finding) {
	key := f.Code + string(f.Severity)
	c.counts[key]++
	switch n := c.counts[key]; {
	case n <= maxFindings:
		c.findings = append(c.findings, f)
	case n == maxFindings+1:
		c.findings = append(c.findings, Finding{
			Code: f.Code, Severity: f.Severity, Pos: f.Pos,
			Message: fmt.Sprintf("%s is broken more than %d times; the rest is not listed", f.Code, maxFindings),
			Hint:    "mend the first ones and check again",
		})
	}
}

func (c *checker) sortFindings() {
	slices.SortStableFunc(c.findings, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Column, b.Pos.Column),
			cmp.Compare(a.Code, b.Code), cmp.Compare(a.Severity, b.Severity),
			cmp.Compare(a.Stage, b.Stage), cmp.Compare(a.Message, b.Message),
		)
	})
}
