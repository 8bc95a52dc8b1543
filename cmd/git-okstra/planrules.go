package main

import (
	"fmt"
	"strings"

	"git-okstra/internal/report"
	"git-okstra/plan"
	"git-okstra/plan/rules"
)

type planRulesCmd struct {
	Ruleset string `help:"Only the rules that are in force in this okstra release." placeholder:"VERSION"`
}

// rulesJSON is okstra.plan-rules/v1.
type rulesJSON struct {
	Schema   string        `json:"schema"`
	Newest   string        `json:"newest"` // the release that judges plans which name none
	Rules    []ruleJSON    `json:"rules"`
	Variants []variantJSON `json:"variants"`
}

type ruleJSON struct {
	Code       string `json:"code"`
	Severity   string `json:"severity"`
	Constraint string `json:"constraint"`
	Title      string `json:"title"`
	Reason     string `json:"reason"`
}

type variantJSON struct {
	What       string `json:"what"`
	Constraint string `json:"constraint"`
	Value      string `json:"value"`
}

// Run prints the table of rules.
func (c *planRulesCmd) Run(a *app) error {
	out := rulesJSON{Schema: "okstra.plan-rules/v1", Newest: rules.Newest, Rules: []ruleJSON{}, Variants: []variantJSON{}}
	rows := [][]string{{"rule", "severity", "in force", "broken when", "because"}}
	for _, r := range rules.Table() {
		if c.Ruleset != "" {
			in, err := r.InForce(c.Ruleset)
			if err != nil {
				return &commandError{code: exitUsage, message: err.Error(), hints: []string{"write a release of okstra with three numbers, such as " + rules.Newest}}
			}
			if !in {
				continue
			}
		}
		out.Rules = append(out.Rules, ruleJSON{r.Code, string(r.Severity), r.Constraint, r.Title, r.Reason})
		rows = append(rows, []string{r.Code, string(r.Severity), inForce(r.Constraint), r.Title, r.Reason})
	}
	variants := [][]string{}
	for _, v := range rules.Variants() {
		out.Variants = append(out.Variants, variantJSON{v.What, v.Constraint, v.Value})
		variants = append(variants, []string{v.What, v.Constraint, v.Value})
	}
	if a.flags.JSON {
		writeJSON(a.std.out, out)
		return nil
	}
	a.print("%s\n%s\nA plan names its release in the front matter (okstra: %s); one that names none is judged by %s.\n",
		report.Table(rows), report.Table(variants), rules.Newest, rules.Newest)
	return nil
}

// inForce writes the constraint that every release fulfils as a word.
func inForce(constraint string) string {
	if constraint == ">=0.0.0" {
		return "always"
	}
	return constraint
}

type planExplainCmd struct {
	Code string `arg:"" help:"A rule's code, such as S9." placeholder:"CODE"`
}

// explainJSON is okstra.plan-explain/v1.
type explainJSON struct {
	Schema  string     `json:"schema"`
	Code    string     `json:"code"`
	Rules   []ruleJSON `json:"rules"` // the lines of the table with this code
	Why     string     `json:"why"`
	Failing string     `json:"failing"`
	Passing string     `json:"passing"`
	Finding string     `json:"finding"` // what the failing example is told
	Hint    string     `json:"hint"`
}

// Run explains one rule; the examples are plans that really fail and pass.
func (c *planExplainCmd) Run(a *app) error {
	e, ok := rules.Explain(c.Code)
	if !ok {
		return &commandError{
			code: exitUsage, message: fmt.Sprintf("there is no rule %q", c.Code),
			hints: []string{"the rules are: " + strings.Join(ruleCodes(), " "), "see: git okstra plan rules"},
		}
	}
	out := explainJSON{Schema: "okstra.plan-explain/v1", Code: e.Code, Why: e.Why, Failing: e.Failing.Excerpt, Passing: e.Passing.Excerpt}
	for _, r := range rules.Table() {
		if r.Code == e.Code {
			out.Rules = append(out.Rules, ruleJSON{r.Code, string(r.Severity), r.Constraint, r.Title, r.Reason})
		}
	}
	for _, f := range rules.Check(plan.Parse([]byte(e.Failing.Plan)), e.Failing.Options).Findings {
		if f.Code == e.Code {
			out.Finding, out.Hint = f.Message, f.Hint
			break
		}
	}
	if a.flags.JSON {
		writeJSON(a.std.out, out)
		return nil
	}
	for _, r := range out.Rules {
		a.print("%s (%s, %s): %s\n", r.Code, r.Severity, inForce(r.Constraint), r.Title)
	}
	a.print("\n%s\n\nfails:\n\n%s\n  %s %s\n  hint: %s\n\npasses:\n\n%s", wrap(e.Why, 80), indent(out.Failing), e.Code, out.Finding, out.Hint, indent(out.Passing))
	return nil
}

func ruleCodes() []string {
	var out []string
	for _, r := range rules.Table() {
		if len(out) == 0 || out[len(out)-1] != r.Code {
			out = append(out, r.Code)
		}
	}
	return out
}

// indent sets an excerpt off by four spaces.
func indent(s string) string {
	var b strings.Builder
	for _, line := range strings.Split(s, "\n") {
		b.WriteString(strings.TrimRight("    "+plan.Printable(line), " ") + "\n")
	}
	return b.String()
}

// wrap breaks our own prose into lines of at most width columns.
func wrap(s string, width int) string {
	var b strings.Builder
	column := 0
	for i, word := range strings.Fields(s) {
		switch {
		case i == 0:
		case column+1+len(word) > width:
			b.WriteByte('\n')
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String()
}
