package report

import (
	"fmt"
	"slices"
	"strings"

	"git-okstra/plan"
	"git-okstra/plan/stage"
)

// PullRequest is okstra.stage-pr/v1: a pull request's text.
type PullRequest struct {
	Schema string             `json:"schema"`
	Task   string             `json:"task"`
	Stages []plan.StageNumber `json:"stages"`
	Title  string             `json:"title"` // one line
	Body   string             `json:"body"`  // Markdown
}

// PRInput is what a pull request tells of.
type PRInput struct {
	Task     string
	Plan     *plan.Plan
	Stages   []PRStage // in the order of the map
	Template string    // the project's, "" for none
}

// PRStage is one of its stages.
type PRStage struct {
	Stage   plan.Stage
	Head    string   // the done commit, "" where it is not done
	Base    string   // what its commits stand on, "" where nothing says so
	Files   []string // that the commits changed; nil: as the Exit Contract names them
	Passed  []string // validations, as the worker recorded them
	Conform []string // what was proved, and what is waived
	CarryIn []PRDependency
}

// PRDependency is a stage that another one stands on.
type PRDependency struct {
	Stage plan.StageNumber
	Title string
	Head  string // its done commit, "" where it is not done
}

// prMark is the line of a template that the stages' text takes the place of.
const prMark = "<!-- okstra -->"

// longestSummary bounds the titles that stand in a title, in runes.
const longestSummary = 72

// MakePullRequest writes the text: the project's template, then the stages, or these in
// place of its line "<!-- okstra -->". What comes from the plan is escaped.
func MakePullRequest(in PRInput) PullRequest {
	out := PullRequest{Schema: "okstra.stage-pr/v1", Task: in.Task, Stages: []plan.StageNumber{}}
	for _, s := range in.Stages {
		out.Stages = append(out.Stages, s.Stage.Number)
	}
	out.Title = prTitle(in.Stages, out.Stages)
	var b strings.Builder
	for i, s := range in.Stages {
		if i > 0 {
			b.WriteString("\n")
		}
		s.write(&b)
	}
	in.writePlace(&b, out.Stages)
	out.Body = b.String()
	if in.Template != "" {
		out.Body = fillTemplate(plainLines(in.Template), out.Body)
	}
	return out
}

func prTitle(list []PRStage, numbers []plan.StageNumber) string {
	if len(list) == 1 {
		return fmt.Sprintf("Stage %d: %s", numbers[0], plainLine(list[0].Stage.Title))
	}
	which := stage.Ranges(numbers)
	if first, last := numbers[0], numbers[len(numbers)-1]; int(last-first) == len(numbers)-1 && slices.IsSorted(numbers) {
		which = fmt.Sprintf("%d–%d", first, last)
	}
	summary, rest := plainLine(list[0].Stage.Title), len(list)-1
	for _, s := range list[1:] {
		more := summary + "; " + plainLine(s.Stage.Title)
		if len([]rune(more)) > longestSummary {
			break
		}
		summary, rest = more, rest-1
	}
	if rest > 0 {
		summary += fmt.Sprintf("; and %d more", rest)
	}
	return fmt.Sprintf("Stages %s: %s", which, summary)
}

// write writes the section of one stage.
func (s PRStage) write(b *strings.Builder) {
	fmt.Fprintf(b, "## Stage %d: %s\n", s.Stage.Number, mdText(s.Stage.Title))
	switch {
	case s.Head == "":
		b.WriteString("\nNot done yet.\n")
	case s.Base != "":
		fmt.Fprintf(b, "\nDone at %s, on %s.\n", short(s.Head), short(s.Base))
	default:
		fmt.Fprintf(b, "\nDone at %s.\n", short(s.Head))
	}
	text := readSection(s.Stage.Section)
	files := s.Files
	if files == nil {
		files = s.Stage.Files
	}
	prList(b, "Files", files, mdCode)
	var checks []string
	for _, v := range text.validation {
		checks = append(checks, mdStep(v))
	}
	for _, v := range s.Passed {
		checks = append(checks, "passed: "+mdText(v))
	}
	prList(b, "Validation", checks, asIs)
	prList(b, "Conformance", append(text.conformance, s.Conform...), mdText)
	var carry []string
	for _, d := range s.CarryIn {
		at := ": not done yet"
		switch {
		case d.Head != "":
			at = ": " + short(d.Head)
		case d.Title == "":
			at = "not in the plan"
		}
		carry = append(carry, fmt.Sprintf("stage %d, %s%s", d.Stage, mdText(d.Title), at))
	}
	for _, l := range text.carryIn {
		carry = append(carry, mdText(l))
	}
	prList(b, "Carry-In", carry, asIs)
}

