package report

import (
	"fmt"
	"strings"

	"git-okstra/internal/conform/verdict"
	"git-okstra/plan"
)

// Verify is okstra.verify/v1: what is to be verified, or what is missing for it.
type Verify struct {
	Schema   string `json:"schema"`
	Task     string `json:"task"`
	Scope    string `json:"scope"` // task or stage
	Onto     string `json:"onto"`
	Base     string `json:"base"`     // what the work stands on, "" where nothing says so
	Head     string `json:"head"`     // the commit to be verified, "" where there is none yet
	Worktree string `json:"worktree"` // the one that was looked at, "" for none
	// WorktreeHead is what that worktree stands on, which need not be the head.
	WorktreeHead string `json:"worktree_head"`

	Stages   []VerifyStage    `json:"stages"`
	Reports  []string         `json:"reports"` // paths, as they were recorded
	OK       bool             `json:"ok"`      // nothing is missing
	Missing  []VerifyMissing  `json:"missing"`
	Recorded *RecordedVerdict `json:"recorded"` // null where nothing was to be recorded

	Conformance []Conformance `json:"conformance"` // of the done stages in scope
}

// VerifyStage is one stage in scope.
type VerifyStage struct {
	Stage      plan.StageNumber `json:"stage"`
	Title      string           `json:"title"`
	State      string           `json:"state"`
	Base       string           `json:"base"`
	HeadCommit string           `json:"head_commit"`
	ReportPath string           `json:"report_path"`
	Verdict    string           `json:"verdict"` // the last one on this very commit, "" for none
	VerdictBy  string           `json:"verdict_by"`
	VerdictAt  string           `json:"verdict_at"`
}

// VerifyMissing is one thing that is missing.
type VerifyMissing struct {
	Kind       string           `json:"kind"`
	Stage      plan.StageNumber `json:"stage"`
	Text       string           `json:"text"`
	Paths      []string         `json:"paths"` // lines of git status
	CannotTell bool             `json:"cannot_tell"`
}

// RecordedVerdict is what --record came to.
type RecordedVerdict struct {
	Verdict string             `json:"verdict"`
	Stages  []plan.StageNumber `json:"stages"` // that got a row; the others had it already
}

// Text is the target for a person who is to verify it.
func (v Verify) Text() string {
	var b strings.Builder
	scope := fmt.Sprintf("the whole task, %s", Count(len(v.Stages), "stage"))
	if v.Scope == "stage" && len(v.Stages) > 0 {
		scope = fmt.Sprintf("stage %d", v.Stages[0].Stage)
	}
	fmt.Fprintf(&b, "to be verified: %s of %s\n", scope, plan.Printable(v.Task))
	head := short(v.Head)
	if v.Scope == "task" {
		head += "  (" + v.Onto + ")"
	}
	worktree := v.Worktree
	if worktree == "" {
		worktree = "(none)"
	} else if v.WorktreeHead != v.Head {
		worktree += "  (at " + orDash(short(v.WorktreeHead)) + ", not at the head)"
	}
	for _, f := range [][2]string{{"base", short(v.Base)}, {"head", head}, {"worktree", worktree}} {
		if f[1] != "" {
			fmt.Fprintf(&b, "  %-9s %s\n", f[0], plan.Printable(f[1]))
		}
	}
	rows := [][]string{{"stage", "done at", "verdict", "report", "title"}}
	for _, s := range v.Stages {
		rows = append(rows, []string{fmt.Sprint(s.Stage), short(s.HeadCommit), orDash(s.Verdict), orDash(s.ReportPath), s.Title})
	}
	b.WriteString("\n" + Table(rows))
	var notices []string
	for _, c := range v.Conformance {
		for _, line := range c.ReasonLines(verdict.Notice) {
			notices = append(notices, fmt.Sprintf("stage %d: %s", c.Stage, line))
		}
	}
	chapter(&b, "conformance", notices)
	if v.Recorded != nil {
		b.WriteString("\n" + v.Recorded.text())
	}
	return b.String()
}

func (r RecordedVerdict) text() string {
	if len(r.Stages) == 0 {
		return fmt.Sprintf("%s was recorded already\n", r.Verdict)
	}
	return fmt.Sprintf("recorded: %s for stage %s\n", r.Verdict, join(r.Stages))
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// mostDirt bounds how many paths of a worktree are told.
const mostDirt = 10

// MissingText tells all that is missing, a line each, with the paths below.
func (v Verify) MissingText() string {
	what := "the task"
	if v.Scope == "stage" && len(v.Stages) > 0 {
		what = fmt.Sprintf("stage %d", v.Stages[0].Stage)
	}
	text := fmt.Sprintf("%s cannot be verified yet:", what)
	for _, m := range v.Missing {
		text += "\n  " + plan.Printable(m.Text)
		for _, p := range m.Paths[:min(mostDirt, len(m.Paths))] {
			text += "\n    " + plan.Printable(p)
		}
		if more := len(m.Paths) - mostDirt; more > 0 {
			text += fmt.Sprintf("\n    and %d more", more)
		}
	}
	return text
}
