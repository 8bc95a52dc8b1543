package report

import (
	"fmt"
	"slices"
	"strings"

	"git-okstra/plan"
	"git-okstra/plan/revision"
)

// PlanDiff is okstra.plan-diff/v1.
type PlanDiff struct {
	Schema string        `json:"schema"`
	From   string        `json:"from"`
	To     string        `json:"to"`
	Stages []StageChange `json:"stages"`
	Hunks  []DiffHunk    `json:"hunks"`
}

// StageChange is what became of one stage. Keys that begin with was_ speak of the
// old revision; number and title of an added stage there are 0 and "".
type StageChange struct {
	Stage        plan.StageNumber   `json:"stage"` // 0: removed
	Was          plan.StageNumber   `json:"was"`
	Title        string             `json:"title"`
	WasTitle     string             `json:"was_title"`
	Changes      []revision.Kind    `json:"changes"`
	DependsOn    []plan.StageNumber `json:"depends_on"`
	WasDependsOn []plan.StageNumber `json:"was_depends_on"`
	FilesAdded   []string           `json:"files_added"`
	FilesRemoved []string           `json:"files_removed"`
}

// DiffHunk is a run of lines: each a list of parts that are equal, deleted or
// inserted.
type DiffHunk struct {
	FromLine  int               `json:"from_line"`
	FromLines int               `json:"from_lines"`
	ToLine    int               `json:"to_line"`
	ToLines   int               `json:"to_lines"`
	Lines     [][]revision.Part `json:"lines"`
}

// NewPlanDiff gathers a comparison.
func NewPlanDiff(from, to string, changes []revision.Change, hunks []revision.Hunk) PlanDiff {
	d := PlanDiff{Schema: "okstra.plan-diff/v1", From: from, To: to, Stages: StageChanges(changes), Hunks: []DiffHunk{}}
	for _, h := range hunks {
		d.Hunks = append(d.Hunks, DiffHunk{h.From, h.FromLines, h.To, h.ToLines, h.Lines})
	}
	return d
}

// StageChanges writes changes as they stand in JSON.
func StageChanges(changes []revision.Change) []StageChange {
	out := []StageChange{}
	for _, c := range changes {
		out = append(out, StageChange{
			Stage: c.Stage.Number, Was: c.Was.Number, Title: c.Stage.Title, WasTitle: c.Was.Title, Changes: c.Kinds,
			DependsOn: full(c.Stage.DependsOn), WasDependsOn: full(c.Was.DependsOn),
			FilesAdded: full(c.FilesAdded), FilesRemoved: full(c.FilesRemoved),
		})
	}
	return out
}

// full is the list, empty instead of nil: JSON has no null for a list.
func full[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// Text writes the stages that differ, then the changed text with words that went
// as [-…-] and words that came as {+…+}, as git's word diff does.
func (d PlanDiff) Text() string {
	var b strings.Builder
	b.WriteString(ChangesText(d.Stages))
	if len(d.Hunks) == 0 {
		return b.String()
	}
	if len(d.Stages) > 0 {
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", plan.Printable(d.From), plan.Printable(d.To))
	for _, h := range d.Hunks {
		fmt.Fprintf(&b, "@@ -%d,%d +%d,%d @@\n", h.FromLine, h.FromLines, h.ToLine, h.ToLines)
		for _, line := range h.Lines {
			for _, p := range line {
				b.WriteString(marked(p))
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

func marked(p revision.Part) string {
	text := plan.Printable(p.Text)
	switch p.Op {
	case revision.Delete:
		return "[-" + text + "-]"
	case revision.Insert:
		return "{+" + text + "+}"
	case revision.Equal:
	}
	return text
}

// ChangesText is one line for each change of a stage.
func ChangesText(stages []StageChange) string {
	var rows [][]string
	for _, s := range stages {
		number, title := fmt.Sprint(s.Stage), s.Title
		if slices.Contains(s.Changes, revision.Removed) {
			number, title = fmt.Sprint(s.Was), s.WasTitle
		}
		for i, kind := range s.Changes {
			row := []string{"", "", string(kind), s.explain(kind)}
			if i == 0 {
				row[0], row[1] = "stage "+number, title
			}
			rows = append(rows, row)
		}
	}
	return Table(rows)
}

// explain says what changed, where that is short.
func (s StageChange) explain(kind revision.Kind) string {
	switch kind {
	case revision.Renumbered:
		return fmt.Sprintf("was stage %d", s.Was)
	case revision.Retitled:
		return "was " + plan.Quote(s.WasTitle)
	case revision.Rewired:
		return fmt.Sprintf("after %s, was after %s", afterWords(s.DependsOn), afterWords(s.WasDependsOn))
	case revision.Contract:
		var words []string
		for _, f := range s.FilesAdded {
			words = append(words, "+"+f)
		}
		for _, f := range s.FilesRemoved {
			words = append(words, "-"+f)
		}
		return strings.Join(words, " ")
	case revision.Added, revision.Removed, revision.Text:
	}
	return ""
}

func afterWords(list []plan.StageNumber) string {
	if len(list) == 0 {
		return "(none)"
	}
	return join(list)
}
