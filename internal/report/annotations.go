package report

import (
	"fmt"
	"strings"

	"git-okstra/plan"
)

// Annotations writes the findings as workflow commands of GitHub Actions, one a
// line, which its runner shows beside the lines of a change. Line ends of foreign
// text are escaped: it cannot begin a command of its own.
func (p *PlanCheck) Annotations() string {
	var b strings.Builder
	for i, f := range p.Files {
		for _, x := range f.Findings {
			title := x.Code
			if x.Stage > 0 {
				title += fmt.Sprintf(" in stage %d", x.Stage)
			}
			message := x.Message
			if x.Hint != "" {
				message += "\nhint: " + x.Hint
			}
			fmt.Fprintf(&b, "::%s file=%s,line=%d,col=%d,title=%s::%s\n",
				x.Severity, commandProperty(p.place(i)), max(x.Line, 1), max(x.Column, 1), commandProperty(title), commandData(message))
		}
	}
	return b.String()
}

// commandData escapes a workflow command's text, commandProperty one of its
// properties.
func commandData(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = strings.ReplaceAll(plan.Printable(l), "%", "%25")
	}
	return strings.Join(lines, "%0A")
}

func commandProperty(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(plan.Printable(s))
}
