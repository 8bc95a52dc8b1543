package report

import (
	"fmt"
	"strings"
	"testing"

	"git-okstra/plan"
)

func TestVerifyText(t *testing.T) {
	t.Parallel()
	v := Verify{
		Task: "앱:g:t\x1b", Scope: "task", Onto: "main", Base: strings.Repeat("ab", 20), Head: strings.Repeat("cd", 20), Worktree: "/w/\x1b[31mr", WorktreeHead: strings.Repeat("cd", 20), OK: true,
		Stages: []VerifyStage{
			{Stage: 1, Title: "가격 조회", HeadCommit: strings.Repeat("1a", 20), ReportPath: "docs/보고.md", Verdict: "accepted"},
			{Stage: 12, Title: "cart\x1b[31m", HeadCommit: strings.Repeat("2b", 20)},
		},
	}
	text := v.Text()
	v.Recorded = &RecordedVerdict{Verdict: "blocked", Stages: []plan.StageNumber{1, 12}}
	v.WorktreeHead = strings.Repeat("0e", 20)
	text += "----\n" + v.Text()
	v.Scope, v.Stages, v.Worktree, v.Recorded.Stages = "stage", v.Stages[1:], "", nil
	golden(t, "verify.txt", text+"----\n"+v.Text())

	m := VerifyMissing{Kind: "not-clean", Text: "\"/w\" has uncommitted changes"}
	for i := range 12 {
		m.Paths = append(m.Paths, fmt.Sprintf("?? file\x1b%d", i))
	}
	v.Missing = []VerifyMissing{{Kind: "not-done", Stage: 12, Text: "stage 12 is not done"}, m}
	text = v.MissingText() + "\n"
	v.Scope = "task"
	golden(t, "verify-missing.txt", text+v.MissingText()+"\n")
}
