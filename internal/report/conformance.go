package report

import (
	"fmt"
	"strings"

	"git-okstra/internal/conform"
	"git-okstra/internal/conform/manifest"
	"git-okstra/internal/conform/proof"
	"git-okstra/internal/conform/verdict"
	"git-okstra/plan"
)

// Conformance is what was judged of one stage, as it stands in several outputs.
type Conformance struct {
	Stage    plan.StageNumber  `json:"stage"`
	Verdict  verdict.Word      `json:"verdict"`
	Moment   verdict.Moment    `json:"moment"`
	Base     string            `json:"base"`
	Head     string            `json:"head"`     // "" where what is staged was judged
	Declared string            `json:"declared"` // tests, exemption, or ""
	Requires []conform.Surface `json:"requires"`
	Touched  []conform.Surface `json:"touched"`
	Missing  []conform.Surface `json:"missing"` // touched, neither declared nor waived
	Waived   []WaiverLine      `json:"waived"`
	Result   ResultLine        `json:"result"`
	Reasons  []ReasonLine      `json:"reasons"`
	Touches  []conform.Touch   `json:"touches"`
	Ignored  []conform.Ignored `json:"ignored"`
}

// WaiverLine is a waiver.
type WaiverLine struct {
	Stage   plan.StageNumber `json:"stage"`
	Surface conform.Surface  `json:"surface"`
	Why     string           `json:"why"`
	By      string           `json:"by"`
	At      string           `json:"at"`
	Until   string           `json:"until"` // "" for no end
	From    verdict.Source   `json:"from"`
	Expired bool             `json:"expired"`
}

// NewWaiver is the line of a waiver.
func NewWaiver(n plan.StageNumber, w verdict.Waiver, expired bool) WaiverLine {
	return WaiverLine{n, w.Surface, w.Why, w.By, w.At, w.Until, w.From, expired}
}

// ResultLine is what was proved.
type ResultLine struct {
	State      verdict.State `json:"state"` // none, stale, fail or pass
	Why        string        `json:"why"`
	HeadCommit string        `json:"head_commit"` // of the result that counts, or of the last other one
	At         string        `json:"at"`
	By         string        `json:"by"`
	Host       string        `json:"host"`
}

// NewResult is the line of what was proved, by a result or by none.
func NewResult(p verdict.Proof, r *proof.Result) ResultLine {
	out := ResultLine{State: p.State, Why: p.Why}
	if r != nil {
		out.HeadCommit, out.At, out.By, out.Host = r.Head, r.At, r.By, r.Host
	}
	return out
}

// Words is the result for a person.
func (r ResultLine) Words() string {
	out := string(r.State)
	if r.HeadCommit != "" {
		out += " at " + short(r.HeadCommit) + ", " + r.At + ", by " + r.By + " on host " + r.Host
	}
	if r.Why != "" {
		out += ": " + r.Why
	}
	return out
}

// ReasonLine is one thing that a judgement found.
type ReasonLine struct {
	Code     verdict.Code      `json:"code"`
	Level    verdict.Word      `json:"level"`
	Message  string            `json:"message"`
	Hint     string            `json:"hint"`
	Surfaces []conform.Surface `json:"surfaces"`
	Path     string            `json:"path"`
	touches  []conform.Touch
}

// Judged is what a stage's Conformance is made of.
type Judged struct {
	Stage      plan.StageNumber
	Base, Head string
	Moment     verdict.Moment
	Declared   verdict.Declaration
	Verdict    verdict.Verdict
	Found      conform.Findings
	Proof      verdict.Proof
	Result     *proof.Result
}

// NewConformance is the report of a judgement.
func NewConformance(j Judged) Conformance {
	touches := NewTouches(j.Found)
	out := Conformance{
		Stage: j.Stage, Verdict: j.Verdict.Word, Moment: j.Moment, Base: j.Base, Head: j.Head, Declared: string(j.Declared.Kind),
		Requires: filled(j.Verdict.Required), Touched: filled(j.Verdict.Touched), Missing: filled(j.Verdict.Missing),
		Waived: []WaiverLine{}, Result: NewResult(j.Proof, j.Result), Reasons: []ReasonLine{}, Touches: touches.Touches, Ignored: touches.Ignored,
	}
	for _, w := range j.Verdict.Waived {
		out.Waived = append(out.Waived, NewWaiver(j.Stage, w, false))
	}
	for _, r := range j.Verdict.Reasons {
		out.Reasons = append(out.Reasons, ReasonLine{r.Code, r.Level, r.Message, r.Hint, filled(r.Surface), r.Path, r.Touches})
	}
	return out
}

