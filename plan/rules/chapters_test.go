package rules

import (
	"fmt"
	"strings"
	"testing"

	"git-okstra/plan"
)

const (
	optionB   = "#### Option B\n\n- Create: b.go — y\n"
	verdict   = "| P-1 | full-consensus |\n"
	gate      = "Gate result: passed\n"
	questions = "## 1. Clarification Items\n\n| ID | Question | Kind | Blocks | Status |\n|--|--|--|--|--|\n"
	head54    = "## 5.4 Deliverables\n"
)

// asking puts rows of Clarification Items before chapter 5.4.
func asking(rows ...string) string {
	return questions + strings.Join(rows, "\n") + "\n\n" + head54
}

var headingEdits = []edit{
	{"P3 missing", "### Rollback", "### Undo", "P3 stage=0"},
	{"P3 Korean only", "### Rollback", "### 되돌리기", "P3 stage=0"},
	{"P3 Korean gloss", "### Rollback", "### Rollback (되돌리기)", ""},
	{"P3 number before, words after", "### Rollback", "### 5.4.6 Rollback Strategy", ""},
	{"P3 plural", "### Trade-off", "### Trade-offs", ""},
	{"P3 any level", "### Rollback", "###### Rollback", ""},
	{"P3 setext", "### Rollback", "Rollback\n---", ""},
	{"P3 emphasis", "### Trade-off", "### **Trade**-off", ""},
	{"P3 case counts", "### Rollback", "### rollback", "P3 stage=0"},
	{"P3 part of a longer word", "### Rollback", "### NoRollback", "P3 stage=0"},
	{"P3 second time as a word", "### Rollback", "### NoRollback Rollback", ""},
	{"P3 in text only", "### Rollback", "**Rollback**", "P3 stage=0"},
	{"P3 in a fence", "### Rollback", "~~~\n### Rollback\n~~~", "P3 stage=0"},
	{"P3 in a comment", "### Rollback", "<!-- ### Rollback -->", "P3 stage=0"},
	{"P3 in an HTML block", "### Rollback", "<details>\n### Rollback\n</details>", "P3 stage=0"},
	{"P3 in a quote", "### Rollback", "> ### Rollback", "P3 stage=0"},
	{"P3 two", "### Dependency\n\n### Validation Checklist", "", "P3 stage=0,P3 stage=0"},
	{"P3 no options: P4 has nothing to say", "### Option Candidates", "### Options", "P3 stage=0"},

	{"P4 numbered with a parenthesis", "# Report\n\n## 5.4 Deliverables\n\n### Option", "# Report: Option Candidates\n\n## 5.4 Deliverables\n\n### (1) Option", ""},
	{"P4 numbered with a hyphen", "# Report\n\n## 5.4 Deliverables\n\n### Option", "# Report: Option Candidates\n\n## 5.4 Deliverables\n\n### § 4-1) Option", ""},
	{"P4 one option", optionB, "", "P4 stage=0"},
	{"P4 none", "#### Option A\n\n- Create: a.go — x\n\n" + optionB, "", "P4 stage=0"},
	{"P4 without files", "- Create: b.go — y", "- b.go", "P4 stage=0"},
	{"P4 both without files", "- Create: a.go — x\n\n#### Option B\n\n- Create: b.go — y", "#### Option B", "P4 stage=0,P4 stage=0"},
	{"P4 level too deep", "#### Option B", "##### Option B", "P4 stage=0"},
	{"P4 level too high", "#### Option B", "### Option B", "P4 stage=0"},
	{"P4 deeper headings belong to it", "- Create: b.go — y", "##### File Structure\n\n- Create: b.go — y", ""},
	{"P4 modify", "- Create: b.go — y", "- Modify: b.go:10-40 — y", ""},
	{"P4 modify a function", "- Create: b.go — y", "- Modify: b.go:Price — y", ""},
	{"P4 modify without a range", "- Create: b.go — y", "- Modify: b.go — y", "P4 stage=0"},
	{"P4 delete", "- Create: b.go — y", "* Delete: b.go — y", ""},
	{"P4 paragraph", "- Create: b.go — y", "File Structure:\nCreate: b.go — y", ""},
	{"P4 emphasis and code", "- Create: b.go — y", "- **Create:** `b.go` — y", ""},
	{"P4 nested list", "- Create: b.go — y", "- File Structure:\n  1. Create: 한국/b.go — y", ""},
	{"P4 hyphen", "- Create: b.go — y", "- Create: b.go - y", "P4 stage=0"},
	{"P4 no reason", "- Create: b.go — y", "- Create: b.go —", "P4 stage=0"},
	{"P4 no path", "- Create: b.go — y", "- Create: — y", "P4 stage=0"},
	{"P4 path with a space", "- Create: b.go — y", "- Create: the file — y", "P4 stage=0"},
	{"P4 another verb", "- Create: b.go — y", "- Rename: b.go — y", "P4 stage=0"},
	{"P4 case counts", "- Create: b.go — y", "- create: b.go — y", "P4 stage=0"},
	{"P4 in a fence", "- Create: b.go — y", "```\nCreate: b.go — y\n```", "P4 stage=0"},
	{"P4 in a comment", "- Create: b.go — y", "<!--\nCreate: b.go — y\n-->", "P4 stage=0"},
	{"P4 quoted", "- Create: b.go — y", "> Create: b.go — y", "P4 stage=0"},
}

