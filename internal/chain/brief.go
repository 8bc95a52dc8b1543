package chain

import (
	"fmt"
	"strings"

	"git-okstra/gitops"
	"git-okstra/notes"
	"git-okstra/plan"
)

// Carried is what a stage gets from one that it depends on.
type Carried struct {
	Stage  plan.StageNumber
	Title  string
	Head   gitops.Hash
	Carry  *notes.Carry // nil where nothing is recorded
	Report string
}

// BriefFor is what a brief is made of.
type BriefFor struct {
	Task    string
	Stage   plan.Stage
	Of      int // so many stages has the plan
	Branch  string
	Base    gitops.Hash
	Resumed bool
	Carried []Carried
}

// Brief writes all that somebody needs who does a stage: the rules, what its
// predecessors left, and the stage's own section as the plan has it.
func Brief(b BriefFor) string {
	var w strings.Builder
	fmt.Fprintf(&w, "# Stage %d of %d: %s\n\n", b.Stage.Number, b.Of, plan.Printable(b.Stage.Title))
	fmt.Fprintf(&w, "- task: %s\n- branch: %s (checked out in this worktree)\n- base: %s\n",
		plan.Printable(b.Task), plan.Printable(b.Branch), b.Base)
	if b.Resumed {
		fmt.Fprintf(&w, "- resumed: somebody was at this stage before. See what is there already: git log %s..HEAD, git status\n", b.Base)
	}
	w.WriteString(rulesOfTheRoad)
	w.WriteString("\n## Carry-in\n")
	if len(b.Carried) == 0 {
		w.WriteString("\nThis stage depends on no other.\n")
	}
	for _, c := range b.Carried {
		c.write(&w)
	}
	fmt.Fprintf(&w, "\n## The stage, as the plan has it\n\n%s\n", strings.TrimRight(b.Stage.Section, "\n"))
	return w.String()
}

const rulesOfTheRoad = `
## Rules of the road

- Work only in this worktree, and commit on the branch that is checked out. Commits are all that counts.
- Leave nothing uncommitted: done means committed, with a clean tree.
- Stay on top of the base: do not rebase, reset or amend what was there before, do not switch the branch, do not remove the worktree.
- End with exit code 0 only if the stage meets its Exit Contract; with any other one, the stage stays open for the next try.
- Leave no process behind. Servers listen on ports from $OKSTRA_PORT_BASE on: other stages may run beside this one ($OKSTRA_CONCURRENT of them do).
- Do not record the stage as done yourself: that follows when you have ended.
`

// write adds what one predecessor left.
func (c *Carried) write(w *strings.Builder) {
	fmt.Fprintf(w, "\n### Stage %d: %s\n\n- done at: %s\n", c.Stage, plan.Printable(c.Title), c.Head)
	if c.Carry == nil {
		w.WriteString("- evidence: none is recorded\n")
		return
	}
	if r := c.Carry.StageCommitRange; r.Base != "" {
		fmt.Fprintf(w, "- commits: %s..%s\n", r.Base, r.Head)
	}
	for _, list := range []struct {
		name  string
		words []string
	}{
		{"files changed", c.Carry.FilesChanged},
		{"new identifiers", c.Carry.NewIdentifiers},
		{"validations passed", c.Carry.ValidationsPassed},
		{"notes", c.Carry.Notes},
	} {
		if len(list.words) > 0 {
			fmt.Fprintf(w, "- %s:\n", list.name)
		}
		for _, word := range list.words {
			fmt.Fprintf(w, "  - %s\n", plan.Printable(word))
		}
	}
	for _, s := range c.Carry.StepResults {
		fmt.Fprintf(w, "- step %d: %s %s\n", s.Step, plan.Printable(s.Status), s.Commit)
	}
	if c.Report != "" {
		fmt.Fprintf(w, "- report: %s\n", plan.Printable(c.Report))
	}
}
