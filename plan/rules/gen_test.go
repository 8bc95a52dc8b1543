package rules

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"

	"git-okstra/plan"
)

// genStage is a stage of a generated plan.
type genStage struct {
	title string
	deps  []int
	steps int
	files []string
	body  int  // index in bodies
	tests bool // declares conformance tests
}

// bodies are ways to write the token lines of a stage.
var bodies = []string{
	"Slice value: v\nAcceptance: a\n\n- Test case (success): s\n- Test case (boundary): b\n- Test case (failure): f\n\n",
	"**Slice value:** v\n\n**Acceptance**: `a`\nand more\n\n1. Test case (success): s\n2. Test case (boundary): b\n3. Test case (failure): f\n\n",
	"* *Slice value*: 값 e\u0301\n* Acceptance:\n\n  a\n\nTest case (success): s\nTest case (boundary): b\nTest case (failure): f\n\n",
	"Slice value: v\n\nAcceptance: a\n\nTDD exemption: pages only\n\n",
}

const bodyExempt = 3

// genPlan is a plan that meets every rule; mutations break it in one place.
type genPlan struct {
	front  string
	number string
	stages []genStage
}

// draw makes a plan. Each stage owns its files; later stages may also name
// those of a stage that they depend on.
func draw(t *rapid.T) genPlan {
	p := genPlan{front: "---\nokstra: 0.100.0\n---\n", number: "5.5"}
	n := rapid.IntRange(1, 7).Draw(t, "stages")
	title := rapid.SampledFrom([]string{"[api] price", "a \\| b", "`x \\| y`", "결제 개선", "**bold** move", "1.2 release", "e\u0301 accents"})
	for i := range n {
		s := genStage{
			title: title.Draw(t, "title"), steps: rapid.IntRange(2, 8).Draw(t, "steps"),
			files: []string{fmt.Sprintf("pkg%d/file.go", i+1)},
			body:  rapid.IntRange(0, len(bodies)-1).Draw(t, "body"), tests: rapid.Bool().Draw(t, "tests"),
		}
		for d := range i {
			if rapid.Bool().Draw(t, "depends") {
				s.deps = append(s.deps, d+1)
				if rapid.Bool().Draw(t, "shares") {
					s.files = append(s.files, p.stages[d].files[0])
				}
			}
		}
		p.stages = append(p.stages, s)
	}
	p.unshare()
	return p
}

// unshare removes shared files again where two stages that name one are not
// joined by a path: depending on the same stage is not enough.
func (p *genPlan) unshare() {
	above := make([]map[int]bool, len(p.stages)+1)
	users := map[string][]int{}
	for i := range p.stages {
		above[i+1] = map[int]bool{}
		for _, d := range p.stages[i].deps {
			above[i+1][d] = true
			for a := range above[d] {
				above[i+1][a] = true
			}
		}
		var keep []string
		for _, f := range p.stages[i].files {
			free := true
			for _, u := range users[f] {
				free = free && above[i+1][u]
			}
			if free {
				keep = append(keep, f)
				users[f] = append(users[f], i+1)
			}
		}
		p.stages[i].files = keep
	}
}

func (s genStage) depends() string {
	if len(s.deps) == 0 {
		return "(none)"
	}
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(s.deps), " ", ", "), "[]")
}

func (p genPlan) row(i int) string {
	s := p.stages[i]
	return fmt.Sprintf("| %d | %s | %s | %d | %s |\n", i+1, s.title, s.depends(), s.steps, s.files[0])
}

func (p genPlan) section(i int) string {
	var b strings.Builder
	s := p.stages[i]
	fmt.Fprintf(&b, "## %s.%d Stage %d: %s\n\n", p.number, i+1, i+1, strings.ReplaceAll(s.title, `\|`, "|")) // only cells need the backslash
	b.WriteString(bodies[s.body])
	if s.tests {
		fmt.Fprintf(&b, "Conformance tests: stage-%d — qa/scripts/stage-%d.sh (requires=[db,io])\n\n", i+1, i+1)
	} else {
		b.WriteString("Conformance exemption: pure\n\n")
	}
	b.WriteString("### Carry-In\n\n- brief\n\n### Stepwise Execution Order\n\n| step | action |\n|--|--|\n")
	for k := range s.steps {
		action := "RED: test"
		switch {
		case s.body == bodyExempt:
			action = "write"
		case k > 0:
			action = "GREEN: code"
		}
		fmt.Fprintf(&b, "| %d | %s |\n", k+1, action)
	}
	b.WriteString("\n### Stage Exit Contract\n\n")
	for _, f := range s.files {
		fmt.Fprintf(&b, "- `%s`\n", f)
	}
	b.WriteString("\n### Stage Validation\n\n- post: `go test ./...`\n\n")
	return b.String()
}

const (
	chapters = "# Report\n\n## 5.4 Deliverables\n\n### Option Candidates\n\n" +
		"#### Option A\n\n- Create: a.go — x\n\n#### Option B\n\n- Create: b.go — y\n\n" +
		"### Trade-off\n\n### Recommended Option\n\n### Dependency\n\n### Validation Checklist\n\n### Rollback\n\n" +
		"### Requirement Coverage\n\n### User Approval Request\n\n### 5.5.9 Plan Body Verification\n\n" +
		"| item | classification |\n|--|--|\n| P-1 | full-consensus |\n\nGate result: passed\n\n"
	mapHead  = "| stage | title | depends-on | step-count | exit-contract-summary |\n|--|--|--|--|--|\n"
	appendix = "## 9. Appendix\n\nNothing.\n"
)

func (p genPlan) mapText() string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s Stage Map\n\n%s", p.number, mapHead)
	for i := range p.stages {
		b.WriteString(p.row(i))
	}
	return b.String() + "\n"
}

func (p genPlan) text() string {
	var b strings.Builder
	b.WriteString(p.front + chapters + p.mapText())
	for i := range p.stages {
		b.WriteString(p.section(i))
	}
	return b.String() + appendix
}

// stages makes a plan of plain stages from their depends-on cells.
func stages(depends ...string) string {
	p := genPlan{number: "5.5"}
	for i := range depends {
		p.stages = append(p.stages, genStage{title: "t", steps: 2, files: []string{fmt.Sprintf("f%d.go", i+1)}})
	}
	text := p.text()
	for i, d := range depends {
		text = strings.Replace(text, fmt.Sprintf("| %d | t | (none) |", i+1), fmt.Sprintf("| %d | t | %s |", i+1, d), 1)
	}
	return text
}

func check(src string, opts Options) Result { return Check(plan.Parse([]byte(src)), opts) }
