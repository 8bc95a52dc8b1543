package rules

import (
	"strings"
	"testing"

	"git-okstra/plan"
)

// mark stands where a finding is expected; it is taken out before the check.
const mark = "⟦"

// places are changes to the plan three with the place of the finding in them.
var places = []struct{ code, old, new string }{
	{"P2", "# Report", "---\napproved: ⟦yes\n---\n# Report"},
	{"P2", "# Report", "---\n한: e\u0301\n\"approved\":\t ⟦yes\n---\n# Report"},
	{"P2", "# Report", "---\n{task: 한국, category: ⟦x}\n---\n# Report"},
	{"P2", "# Report", "---\nokstra: ⟦\"1.2\"\n---\n# Report"},
	{"P2", "# Report", "---\ntask: a\n⟦task: b\n---\n# Report"},
	{"P4", "#### Option B\n\n- Create: b.go — y", "⟦#### Option B\n\n- b.go"},
	{"P4", "#### Option B\n\n- Create: b.go — y", "text\n\n  ⟦####\t한국 e\u0301\n\nx"},
	{"P4", "### Option Candidates\n\n#### Option A\n\n- Create: a.go — x\n", "⟦### Option Candidates\n"},
	{"P5", gate, "⟦Gate result: no\n"},
	{"P5", gate, "-\t**⟦Gate result**: no\n"},
	{"P5", gate, "한국 e\u0301\n   ⟦Gate result: no\n"},
	{"P5", "### 5.5.9 Plan", "⟦### 5.5.8 Plan"},
	{"P5", "### 5.5.9 Plan Body Verification\n\n| item | classification |\n|--|--|\n" + verdict + "\n" + gate, "⟦### 5.5.9 Plan Body Verification\n"},
	{"P6", verdict, "| P-1 | ⟦majority-disagree → C-7 |\n"},
	{"P6", verdict, "| 한\u0301 `a\\|b` |\t⟦**majority-disagree** → C-7 |\n"},
	{"P6", verdict, "P-1 | ⟦majority-disagree → C-7\n"},
	{"P6", head54, questions + "| ⟦C-1 | 질문 | decision | approval | resolved |\n\n" + head54},
	{"P6", head54, questions + " |\t⟦**C-1** | 질문 | decision | approval |\n\n" + head54},
	{"P7", head54, questions + "| C-1 | e\u0301 \\| `\\|` |\tx\t| approval |\t⟦open\t|\n\n" + head54},
	{"P8", row2 + row3, "| 2 | [a] t | (none) | 2 | x |\n| 3 | [b] t | 1, 2 | 2 | x |\n\n-  _⟦Cross-project parallelism:_ a\n"},
	{"P9", "- `f1.go`", "- 한 `a/x.go` e\u0301 `⟦b/y.go`"},
	{"S1", row3, "\n⟦" + row3},
	{"S1", row3, "⟦| 3 | `a|b` | 1, 2 | 2 | f3.go |\n"},
	{"S1", row3, "  ⟦| 한 |\n"},
	{"S1", "## 9. Appendix", " ⟦## 5.5 Stage Map\n\n## 9. Appendix"},
	{"S1", "## 9. Appendix", "⟦5.5 Stage Map\n---\n\n## 9. Appendix"},
	{"S1", "## 5.5 Stage Map", "⟦## 4.5 Stage Map"},
	{"S1", row3, row3 + "\n- 한국\n\n  ⟦| 4 | x |\n"},
	{"S2", row3, "⟦| 4 | t | 1, 2 | 2 | f3.go |\n"},
	{"S2", row3, " ⟦4 | t | 1, 2 | 2 | f3.go\n"},
	{"S3", section2, "⟦## 5.5.2 Stage 2: 한국 e\u0301\n"},
	{"S3", section2, "⟦5.5.2 Stage 2:\nother\n---\n"},
	{"S3", "## 9. Appendix", "⟦## 5.5.9 Stage 9: x\n\n## 9. Appendix"},
	{"S3", "## 9. Appendix", " ⟦## 5.5.1 Stage 1: t\n\n## 9. Appendix"},
	{"S4", "## 5.5.1 Stage 1: t\n\n" + sliceLine + acceptLine, "  ⟦## 5.5.1 Stage 1: t\n\n" + sliceLine + acceptLine + "\n## More\n"},
	{"P3", "# Report", "⟦# Report\n\n<!-- 한 -->"},
	{"S5", "### Stepwise Execution Order\n\n| step | action |\n|--|--|\n", "⟦### Stepwise Execution Order\n\n| step | action |\n|--|--|\n" + strings.Repeat("| 1 | RED: x |\n", 7)},
	{"S6", "| 1, 2 |", "| ⟦one, two |"},
	{"S6", "| 3 | t | 1, 2 |", "|\t3 | `\\|` 한\u0301 |   ⟦**9** |"},
	{"S7", "| (none) | 2 | f1.go |", "| (none) |\t⟦7 | f1.go |"},
	{"S7", "| 1 | t | (none) | 2 | f1.go |", "| 1 | t | (none) | ⟦| f1.go |"},
	{"S8", "| 1, 2 |", "| ⟦3 |"},
	{"S8", "| 2 | t | (none) |", "| 2 | t | ⟦3 |"},
	{"S9", contract, "- 한국: `⟦f1.go`\n"},
	{"S9", contract, "- e\u0301\t⟦./f1.go.\n"},
	{"S9", contract, "| file |\n|--|\n| 한 \\| `⟦f1.go` |\n"},
	{"S9", contract, "#### ⟦f1.go\n"},
	{"S9", contract, "- `⟦../f2.go`\n"},
	{"S10a", sliceLine, "_⟦Slice value_: …\n"},
	{"S10a", "## 5.5.1 Stage 1: t\n\n" + sliceLine, "⟦## 5.5.1 Stage 1: t\n\n"},
	{"S10b", acceptLine, "  ⟦Acceptance: -\n"},
	{"S10c", redRow, "| 1 |\t⟦`x` |\n"},
	{"S10c", redRow, "⟦| 1 |\n"},
	{"S10c", "### Stepwise Execution Order\n\n| step | action |\n|--|--|\n" + redRow + greenRow, " ⟦### Stepwise Execution Order\n"},
	{"S10d", boundary, "*   ⟦Test case (boundary): N/A\n"},
	{"S11", declared, "1) ⟦Conformance exemption: TBD\n"},
	{"S11", declared, "**⟦Conformance tests:** stage-1 — x.sh (requires=[db])\n"},
	{"S11", declared, declared + "\n⟦Conformance exemption: x\n"},
}