func TestHeadingAndOptionEdits(t *testing.T) { tryEdits(t, headingEdits, Options{}) }

var verificationEdits = []edit{
	{"P5 dissent passes", gate, "Gate result: passed-with-dissent\n", ""},
	{"P5 blocked", gate, "Gate result: blocked-by-disagreement\n", "P5 stage=0"},
	{"P5 aborted", gate, "- **Gate result:** `aborted-non-result`\n", "P5 stage=0"},
	{"P5 unknown", gate, "Gate result: fine\n", "P5 stage=0"},
	{"P5 more words", gate, "Gate result: passed, mostly\n", "P5 stage=0"},
	{"P5 case counts", gate, "Gate result: Passed\n", "P5 stage=0"},
	{"P5 empty", gate, "Gate result:\n", "P5 stage=0"},
	{"P5 no line", gate, "", "P5 stage=0"},
	{"P5 in a fence", gate, "```\n" + gate + "```\n", "P5 stage=0"},
	{"P5 emphasis", gate, "**Gate result**: passed\n", ""},
	{"P5 two results", gate, gate + "\nGate result: aborted-non-result\n", "P5 stage=0"},
	{"P5 second chapter", gate, gate + "\n### 5.5.9 Plan Body Verification\n\nGate result: blocked-by-disagreement\n", "P5 stage=0"},
	{"P5 gate in another chapter", gate, "### Other\n\n" + gate, "P5 stage=0"},
	{"P5 absent", "### 5.5.9 Plan Body Verification\n\n" + "| item | classification |\n|--|--|\n" + verdict + "\n" + gate, "", "~P5 stage=0"},
	{"P5 level", "### 5.5.9 Plan", "#### 5.5.9 Plan", "~P5 stage=0"},
	{"P5 other number", "### 5.5.9 Plan", "### 5.4.9 Plan", "~P5 stage=0"},
	{"P5 gloss", "Plan Body Verification", "Plan Body Verification (본문 검증)", ""},

	{"P6 no such row", verdict, "| P-1 | majority-disagree → C-7 |\n", "P6 stage=0"},
	{"P6 names none", verdict, "| P-1 | majority-disagree |\n", "P6 stage=0"},
	{"P6 two verdicts", verdict, "| P-1 | majority-disagree → C-7 |\n| P-2 | majority-disagree -> C-8 |\n", "P6 stage=0,P6 stage=0"},
	{"P6 behind a pipe in code", verdict, "| `a|b` | majority-disagree → C-7 |\n", "P6 stage=0"},
	{"P6 before a pipe in code", "| item | classification |\n|--|--|\n| P-1 |", "| classification | item |\n|--|--|\n| majority-disagree → C-7 | `a|b` |", "P6 stage=0"},
	{"P6 other class", verdict, "| P-1 | majority-disagreement |\n", ""},
	{"P6 other column", verdict, "| majority-disagree → C-7 | full-consensus |\n", ""},
	{"P6 no such column", "| item | classification |", "| item | class |", ""},
	{"P6 columns by name", "| item | classification |\n|--|--|\n| P-1 |", "| **CLASSIFICATION** | item |\n|--|--|\n| majority-disagree → C-7 |", "P6 stage=0"},
	{"P6 in a comment", verdict, verdict + "\n<!--\n| P-1 | majority-disagree → C-7 |\n-->\n", ""},
	{"P6 row that no verdict names", head54, asking("| C-1 | q | decision | approval | resolved |"), "~P6 stage=0"},
	{"P6 row that blocks nothing", head54, asking("| C-1 | q | decision | progress | open |"), ""},
}

func TestVerificationEdits(t *testing.T) { tryEdits(t, verificationEdits, Options{}) }

