package main

import (
	"fmt"
	"strings"

	"git-okstra/gitops"
	"git-okstra/internal/conform"
	"git-okstra/internal/report"
	"git-okstra/plan"
)

type conformRulesCmd struct {
	Surface string `help:"Only rules of this surface." enum:"db,io,http,external," default:"" placeholder:"SURFACE"`
}

// surfaceRuleJSON is a rule in okstra.conform-rules/v1 and okstra.conform-explain/v1.
type surfaceRuleJSON struct {
	ID        string   `json:"id"`
	Surface   string   `json:"surface"`
	Kind      string   `json:"kind"`
	Languages []string `json:"languages"` // none for all
	Doc       string   `json:"doc"`
}

func surfaceRule(r conform.Rule) surfaceRuleJSON {
	return surfaceRuleJSON{r.ID, string(r.Surface), r.Kind, orEmpty(r.Languages), r.Doc}
}

// conformRulesJSON is okstra.conform-rules/v1.
type conformRulesJSON struct {
	Schema string            `json:"schema"`
	Rules  []surfaceRuleJSON `json:"rules"`
}

// Run prints the rules, the repository's own among them.
func (c *conformRulesCmd) Run(a *app) error {
	rules, err := a.surfaces(gitops.DiffSides{})
	if err != nil {
		return conformError(err)
	}
	out := conformRulesJSON{"okstra.conform-rules/v1", []surfaceRuleJSON{}}
	rows := [][]string{{"rule", "surface", "kind", "languages", "what"}}
	for _, r := range rules.List {
		if c.Surface != "" && c.Surface != string(r.Surface) {
			continue
		}
		out.Rules = append(out.Rules, surfaceRule(r))
		rows = append(rows, []string{r.ID, string(r.Surface), r.Kind, languagesOf(r), r.Doc})
	}
	if a.flags.JSON {
		writeJSON(a.std.out, out)
		return nil
	}
	a.print("%s", report.Table(rows))
	return nil
}

// languagesOf names the languages of a rule.
func languagesOf(r conform.Rule) string {
	if len(r.Languages) == 0 {
		return "all"
	}
	if len(r.Languages) > 2 {
		return fmt.Sprintf("%s and %d others", r.Languages[0], len(r.Languages)-1)
	}
	return strings.Join(r.Languages, ", ")
}

type conformExplainCmd struct {
	Rule string `arg:"" help:"A rule's id, such as go-db-driver." placeholder:"RULE"`
}

// conformExplainJSON is okstra.conform-explain/v1.
type conformExplainJSON struct {
	Schema  string   `json:"schema"`
	Modules []string `json:"modules"` // what may be imported, by the beginning of the name
	Pattern string   `json:"pattern"` // RE2, "" where there is none
	Unless  string   `json:"unless"`
	Paths   []string `json:"paths"`
	Yes     []string `json:"yes"` // examples that it finds
	No      []string `json:"no"`  // and that it does not
	surfaceRuleJSON
}

// Run explains a rule by its examples, which the tests hold it to.
func (c *conformExplainCmd) Run(a *app) error {
	rules, err := a.surfaces(gitops.DiffSides{})
	if err != nil {
		return conformError(err)
	}
	r, ok := rules.Find(c.Rule)
	if !ok {
		return &commandError{code: exitUsage, message: fmt.Sprintf("there is no rule %q", c.Rule), hints: []string{"see: git okstra conform rules"}}
	}
	if a.flags.JSON {
		writeJSON(a.std.out, conformExplainJSON{
			"okstra.conform-explain/v1", orEmpty(r.Modules), r.Pattern, r.Unless, orEmpty(r.Paths), orEmpty(r.Yes), orEmpty(r.No), surfaceRule(r),
		})
		return nil
	}
	languages := strings.Join(r.Languages, ", ")
	a.print("%s (%s, %s, %s)\n\n%s\n", r.ID, r.Surface, r.Kind, firstNonEmpty(languages, "all languages"), wrap(plan.Printable(r.Doc), 80))
	for _, part := range []struct {
		title string
		lines []string
	}{
		{"touches", r.Yes},
		{"does not touch", r.No},
		{"modules", r.Modules},
		{"paths", r.Paths},
		{"pattern (RE2)", nonEmpty(r.Pattern)},
		{"not where", nonEmpty(r.Unless)},
	} {
		if len(part.lines) > 0 {
			a.print("\n%s:\n\n%s", part.title, indent(strings.ReplaceAll(strings.Join(part.lines, "\n"), "\t", "    ")))
		}
	}
	return nil
}

func nonEmpty(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}
