package report

import (
	"fmt"
	"strings"
	"testing"
)

func TestStageCleanText(t *testing.T) {
	t.Parallel()
	many := CleanedStage{Stage: 4, Blocked: true}
	for i := range 12 {
		many.Kept = append(many.Kept, Kept{What: "worktree", Name: "/w/4", Kind: "untracked", Reason: fmt.Sprintf("untracked %d", i)})
	}
	many.Kept = append(many.Kept, Kept{What: "branch", Name: "b4", Reason: "it moved"})
	c := StageClean{
		Settled: []SettledRemoval{
			{Path: "/w/.a", Action: "finished"}, {Path: "/w/.b", Action: "undone"}, {Path: "/w/.c", Action: "undone", Reason: "look"},
		},
		Stages: []CleanedStage{
			{Stage: 1, Worktrees: []string{"/w/1"}, Branches: []string{"b1"}},
			{Stage: 2, Kept: []Kept{{What: "stage", Reason: "not landed"}}},
			{Stage: 3, Blocked: true, Kept: []Kept{{What: "worktree", Name: "/w/3\x1b", Reason: "locked\x1b"}}},
			many,
		},
	}
	want := `"/w/.a": an earlier removal was finished
"/w/.b": an earlier removal was undone
"/w/.c" is left of an earlier removal: look
stage 1: worktree "/w/1" removed
stage 1: branch b1 removed
stage 2: kept: not landed
stage 3: worktree "/w/3\x1b" kept: locked\x1b
stage 4: worktree "/w/4" kept:
  untracked 0
  untracked 1
  untracked 2
  untracked 3
  untracked 4
  untracked 5
  untracked 6
  untracked 7
  untracked 8
  untracked 9
  and 2 more
stage 4: branch b4 kept: it moved
`
	if got := c.Text(false); got != want {
		t.Errorf("got %s", got)
	}
	quiet := c.Text(true)
	for _, line := range []string{"stage 1", "stage 2", "undone\n", "finished"} {
		if strings.Contains(quiet, line) {
			t.Errorf("-q says %q", line)
		}
	}
	for _, line := range []string{"stage 3", "stage 4", "/w/.c"} {
		if !strings.Contains(quiet, line) {
			t.Errorf("-q does not say %q", line)
		}
	}
	c.DryRun = true
	if got := c.Text(false); !strings.Contains(got, "branch b1 would be removed\n") {
		t.Errorf("a dry run: %s", got)
	}
}

func TestStageCleanOfNothing(t *testing.T) {
	t.Parallel()
	c := StageClean{}
	if c.Text(false) != "nothing to clean\n" || c.Text(true) != "" || c.Blocked() {
		t.Errorf("%q", c.Text(false))
	}
	c.Settled = []SettledRemoval{{Path: "/w", Reason: "look"}}
	if !c.Blocked() {
		t.Error("a leftover that stays is nothing")
	}
	c = StageClean{Stages: []CleanedStage{{Stage: 1}, {Stage: 2, Blocked: true}}}
	if !c.Blocked() {
		t.Error("a blocked stage is nothing")
	}
}
