package rules

import (
	"strings"
	"testing"
)

// TestMessages: a message quotes what is wrong, and the hint says what to
// write instead.
func TestMessages(t *testing.T) {
	for _, tc := range []struct{ code, old, new, message, hint string }{
		{"P3", "### Rollback", "### Undo", `"Rollback"`, "in English"},
		{"P4", "- Create: b.go — y", "- b.go", `the option "Option B" names no file`, "Modify: path:range — why"},
		{"P4", optionB, "", `"Option Candidates" has 1 option, fewer than two`, "one level below"},
		{"P5", gate, "Gate result: maybe\n", `"maybe" is none that is known`, "passed-with-dissent"},
		{"P5", gate, "Gate result: blocked-by-disagreement\n", `is "blocked-by-disagreement"`, "verify again"},
		{"P5", gate, "", "has no line Gate result:", "Gate result: passed"},
		{"P5", "### 5.5.9 Plan", "### 5.4.9 Plan", `"5.5.9 Plan Body Verification"`, `write "5.4.9 Plan Body Verification" as ### 5.5.9`},
		{"P5", "Plan Body Verification", "Verification", "there is no level-3 heading", "add ### 5.5.9"},
		{"P6", verdict, "| P-1 | majority-disagree → C-7 |\n", `names "C-7", which is no clarification row that blocks approval`, "approval in the column Blocks"},
		{"P6", verdict, "| P-1 | majority-disagree |\n", `the verdict "majority-disagree" names no clarification row`, "C-<N>"},
		{"P6", head54, asking("| C-1 | q | k | approval | resolved |"), `no verdict names the clarification row "C-1"`, "ambiguity check"},
		{"P7", head54, asking("| C-1 | q | k | approval | answered |"), `"C-1" blocks approval and its status is "answered"`, "resolved"},
		{"S1", "## 5.5 Stage Map", "## 5.5 Map", `no level-2 heading "5.5 Stage Map"`, "depends-on"},
		{"S1", "## 5.5 Stage Map", "### 5.5 Stage Map", "is a level-3 heading of another form", "write it as ## 5.5 Stage Map"},
		{"S1", "## 5.5 Stage Map", "## 4.5 Stage Map", `"4.5 Stage Map"`, "before 0.50.0"},
		{"S1", row3, "\n" + row3, `"| 3 | t | 1, 2 | 2 | f3.go |" stands outside`, "without an empty line"},
		{"S1", row3, "| 3 | t |\n", `"| 3 | t |" has 2 cells, not five`, `\|`},
		{"S1", "| 1 | t | (none) | 2 | f1.go |\n" + row2 + row3, "", "no table with a row", "|---|"},
		{"S1", "## 9. Appendix", "## 5.5 Stage Map (2)", `a second "5.5 Stage Map (2)"`, "keep one"},
		{"S2", row3, strings.Replace(row3, "| 3 |", "| 5 |", 1), `row 3 of the Stage Map carries the stage number "5", not 3`, "1, 2, 3"},
		{"S2", row3, strings.Replace(row3, "| 3 |", "| 2 |", 1), "has it already", "1, 2, 3"},
		{"S3", section2, "## 5.5.2 Step 2: t\n", `stage 2 "t" has no level-2 heading "5.5.2 Stage 2: …"`, "add the heading"},
		{"S3", section2, "## 5.5.4 Stage 2: t\n", `stage 2 "t" has no`, "same number twice"},
		{"S3", section2, "## 5.5.2 Stage 2: u\n", `stage 2 is called "u" here and "t" in the Stage Map`, "one title"},
		{"S3", "## 9. Appendix", "## 5.5.7 Stage 7: x", `does not list the stage of the section "5.5.7 Stage 7: x"`, "add a row"},
		{"S4", "### Carry-In", "### Carried", `stage 1 has no level-3 heading "Carry-In"`, "add ### Carry-In"},
		{"S5", redRow, strings.Repeat(redRow, 8), "stage 1 has 9 steps, more than 8", "split"},
		{"S6", "| 1, 2 |", "| 1 & 2 |", `depends-on of stage "3" is "1 & 2"`, "(none)"},
		{"S6", "| 1, 2 |", "| 1, 9 |", `stage "3" depends on stage 9`, "add its row"},
		{"S7", "| (none) | 2 |", "| (none) | 3 |", `step-count of stage "1" is "3", but its section has 2`, "write 2"},
		{"S1", row3, "| 3 |\n", `"| 3 |" has 1 cell, not five`, `\|`},
		{"S7", "| (none) | 2 |", "| (none) | few |", `"few", no whole number`, "number of steps"},
		{"S8", "| 1, 2 |", "| 3 |", "stage 3 depends on itself", "remove its own number"},
		{"S8", "| 2 | t | (none) |", "| 2 | t | 3 |", "2 → 3 → 2", "remove one"},
		{"S9", contract, "- `f1.go`\n", `stages 1 and 2 both name "f1.go"; both depend on nothing`, "let stage 2 depend on stage 1"},
		{"S9", contract, "- `../f2.go`\n", `names "../f2.go", which leaves the repository`, "below the repository's root"},
		{"S10a", sliceLine, "", "in stage 1 the line Slice value: is missing", "write Slice value:"},
		{"S10a", sliceLine, "Slice value: TBD\n", `says nothing: "TBD"`, "write Slice value:"},
		{"S10b", acceptLine, "", "the line Acceptance: is missing", "write Acceptance:"},
		{"S10c", redRow, "| 1 | look |\n", `the first step of stage 1 is "look"`, "RED:"},
		{"S10c", greenRow, "| 2 | look |\n", "no step after the first begins with GREEN:", "TDD exemption:"},
		{"S10d", boundary, "", "the line Test case (boundary): is missing", "write Test case (boundary):"},
		{"S11", declared, "", "neither Conformance tests: nor Conformance exemption:", "one of the two"},
		{"S11", declared, declared + declared, "one declaration too many", "keep one line"},
		{"S11", declared, "Conformance exemption: -\n", "gives no reason", "say why"},
		{"S11", declared, "Conformance tests: stage-2 — qa/scripts/a.sh\n", "does not begin with this stage's number", "stage-1"},
		{"S11", declared, "Conformance tests: stage-1 — a.sh\n", "no script below qa/scripts/", "qa/scripts/stage-1.sh"},
		{"S11", declared, "Conformance tests: stage-1 — qa/scripts/a.sh (requires=[disk])\n", "requires something else than db, io, http, external", "(requires=[db,http])"},
	} {
		src := strings.Replace(three, tc.old, tc.new, 1)
		found := false
		for _, f := range check(src, Options{}).Findings {
			found = found || f.Code == tc.code && strings.Contains(f.Message, tc.message) && strings.Contains(f.Hint, tc.hint)
		}
		if !found {
			t.Errorf("%s %q: %+v", tc.code, tc.new, check(src, Options{}).Findings)
		}
	}
}

// TestOneStep: one of a thing is written without the plural.
func TestOneStep(t *testing.T) {
	for _, f := range check(strings.Replace(three, greenRow, "", 1), Options{}).Findings {
		if f.Code == "S7" && strings.HasSuffix(f.Message, "but its section has 1 effective step") {
			return
		}
	}
	t.Error("no such message")
}

// TestOneSentence: a message is one sentence without its full stop; a hint is
// an order.
func TestOneSentence(t *testing.T) {
	for _, l := range lessons {
		for _, f := range check(l.explanation().Failing.Plan, l.opts).Findings {
			if strings.HasSuffix(f.Message, ".") || strings.HasSuffix(f.Hint, ".") || strings.Contains(f.Message+f.Hint, "\n") {
				t.Errorf("%s: %q, %q", f.Code, f.Message, f.Hint)
			}
		}
	}
}
