package rules

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"git-okstra/plan"
)

// The tests of this file are named after field reports and their kinds.

// sampleMap is what a plan may show as an example; counted, it would be a
// second map, stray rows, a section that no row lists and a token.
const sampleMap = "## 5.5 Stage Map\n\n| 9 | sample | (none) | 1 | x |\n\n## 5.5.9 Stage 9: sample\n\nCross-project parallelism: x\n\n### Stage Validation\n"

// hidden are the ways to show it without its counting.
var hidden = map[string]func(s string) string{
	"backtick fence":      func(s string) string { return "```\n" + s + "```\n" },
	"fence with a name":   func(s string) string { return "```markdown title=\"x\"\n" + s + "```\n" },
	"tilde fence":         func(s string) string { return "~~~\n" + s + "~~~\n" },
	"tildes and backtick": func(s string) string { return "~~~ `a`\n```\n" + s + "~~~\n" },
	"four backticks":      func(s string) string { return "````md\n```\n" + s + "```\n````\n" },
	"longer close":        func(s string) string { return "```\n" + s + "``````\n" },
	"indented fence":      func(s string) string { return "text\n\n   ```\n" + s + "   ```\n" }, // behind a list it would belong to it
	"fence in a list":     func(s string) string { return "- x\n\n  ```\n" + indent(s, "  ") + "  ```\n" },
	"fence in two lists":  func(s string) string { return "1. x\n   - y\n\n     ~~~\n" + indent(s, "     ") + "     ~~~\n" },
	"fence in a quote":    func(s string) string { return "> ```\n" + indent(s, "> ") + "> ```\n" },
	"indented code":       func(s string) string { return "text\n\n" + indent(s, "    ") },
	"tabbed code":         func(s string) string { return "text\n\n" + indent(s, "\t") },
	"comment":             func(s string) string { return "<!--\n" + s + "-->\n" },
	"comment on its line": func(s string) string { return "text <!-- a -->\n\n<!-- b\n" + s + "\n-->\n" },
	"quote":               func(s string) string { return indent(s, "> ") },
	"quote in a list":     func(s string) string { return "- x\n\n" + indent(s, "  > ") },
	"pre":                 func(s string) string { return "<pre>\n" + s + "</pre>\n" },
	"script":              func(s string) string { return "<script>\n" + s + "</script>\n" },
	"processing":          func(s string) string { return "<?x\n" + s + "?>\n" },
	"CDATA":               func(s string) string { return "<![CDATA[\n" + s + "]]>\n" },
}

func indent(s, with string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		b.WriteString(with + line)
	}
	return b.String()
}

func TestF2SampleMapsDoNotCount(t *testing.T) {
	places := map[string]string{
		"before the map": "## 5.5 Stage Map", "in the map's section": "\n## 5.5.1 Stage 1", "in a stage": "### Carry-In", "at the end": "## 9. Appendix",
	}
	for name, hide := range hidden {
		for place, at := range places {
			src := strings.Replace(three, at, "\n"+hide(sampleMap)+"\n"+at, 1)
			if r := check(src, Options{}); len(r.Findings) > 0 || len(r.Plan.Stages) != 3 {
				t.Errorf("%s, %s: %v", name, place, r.Findings)
			}
		}
	}
}

// TestF2UnclosedFence: code that never ends hides all that follows.
func TestF2UnclosedFence(t *testing.T) {
	for _, fence := range []string{"```\n", "~~~~\n~~~\n", "```\n````x\n"} {
		src := strings.Replace(three, "## 5.5 Stage Map", fence+"## 5.5 Stage Map", 1)
		if got := codes(check(src, Options{}).Findings); got != "P3 S1" {
			t.Errorf("%q: %s", fence, got)
		}
	}
	if r := check(three+"\n```\n"+sampleMap, Options{}); len(r.Findings) > 0 {
		t.Errorf("at the end: %v", r.Findings)
	}
}

// TestF6CommentsOfCodeAreNoHeadings: shell and C in a step's code block.
func TestF6CommentsOfCodeAreNoHeadings(t *testing.T) {
	code := "```sh\n# Stage 9\n## 5.5.2 Stage 2: t\n#define X\n#!/bin/sh\n```\n\n"
	if r := check(strings.Replace(three, "### Stage Exit Contract", code+"### Stage Exit Contract", 1), Options{}); len(r.Findings) > 0 {
		t.Errorf("%v", r.Findings)
	}
}

