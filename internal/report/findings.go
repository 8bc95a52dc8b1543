package report

import (
	"fmt"
	"strings"

	"git-okstra/plan"
	"git-okstra/plan/rules"
)

// PlanCheck is okstra.plan-check/v1.
type PlanCheck struct {
	Schema string     `json:"schema"`
	Files  []PlanFile `json:"files"`
	texts  [][]string // the lines of each file, for the text form
	places []string   // each file from the repository's top, where that is known
}

// PlanFile is one checked file.
type PlanFile struct {
	File     string    `json:"file"`
	Ruleset  string    `json:"ruleset"`
	OK       bool      `json:"ok"`
	Findings []Finding `json:"findings"`
}

// Finding is one broken rule.
type Finding struct {
	Code     string           `json:"code"`
	Severity string           `json:"severity"`
	Stage    plan.StageNumber `json:"stage"`
	Line     int              `json:"line"`
	Column   int              `json:"column"`
	Message  string           `json:"message"`
	Hint     string           `json:"hint"`
}

// Add takes one file's result in. src is the file as given.
func (p *PlanCheck) Add(file string, src []byte, res rules.Result, ok bool) {
	p.Schema = "okstra.plan-check/v1"
	f := PlanFile{File: file, Ruleset: res.Ruleset, OK: ok, Findings: []Finding{}}
	for _, x := range res.Findings {
		f.Findings = append(f.Findings, Finding{
			Code: x.Code, Severity: string(x.Severity), Stage: x.Stage,
			Line: x.Pos.Line, Column: x.Pos.Column, Message: x.Message, Hint: x.Hint,
		})
	}
	p.Files = append(p.Files, f)
	p.texts = append(p.texts, strings.Split(lineEnds.Replace(strings.TrimPrefix(string(src), "\ufeff")), "\n"))
}

// Place lets find name each file from the repository's top, as what reads SARIF and
// annotations wants it; where it gives "" the name stays as it was given.
func (p *PlanCheck) Place(find func(name string) string) {
	p.places = make([]string, len(p.Files))
	for i, f := range p.Files {
		p.places[i] = find(f.File)
	}
}

// place is the name of file i for machines.
func (p *PlanCheck) place(i int) string {
	if i < len(p.places) && p.places[i] != "" {
		return p.places[i]
	}
	return p.Files[i].File
}

// lineEnds makes one of all three, as positions count them.
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// OK reports whether every file passed.
func (p *PlanCheck) OK() bool {
	for _, f := range p.Files {
		if !f.OK {
			return false
		}
	}
	return true
}

// Text writes the findings as compilers do: position, severity, rule and
// message, then the line with a caret, then the hint.
func (p *PlanCheck) Text() string {
	var b strings.Builder
	for i, f := range p.Files {
		errors := 0
		for _, x := range f.Findings {
			if x.Severity == "error" {
				errors++
			}
			p.finding(&b, f.File, p.texts[i], x)
		}
		name := plan.Printable(f.File)
		switch warnings := len(f.Findings) - errors; {
		case len(f.Findings) == 0:
			fmt.Fprintf(&b, "%s: ok (ruleset %s)\n", name, f.Ruleset)
		default:
			fmt.Fprintf(&b, "%s: %s, %s (ruleset %s)\n", name, Count(errors, "error"), Count(warnings, "warning"), f.Ruleset)
		}
	}
	return b.String()
}

// Count writes a number of things, one thing or several.
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func (p *PlanCheck) finding(b *strings.Builder, file string, lines []string, x Finding) {
	where := ""
	if x.Stage > 0 {
		where = fmt.Sprintf(" stage %d:", x.Stage)
	}
	fmt.Fprintf(b, "%s:%d:%d: %s %s:%s %s\n", plan.Printable(file), x.Line, x.Column, x.Severity, x.Code, where, x.Message)
	excerpt(b, lines, x.Line, x.Column)
	if x.Hint != "" {
		fmt.Fprintf(b, "  hint: %s\n", x.Hint)
	}
}

// excerpt shows the line and a caret below the column, cut to what fits.
func excerpt(b *strings.Builder, lines []string, line, column int) {
	const width = 100
	if line < 1 || line > len(lines) || strings.TrimSpace(lines[line-1]) == "" {
		return
	}
	runes := []rune(lines[line-1])
	column = min(max(column, 1), len(runes)+1)
	start := 0
	if column > width {
		start = column - width/2
	}
	before := plan.Printable(strings.ReplaceAll(string(runes[start:column-1]), "\t", " "))
	after := plan.Printable(strings.ReplaceAll(string(runes[column-1:min(len(runes), start+width)]), "\t", " "))
	fmt.Fprintf(b, "  | %s%s\n  | %s^\n", before, after, strings.Repeat(" ", terminal.StringWidth(before)))
}