func asIs(s string) string { return s }

// prList writes a chapter of lines, within bounds; without lines nothing.
func prList(b *strings.Builder, name string, lines []string, write func(string) string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(b, "\n### %s\n\n", name)
	for _, l := range lines[:min(mostFiles, len(lines))] {
		fmt.Fprintf(b, "- %s\n", write(l))
	}
	if more := len(lines) - mostFiles; more > 0 {
		fmt.Fprintf(b, "- and %d more\n", more)
	}
}

// mdStep writes a validation: its command is code.
func mdStep(line string) string {
	when, command, ok := strings.Cut(line, ":")
	if when = strings.TrimSpace(when); ok && slices.Contains([]string{"pre", "mid", "post"}, when) && strings.TrimSpace(command) != "" {
		return when + ": " + mdCode(command)
	}
	return mdText(line)
}

// writePlace tells which stages stand before and behind in the map.
func (in PRInput) writePlace(b *strings.Builder, numbers []plan.StageNumber) {
	first, last := len(in.Plan.Stages), -1
	for i, st := range in.Plan.Stages {
		if slices.Contains(numbers, st.Number) {
			first, last = min(first, i), i
		}
	}
	var lines []string
	if first > 0 && first < len(in.Plan.Stages) {
		lines = append(lines, "Previous: "+placed(in.Plan.Stages[first-1]))
	}
	if last >= 0 && last < len(in.Plan.Stages)-1 {
		lines = append(lines, "Next: "+placed(in.Plan.Stages[last+1]))
	}
	fmt.Fprintf(b, "\n---\n\nTask %s.\n", mdCode(in.Task))
	for _, l := range lines {
		fmt.Fprintf(b, "%s.\n", l)
	}
}

func placed(st plan.Stage) string { return fmt.Sprintf("stage %d, %s", st.Number, mdText(st.Title)) }

func fillTemplate(template, body string) string {
	lines := strings.Split(strings.TrimRight(template, "\n"), "\n")
	for i, l := range lines {
		if strings.TrimSpace(l) == prMark {
			lines[i] = strings.TrimRight(body, "\n")
			return strings.Join(lines, "\n") + "\n"
		}
	}
	return strings.Join(lines, "\n") + "\n\n" + body
}

// sectionText is what a stage's section says under some of its headings.
type sectionText struct{ carryIn, validation, conformance []string }

func readSection(section string) sectionText {
	var out sectionText
	d := plan.Parse([]byte(section))
	for i, h := range d.Headings {
		switch {
		case h.Level == 3 && strings.HasPrefix(h.Text, "Carry-In"):
			out.carryIn = append(out.carryIn, linesBelow(d, i)...)
		case h.Level == 3 && strings.HasPrefix(h.Text, "Stage Validation"):
			out.validation = append(out.validation, linesBelow(d, i)...)
		}
	}
	for _, t := range d.Tokens {
		switch t.Key {
		case plan.ConformanceTests:
			out.conformance = append(out.conformance, "tests: "+t.Value)
		case plan.ConformanceExemption:
			out.conformance = append(out.conformance, "exemption: "+t.Value)
		}
	}
	return out
}

func linesBelow(d *plan.Document, heading int) []string {
	var out []string
	for l := range d.Lines(d.Section(heading)) {
		if l.Start > d.Headings[heading].Offset && l.Text != "" {
			out = append(out, l.Text)
		}
	}
	return out
}

// Text is the title, an empty line and the body.
func (p PullRequest) Text() string { return p.Title + "\n\n" + p.Body }