// TestDissentWithItsQuestion: the verdict and the row belong together.
func TestDissentWithItsQuestion(t *testing.T) {
	for _, tc := range []struct{ verdict, row, want string }{
		{"majority-disagree → C-7", "| C-7 | q | decision | approval | resolved |", ""},
		{"majority-disagree → C-7", "| C-7 | q | decision | Approval | obsolete |", ""},
		{"`majority-disagree` → **C-7**", "| C-7 | q | decision | `approval` | resolved |", ""},
		{"majority-disagree → C-7", "| C-7 | q | decision | progress | resolved |", "P6 stage=0"},
		{"majority-disagree → C-7", "| C-70 | q | decision | approval | resolved |", "P6 stage=0 ~P6 stage=0"},
		{"majority-disagree → C-7, C-8", "| C-7 | q | decision | approval | resolved |", "P6 stage=0"},
		{"majority-disagree → C-7.", "| C-7 | q | decision | approval | resolved |", ""},
		{"majority-disagree → C-7 (보류, deferred)", "| C-7 | q | decision | approval | resolved |", ""},
		{"majority-disagree → C-7을 보라", "| C-7 | q | decision | approval | resolved |", ""},
		{"majority-disagree → C-7/C-8", "| C-7 | q | decision | approval | resolved |", "P6 stage=0"},
		{"majority-disagree → C-7a", "| C-7 | q | decision | approval | resolved |", "P6 stage=0 ~P6 stage=0"},
		{"majority-disagree → D-7", "| D-7 | q | decision | approval | resolved |", ""},
		{"majority-disagree → C-7", "| C-7 | q | decision | approval | answered |", "~P7 stage=0"},
	} {
		src := strings.Replace(three, verdict, "| P-1 | "+tc.verdict+" |\n", 1)
		src = strings.Replace(src, head54, asking(tc.row), 1)
		if got := strings.Join(outline(check(src, Options{}).Findings), " "); got != tc.want {
			t.Errorf("%s with %s: %s, want %s", tc.verdict, tc.row, got, tc.want)
		}
	}
}

// TestOpenQuestions: an error when the plan is to be approved, else a warning.
func TestOpenQuestions(t *testing.T) {
	for status, blocks := range map[string]bool{
		"resolved": false, "obsolete": false, "Resolved": false, "**resolved**": false, "answered": true, "open": true, "": true, "resolved?": true,
	} {
		src := strings.Replace(three, head54, asking("| C-1 | q | decision | approval | "+status+" |"), 1)
		for _, approval := range []bool{false, true} {
			want := map[bool]string{false: "~P6 stage=0 ~P7 stage=0", true: "P7 stage=0 ~P6 stage=0"}[approval]
			if !blocks {
				want = "~P6 stage=0"
			}
			r := check(src, Options{Approval: approval})
			if got := strings.Join(outline(r.Findings), " "); got != want {
				t.Errorf("status %q, approval %v: %s, want %s", status, approval, got, want)
			}
			if r.OK() != (!approval || !blocks) {
				t.Errorf("status %q, approval %v: OK %v", status, approval, r.OK())
			}
		}
	}
}

