package report

import (
	"fmt"
	"strings"

	"git-okstra/internal/conform"
	"git-okstra/internal/conform/manifest"
	"git-okstra/internal/conform/verdict"
	"git-okstra/plan"
)

// ConformStatus is okstra.conform-status/v1.
type ConformStatus struct {
	Schema   string            `json:"schema"`
	Task     string            `json:"task"`
	Stages   []ConformStage    `json:"stages"`
	Waivers  []WaiverLine      `json:"waivers"` // expired ones too
	Manifest []ManifestProblem `json:"manifest"`
}

// ConformStage is what there is of one stage.
type ConformStage struct {
	Stage        plan.StageNumber  `json:"stage"`
	State        string            `json:"state"`
	Declared     string            `json:"declared"` // tests, exemption, or ""
	Reason       string            `json:"reason"`   // of an exemption
	Script       string            `json:"script"`
	Requires     []conform.Surface `json:"requires"`
	Command      string            `json:"command"` // of the manifest
	Requirements []string          `json:"requirements"`
	Head         string            `json:"head"` // what a result must be of, "" where nothing is committed yet
	Result       ResultLine        `json:"result"`
}

// Text is the status for a person.
func (s ConformStatus) Text() string {
	var b strings.Builder
	rows := [][]string{{"stage", "state", "declared", "result"}}
	for _, st := range s.Stages {
		declared, result := "nothing", "-"
		switch st.Declared {
		case string(verdict.Tests):
			declared, result = "tests ["+verdict.Joined(st.Requires)+"] "+st.Script, st.Result.Words()
		case string(verdict.Exemption):
			declared = "exempt: " + st.Reason
		}
		rows = append(rows, []string{fmt.Sprint(st.Stage), st.State, declared, result})
	}
	b.WriteString(Table(rows))
	if len(s.Waivers) > 0 {
		b.WriteString("\nwaivers\n")
	}
	for _, w := range s.Waivers {
		v := verdict.Waiver{Surface: w.Surface, Why: w.Why, By: w.By, Until: w.Until, From: w.From}
		expired := ""
		if w.Expired {
			expired = " (expired)"
		}
		fmt.Fprintf(&b, "  stage %d: %s%s\n", w.Stage, v, expired)
	}
	if len(s.Manifest) > 0 {
		b.WriteString("\nmanifest\n")
	}
	for _, p := range s.Manifest {
		fmt.Fprintf(&b, "  %s:%d:%d: %s\n", manifest.Path, p.Line, p.Column, p.Message)
	}
	return b.String()
}
