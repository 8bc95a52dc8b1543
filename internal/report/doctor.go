package report

import (
	"fmt"
	"strings"

	"git-okstra/plan"
)

// Doctor is okstra.doctor/v1.
type Doctor struct {
	Schema   string          `json:"schema"`
	Tasks    []string        `json:"tasks"` // the tasks that were looked at
	Findings []DoctorFinding `json:"findings"`
	Errors   int             `json:"errors"` // of those that remain
	Warnings int             `json:"warnings"`
	Infos    int             `json:"infos"`
	Repaired int             `json:"repaired"`
}

// DoctorFinding is one thing that is wrong, or was.
type DoctorFinding struct {
	Code     string           `json:"code"`
	Severity string           `json:"severity"` // error, warning or info
	Task     string           `json:"task"`     // "" where it is about the repository
	Stage    plan.StageNumber `json:"stage"`    // 0 where it is about no stage
	Message  string           `json:"message"`
	Hint     string           `json:"hint"` // several are on a line each
	Repaired bool             `json:"repaired"`
}

// NewDoctor counts what remains.
func NewDoctor(tasks []string, findings []DoctorFinding) Doctor {
	d := Doctor{Schema: "okstra.doctor/v1", Tasks: []string{}, Findings: []DoctorFinding{}}
	d.Tasks = append(d.Tasks, tasks...)
	d.Findings = append(d.Findings, findings...)
	for _, f := range findings {
		switch {
		case f.Repaired:
			d.Repaired++
		case f.Severity == "error":
			d.Errors++
		case f.Severity == "warning":
			d.Warnings++
		default:
			d.Infos++
		}
	}
	return d
}

// Text is the report for a person: what is about the repository first, then task by
// task. quiet leaves out what needs nothing done.
func (d Doctor) Text(quiet bool) string {
	var b strings.Builder
	for _, task := range append([]string{""}, d.named()...) {
		head := "this repository"
		if task != "" {
			head = "task " + task
		}
		shown := false
		for _, f := range d.Findings {
			if f.Task != task || quiet && (f.Repaired || f.Severity == "info") {
				continue
			}
			if !shown {
				shown = true
				if b.Len() > 0 {
					b.WriteString("\n")
				}
				b.WriteString(head + "\n")
			}
			b.WriteString(f.text())
		}
	}
	switch {
	case quiet:
		return b.String()
	case b.Len() == 0:
		return "nothing wrong\n"
	}
	return b.String() + "\n" + d.sum()
}

// named lists the tasks in order, those that only a finding names last.
func (d Doctor) named() []string {
	var names []string
	seen := map[string]bool{"": true}
	add := func(name string) {
		if !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	for _, t := range d.Tasks {
		add(t)
	}
	for _, f := range d.Findings {
		add(f.Task)
	}
	return names
}

func (f DoctorFinding) text() string {
	if f.Repaired {
		return fmt.Sprintf("  repaired %s: %s\n", f.Code, f.Message)
	}
	text := fmt.Sprintf("  %s %s: %s\n", f.Severity, f.Code, f.Message)
	for line := range strings.SplitSeq(f.Hint, "\n") {
		if line != "" {
			text += "    hint: " + line + "\n"
		}
	}
	return text
}

// sum says what remains.
func (d Doctor) sum() string {
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{{d.Repaired, "repaired"}, {d.Errors, "errors"}, {d.Warnings, "warnings"}} {
		if p.n == 1 {
			p.what = strings.TrimSuffix(p.what, "s")
		}
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	if d.Errors+d.Warnings == 0 {
		parts = append(parts, "nothing wrong")
	}
	return strings.Join(parts, ", ") + "\n"
}
