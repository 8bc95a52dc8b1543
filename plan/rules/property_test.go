package rules

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"git-okstra/plan"
)

func TestGeneratedPlanPasses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := draw(t)
		r := check(p.text(), Options{})
		if len(r.Findings) > 0 || !r.OK() || r.Plan == nil {
			t.Fatalf("findings %+v in\n%s", r.Findings, p.text())
		}
		if len(r.Plan.Stages) != len(p.stages) {
			t.Fatalf("%d stages, want %d", len(r.Plan.Stages), len(p.stages))
		}
		for i, want := range p.stages {
			sameStage(t, r.Plan, plan.StageNumber(i+1), want, p.section(i))
		}
	})
}

func sameStage(t *rapid.T, p *plan.Plan, n plan.StageNumber, want genStage, section string) {
	got, ok := p.Stage(n)
	if !ok || got.Number != n || got.Steps != want.steps || got.Section != section {
		t.Fatalf("stage %d is %+v, want %+v", n, got, want)
	}
	var deps []int
	for _, d := range got.DependsOn {
		deps = append(deps, int(d))
	}
	files := slices.Sorted(slices.Values(want.files))
	if !slices.Equal(deps, want.deps) || !slices.Equal(got.Files, files) {
		t.Fatalf("stage %d: depends on %v, files %v, want %+v", n, deps, got.Files, want)
	}
}

// mutations break a generated plan in stage i and name the finding.
var mutations = []struct {
	name  string
	apply func(p genPlan, i int) (text, want string)
}{
	{"S1", func(p genPlan, i int) (string, string) {
		return strings.Replace(p.text(), p.row(i), strings.TrimSuffix(p.row(i), "\n")+" extra |\n", 1), "S1 stage=0"
	}},
	{"S2", func(p genPlan, i int) (string, string) {
		n := len(p.stages) + 7
		row := strings.Replace(p.row(i), fmt.Sprintf("| %d |", i+1), fmt.Sprintf("| %d |", n), 1)
		return strings.Replace(p.text(), p.row(i), row, 1), fmt.Sprintf("S2 stage=%d", n)
	}},
	{"S3", func(p genPlan, i int) (string, string) {
		head := fmt.Sprintf("## 5.5.%d Stage %d:", i+1, i+1)
		return strings.Replace(p.text(), head, "#"+head, 1), fmt.Sprintf("S3 stage=%d", i+1)
	}},
	{"S3 warning", func(p genPlan, i int) (string, string) {
		head := fmt.Sprintf("## 5.5.%d Stage %d:", i+1, i+1)
		return strings.Replace(p.text(), head, head+" not", 1), fmt.Sprintf("~S3 stage=%d", i+1)
	}},
	{"S4", func(p genPlan, i int) (string, string) {
		section := strings.Replace(p.section(i), "### Stage Validation", "Stage Validation", 1)
		return strings.Replace(p.text(), p.section(i), section, 1), fmt.Sprintf("S4 stage=%d", i+1)
	}},
	{"S5", func(p genPlan, i int) (string, string) {
		p.stages[i].steps = 9
		return p.text(), fmt.Sprintf("S5 stage=%d", i+1)
	}},
	{"S6", func(p genPlan, i int) (string, string) {
		p.stages[i].deps = append(p.stages[i].deps, 99)
		return p.text(), fmt.Sprintf("S6 stage=%d", i+1)
	}},
	{"S7", func(p genPlan, i int) (string, string) {
		text := p.text()
		p.stages[i].steps++
		return strings.Replace(text, rowOf(text, i), p.row(i), 1), fmt.Sprintf("S7 stage=%d", i+1)
	}},
	{"S8", func(p genPlan, i int) (string, string) {
		p.stages[i].deps = append(p.stages[i].deps, i+1)
		return p.text(), fmt.Sprintf("S8 stage=%d", i+1)
	}},
	{"S8 cycle", func(p genPlan, _ int) (string, string) {
		a := genStage{title: "x", steps: 2, files: []string{"new1.go"}, deps: []int{len(p.stages) + 2}}
		b := genStage{title: "y", steps: 2, files: []string{"new2.go"}, deps: []int{len(p.stages) + 1}}
		p.stages = append(p.stages, a, b)
		return p.text(), "S8 stage=0"
	}},
	{"S9", func(p genPlan, _ int) (string, string) {
		for range 2 {
			p.stages = append(p.stages, genStage{title: "x", steps: 2, files: []string{"new/both.go"}})
		}
		return p.text(), "S9 stage=0"
	}},
	{"S9 warning", func(p genPlan, _ int) (string, string) {
		for range 2 {
			p.stages = append(p.stages, genStage{title: "x", steps: 2, deps: []int{1}, files: []string{"new/both.go"}})
		}
		return p.text(), "~S9 stage=0"
	}},
}

