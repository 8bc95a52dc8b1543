package rules

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"git-okstra/plan"
)

func TestExplain(t *testing.T) {
	for _, r := range Table() {
		e, ok := Explain(r.Code)
		if !ok || e.Code != r.Code || len(e.Why) < 50 {
			t.Errorf("%s is not explained: %+v", r.Code, e)
			continue
		}
		bad, good := e.Failing, e.Passing
		if got := codes(check(bad.Plan, bad.Options).Findings); got != r.Code {
			t.Errorf("%s: the failing example gives %q\n%v", r.Code, got, check(bad.Plan, bad.Options).Findings)
		}
		if r := check(good.Plan, good.Options); len(r.Findings) > 0 || !r.OK() {
			t.Errorf("%s: the passing example gives %v", e.Code, r.Findings)
		}
		if bad.Excerpt == "" || good.Excerpt == "" || bad.Excerpt == good.Excerpt || bad.Plan == good.Plan {
			t.Errorf("%s: the examples show %q and %q", r.Code, bad.Excerpt, good.Excerpt)
		}
		for _, part := range strings.Split(good.Excerpt, "\n…\n") {
			if !strings.Contains(good.Plan, part) {
				t.Errorf("%s: %q is not in the passing plan", r.Code, part)
			}
		}
		if strings.ContainsFunc(e.Why+bad.Excerpt, func(r rune) bool { return r < ' ' && r != '\n' }) {
			t.Errorf("%s: the explanation holds control characters", r.Code)
		}
	}
	if len(lessons) != len(codesOf(Table())) {
		t.Errorf("%d lessons for %d codes", len(lessons), len(codesOf(Table())))
	}
}

func codesOf(rules []Rule) []string {
	var out []string
	for _, r := range rules {
		if !slices.Contains(out, r.Code) {
			out = append(out, r.Code)
		}
	}
	return out
}

// TestTableOrder: the table is read by people, so it goes P1 to P9, S1 to S11.
func TestTableOrder(t *testing.T) {
	want := strings.Fields("P1 P2 P3 P4 P5 P6 P7 P8 P9 S1 S2 S3 S4 S5 S6 S7 S8 S9 S10a S10b S10c S10d S11")
	if got := codesOf(Table()); !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	for _, r := range Table() {
		if strings.HasPrefix(r.Code, "S") && r.Code != "S1" && !r.stages {
			t.Errorf("%s runs without a map", r.Code)
		}
	}
}

func TestExplainUnknown(t *testing.T) {
	for _, code := range []string{"", "S12", "S1 ", "S10", "P"} {
		if e, ok := Explain(code); ok {
			t.Errorf("%q: %+v", code, e)
		}
	}
	if e, ok := Explain("s10A"); !ok || e.Code != "S10a" {
		t.Errorf("case matters: %+v", e)
	}
}

const skeletonFindings = "P4 stage=0,P4 stage=0,P5 stage=0,S10a stage=1,S10b stage=1,S10c stage=1,S10d stage=1,S10d stage=1,S10d stage=1,S11 stage=1"

func TestSkeleton(t *testing.T) {
	src := Skeleton(plan.TaskKey{Project: "shop", Group: "체크아웃", Task: "DEV-1"}, "Prices in the cart")
	doc := plan.Parse(src)
	r := Check(doc, Options{Approval: true})
	if got := strings.Join(outline(r.Findings), ","); got != skeletonFindings {
		t.Errorf("findings %v", r.Findings)
	}
	fm := doc.FrontMatter
	if fm.Approved || fm.Okstra.Text != Newest || fm.Project.Text != "shop" || fm.Group.Text != "체크아웃" || fm.Task.Text != "DEV-1" {
		t.Errorf("front matter %+v", fm)
	}
	if doc.Headings[0].Text != "Implementation plan: Prices in the cart" || r.Plan.Stages[0].Title != "Prices in the cart" {
		t.Errorf("%q, %q", doc.Headings[0].Text, r.Plan.Stages[0].Title)
	}
	for _, f := range r.Findings { // every finding stands on a line that says TODO, or on the heading above it
		rest := strings.SplitN(string(src), "\n", f.Pos.Line)[f.Pos.Line-1]
		if f.Code != "P4" && !strings.Contains(strings.SplitN(rest, "\n", 2)[0], "TODO") {
			t.Errorf("%s stands on another line", f.Code)
		}
	}
}

// TestSkeletonFilled: with every TODO replaced the plan is accepted.
func TestSkeletonFilled(t *testing.T) {
	src := string(Skeleton(plan.TaskKey{Project: "p", Group: "g", Task: "t"}, "x"))
	src = strings.NewReplacer(
		"Create: TODO", "Create: a.go — new", "Modify: TODO", "Modify: a.go:1 — old", "Gate result: TODO", "Gate result: passed",
		"TODO: begin with RED: and", "RED:", ": TODO", ": something",
	).Replace(src)
	if r := check(src, Options{Approval: true, Strict: true}); len(r.Findings) > 0 || strings.Contains(src, "TODO") {
		t.Errorf("%v", r.Findings)
	}
}

// TestSkeletonOfAnyTitle: a title is text, whatever stands in it.
func TestSkeletonOfAnyTitle(t *testing.T) {
	titles := []string{"", " \n ", "a | b", "a\\|b", "`x|y`", "**b** _c_", "# a #", "[x](y) [api] z", "<b>", "-->", "&amp;", "a\x1b[31m\u202e", "한국어", "\xff", "TODO", "5.5 Stage Map", "Option Candidates", "{{title}}"}
	rapid.Check(t, func(t *rapid.T) {
		title := rapid.OneOf(rapid.SampledFrom(titles), rapid.String()).Draw(t, "title")
		r := Check(plan.Parse(Skeleton(plan.TaskKey{Task: title}, title)), Options{})
		got := slices.DeleteFunc(outline(r.Findings), func(s string) bool { return strings.HasPrefix(s, "P2") })
		if strings.Join(got, ",") != skeletonFindings {
			t.Fatalf("%q: %v", title, r.Findings)
		}
	})
}
