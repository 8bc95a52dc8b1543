package report

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"git-okstra/plan"
)

// TestStageShowText has everything in it, and text that would drive a terminal.
func TestStageShowText(t *testing.T) {
	t.Parallel()
	s := StageShow{
		Task:       "p:g:t",
		StageLine:  StageLine{Stage: 3, Title: "a \x1b[2J title", State: "active", Steps: 4, DependsOn: []plan.StageNumber{1, 2}, Branch: "feat-t-s3\a", Holder: &Holder{By: "A\nB", Host: "h", Run: "r", Since: "then"}, Worktree: "/w"},
		Dependents: []plan.StageNumber{7}, Base: strings.Repeat("a", 40), Section: "## 5.5.3\n\n\tcode\x07\n\n\n",
		Commits: []ShowCommit{{strings.Repeat("b", 40), "sub\rject"}}, MoreCommits: true, ReportPath: "r.md",
		Carry:   json.RawMessage(`{"stepResults":[{"step":1,"status":"done","commit":"cccccccccccc"},{"step":2,"status":"skipped"}],"newIdentifiers":["Price"],"validationsPassed":["go test"],"notes":["a\u001b"],"completedAt":"now"}`),
		History: [][]string{{"1", "at", "started", "→ active"}},
	}
	for i := range 52 {
		s.FilesChanged = append(s.FilesChanged, fmt.Sprintf("f%d", i))
	}
	got := s.Text()
	if strings.ContainsAny(got, "\x1b\x07\r") {
		t.Errorf("raw control characters in %q", got)
	}
	for _, want := range []string{
		`stage 3  a \x1b[2J title` + "\n", "  task      p:g:t\n", "  after     1, 2\n", "  before    7\n", `  holder    A\nB since then on host h (run r)` + "\n",
		"  base      aaaaaaaaaa\n", `  branch    feat-t-s3\a` + "\n", "\ncommits\n  bbbbbbbbbb  sub\\rject\n  (and older ones)\n",
		"\nfiles\n  f0\n", "  f49\n  (and 2 more)\n\nevidence\n  step 1     done  cccccccccc\n  step 2     skipped\n  new        Price\n  passed     go test\n  note       a\\x1b\n  completed  now\n",
		"\nrows\n  1  at  started  → active\n", "\nplan\n  ## 5.5.3\n\n      code\\a\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if len(s.FilesChanged) != 52 {
		t.Error("the list of files was changed")
	}
	s = StageShow{StageLine: StageLine{Stage: 1, Title: "t", State: "ready", Steps: 1}, Carry: json.RawMessage(`[1]`), Missing: true}
	if got, want := s.Text(), "stage 1  t\n  state     ready\n  after     (none)\n  steps     1\n\ncommits\n  (not in this clone)\n"; !strings.HasPrefix(got, want) {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