func TestF1Cells(t *testing.T) {
	row := func(title string) string { return fmt.Sprintf("| 2 | %s | (none) | 2 | f2.go |\n", title) }
	for _, tc := range []struct{ cell, title, want string }{
		{"a \\| b", "a | b", ""},
		{"`a \\| b`", "`a | b`", ""},
		{"``a \\| ` b``", "``a | ` b``", ""},
		{"**a \\| b**", "a | b", ""},
		{"a \\\\\\| b", "a \\\\| b", ""},
		{"[text][ref]", "text", ""},
		{"[text][ref] \\| [ref]", "text | ref", ""},
		{"![alt][ref]", "alt", ""},
		{"<b>a</b> &amp; b", "a & b", ""},
		{"a&#124;b", "a|b", ""},
		{"~~a~~", "a", ""},
		{"<!-- x -->a", "a", ""},
		{"a | b", "a", "S1 stage=0"},
		{"`a | b`", "a", "S1 stage=0"},
		{"a || b", "a", "S1 stage=0"},
		{"[a|b][ref]", "a", "S1 stage=0"},
	} {
		src := strings.Replace(three, row2, row(tc.cell), 1)
		src = strings.Replace(src, section2, "## 5.5.2 Stage 2: "+tc.title+"\n", 1) + "\n[ref]: https://example.org 'x'\n"
		r := check(src, Options{})
		if got := strings.Join(outline(r.Findings), " "); got != tc.want {
			t.Errorf("%q: %v", tc.cell, r.Findings)
		}
		for _, f := range r.Findings {
			if line := strings.Split(src, "\n")[f.Pos.Line-1] + "\n"; line != row(tc.cell) || f.Pos.Column != 1 {
				t.Errorf("%q: the finding stands at %v", tc.cell, f.Pos)
			}
		}
	}
}

// TestF3Forms: the same plan in every form gives the same findings and stages.
func TestF3Forms(t *testing.T) {
	for name, src := range map[string]string{"good": three, "bad": strings.Replace(three, acceptLine, "Acceptance: \t-\n", 1)} {
		want := check(src, Options{})
		lines := strings.SplitAfter(src, "\n")
		for i := range lines {
			if i%3 == 0 {
				lines[i] = strings.Replace(lines[i], "\n", "\r\n", 1)
			}
		}
		crlf := strings.ReplaceAll(src, "\n", "\r\n")
		for form, s := range map[string]string{
			"CRLF": crlf, "BOM": "\ufeff" + src, "BOM+CRLF": "\ufeff" + crlf, "mixed": strings.Join(lines, ""),
			"CR": strings.ReplaceAll(src, "\n", "\r"), "no last line end": strings.TrimRight(src, "\n"), "trailing blanks": src + "\n \n\t\n",
		} {
			got := check(s, Options{})
			if !slices.Equal(got.Findings, want.Findings) || fmt.Sprint(got.Plan) != fmt.Sprint(want.Plan) {
				t.Errorf("%s as %s: %v, want %v", name, form, got.Findings, want.Findings)
			}
		}
	}
}

// TestF4MergedNumbers: two branches added a stage 3 each; both lines are named.
func TestF4MergedNumbers(t *testing.T) {
	src := strings.Replace(three, row3, row3+strings.Replace(row3, "| t |", "| u |", 1), 1)
	src = strings.Replace(src, appendix, section3+appendix, 1)
	r := check(src, Options{})
	line := func(s string, n int) int {
		at := -1
		for range n {
			at += 1 + strings.Index(src[at+1:], s)
		}
		return strings.Count(src[:at], "\n") + 1
	}
	want := map[string][2]int{"S2": {line("| 3 |", 1), line("| 3 |", 2)}, "S3": {line(section3, 1), line(section3, 2)}}
	for code, lines := range want {
		found := slices.ContainsFunc(r.Findings, func(f Finding) bool {
			return f.Code == code && f.Pos.Line == lines[1] && strings.Contains(f.Message, fmt.Sprintf("line %d", lines[0]))
		})
		if !found {
			t.Errorf("no %s names the lines %v: %v", code, lines, r.Findings)
		}
	}
	if got := codes(r.Findings); got != "S2 S3" {
		t.Error(got)
	}
}

