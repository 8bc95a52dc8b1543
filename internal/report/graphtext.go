package report

import (
	"fmt"
	"slices"
	"strings"

	"git-okstra/plan"
)

// maxLanes is how many lines run side by side in a drawing; a wider graph is
// listed without lines.
const maxLanes = 30

// Text draws the graph, one stage a line, each below the stages that it depends
// on. A lane runs from a stage down to the last one that depends on it; where a
// line crosses a lane that it does not join, the lane is drawn through.
func (g Graph) Text() string {
	d := drawing{last: map[plan.StageNumber]int{}, row: map[plan.StageNumber]int{}, above: -1}
	stages := g.Sorted()
	for i, s := range stages {
		d.row[s.Stage] = i
		for _, dep := range s.DependsOn {
			if at, drawn := d.row[dep]; drawn && at < i {
				d.last[dep] = i
			}
		}
	}
	lines := make([]string, len(stages))
	for i, s := range stages {
		lines[i] = d.draw(i, s)
	}
	var rows [][]string
	for i, s := range stages {
		if d.wide {
			lines[i] = Mark(s.State)
		}
		rows = append(rows, []string{lines[i], fmt.Sprint(s.Stage), s.State, s.Title, g.after(s, i, d)})
	}
	head := ""
	if g.Task != "" {
		head = "task " + plan.Printable(g.Task) + "\n\n"
	}
	return head + graphTable(rows)
}

// after says in words what the stage depends on: always, for a line is followed
// by eyes and not by search.
func (g Graph) after(s GraphStage, row int, d drawing) string {
	if len(s.DependsOn) == 0 {
		return ""
	}
	words := make([]string, len(s.DependsOn))
	for i, dep := range s.DependsOn {
		words[i] = fmt.Sprint(dep)
		switch at, known := d.row[dep]; {
		case !known:
			words[i] += " (not in the map)"
		case at >= row:
			words[i] += " (in a circle)"
		}
	}
	return "after " + strings.Join(words, ", ")
}

// graphTable is Table without the column of states where there are none.
func graphTable(rows [][]string) string {
	if !slices.ContainsFunc(rows, func(r []string) bool { return r[2] != "" }) {
		for i, r := range rows {
			rows[i] = slices.Delete(slices.Clone(r), 2, 3)
		}
	}
	return Table(rows)
}

// Mark is the sign of a state, in text that has no colour to rely on.
func Mark(state string) string {
	switch state {
	case "done":
		return "●"
	case "active":
		return "◐"
	case "blocked":
		return "·"
	}
	return "○"
}

// drawing is a graph being drawn from top to bottom.
type drawing struct {
	row   map[plan.StageNumber]int
	last  map[plan.StageNumber]int // the last row that depends on the stage
	lanes []plan.StageNumber       // the stage whose lane runs in each column, 0: free
	above int                      // column of the stage in the line above
	wide  bool
}

// draw gives the line of row i and moves the lanes on.
func (d *drawing) draw(i int, s GraphStage) string {
	if d.wide {
		return ""
	}
	joins := make([]bool, len(d.lanes)) // the lanes that end in or branch to this stage
	for col, owner := range d.lanes {
		joins[col] = owner != 0 && slices.Contains(s.DependsOn, owner)
	}
	ends := func(col int) bool { return d.last[d.lanes[col]] == i }
	node := d.place(joins, ends)
	for len(joins) < len(d.lanes) {
		joins = append(joins, false)
	}
	lo, hi := node, node
	for col, j := range joins {
		if j {
			lo, hi = min(lo, col), max(hi, col)
		}
	}
	var b strings.Builder
	for col := range d.lanes {
		if col > 0 {
			b.WriteString(pick(lo < col && col <= hi, "─", " "))
		}
		switch {
		case col == node:
			b.WriteString(Mark(s.State))
		case joins[col]:
			b.WriteString(joint(col, lo, hi, ends(col)))
		case d.lanes[col] != 0:
			b.WriteString("│")
		default:
			b.WriteString(pick(lo < col && col < hi, "─", " "))
		}
	}
	d.advance(i, node, s.Stage, joins, ends)
	return strings.TrimRight(b.String(), " ")
}

// place chooses the stage's column: that of a lane that ends in it, else a free
// one, else a new one. A stage right below another one looks as if it depended on
// it, so a free column is not taken there.
func (d *drawing) place(joins []bool, ends func(int) bool) int {
	for col, j := range joins {
		if j && ends(col) {
			return col
		}
	}
	for col, owner := range d.lanes {
		if owner == 0 && col != d.above {
			return col
		}
	}
	if len(d.lanes) == d.above {
		d.lanes = append(d.lanes, 0)
	}
	d.lanes = append(d.lanes, 0)
	d.wide = d.wide || len(d.lanes) > maxLanes
	return len(d.lanes) - 1
}

// advance ends the lanes that ended in row i and begins the stage's own.
func (d *drawing) advance(i, node int, n plan.StageNumber, joins []bool, ends func(int) bool) {
	for col, j := range joins {
		if j && ends(col) {
			d.lanes[col] = 0
		}
	}
	d.above = node
	if d.last[n] > i {
		d.lanes[node] = n
	}
	for len(d.lanes) > 0 && d.lanes[len(d.lanes)-1] == 0 {
		d.lanes = d.lanes[:len(d.lanes)-1]
	}
}

// joint is where a lane meets the horizontal line from lo to hi.
func joint(col, lo, hi int, ends bool) string {
	switch {
	case col == lo:
		return pick(ends, "╰", "├")
	case col == hi:
		return pick(ends, "╯", "┤")
	}
	return pick(ends, "┴", "┼")
}

func pick(cond bool, yes, no string) string {
	if cond {
		return yes
	}
	return no
}
