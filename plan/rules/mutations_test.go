package rules

import (
	"fmt"
	"strings"
)

// swap makes the mutation that replaces a text of the whole plan.
func swap(old, with, want string) func(genPlan, int) (string, string) {
	return func(p genPlan, _ int) (string, string) { return strings.Replace(p.text(), old, with, 1), want }
}

// inSection makes the mutation that gives stage i this body and changes its
// section; %d in want is the stage.
func inSection(body int, old, with, want string) func(genPlan, int) (string, string) {
	return func(p genPlan, i int) (string, string) {
		p.stages[i].body, p.stages[i].tests = body, true
		good := p.section(i)
		return strings.Replace(p.text(), good, strings.Replace(good, old, with, 1), 1), fmt.Sprintf(want, i+1)
	}
}

// tokenMutations break the rules about chapters and token lines.
var tokenMutations = []struct {
	name  string
	apply func(p genPlan, i int) (text, want string)
}{
	{"P1", swap("# Report", "# Rep\x00ort", "P1 stage=0")},
	{"P2", swap("okstra: 0.100.0", "okstra: [0.100.0]", "P2 stage=0")},
	{"P2 no version", swap("okstra: 0.100.0", "okstra: new", "P2 stage=0")},
	{"P3", swap("### Validation Checklist", "### 검증 목록", "P3 stage=0")},
	{"P4", swap("- Create: a.go — x", "- a.go", "P4 stage=0")},
	{"P4 one option", swap("#### Option B\n\n- Create: b.go — y\n", "", "P4 stage=0")},
	{"P5", swap("Gate result: passed", "Gate result: aborted-non-result", "P5 stage=0")},
	{"P5 warning", swap("### 5.5.9 Plan", "### 5.5.8 Plan", "~P5 stage=0")},
	{"P6", swap("full-consensus", "majority-disagree → C-3", "P6 stage=0")},
	{"P6 warning", swap(head54, asking("| C-1 | q | decision | approval | resolved |"), "~P6 stage=0")},
	{"P7 warning", swap(head54, asking("| C-1 | q | decision | approval | open |"), "~P7 stage=0")},
	{"P8", func(p genPlan, _ int) (string, string) {
		for _, tag := range []string{"x", "y"} {
			p.stages = append(p.stages, genStage{title: "[" + tag + "] z", steps: 2, files: []string{tag + "/new.go"}})
		}
		return p.text(), "P8 stage=0"
	}},
	{"S10a", inSection(0, "Slice value: v\n", "", "S10a stage=%d")},
	{"S10a empty", inSection(1, "**Slice value:** v\n", "**Slice value:** …\n", "S10a stage=%d")},
	{"S10a exempt", inSection(bodyExempt, "Slice value: v\n", "", "S10a stage=%d")},
	{"S10b", inSection(1, "**Acceptance**: `a`\nand more\n", "`Acceptance: a`\n", "S10b stage=%d")},
	{"S10b placeholder", inSection(bodyExempt, "Acceptance: a\n", "Acceptance: TODO\n", "S10b stage=%d")},
	{"S10c", inSection(0, "RED: ", "", "S10c stage=%d")},
	{"S10c green", func(p genPlan, i int) (string, string) {
		p.stages[i].body = 0
		good := p.section(i)
		return strings.Replace(p.text(), good, strings.ReplaceAll(good, "GREEN: ", "Green: "), 1), fmt.Sprintf("S10c stage=%d", i+1)
	}},
	{"S10d", inSection(1, "2. Test case (boundary): b\n", "2. Test case (boundary): n/a\n", "S10d stage=%d")},
	{"S10d in code", inSection(0, "- Test case (failure): f\n", "- `Test case (failure): f`\n", "S10d stage=%d")},
	{"S10d exemption without a reason", inSection(bodyExempt, "TDD exemption: pages only", "TDD exemption:", "S10d stage=%d")},
	{"S11", inSection(0, "Conformance tests:", "Conformance test:", "S11 stage=%d")},
	{"S11 both", inSection(2, "Conformance tests:", "Conformance exemption: x\n\nConformance tests:", "S11 stage=%d")},
	{"S11 surface", inSection(2, "[db,io]", "[db,disk]", "S11 stage=%d")},
	{"S11 script", inSection(0, "qa/scripts/", "scripts/", "S11 stage=%d")},
	{"S11 stage", inSection(0, "tests: stage-", "tests: stage-9", "S11 stage=%d")},
}