// TestPositions holds the place of every kind of finding, with tabs, wide and
// combining characters before it, under every line end and a byte order mark.
func TestPositions(t *testing.T) {
	covered := map[string]bool{}
	for _, p := range places {
		src := strings.Replace(three, p.old, p.new, 1)
		if p.code == "P3" {
			src = strings.Replace(src, "### Rollback", "### Undo", 1)
		}
		head, tail, found := strings.Cut(src, mark)
		if !found {
			t.Fatalf("%s: no mark in %q", p.code, p.new)
		}
		covered[p.code] = true
		want := plan.Position{Line: strings.Count(head, "\n") + 1, Column: len([]rune(head[strings.LastIndexByte(head, '\n')+1:])) + 1}
		src = head + tail
		crlf := strings.ReplaceAll(src, "\n", "\r\n")
		for name, form := range map[string]string{"LF": src, "CRLF": crlf, "CR": strings.ReplaceAll(src, "\n", "\r"), "BOM": "\ufeff" + src, "BOM+CRLF": "\ufeff" + crlf} {
			at := []plan.Position{}
			for _, f := range check(form, Options{ProjectRoots: map[string]string{"x": "a", "y": "b"}}).Findings {
				if f.Code == p.code {
					at = append(at, f.Pos)
				}
			}
			ok := false
			for _, pos := range at {
				ok = ok || pos == want
			}
			if !ok {
				t.Errorf("%s %q, %s: at %v, want %v", p.code, p.new, name, at, want)
			}
		}
	}
	for _, r := range Table() {
		if !covered[r.Code] && r.Code != "P1" {
			t.Errorf("no position of %s is tested", r.Code)
		}
	}
}
