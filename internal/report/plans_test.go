package report

import (
	"encoding/json"
	"strings"
	"testing"

	"git-okstra/plan"
	"git-okstra/plan/revision"
)

// twoPlans are an old and a new plan with every kind of change.
func twoPlans() (old, now *plan.Plan) {
	stage := func(n plan.StageNumber, title, body string, files []string, deps ...plan.StageNumber) plan.Stage {
		return plan.Stage{Number: n, Title: title, Section: "## h\n" + body + "\n### Stage Exit Contract\n" + strings.Join(files, "\n"), Contract: "### Stage Exit Contract\n" + strings.Join(files, "\n"), Files: files, DependsOn: deps, Steps: 2}
	}
	old = &plan.Plan{Stages: []plan.Stage{
		stage(1, "가격 조회", "a", []string{"a.go"}),
		stage(2, "dropped\x1b[31m", "b", []string{"b.go"}, 1),
		stage(3, "cart", "c", []string{"c.go", "d.go"}, 1, 2),
	}}
	now = &plan.Plan{Stages: []plan.Stage{
		stage(1, "가격 조회 API", "a", []string{"a.go"}),
		stage(2, "cart", "c changed", []string{"c.go", "e\n.go"}, 1),
		stage(3, "fresh", "f", []string{"f.go"}),
	}}
	return old, now
}

func TestPlanDiffText(t *testing.T) {
	t.Parallel()
	old, now := twoPlans()
	hunks := revision.Words("one\ntwo words here\nthree\n\x1b[2Jgone\n", "one\ntwo other words here\nthree\nnew\ttab\n")
	d := NewPlanDiff("revision 1234567890", "계획\n.md", revision.Stages(old, now), hunks)
	golden(t, "plandiff.txt", d.Text())
	data, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "plandiff.json", string(data)+"\n")
	if got := NewPlanDiff("a", "b", nil, nil).Text(); got != "" {
		t.Errorf("equal plans: %q", got)
	}
	if got := NewPlanDiff("a", "b", nil, hunks).Text(); !strings.HasPrefix(got, "--- a\n+++ b\n@@ -1,4 +1,4 @@\n") {
		t.Errorf("text alone: %q", got)
	}
}

func TestPlanShowText(t *testing.T) {
	t.Parallel()
	_, now := twoPlans()
	show := PlanShow{
		Task: "앱:g:t\x1b", File: "docs/plan.md", Revision: strings.Repeat("ab", 20), By: "A <a@x>", At: "2026-01-02T03:04:05Z",
		Signed: true, Onto: "main", Ruleset: "0.100.0", Category: "bugfix", Stages: ShowStages(now.Stages),
	}
	golden(t, "planshow.txt", show.Text(false))
	show = PlanShow{File: "p.md", Ruleset: "0.100.0", Stages: ShowStages(now.Stages[1:2])}
	show.Stages[0].Section = "## heading\n\n\tindented \x1b[31m\n- 한국어   \n"
	golden(t, "planshow-stage.txt", show.Text(true))
}
