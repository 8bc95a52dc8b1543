package report

import (
	"encoding/json"
	"fmt"
	"strings"

	"git-okstra/internal/conform/verdict"
	"git-okstra/plan"
)

// StageShow is okstra.stage-show/v1: all that is known of one stage. It has the keys
// of its line in okstra.stage-list/v1 and these.
type StageShow struct {
	Schema string `json:"schema"`
	Task   string `json:"task"`
	StageLine
	Conformance  *Conformance       `json:"conformance"` // null where there are no commits to judge
	Results      []json.RawMessage  `json:"results"`     // of its conformance test, as stored
	Waivers      []WaiverLine       `json:"waivers"`     // expired ones too
	Dependents   []plan.StageNumber `json:"dependents"`  // that wait for this one
	Base         string             `json:"base"`        // "" before it is started
	Tip          string             `json:"tip"`         // the done commit, or where the branch stands
	Files        []string           `json:"files"`       // that the Exit Contract names
	Contract     string             `json:"contract"`    // Markdown
	Section      string             `json:"section"`     // Markdown, the contract in it
	Commits      []ShowCommit       `json:"commits"`     // base to tip, newest first
	MoreCommits  bool               `json:"more_commits"`
	FilesChanged []string           `json:"files_changed"`
	Missing      bool               `json:"missing"` // base or tip is not in this clone
	ReportPath   string             `json:"report_path"`
	Carry        json.RawMessage    `json:"carry"` // the evidence as stored, null where there is none
	Rows         []json.RawMessage  `json:"rows"`  // as stored, each with its commit
	History      [][]string         `json:"-"`     // the rows for a person
}

// ShowCommit is one commit of a stage.
type ShowCommit struct {
	Commit  string `json:"commit"`
	Subject string `json:"subject"`
}

// mostFiles bounds how many paths are written for a person.
const mostFiles = 50

// short is an id as people write it.
func short(id string) string { return id[:min(10, len(id))] }

// Text writes the stage for a person.
func (s StageShow) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "stage %d  %s\n", s.Stage, plan.Printable(s.Title))
	state := s.state()
	if len(s.WaitingFor) > 0 {
		state += ", waits for " + join(s.WaitingFor)
	}
	holder := ""
	if s.Holder != nil {
		holder = s.Note()
		if s.Holder.Host != "" {
			holder += " on host " + s.Holder.Host
		}
		if s.Holder.Run != "" {
			holder += " (run " + s.Holder.Run + ")"
		}
	}
	done := ""
	if s.State == "done" {
		done = short(s.HeadCommit)
	}
	for _, f := range [][2]string{
		{"task", s.Task},
		{"state", state},
		{"after", afterWords(s.DependsOn)},
		{"before", join(s.Dependents)},
		{"steps", fmt.Sprint(s.Steps)},
		{"holder", holder},
		{"base", short(s.Base)},
		{"branch", s.Branch},
		{"worktree", s.Worktree},
		{"ports", portWords(s.PortBase)},
		{"done at", done},
		{"report", s.ReportPath},
	} {
		if f[1] != "" {
			fmt.Fprintf(&b, "  %-9s %s\n", f[0], plan.Printable(f[1]))
		}
	}
	for _, c := range s.Chapters() {
		chapter(&b, c.Name, c.Lines)
	}
	return b.String()
}

// Chapter is a part of what is shown of a stage, as lines that are not yet escaped.
type Chapter struct {
	Name  string
	Lines []string
}

// Chapters are the longer parts of what is shown of a stage; some have no lines.
func (s StageShow) Chapters() []Chapter {
	commits, files := s.work()
	return []Chapter{
		{"commits", commits},
		{"files", files},
		{"evidence", evidenceLines(s.Carry)},
		{"conformance", s.conformanceLines()},
		{"rows", TableLines(s.History)},
		{"plan", strings.Split(strings.TrimRight(s.Section, "\n"), "\n")},
	}
}

// conformanceLines are the judgement, and the waivers that did not come into it.
func (s StageShow) conformanceLines() []string {
	var out []string
	if s.Conformance != nil {
		out = s.Conformance.Lines()
	}
	for _, w := range s.Waivers {
		v := verdict.Waiver{Surface: w.Surface, Why: w.Why, By: w.By, Until: w.Until, From: w.From}
		line := "waiver     " + v.String()
		if w.Expired {
			line += " (expired)"
		}
		out = append(out, line)
	}
	return out
}

// portWords says where a stage's ports begin, if it has any.
func portWords(base int) string {
	if base == 0 {
		return ""
	}
	return fmt.Sprintf("from %d", base)
}

// work are the commits and the files that they changed.
func (s StageShow) work() (commits, files []string) {
	if s.Missing {
		return []string{"(not in this clone)"}, nil
	}
	for _, c := range s.Commits {
		commits = append(commits, short(c.Commit)+"  "+c.Subject)
	}
	if s.MoreCommits {
		commits = append(commits, "(and older ones)")
	}
	files = s.FilesChanged[:min(mostFiles, len(s.FilesChanged))]
	if more := len(s.FilesChanged) - len(files); more > 0 {
		files = append(files[:len(files):len(files)], fmt.Sprintf("(and %d more)", more))
	}
	return commits, files
}

// chapter writes lines under a heading, each escaped; without lines it writes nothing.
func chapter(b *strings.Builder, name string, lines []string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s\n", name)
	for _, line := range lines {
		line = plan.Printable(strings.ReplaceAll(line, "\t", "    "))
		b.WriteString(strings.TrimRight("  "+line, " ") + "\n")
	}
}

// evidenceLines are what the worker has passed; what git knows is shown from git.
func evidenceLines(carry json.RawMessage) []string {
	var c struct {
		CompletedAt       string   `json:"completedAt"`
		NewIdentifiers    []string `json:"newIdentifiers"`
		ValidationsPassed []string `json:"validationsPassed"`
		Notes             []string `json:"notes"`
		StepResults       []struct {
			Step   int    `json:"step"`
			Status string `json:"status"`
			Commit string `json:"commit"`
		} `json:"stepResults"`
	}
	if len(carry) == 0 || json.Unmarshal(carry, &c) != nil {
		return nil // what is of another form is in the JSON
	}
	var lines []string
	for _, step := range c.StepResults {
		lines = append(lines, strings.TrimRight(fmt.Sprintf("step %d     %s  %s", step.Step, step.Status, short(step.Commit)), " "))
	}
	for _, list := range []struct {
		name   string
		values []string
	}{{"new", c.NewIdentifiers}, {"passed", c.ValidationsPassed}, {"note", c.Notes}} {
		for _, v := range list.values {
			lines = append(lines, fmt.Sprintf("%-9s  %s", list.name, v))
		}
	}
	if c.CompletedAt != "" {
		lines = append(lines, fmt.Sprintf("%-9s  %s", "completed", c.CompletedAt))
	}
	return lines
}
