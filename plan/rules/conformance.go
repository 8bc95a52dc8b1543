package rules

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"git-okstra/plan"
)

// surfaces are the values of a requires-list.
var surfaces = []string{"db", "io", "http", "external"}

// checkConformance is S11.
func checkConformance(c *checker) {
	c.each(func(r *mapRow, s *section) {
		tests, exemptions := s.of(plan.ConformanceTests), s.of(plan.ConformanceExemption)
		switch {
		case len(tests)+len(exemptions) == 0:
			c.add(Finding{
				Code: "S11", Severity: Error, Stage: r.number, Pos: c.doc.Headings[s.heading].Pos,
				Message: fmt.Sprintf("stage %d has neither Conformance tests: nor Conformance exemption:", r.number),
				Hint:    "write one of the two lines",
			})
		case len(tests)+len(exemptions) > 1:
			second := slices.MaxFunc(append(tests, exemptions...), func(a, b plan.Token) int {
				if a.Pos.Before(b.Pos) {
					return -1
				}
				return 1
			})
			c.badDeclaration(r, second, "is one declaration too many", "keep one line: Conformance tests: or Conformance exemption:")
		case len(exemptions) == 1 && exemptions[0].Empty():
			c.badDeclaration(r, exemptions[0], "gives no reason", "say why the stage touches nothing that can be tested from outside")
		case len(tests) == 1:
			c.testsLine(r, tests[0])
		}
	})
}

func (c *checker) badDeclaration(r *mapRow, t plan.Token, wrong, hint string) {
	c.add(Finding{
		Code: "S11", Severity: Error, Stage: r.number, Pos: t.Pos, Hint: hint,
		Message: fmt.Sprintf("in stage %d the line %s: %s %s", r.number, t.Key, plan.Quote(t.Value), wrong),
	})
}

// testsLine judges "stage-1 — qa/scripts/stage-1.sh (requires=[db,http])".
func (c *checker) testsLine(r *mapRow, t plan.Token) {
	d := parseDeclaration(t.Value)
	if d.stage != r.number {
		c.badDeclaration(r, t, "does not begin with this stage's number", fmt.Sprintf("begin it with stage-%d", r.number))
	}
	if !c.scriptPath(d.script) {
		c.badDeclaration(r, t, "names no script below qa/scripts/", "write the path of the script, such as qa/scripts/stage-1.sh")
	}
	if d.broken || slices.ContainsFunc(d.requires, func(s string) bool { return !slices.Contains(surfaces, s) }) {
		c.badDeclaration(r, t, "requires something else than "+strings.Join(surfaces, ", "), "write (requires=[db,http]) with what the script needs of "+strings.Join(surfaces, ", "))
	}
}

// declaration is a parsed tests line.
type declaration struct {
	stage    plan.StageNumber // 0: none
	script   string
	requires []string
	broken   bool // something is required, and the list cannot be read
}

func parseDeclaration(value string) (d declaration) {
	head, list, found := strings.Cut(value, "requires=")
	if found {
		inner, rest, closed := strings.Cut(strings.TrimPrefix(list, "["), "]")
		d.broken = !closed || !strings.HasPrefix(list, "[") || strings.Trim(rest, ") .") != ""
		for item := range strings.SplitSeq(inner, ",") {
			if item = strings.TrimSpace(item); item != "" {
				d.requires = append(d.requires, item)
			}
		}
		head = strings.TrimRight(head, "( ")
	}
	fields := strings.FieldsFunc(head, func(r rune) bool { return strings.ContainsRune(" \t—–", r) })
	fields = slices.DeleteFunc(fields, func(s string) bool { return strings.Trim(s, "-") == "" })
	if len(fields) > 0 {
		number, _ := strings.CutPrefix(fields[0], "stage-")
		if number != fields[0] {
			d.stage = stageNumber(number)
		}
	}
	if len(fields) > 1 {
		d.script = fields[1]
	}
	return d
}

// scriptPath reports whether a script lies below qa/scripts/ of the repository
// or of the task root.
func (c *checker) scriptPath(script string) bool {
	const folder = "qa/scripts/"
	if path.Clean(script) != script {
		return false // a path that goes up, or is no plain one
	}
	if rest, ok := strings.CutPrefix(script, folder); ok {
		return rest != ""
	}
	if root := c.opts.TaskRoot; root != "" {
		rest, ok := strings.CutPrefix(script, path.Clean(root)+"/"+folder)
		return ok && rest != ""
	}
	c.rootless = true
	parts := strings.Split(script, "/")
	return len(parts) > 6 && parts[0] == ".okstra" && parts[1] == "tasks" && parts[4] == "qa" && parts[5] == "scripts"
}
