package report

import (
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"git-okstra/plan"
)

// prPlan has a stage of each kind of text.
func prPlan() *plan.Plan {
	section := func(head, carry, check, token string) string {
		return "## 5.5.1 " + head + "\n\nSlice value: x\n\n" + token + "\n\n### Carry-In\n\n" + carry + "\n### Stage Exit Contract\n\n- `a.go`\n\n### Stage Validation\n\n" + check
	}
	return &plan.Plan{Stages: []plan.Stage{
		{Number: 1, Title: "[core] 가격 <b>조회</b>", Files: []string{"a.go"}, Section: section("Stage 1: x", "- the brief\n", "- pre: `go vet ./...`\n- post: `go test ./...`\n", "Conformance tests: stage-1 — qa/scripts/stage-1.sh (requires=[db])")},
		{Number: 2, Title: "cart\x1b[31m *bold*", DependsOn: []plan.StageNumber{1}, Files: []string{"b`c.go"}, Section: section("Stage 2: y", "- what stage 1 left\n\n```\n## Stage 9: forged\n", "- post: run\n", "Conformance exemption: text only <!--")},
		{Number: 3, Title: "search", DependsOn: []plan.StageNumber{1}, Section: section("Stage 3: z", "- stage 1\n", "- post: `true`\n", "Conformance exemption: none")},
		{Number: 5, Title: "ship", DependsOn: []plan.StageNumber{2, 3}},
	}}
}

func prOf(p *plan.Plan, heads map[plan.StageNumber]string, list ...int) PRInput {
	in := PRInput{Task: "p:g:t", Plan: p}
	for _, i := range list {
		s := PRStage{Stage: p.Stages[i], Head: heads[p.Stages[i].Number]}
		for _, d := range s.Stage.DependsOn {
			st, _ := p.Stage(d)
			s.CarryIn = append(s.CarryIn, PRDependency{Stage: d, Title: st.Title, Head: heads[d]})
		}
		in.Stages = append(in.Stages, s)
	}
	return in
}

func TestPullRequest(t *testing.T) {
	t.Parallel()
	heads := map[plan.StageNumber]string{1: strings.Repeat("1a", 20), 2: strings.Repeat("2b", 20)}
	one := prOf(prPlan(), heads, 0)
	one.Stages[0].Base, one.Stages[0].Files = strings.Repeat("0c", 20), []string{"a.go", "docs/가격.md"}
	one.Stages[0].Passed = []string{"go test ./... (12 ok)"}
	golden(t, "pullrequest.md", MakePullRequest(one).Text())
	several := prOf(prPlan(), heads, 1, 2)
	several.Template = "# What\n\n\t- [ ] read\x1b[2J\r\n"
	golden(t, "pullrequest-several.md", MakePullRequest(several).Text())
}

func TestPullRequestTitles(t *testing.T) {
	t.Parallel()
	p := prPlan()
	for i := range p.Stages {
		p.Stages[i].Title = strings.Repeat(string(rune('a'+i)), 30)
	}
	a, b := p.Stages[0].Title, p.Stages[1].Title
	for _, c := range []struct {
		list []int
		want string
	}{
		{[]int{0}, "Stage 1: " + a},
		{[]int{0, 1}, "Stages 1–2: " + a + "; " + b},
		{[]int{0, 1, 2}, "Stages 1–3: " + a + "; " + b + "; and 1 more"},
		{[]int{0, 3}, "Stages 1, 5: " + a + "; " + p.Stages[3].Title},
		{[]int{0, 1, 2, 3}, "Stages 1-3, 5: " + a + "; " + b + "; and 2 more"},
	} {
		if got := MakePullRequest(prOf(p, nil, c.list...)).Title; got != c.want {
			t.Errorf("%v: %q, want %q", c.list, got, c.want)
		}
	}
}

func TestTemplatePlace(t *testing.T) {
	t.Parallel()
	for template, want := range map[string]string{
		"a":                                "a\n\nBODY\n",
		"a\n\n\n":                          "a\n\nBODY\n",
		"a\n<!-- okstra -->\nb\n":          "a\nBODY\nb\n",
		"  <!-- okstra -->  ":              "BODY\n",
		"a <!-- okstra --> b":              "a <!-- okstra --> b\n\nBODY\n",
		"<!-- okstra -->\n<!-- okstra -->": "BODY\n<!-- okstra -->\n",
	} {
		if got := fillTemplate(template, "BODY\n"); got != want {
			t.Errorf("%q: %q, want %q", template, got, want)
		}
	}
}

// hostile is text made of what Markdown and terminals act on.
var hostile = rapid.StringOfN(rapid.RuneFrom([]rune("ab1 .)`*_[]<>&#|~!-+=\\\"'():;/{}\t\n\r\x1b\u2028가")), 0, 30, -1)

// TestEscapesReadBack: what is written is read as the same words, and stays where it is.
func TestEscapesReadBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := hostile.Draw(t, "text")
		want := plainLine(s)
		if want == "" {
			return
		}
		for name, written := range map[string]string{"text": mdText(s), "code": mdCode(s)} {
			if strings.IndexFunc(written, func(r rune) bool { return r == '\n' || !unicode.IsPrint(r) }) >= 0 {
				t.Fatalf("%s: %q is not one printable line", name, written)
			}
			d := plan.Parse([]byte("# top\n\n- " + written + "\n\n# end\n"))
			var lines []string
			for l := range d.Lines(plan.Span{Start: 0, End: len(d.Text())}) {
				lines = append(lines, l.Text)
			}
			if len(d.Headings) != 2 || len(lines) != 1 || lines[0] != want {
				t.Fatalf("%s: %q was written as %q and is read as %q, %d headings; want %q", name, s, written, lines, len(d.Headings), want)
			}
		}
	})
}

// TestNothingBreaksOut: whatever a plan says, the text has our headings and no others.
func TestNothingBreaksOut(t *testing.T) {
	t.Parallel()
	known := []string{"Files", "Validation", "Conformance", "Carry-In"}
	rapid.Check(t, func(t *rapid.T) {
		st := plan.Stage{
			Number: 3, Title: hostile.Draw(t, "title"), Files: []string{hostile.Draw(t, "file")},
			Section: "## Stage 3: x\n\nConformance exemption: " + hostile.Draw(t, "reason") + "\n\n### Carry-In\n\n- " + hostile.Draw(t, "carry") +
				"\n\n### Stage Validation\n\n- post: " + hostile.Draw(t, "check") + "\n",
		}
		in := PRInput{Task: "p:g:t", Plan: &plan.Plan{Stages: []plan.Stage{st}}, Stages: []PRStage{{Stage: st, Passed: []string{hostile.Draw(t, "passed")}}}}
		pr := MakePullRequest(in)
		if strings.ContainsAny(pr.Title, "\n\x1b") || strings.ContainsRune(pr.Body, '\x1b') {
			t.Fatalf("%q %q", pr.Title, pr.Body)
		}
		for i, h := range plan.Parse([]byte(pr.Body)).Headings {
			ours := i == 0 && h.Level == 2 && strings.HasPrefix(h.Text, "Stage 3:")
			for _, k := range known {
				ours = ours || i > 0 && h.Level == 3 && h.Text == k
			}
			if !ours {
				t.Fatalf("heading %+v in %q", h, pr.Body)
			}
		}
	})
}
