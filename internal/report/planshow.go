package report

import (
	"fmt"
	"strings"

	"git-okstra/plan"
)

// PlanShow is okstra.plan-show/v1.
type PlanShow struct {
	Schema   string      `json:"schema"`
	Task     string      `json:"task"`     // "" where a file does not say
	File     string      `json:"file"`     // where the plan is, or was when it was approved
	Revision string      `json:"revision"` // the approved revision's commit, "" for a file
	By       string      `json:"by"`       // who approved it
	At       string      `json:"at"`       // and when, RFC 3339
	Signed   bool        `json:"signed"`   // the revision carries a signature; it is not verified here
	Onto     string      `json:"onto"`     // integration branch
	Ruleset  string      `json:"ruleset"`
	Category string      `json:"category"`
	Stages   []ShowStage `json:"stages"`
}

// ShowStage is one stage of a plan.
type ShowStage struct {
	Stage     plan.StageNumber   `json:"stage"`
	Title     string             `json:"title"`
	DependsOn []plan.StageNumber `json:"depends_on"`
	Steps     int                `json:"steps"`
	Files     []string           `json:"files"`
	Line      int                `json:"line"`    // of the map's row
	Section   string             `json:"section"` // the stage's Markdown
}

// ShowStages gathers the stages.
func ShowStages(list []plan.Stage) []ShowStage {
	out := []ShowStage{}
	for _, s := range list {
		out = append(out, ShowStage{s.Number, s.Title, full(s.DependsOn), s.Steps, full(s.Files), s.Pos.Line, s.Section})
	}
	return out
}

// Text writes the plan for a person; sections: with the stages' own text.
func (p PlanShow) Text(sections bool) string {
	var b strings.Builder
	switch {
	case p.Task != "":
		fmt.Fprintf(&b, "plan of %s\n", plan.Printable(p.Task))
	default:
		fmt.Fprintf(&b, "plan %s\n", plan.Printable(p.File))
	}
	signed := ""
	if p.Signed {
		signed = ", signed"
	}
	fields := [][2]string{
		{"revision", p.Revision},
		{"approved", strings.TrimSpace(p.At+" by "+p.By) + signed},
		{"onto", p.Onto},
		{"ruleset", p.Ruleset},
		{"category", p.Category},
		{"file", p.File},
	}
	if p.Revision == "" {
		fields[1][1] = ""
	}
	for _, f := range fields {
		if f[1] != "" {
			fmt.Fprintf(&b, "  %-9s %s\n", f[0], plan.Printable(f[1]))
		}
	}
	for _, s := range p.Stages {
		fmt.Fprintf(&b, "\nstage %d  %s\n", s.Stage, plan.Printable(s.Title))
		fmt.Fprintf(&b, "  after     %s\n  steps     %d\n", afterWords(s.DependsOn), s.Steps)
		for i, f := range s.Files {
			fmt.Fprintf(&b, "  %-9s %s\n", pick(i == 0, "files", ""), plan.Printable(f))
		}
		if sections {
			b.WriteString("\n")
			for line := range strings.Lines(s.Section) {
				b.WriteString(strings.TrimRight("  "+plan.Printable(strings.ReplaceAll(strings.TrimRight(line, "\n"), "\t", "    ")), " ") + "\n")
			}
		}
	}
	return b.String()
}
