package rules

import (
	"slices"
	"strings"
	"testing"
)

// edit is a change to a good plan and the findings it must cause.
type edit struct {
	name     string
	old, new string // the first occurrence is replaced; "" as old: new is all
	want     string // findings, comma-separated
}

// three is a plan of three stages: 3 depends on 1 and 2.
var three = stages("(none)", "(none)", "1, 2")

const (
	row2     = "| 2 | t | (none) | 2 | f2.go |\n"
	row3     = "| 3 | t | 1, 2 | 2 | f3.go |\n"
	section2 = "## 5.5.2 Stage 2: t\n"
	section3 = "## 5.5.3 Stage 3: t\n"
	contract = "- `f2.go`\n"
)

var edits = []edit{
	{"good", "", three, ""},

	{"S1 no heading", "## 5.5 Stage Map", "## 5.5 Stages", "P3 stage=0,S1 stage=0"},
	{"S1 level 3", "## 5.5 Stage Map", "### 5.5 Stage Map", "S1 stage=0"},
	{"S1 old number", "## 5.5 Stage Map", "## 4.5 Stage Map", "S1 stage=0"},
	{"S1 longer word", "## 5.5 Stage Map", "## 5.5 Stage Mapping", "S1 stage=0"},
	{"S1 gloss is fine", "## 5.5 Stage Map", "## 5.5 Stage Map (단계 지도)", ""},
	{"S1 emphasis is fine", "## 5.5 Stage Map", "## **5.5 Stage Map**", ""},
	{"S1 setext is fine", "## 5.5 Stage Map", "5.5 Stage Map\n---", ""},
	{"S1 in a fence", "## 5.5 Stage Map\n\n", "```\n## 5.5 Stage Map\n```\n\n", "P3 stage=0,S1 stage=0"},
	{"S1 second map", "## 9. Appendix", "## 5.5 Stage Map\n\n## 9. Appendix", "S1 stage=0"},
	{"S1 no delimiter row", "|--|--|--|--|--|\n", "", "S1 stage=0"},
	{"S1 no rows", "| 1 | t | (none) | 2 | f1.go |\n" + row2 + row3, "", "S1 stage=0"},
	{"S1 blank line in the map", row3, "\n" + row3, "S1 stage=0"},
	{"S1 stray row before the table", "| stage |", "| 7 | x |\n\n| stage |", "S1 stage=0"},
	{"S1 stray row in a list", row3, row3 + "\n- see\n\n  | 4 | x | 1 | 2 | y |\n", "S1 stage=0"},
	{"S1 second table", row3, row3 + "\n| n | x |\n|--|--|\n| 4 | y |\n", "S1 stage=0"},
	{"S1 second table without numbers", row3, row3 + "\n| n | x |\n|--|--|\n| a | y |\n", ""},
	{"S1 stray row in code", row3, row3 + "\n```\n| 4 | x |\n```\n", ""},
	{"S1 stray row in a comment", row3, row3 + "\n<!--\n| 4 | x |\n-->\n", ""},
	{"S1 stray row in an indented block", row3, row3 + "\n    | 4 | x |\n", ""},
	{"S1 stray row in HTML", row3, row3 + "\n<div>\n| 4 | x |\n</div>\n", ""},
	{"S1 six cells", row2, "| 2 | a `x|y` | (none) | 2 | f2.go |\n", "S1 stage=0"},
	{"S1 four cells", row2, "| 2 | t | (none) | 2 |\n", "S1 stage=0"},
	{"S1 two broken rows", row2 + row3, "| 2 |\n| 3 |\n", "S1 stage=0,S1 stage=0"},
	{"S1 header of four", "depends-on | step-count |", "depends-on |", "S1 stage=0"},
	{"S1 header of six", "| exit-contract-summary |\n|--|", "| exit-contract-summary | more |\n|--|--|", "S1 stage=0"},
	{"S1 text around the map is fine", "| stage |", "Some words.\n\n| stage |", ""},
	{"S1 no outer pipes", row2, "2 | t | (none) | 2 | f2.go\n", ""},

	{"S2 letter", "| 2 | t |", "| two | t |", "S2 stage=0,S3 stage=2,S6 stage=3"},
	{"S2 bold is a number", "| 2 | t |", "| **2** | t |", ""},
	{"S2 duplicate", row3, "| 2 | t | 1 | 2 | f3.go |\n", "S2 stage=2,S3 stage=3"},

	{"S3 no section", section2, "## 5.5.2 Step 2: t\n", "S3 stage=2"},
	{"S3 level 3", section2, "#" + section2, "S3 stage=2,S11 stage=1"},
	{"S3 level 3, the first", "## 5.5.1 Stage 1: t\n", "### 5.5.1 Stage 1: t\n", "S3 stage=1"},
	{"S3 old number", section2, "## 4.5.2 Stage 2: t\n", "S3 stage=2"},
	{"S3 no colon", section2, "## 5.5.2 Stage 2 t\n", "S3 stage=2"},
	{"S3 numbers differ", section2, "## 5.5.2 Stage 3: t\n", "S3 stage=2,S3 stage=3"},
	{"S3 numbers differ, own stage", section2, "## 5.5.9 Stage 2: t\n", "S3 stage=2"},
	{"S3 not listed", "## 9. Appendix", "## 5.5.4 Stage 4: u\n\n## 9. Appendix", "S3 stage=4"},
	{"S3 twice", "## 9. Appendix", "## 5.5.2 Stage 2: t\n\n## 9. Appendix", "S3 stage=2"},
	{"S3 section in a comment", section2, "<!--\n" + section2 + "-->\n", "S3 stage=2,S11 stage=1"},
	{"S3 title", section2, "## 5.5.2 Stage 2: other\n", "~S3 stage=2"},
	{"S3 title in other markup", section2, "## 5.5.2 Stage 2:   **t**\n", ""},

	{"S4 one", "### Carry-In", "### Carried", "S4 stage=1"},
	{"S4 level", "### Stage Validation", "#### Stage Validation", "S4 stage=1"},
	{"S4 gloss is fine", "### Stage Validation", "### Stage Validation (검증)", ""},
	{"S4 all", "### Carry-In\n", "## 8. Break\n\n### Carry-In\n", "S4 stage=1,S4 stage=1,S4 stage=1,S4 stage=1,S7 stage=1,S10c stage=1"},
	{"S4 steps", "### Stepwise Execution Order", "### Steps", "S4 stage=1,S7 stage=1,S10c stage=1"},

	{"S6 prose", "| 1, 2 |", "| stage 1 |", "S6 stage=3"},
	{"S6 and", "| 1, 2 |", "| 1 and 2 |", "S6 stage=3"},
	{"S6 comma at the end", "| 1, 2 |", "| 1, |", "S6 stage=3"},
	{"S6 none without parentheses", "| 1, 2 |", "| none |", "S6 stage=3"},
	{"S6 unknown", "| 1, 2 |", "| 1, 7, 8 |", "S6 stage=3,S6 stage=3"},
	{"S6 zero", "| 1, 2 |", "| 0 |", "S6 stage=3"},
	{"S6 negative", "| 1, 2 |", "| -1 |", "S6 stage=3"},
	{"S6 empty is fine", "| 1, 2 |", "| |", ""},
	{"S6 no spaces is fine", "| 1, 2 |", "|1,2|", ""},
	{"S6 repeated is fine", "| 1, 2 |", "| 1, 1, 2 |", ""},

	{"S7 differs", "| (none) | 2 |", "| (none) | 3 |", "S7 stage=1"},
	{"S7 word", "| (none) | 2 |", "| (none) | two |", "S7 stage=1"},
	{"S7 unit", "| (none) | 2 |", "| (none) | 2 steps |", "S7 stage=1"},
	{"S7 fraction", "| (none) | 2 |", "| (none) | 2.0 |", "S7 stage=1"},
	{"S7 empty", "| (none) | 2 |", "| (none) | |", "S7 stage=1"},
	{"S7 huge", "| (none) | 2 |", "| (none) | 99999999999999999999 |", "S7 stage=1"},
	{"S7 empty rows do not count", "| 2 | GREEN: code |\n", "| 2 | GREEN: code |\n| | |\n| <!-- x --> | |\n", ""},
	{"S7 second table does not count", "| 2 | GREEN: code |\n", "| 2 | GREEN: code |\n\n| a |\n|--|\n| b |\n", ""},
	{"S7 table after the subsection", "| step | action |\n|--|--|\n", "### Other\n\n| step | action |\n|--|--|\n", "S7 stage=1,S10c stage=1"},
	{"S7 table under a level-4 heading", "| step | action |\n|--|--|\n", "#### Table\n\n| step | action |\n|--|--|\n", ""},

	{"S8 self", "| 1, 2 |", "| 1, 3 |", "S8 stage=3"},
	{"S8 two", row2, "| 2 | t | 3 | 2 | f2.go |\n", "S8 stage=0"},
	{"S8 unknown is S6 alone", row2, "| 2 | t | 9 | 2 | f2.go |\n", "S6 stage=2"},

	{"S9 independent", contract, "- `f1.go`\n", "S9 stage=0"},
	{"S9 bare and in code", contract, "- see ./f1.go:12.\n", "S9 stage=0"},
	{"S9 two files, one pair", "- `f1.go`\n", "- `f1.go`\n- `f2.go`\n- a/x.go\n", "S9 stage=0"},
	{"S9 ordered", "- `f3.go`\n", "- `f1.go`, `f2.go`\n", ""},
	{"S9 outside", "- `f3.go`\n", "- `../f3.go`\n", "~S9 stage=3"},
	{"S9 outside is no file", "- `f3.go`\n", "- `../f3.go`\n- `../f3.go`\n", "~S9 stage=3,~S9 stage=3"},
	{"S9 other sections do not count", "### Stage Validation", "### Notes\n\n- `f2.go`\n\n### Stage Validation", ""},
	{"S9 unreadable dependencies", row2, "| 2 | t | first | 2 | f2.go |\n", "S6 stage=2"},
}

func TestEdits(t *testing.T) { tryEdits(t, edits, Options{}) }

// tryEdits makes each change to the plan three and compares the findings.
func tryEdits(t *testing.T, edits []edit, opts Options) {
	t.Helper()
	for _, e := range edits {
		t.Run(e.name, func(t *testing.T) {
			src := e.new
			if e.old != "" {
				if src = strings.Replace(three, e.old, e.new, 1); src == three {
					t.Fatalf("%q is not in the plan", e.old)
				}
			}
			want := []string{}
			if e.want != "" {
				want = strings.Split(e.want, ",")
			}
			slices.Sort(want)
			r := check(src, opts)
			if got := outline(r.Findings); !slices.Equal(got, want) {
				t.Errorf("findings %v, want %v\n%+v", got, want, r.Findings)
			}
			stopped := slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Code == "S1" })
			if (r.Plan == nil) != stopped {
				t.Errorf("plan %+v, although S1 stopped: %v", r.Plan, stopped)
			}
			for _, f := range r.Findings {
				if f.Hint == "" || f.Message == "" || f.Pos.Line < 1 || f.Pos.Column < 1 {
					t.Errorf("incomplete finding %+v", f)
				}
			}
		})
	}
}
