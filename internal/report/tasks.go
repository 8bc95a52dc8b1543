package report

import (
	"fmt"
	"strings"

	"git-okstra/plan"
)

// TaskList is okstra.task-list/v1.
type TaskList struct {
	Schema string     `json:"schema"`
	Tasks  []TaskLine `json:"tasks"`
	Hints  []string   `json:"hints"` // where there is none: how there can be
}

// TaskLine is how far one task has come.
type TaskLine struct {
	Task     string `json:"task"`
	Title    string `json:"title"` // the plan's first heading, "" where it has none
	Onto     string `json:"onto"`  // integration branch
	Total    int    `json:"total"`
	Done     int    `json:"done"`
	Active   int    `json:"active"`
	Ready    int    `json:"ready"`
	Blocked  int    `json:"blocked"`
	Revision string `json:"revision"` // the approved plan's commit
	Problem  string `json:"problem"`  // why nothing is known of its stages, "" as a rule
}

// Text draws the list for a person, no wider than width columns if that can be; 0 is
// any width.
func (l TaskList) Text(width int) string {
	rows := [][]string{{"task", "done", "active", "ready", "blocked", "onto", "title"}}
	for _, t := range l.Tasks {
		if t.Problem != "" {
			first, _, _ := strings.Cut(t.Problem, "\n")
			rows = append(rows, []string{t.Task, "?", "?", "?", "?", "?", first})
			continue
		}
		rows = append(rows, []string{
			t.Task, fmt.Sprintf("%d of %d", t.Done, t.Total), fmt.Sprint(t.Active), fmt.Sprint(t.Ready), fmt.Sprint(t.Blocked), t.Onto, t.Title,
		})
	}
	return TableWithin(rows, width)
}

// TableWithin is Table whose lines are cut at width columns, with a sign that they are;
// 0 cuts none.
func TableWithin(rows [][]string, width int) string {
	text := Table(rows)
	if width <= 0 {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(Cut(strings.TrimSuffix(line, "\n"), width) + "\n")
	}
	return b.String()
}

// Cut shortens a line, escaped as on a terminal, to width columns.
func Cut(line string, width int) string {
	return terminal.Truncate(plan.Printable(line), max(width, 1), "…")
}

// TableLines is Table as a list of its lines.
func TableLines(rows [][]string) []string {
	if len(rows) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(Table(rows), "\n"), "\n")
}
