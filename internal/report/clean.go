package report

import (
	"fmt"
	"strconv"
	"strings"

	"git-okstra/plan"
)

// StageClean is okstra.stage-clean/v1.
type StageClean struct {
	Schema  string           `json:"schema"`
	Task    string           `json:"task"`
	DryRun  bool             `json:"dry_run"`
	Stages  []CleanedStage   `json:"stages"`
	Settled []SettledRemoval `json:"settled"` // earlier removals that were cut short
}

// CleanedStage is what became, or in a dry run would become, of what one stage left
// behind.
type CleanedStage struct {
	Stage     plan.StageNumber `json:"stage"`
	Worktrees []string         `json:"worktrees"` // removed
	Branches  []string         `json:"branches"`  // removed, short names
	Kept      []Kept           `json:"kept"`
	Blocked   bool             `json:"blocked"` // something was asked for that was not done
}

// Kept is something that stays, and why.
type Kept struct {
	What   string `json:"what"` // stage, worktree or branch
	Name   string `json:"name"` // a path or a short name, "" for a stage
	Kind   string `json:"kind"` // what kind of loss it would be, "" for none
	Reason string `json:"reason"`
}

// SettledRemoval is an earlier removal that was cut short and is ended now.
type SettledRemoval struct {
	Path   string `json:"path"`
	Action string `json:"action"` // finished or undone
	Reason string `json:"reason"` // where it could not be: why; "" where it was
}

// Blocked reports whether anything that was asked for was not done.
func (c StageClean) Blocked() bool {
	for _, s := range c.Stages {
		if s.Blocked {
			return true
		}
	}
	for _, s := range c.Settled {
		if s.Reason != "" {
			return true
		}
	}
	return false
}

// Text is the report for a person. quiet leaves only what was not done.
func (c StageClean) Text(quiet bool) string {
	var b strings.Builder
	for _, s := range c.Settled {
		switch {
		case s.Reason != "":
			fmt.Fprintf(&b, "%s is left of an earlier removal: %s\n", strconv.Quote(s.Path), plan.Printable(s.Reason))
		case !quiet:
			fmt.Fprintf(&b, "%s: an earlier removal was %s\n", strconv.Quote(s.Path), s.Action)
		}
	}
	removed := "removed"
	if c.DryRun {
		removed = "would be removed"
	}
	for _, s := range c.Stages {
		if !quiet || s.Blocked {
			b.WriteString(s.text(removed, quiet))
		}
	}
	if b.Len() == 0 && !quiet {
		return "nothing to clean\n"
	}
	return b.String()
}

// most is how many reasons of one worktree or branch are told.
const most = 10

func (s CleanedStage) text(removed string, quiet bool) string {
	var b strings.Builder
	if !quiet {
		for _, w := range s.Worktrees {
			fmt.Fprintf(&b, "stage %d: worktree %s %s\n", s.Stage, strconv.Quote(w), removed)
		}
		for _, name := range s.Branches {
			fmt.Fprintf(&b, "stage %d: branch %s %s\n", s.Stage, plan.Printable(name), removed)
		}
	}
	for i := 0; i < len(s.Kept); {
		end := i
		for end < len(s.Kept) && s.Kept[end].What == s.Kept[i].What && s.Kept[end].Name == s.Kept[i].Name {
			end++
		}
		b.WriteString(keptText(s.Stage, s.Kept[i:end]))
		i = end
	}
	return b.String()
}

// keptText tells why one thing stays: in its line where there is one reason, else a
// line each.
func keptText(n plan.StageNumber, kept []Kept) string {
	k := kept[0]
	name := ""
	switch k.What {
	case "worktree":
		name = "worktree " + strconv.Quote(k.Name) + " "
	case "branch":
		name = "branch " + plan.Printable(k.Name) + " "
	}
	if len(kept) == 1 {
		return fmt.Sprintf("stage %d: %skept: %s\n", n, name, plan.Printable(k.Reason))
	}
	text := fmt.Sprintf("stage %d: %skept:\n", n, name)
	for _, k := range kept[:min(most, len(kept))] {
		text += "  " + plan.Printable(k.Reason) + "\n"
	}
	if rest := len(kept) - most; rest > 0 {
		text += fmt.Sprintf("  and %d more\n", rest)
	}
	return text
}