// rowOf finds the row of stage i+1 in a plan's text.
func rowOf(text string, i int) string {
	at := strings.Index(text, mapHead) + len(mapHead)
	return strings.SplitAfter(text[at:], "\n")[i]
}

func TestMutationsAreFound(t *testing.T) {
	for _, m := range mutations {
		t.Run(m.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				p := draw(t)
				text, want := m.apply(p, rapid.IntRange(0, len(p.stages)-1).Draw(t, "stage"))
				r := check(text, Options{})
				if !slices.Contains(outline(r.Findings), want) {
					t.Fatalf("no %s in %+v", want, r.Findings)
				}
				if r.OK() != strings.HasPrefix(want, "~") {
					t.Fatalf("OK is %v with %v", r.OK(), r.Findings)
				}
			})
		})
	}
}

func init() { mutations = append(mutations, tokenMutations...) }

// broken draws a plan that is good or has some of the mistakes above.
func broken(t *rapid.T) string {
	p := draw(t)
	if rapid.Bool().Draw(t, "good") {
		return p.text()
	}
	m := rapid.SampledFrom(mutations).Draw(t, "mutation")
	text, _ := m.apply(p, rapid.IntRange(0, len(p.stages)-1).Draw(t, "stage"))
	return text
}

func TestLineEndsDoNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := broken(t)
		want := check(src, Options{})
		crlf := strings.ReplaceAll(src, "\n", "\r\n")
		for name, variant := range map[string]string{"CRLF": crlf, "BOM": "\ufeff" + src, "BOM+CRLF": "\ufeff" + crlf} {
			got := check(variant, Options{})
			if !slices.Equal(got.Findings, want.Findings) || fmt.Sprint(got.Plan) != fmt.Sprint(want.Plan) {
				t.Fatalf("%s: %+v, want %+v", name, got.Findings, want.Findings)
			}
		}
	})
}

// tails are texts that would satisfy or break a rule if the last stage ran on.
var tails = []string{
	"### Carry-In\n", "### Stage Validation\n", "### Stepwise Execution Order\n\n| a |\n|--|\n| b |\n", "- `pkg1/file.go`\n",
	"### Stage Exit Contract\n\n- `pkg1/file.go`\n", "Slice value: x\n\nAcceptance: z\n\nTDD exemption: y\n", "Conformance tests: stage-1 — x\n", "```\n## 5.5.1 Stage 1: t\n```\n",
	"| 9 | x | (none) | 1 | y |\n", "<!--\n## 5.5 Stage Map\n", "plain words\n\n- list\n", "#### deeper\n",
}

// stageFindings leaves out what is said about the whole plan's chapters: a
// missing one may well stand at the end.
func stageFindings(all []Finding) []Finding {
	return slices.DeleteFunc(slices.Clone(all), func(f Finding) bool { return f.Code[0] == 'P' })
}

func TestTextAfterTheAppendixDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := broken(t)
		want := stageFindings(check(src, Options{}).Findings)
		tail := strings.Join(rapid.SliceOfN(rapid.SampledFrom(tails), 1, 4).Draw(t, "tail"), "\n")
		if got := stageFindings(check(src+"\n"+tail, Options{}).Findings); !slices.Equal(got, want) {
			t.Fatalf("with %q: %+v, want %+v", tail, got, want)
		}
	})
}

func TestSameInputSameResult(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := plan.Parse([]byte(broken(t)))
		a, b := Check(doc, Options{}), Check(doc, Options{})
		if !slices.Equal(a.Findings, b.Findings) || !sorted(a.Findings) {
			t.Fatalf("%+v and %+v", a.Findings, b.Findings)
		}
	})
}

func sorted(fs []Finding) bool {
	return slices.IsSortedFunc(fs, func(a, b Finding) int {
		switch {
		case a.Pos.Before(b.Pos):
			return -1
		case b.Pos.Before(a.Pos):
			return 1
		}
		return 0
	})
}
