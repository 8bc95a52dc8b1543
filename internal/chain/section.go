package chain

import (
	"path"
	"slices"
	"strings"

	"git-okstra/plan"
)

// Predicted lists the files that a stage is expected to touch: those of its Exit
// Contract and those of the column "files" of its step table, cleaned and sorted.
func Predicted(st plan.Stage) []string {
	files := slices.Clone(st.Files)
	column, seen := -1, false
	for _, line := range part(st.Section, "Stepwise Execution Order") {
		cells, ok := rowCells(line)
		switch {
		case !ok:
			column, seen = -1, false
		case !seen:
			seen = true
			column = slices.IndexFunc(cells, func(c string) bool { return strings.EqualFold(c, "files") })
		case column >= 0 && column < len(cells):
			for _, word := range strings.FieldsFunc(cells[column], func(r rune) bool { return r == ',' || r == ';' || r == ' ' }) {
				if f := fileWord(word); f != "" {
					files = append(files, f)
				}
			}
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// fileWord is a path that a cell names, cleaned; "" for what is none.
func fileWord(word string) string {
	word = strings.Trim(word, "`*()")
	if strings.Trim(word, "-–—:") == "" || !strings.ContainsAny(word, "./") {
		return ""
	}
	if f := path.Clean(word); f != "." && f != ".." && !strings.HasPrefix(f, "../") && !strings.HasPrefix(f, "/") {
		return f
	}
	return ""
}

// rowCells divides a line of a table; false where it is none.
func rowCells(line string) ([]string, bool) {
	line = strings.TrimSpace(line)
	if !strings.HasPrefix(line, "|") {
		return nil, false
	}
	cells := strings.Split(strings.Trim(line, "|"), "|")
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	return cells, true
}

// Validations lists the commands that are to pass once a stage is done: those in code
// spans of the items "post" of its Stage Validation.
func Validations(st plan.Stage) []string {
	var out []string
	for _, line := range part(st.Section, "Stage Validation") {
		item := strings.TrimLeft(strings.TrimSpace(line), "-*+ ")
		label, rest, ok := strings.Cut(item, ":")
		if !ok || !strings.EqualFold(strings.Trim(label, "* "), "post") {
			continue
		}
		rest = strings.TrimLeft(rest, "* ")
		fence := rest[:len(rest)-len(strings.TrimLeft(rest, "`"))]
		if fence == "" {
			continue
		}
		if command, _, closed := strings.Cut(rest[len(fence):], fence); closed && strings.TrimSpace(command) != "" {
			out = append(out, strings.TrimSpace(command))
		}
	}
	return out
}

// part gives the lines below a heading of a section, up to the next one.
func part(section, title string) []string {
	var out []string
	inside, fence := false, ""
	for line := range strings.Lines(section) {
		line = strings.TrimRight(line, "\n")
		if mark := fenceOf(line); mark != "" && (fence == "" || mark == fence) {
			if fence == "" {
				fence = mark
			} else {
				fence = ""
			}
			continue
		}
		if fence != "" {
			continue
		}
		if strings.HasPrefix(line, "#") {
			inside = strings.HasPrefix(strings.TrimSpace(strings.TrimLeft(line, "#")), title)
			continue
		}
		if inside {
			out = append(out, line)
		}
	}
	return out
}

// fenceOf is the mark that a code block begins or ends with.
func fenceOf(line string) string {
	for _, mark := range []string{"```", "~~~"} {
		if strings.HasPrefix(strings.TrimSpace(line), mark) {
			return mark
		}
	}
	return ""
}
