package report

import (
	"strings"

	"github.com/mattn/go-runewidth"

	"git-okstra/plan"
)

// terminal measures text in columns. It is our own so that the same values give
// the same bytes: the package's depends on the environment.
var terminal = runewidth.Condition{StrictEmojiNeutral: true}

// Table aligns columns by their width on a terminal, two spaces apart. Cells are
// escaped; the last column is not padded.
func Table(rows [][]string) string {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], terminal.StringWidth(plan.Printable(cell)))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			cell = plan.Printable(cell)
			line.WriteString(cell)
			if i < len(row)-1 {
				line.WriteString(strings.Repeat(" ", widths[i]-terminal.StringWidth(cell)+2))
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}