func TestQuestionsAreFound(t *testing.T) {
	const row = "| C-1 | q | decision | approval | open |"
	moved := strings.NewReplacer("| ID | Question | Kind | Blocks | Status |", "| STATUS | blocks | id |", "|--|--|--|--|--|", "|--|--|--|", row, "| open | approval | C-1 |")
	for name, tc := range map[string]struct{ src, want string }{
		"plain":             {asking(row), "~P6 ~P7"},
		"other columns":     {moved.Replace(asking(row)), "~P6 ~P7"},
		"no status column":  {strings.Replace(asking("| C-1 | q | decision | approval | resolved |"), "Status", "State", 1), "~P6 ~P7"},
		"no blocks column":  {strings.Replace(asking(row), "Blocks", "Stops", 1), ""},
		"number of old":     {strings.Replace(asking(row), "## 1.", "## 5.", 1), "~P6 ~P7"},
		"its own number":    {"## 5. Clarification Items\n\nnone\n\n" + asking(row), "~P6 ~P7"},
		"gloss":             {strings.Replace(asking(row), "Items", "Items (확인 사항)", 1), "~P6 ~P7"},
		"second table":      {strings.Replace(asking(row), questions, questions+"| C-0 | q | decision | no | open |\n\n| ID | Blocks |\n|--|--|\n", 1), ""},
		"in a fence":        {"```\n" + asking(row) + "```\n\n" + head54, ""},
		"in a list":         {strings.Replace(asking(row), "| ID", "- x\n\n| ID", 1), "~P6 ~P7"},
		"empty rows":        {asking("| | | | | |", row), "~P6 ~P7"},
		"no table":          {"## 1. Clarification Items\n\nNone.\n\n" + head54, ""},
		"row below a blank": {asking("", row), ""},
	} {
		got := strings.ReplaceAll(strings.Join(outline(check(strings.Replace(three, head54, tc.src, 1), Options{}).Findings), " "), " stage=0", "")
		if got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
}

// TestChapterPositions: each finding stands where the fault is.
func TestChapterPositions(t *testing.T) {
	for _, tc := range []struct{ old, new, at, code string }{
		{"- Create: b.go — y", "- b.go", "#### Option B", "P4"},
		{optionB, "", "### Option Candidates", "P4"},
		{gate, "Gate result: no\n", "Gate result: no", "P5"},
		{gate, "", "### 5.5.9", "P5"},
		{verdict, "| 가\u0301 |\tmajority-disagree → C-7 |\n", "majority-disagree", "P6"},
		{head54, asking("| C-1 | 질문 \\| `x` | decision | approval | answered |"), "answered", "P7"},
	} {
		src := strings.Replace(three, tc.old, tc.new, 1)
		at := strings.Index(src, tc.at)
		line := strings.Count(src[:at], "\n") + 1
		column := len([]rune(src[strings.LastIndexByte(src[:at], '\n')+1:at])) + 1
		found := false
		for _, f := range check("\ufeff"+strings.ReplaceAll(src, "\n", "\r\n"), Options{}).Findings {
			found = found || f.Code == tc.code && f.Pos == plan.Position{Line: line, Column: column}
		}
		if !found {
			t.Errorf("no %s at %d:%d, where %q stands: %v", tc.code, line, column, tc.at, check(src, Options{}).Findings)
		}
	}
}

// TestHeadingsByRelease: the last required heading changed its name.
func TestHeadingsByRelease(t *testing.T) {
	request := strings.Replace(three, "### Requirement Coverage\n\n", "", 1)
	coverage := strings.Replace(three, "### User Approval Request\n\n", "", 1)
	for _, tc := range []struct{ src, version, want string }{
		{request, "0.56.0", ""},
		{request, "0.56.1", "P3 stage=0"},
		{request, "0.56.1-rc.1", "P3 stage=0"},
		{coverage, "0.56.0", "P3 stage=0"},
		{coverage, "0.56.1", ""},
	} {
		if got := strings.Join(outline(check(tc.src, Options{Ruleset: tc.version}).Findings), " "); got != tc.want {
			t.Errorf("under %s: %s, want %s", tc.version, got, tc.want)
		}
	}
}

// TestQuestionWithAPipe: an unescaped pipe in code moves cells, and the question
// blocks all the same.
func TestQuestionWithAPipe(t *testing.T) {
	for row, want := range map[string]string{
		"| C-7 | keep `a|b`? | decision | approval | open |":            "~P7 stage=0",
		"| C-7 | `a|b|c` and `d|e`? | decision | Approval | answered |": "~P7 stage=0",
		"| C-7 | keep `a|b`? | decision | approval | resolved |":        "",
		"| C-7 | keep `a|b`? | decision | approval | |":                 "~P7 stage=0",
		"| `a|b` | C-7 | decision | approval | open | x |":              "~P7 stage=0",
		"| C-7 | keep it? | decision | approval | open | `a|b` |":       "~P7 stage=0",
		"| C-7 | keep `a|b`? | decision | progress | open |":            "P6 stage=0",
	} {
		src := strings.Replace(three, verdict, "| P-1 | majority-disagree → C-7 |\n", 1)
		src = strings.Replace(src, head54, asking(row), 1)
		if got := strings.Join(outline(check(src, Options{}).Findings), " "); got != want {
			t.Errorf("%s: %s, want %s", row, got, want)
		}
	}
}

// TestQuestionsByRelease: before 0.50.0 the chapter was number 5.
func TestQuestionsByRelease(t *testing.T) {
	for _, tc := range []struct{ version, open, settled string }{
		{"0.49.0", "5", "1"}, {"0.50.0", "1", "5"},
	} {
		row := func(status string) string { return fmt.Sprintf("| C-1 | q | decision | approval | %s |", status) }
		src := strings.Replace(asking(row("resolved")), "## 1.", "## "+tc.settled+".", 1)
		src = strings.Replace(src, head54, strings.Replace(asking(row("open")), "## 1.", "## "+tc.open+".", 1), 1)
		src = strings.Replace(three, head54, src, 1)
		if tc.version < "0.50" {
			src = old(src)
		}
		if got := codes(check(src, Options{Ruleset: tc.version}).Findings); got != "P6 P7" {
			t.Errorf("under %s: %s", tc.version, got)
		}
	}
}
