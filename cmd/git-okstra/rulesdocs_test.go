package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"git-okstra/plan"
	"git-okstra/plan/rules"
)

// TestRulesPage holds docs/rules.md to the rules and what they say of themselves.
func TestRulesPage(t *testing.T) {
	t.Parallel()
	const page = "../../docs/rules.md"
	got := rulesPage(t)
	if *update {
		if err := os.WriteFile(page, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(page)
	if err != nil || string(want) != got {
		t.Errorf("docs/rules.md is not what the rules say (%v): go test ./cmd/git-okstra -run TestRulesPage -update", err)
	}
}

func rulesPage(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("# Rules of plans\n\n" +
		"<!-- made by go test ./cmd/git-okstra -run TestRulesPage -update -->\n\n" +
		"`git okstra plan rules` prints the table, `git okstra plan explain CODE` one rule. An error rejects a plan, a warning does not, unless with\n" +
		"`--strict`. How a plan is written is in [the plan format](plan-format.md). Which surfaces a change touches is told by other rules:\n" +
		"[surfaces](surfaces.md).\n\n")
	seen := []string{}
	b.WriteString("| rule | severity | in force | broken when | because |\n|---|---|---|---|---|\n")
	for _, r := range rules.Table() {
		fmt.Fprintf(&b, "| [%s](#%s) | %s | %s | %s | %s |\n", r.Code, strings.ToLower(r.Code), r.Severity, cell(inForce(r.Constraint)), r.Title, r.Reason)
		if !slices.Contains(seen, r.Code) {
			seen = append(seen, r.Code)
		}
	}
	fmt.Fprintf(&b, "\n*In force* is about okstra's releases. The release is that of `--ruleset`, else of the front matter (`okstra: %s`), else of the setting\n"+
		"`okstra.ruleset`, else %s, the newest. What else differs:\n\n| what | in force | is |\n|---|---|---|\n", rules.Newest, rules.Newest)
	for _, v := range rules.Variants() {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", v.What, cell(v.Constraint), v.Value)
	}
	for _, code := range seen {
		ruleSection(t, &b, code)
	}
	return b.String()
}

// ruleSection writes one rule: its lines of the table, why it is there, and both examples.
func ruleSection(t *testing.T, b *strings.Builder, code string) {
	t.Helper()
	fmt.Fprintf(b, "\n## %s\n\n", code)
	for _, r := range rules.Table() {
		if r.Code == code {
			fmt.Fprintf(b, "- **%s**, %s: %s\n", r.Severity, cell(inForce(r.Constraint)), r.Title)
		}
	}
	e, ok := rules.Explain(code)
	if !ok {
		t.Fatalf("%s is not explained", code)
	}
	found := rules.Check(plan.Parse([]byte(e.Failing.Plan)), e.Failing.Options).Findings
	i := slices.IndexFunc(found, func(f rules.Finding) bool { return f.Code == code })
	if i < 0 {
		t.Fatalf("the failing example of %s passes", code)
	}
	fmt.Fprintf(b, "\n%s\n\nFails:\n\n%s\nbecause:\n\n%s\nPasses:\n\n%s", wrap(e.Why, 140), fenced(e.Failing.Excerpt),
		fenced(code+" "+found[i].Message+"\nhint: "+found[i].Hint), fenced(e.Passing.Excerpt))
}

// cell is a constraint as a code of a table; a word stays a word.
func cell(constraint string) string {
	if constraint == "always" {
		return constraint
	}
	return "`" + constraint + "`"
}

// fenced sets an excerpt as a block with a fence that does not stand in it.
func fenced(excerpt string) string {
	fence := "```"
	for strings.Contains(excerpt, fence) {
		fence += "`"
	}
	var b strings.Builder
	for line := range strings.Lines(excerpt + "\n") {
		b.WriteString(plan.Printable(strings.TrimSuffix(line, "\n")) + "\n")
	}
	return fence + "text\n" + b.String() + fence + "\n"
}