var kindEdits = []edit{
	{"setext map", "## 5.5 Stage Map\n", "5.5 Stage\nMap\n---\n", ""},
	{"setext stage", section2, "5.5.2 Stage 2: t\n----------------\n", ""},
	{"setext of level 1", section2, "5.5.2 Stage 2: t\n================\n", "S3 stage=2"},
	{"closed heading", section2, "## 5.5.2 Stage 2: t ##\n", ""},
	{"tabs in a heading", section2, "##\t5.5.2 Stage 2:\tt\n", ""},
	{"indented heading", section2, "text\n\n   ## 5.5.2 Stage 2: t\n", ""},
	{"indented heading of a list", section2, "   ## 5.5.2 Stage 2: t\n", "S3 stage=2,S11 stage=1"},
	{"too far indented", section2, "    ## 5.5.2 Stage 2: t\n", "S3 stage=2,S11 stage=1"},
	{"heading without a space", section2, "##5.5.2 Stage 2: t\n", "S3 stage=2,S11 stage=1"},
	{"heading in a list", section2, "- ## 5.5.2 Stage 2: t\n\n", "S3 stage=2,S11 stage=1"},
	{"level 4 part", "### Stage Exit Contract", "#### Stage Exit Contract", "S4 stage=1"},
	{"level 2 part", "### Stage Validation", "## Stage Validation", "S4 stage=1"},
	{"part twice", "### Carry-In", "### Carry-In\n\n### Carry-In", ""},
	{"steps twice: the first counts", "### Stage Exit Contract", "### Stepwise Execution Order\n\n| a | b |\n|--|--|\n| 1 | c |\n\n### Stage Exit Contract", ""},
	{"map without a divider", "|--|--|--|--|--|\n", "", "S1 stage=0"},
	{"map with a short divider", "|--|--|--|--|--|\n", "|--|--|--|--|\n", "S1 stage=0"},
	{"map with an aligned divider", "|--|--|--|--|--|\n", "|:-|:-:|-:|---|-|\n", ""},
	{"steps without a divider", "| step | action |\n|--|--|\n", "| step | action |\n", "S7 stage=1,S10c stage=1"},
	{"map in a list", "| stage |", "- | stage |", "S1 stage=0"},
	{"map in a quote", mapHead, "> | stage | title | depends-on | step-count | exit |\n> |--|--|--|--|--|\n", "S1 stage=0"},
	{"indented map", "| stage | title", "   | stage | title", ""},
	{"row lost behind a comment", row3, "<!-- x -->\n" + row3, "S1 stage=0"},
	{"row lost behind a heading", row3, "### More\n\n" + row3, "S1 stage=0"},
	{"row lost behind a rule", row3, "\n***\n\n" + row3, "S1 stage=0"},
	{"row lost in a list", row3, "\n- more\n\n  " + row3, "S1 stage=0"},
	{"number with leading zero", "| 2 | t |", "| 02 | t |", ""},
	{"wide digits are no number", "| 2 | t |", "| ２ | t |", "S2 stage=0,S3 stage=2,S6 stage=3"},
	{"emphasised token with colon outside", sliceLine, "***Slice value***: v\n", ""},
	{"token in a link", sliceLine, "[Slice value](x): v\n", ""},
	{"token after text", sliceLine, "The Slice value: v\n", "S10a stage=1"},
	{"token with a full-width colon", sliceLine, "Slice value： v\n", "S10a stage=1"},
	{"token in a task list", sliceLine, "- [x] Slice value: v\n", "S10a stage=1"},
	{"token in a deep list", sliceLine, "- a\n  - b\n    - Slice value: v\n\n", ""},
	{"token with tags", sliceLine, "<b>Slice value:</b> v\n", ""},
	{"token in an HTML block", sliceLine, "<p>Slice value: v</p>\n\n", "S10a stage=1"},
}

func TestKinds(t *testing.T) { tryEdits(t, kindEdits, Options{}) }

func TestTinyPlans(t *testing.T) {
	for name, tc := range map[string]struct{ src, want string }{
		"empty":             {"", "P3 P5 S1"},
		"BOM only":          {"\ufeff", "P3 P5 S1"},
		"one line":          {"# plan", "P3 P5 S1"},
		"one line of map":   {"## 5.5 Stage Map", "P3 P5 S1"},
		"blank":             {" \n\t\n", "P3 P5 S1"},
		"front matter only": {"---\ntask: x\n---", "P3 P5 S1"},
		"fence only":        {"---", "P2 P3 P5 S1"},
		"CR":                {"\r", "P3 P5 S1"},
		"NUL":               {"\x00", "P1"},
	} {
		r := check(tc.src, Options{})
		if got := codes(r.Findings); got != tc.want || r.OK() || r.Plan != nil {
			t.Errorf("%s: %s", name, got)
		}
		for _, f := range r.Findings {
			if f.Code != "P1" && f.Pos != (plan.Position{Line: 1, Column: 1}) && tc.src != "## 5.5 Stage Map" {
				t.Errorf("%s: %s at %v", name, f.Code, f.Pos)
			}
		}
	}
}

func TestFrontMatterKinds(t *testing.T) {
	for name, tc := range map[string]struct{ front, want string }{
		"anchor":             {"group: &g checkout\ntask: *g", ""},
		"anchor of a map":    {"x: &x {a: 1}\ntask: y", ""},
		"merge key":          {"x: &x {task: a}\n<<: *x", ""},
		"date as task":       {"task: 2024-05-01", ""},
		"time in another":    {"when: 2024-05-01T10:00:00Z\ntask: x", ""},
		"duplicate known":    {"task: a\ntask: b", "P2"},
		"duplicate unknown":  {"x: a\nx: b", "P2"},
		"date as approved":   {"approved: 2024-05-01", "P2"},
		"list as category":   {"category: [feature]", "P2"},
		"category in Korean": {"category: 기능", "P2"},
		"Korean values":      {"project: 상점\ngroup: '주문 취소'\ntask: \"결제-1\"", ""},
		"tab":                {"task:\tx", ""},
		"comment":            {"# okstra: 0.1\ntask: x # y", ""},
		"not closed quote":   {"task: 'x", "P2"},
	} {
		if got := codes(check("---\n"+tc.front+"\n---\n"+three, Options{}).Findings); got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
}