func filled[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// mostTouches bounds how many places a reason shows to a person.
const mostTouches = 20

// ReasonLines tells what was found of some level, places below it.
func (c Conformance) ReasonLines(level verdict.Word) []string {
	var out []string
	for _, r := range c.Reasons {
		if r.Level != level {
			continue
		}
		out = append(out, r.Message)
		places := r.Places()
		for _, p := range places[:min(mostTouches, len(places))] {
			out = append(out, "  "+p)
		}
		if more := len(r.touches) - mostTouches; more > 0 {
			out = append(out, fmt.Sprintf("  and %d more", more))
		}
	}
	return out
}

// Places lists where the touches are that a reason is about.
func (r ReasonLine) Places() []string {
	var out []string
	for _, t := range r.touches {
		out = append(out, fmt.Sprintf("%s:%d: %s (%s)", plan.Printable(t.Path), t.Line, t.Surface, plan.Printable(t.Rule)))
	}
	return out
}

// Hints lists what to do about reasons of a level, each once.
func (c Conformance) Hints(level verdict.Word) []string {
	var out []string
	seen := map[string]bool{"": true}
	for _, r := range c.Reasons {
		if r.Level == level && !seen[r.Hint] {
			out = append(out, r.Hint)
			seen[r.Hint] = true
		}
	}
	return out
}

// Lines is the judgement for a person: what stage show and conform check write.
func (c Conformance) Lines() []string {
	out := []string{"verdict    " + string(c.Verdict)}
	if c.Declared == string(verdict.Tests) {
		out = append(out, "declared   tests, requires ["+verdict.Joined(c.Requires)+"]", "result     "+c.Result.Words())
	} else if c.Declared != "" {
		out = append(out, "declared   "+c.Declared)
	}
	touched := verdict.List(c.Touched)
	if touched == "" {
		touched = "nothing"
	}
	out = append(out, "touched    "+touched)
	for _, level := range []verdict.Word{verdict.Block, verdict.Notice} {
		for _, line := range c.ReasonLines(level) {
			prefix := string(level) + strings.Repeat(" ", 11-len(level))
			if strings.HasPrefix(line, "  ") {
				prefix = strings.Repeat(" ", 9)
			}
			out = append(out, prefix+line)
		}
	}
	return out
}

// ManifestProblem is something that is wrong with the pinned manifest.
type ManifestProblem struct {
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
	Hint    string `json:"hint"`
}

// NewManifestProblems lists what is wrong with a manifest.
func NewManifestProblems(list []manifest.Problem) []ManifestProblem {
	out := []ManifestProblem{}
	for _, p := range list {
		out = append(out, ManifestProblem{p.Line, p.Column, p.Message, p.Hint})
	}
	return out
}

// ConformCheck is okstra.conform-check/v1.
type ConformCheck struct {
	Schema   string            `json:"schema"`
	Task     string            `json:"task"`
	OK       bool              `json:"ok"` // nothing blocks
	Stages   []Conformance     `json:"stages"`
	Manifest []ManifestProblem `json:"manifest"`

	planPath string // in the repository: the place of what has no other
}

// NewConformCheck is the report of judgements of a task's stages. planPath is the plan's
// place in the repository, "" for none.
func NewConformCheck(task, planPath string, stages []Conformance, problems []manifest.Problem) ConformCheck {
	out := ConformCheck{
		Schema: "okstra.conform-check/v1", Task: task, OK: len(problems) == 0, Stages: filled(stages),
		Manifest: NewManifestProblems(problems), planPath: planPath,
	}
	for _, s := range stages {
		out.OK = out.OK && s.Verdict != verdict.Block
	}
	return out
}

// Text tells a person of each stage.
func (c ConformCheck) Text() string {
	var b strings.Builder
	for i, s := range c.Stages {
		if i > 0 {
			b.WriteString("\n")
		}
		head := short(s.Head)
		if head == "" {
			head = "what is staged"
		}
		fmt.Fprintf(&b, "stage %d  %s..%s\n", s.Stage, short(s.Base), head)
		for _, line := range s.Lines() {
			fmt.Fprintf(&b, "  %s\n", plan.Printable(line))
		}
		for _, hint := range append(s.Hints(verdict.Block), s.Hints(verdict.Notice)...) {
			fmt.Fprintf(&b, "  hint: %s\n", hint)
		}
	}
	for _, p := range c.Manifest {
		fmt.Fprintf(&b, "%s:%d:%d: %s\n", manifest.Path, p.Line, p.Column, p.Message)
	}
	return b.String()
}
