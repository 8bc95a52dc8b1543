package rules

import (
	"fmt"
	"strconv"
	"strings"

	"git-okstra/plan"
)

// columns of the Stage Map, by position.
const (
	columnStage = iota
	columnTitle
	columnDepends
	columnSteps
	_ // exit-contract-summary, for people
	mapColumns
)

// stageMap is the parsed map.
type stageMap struct {
	heading int // index of its heading
	rows    []mapRow
	byStage map[plan.StageNumber]int // first row that carries the number
}

// mapRow is one row of the map.
type mapRow struct {
	start   int    // offset of the row
	label   string // the stage cell, whatever it says
	title   string
	depends cell
	steps   cell
	number  plan.StageNumber // 0: the row has none
	first   bool             // the first row with this number
	section int              // index in checker.sections, -1: none
	deps    []plan.StageNumber
	depsBad bool // the cell is no list of numbers: nothing follows from it
}

// cell is what stays of a cell: a map may have a million rows.
type cell struct {
	text  string
	start int
}

// checkMap is S1. It leaves c.stages nil when it has anything to say.
func checkMap(c *checker) {
	before := len(c.findings)
	headings := c.mapHeadings()
	if len(headings) == 0 {
		c.noMap()
		return
	}
	for _, h := range headings[1:] {
		c.mapFinding(c.doc.Headings[h].Offset, "a second "+plan.Quote(c.doc.Headings[h].Text)+" stands here", "keep one Stage Map")
	}
	if rows, ok := c.mapRows(headings[0]); ok && len(c.findings) == before {
		c.useMap(headings[0], rows)
	}
}

func (c *checker) mapFinding(offset int, message, hint string) {
	c.add(Finding{Code: "S1", Severity: Error, Pos: c.doc.Position(offset), Message: message, Hint: hint})
}

// mapHeadings gives the headings that a map of this ruleset has.
func (c *checker) mapHeadings() []int {
	var found []int
	for i, h := range c.doc.Headings {
		if h.Level == 2 && titled(h.Text, c.rules.number+" Stage Map") {
			found = append(found, i)
		}
	}
	return found
}

// titled reports whether a heading is called so; a gloss may follow the words.
func titled(text, words string) bool {
	rest, ok := strings.CutPrefix(text, words)
	return ok && (rest == "" || !wordRune(rest))
}

// noMap says which heading was probably meant.
func (c *checker) noMap() {
	want := c.rules.number + " Stage Map"
	message := "there is no level-2 heading " + plan.Quote(want)
	hint := "add it with a table of the columns stage, title, depends-on, step-count, exit-contract-summary"
	for _, h := range c.doc.Headings {
		if !strings.Contains(h.Text, "Stage Map") {
			continue
		}
		message += "; " + plan.Quote(h.Text) + " is a level-" + strconv.Itoa(h.Level) + " heading of another form"
		hint = c.otherNumber(h, want)
		c.mapFinding(h.Offset, message, hint)
		return
	}
	c.mapFinding(0, message, hint)
}

func (c *checker) otherNumber(h plan.Heading, want string) string {
	switch {
	case h.Level == 2 && titled(h.Text, "4.5 Stage Map"):
		return "the number 4.5 belongs to releases before 0.50.0: name one with okstra: or --ruleset, or write " + plan.Quote(want)
	case h.Level == 2 && titled(h.Text, "5.5 Stage Map"):
		return "the number 5.5 belongs to releases from 0.50.0 on: name one with okstra: or --ruleset, or write " + plan.Quote(want)
	}
	return "write it as ## " + want
}

// mapRows finds the map's table and reports what a reader of the page, or of
// the parsed table, would miss. ok: there is a table with rows.
func (c *checker) mapRows(heading int) (rows []plan.Row, ok bool) {
	span := c.mapSpan(heading)
	tables := c.doc.TablesIn(span)
	own := c.mapTable(tables)
	if own < 0 || len(tables[own].Rows) == 0 {
		c.mapFinding(c.doc.Headings[heading].Offset, "the Stage Map "+plan.Quote(c.doc.Headings[heading].Text)+" has no table with a row",
			"put a table with a row for each stage under the heading, its header first and a line |---| under it")
		return nil, false
	}
	c.strayRows(span, tables, own)
	c.brokenRows(tables[own])
	return tables[own].Rows, true
}

// mapSpan is the map's section. A stage section that begins inside it, on a
// level too low, is S3's: its rows are not stray rows of the map.
func (c *checker) mapSpan(heading int) plan.Span {
	span := c.doc.Section(heading)
	from, to := c.doc.HeadingsIn(span)
	for _, h := range c.doc.Headings[from:to] {
		if _, ok := parseSectionHeading(h.Text, c.rules.number); ok {
			span.End = h.Start
			break
		}
	}
	return span
}

// mapTable picks the table that is the map: the first whose header begins with
// "stage", else the first. Tables in lists and quotes are examples.
func (c *checker) mapTable(tables []plan.Table) int {
	first := -1
	for i, t := range tables {
		if t.Nested {
			continue
		}
		cells := c.doc.Cells(t.Header)
		if strings.EqualFold(cells[0].Text, "stage") {
			return i
		}
		if first < 0 {
			first = i
		}
	}
	return first
}

// strayRows reports what looks like a row of the map and stands outside it.
func (c *checker) strayRows(span plan.Span, tables []plan.Table, own int) {
	for _, l := range c.doc.PipeLines(span) {
		if numberedRow(l.Text) && !c.capped("S1") {
			c.strayRow(l.Start, l.Text)
		}
	}
	for i, t := range tables {
		if i == own {
			continue
		}
		for _, r := range append([]plan.Row{t.Header}, t.Rows...) {
			if raw := c.doc.RowText(r); numberedRow(raw) && !c.capped("S1") {
				c.strayRow(r.Start(), raw)
			}
		}
	}
}

func (c *checker) strayRow(offset int, text string) {
	c.mapFinding(offset, "the row "+plan.Quote(text)+" stands outside the map's table and would be lost",
		"move it into the table, without an empty line before it")
}

// numberedRow: a pipe, then a number.
func numberedRow(text string) bool {
	rest, ok := strings.CutPrefix(text, "|")
	rest = strings.TrimLeft(rest, " \t*_`")
	return ok && rest != "" && '0' <= rest[0] && rest[0] <= '9'
}

// brokenRows reports rows that have not five cells. The header is named only
// when no row is: a map of six columns is one mistake a row already.
func (c *checker) brokenRows(t plan.Table) {
	const hint = "write five cells; a pipe inside a cell is written \\|, in code too"
	broken := false
	for _, r := range t.Rows {
		if n := c.doc.CellCount(r); n != mapColumns && !c.capped("S1") {
			broken = true
			c.mapFinding(r.Start(), fmt.Sprintf("the row %s has %s, not five", plan.Quote(c.doc.RowText(r)), count(n, "cell")), hint)
		}
	}
	if n := c.doc.CellCount(t.Header); n != mapColumns && !broken {
		c.mapFinding(t.Header.Start(),
			fmt.Sprintf("the map's header %s has %s, not five", plan.Quote(c.doc.RowText(t.Header)), count(n, "cell")), hint)
	}
}

func (c *checker) useMap(heading int, rows []plan.Row) {
	m := &stageMap{heading: heading, byStage: map[plan.StageNumber]int{}}
	for i, r := range rows {
		cells := c.doc.Cells(r)
		row := mapRow{
			start: r.Start(), section: -1, label: cells[columnStage].Text, title: cells[columnTitle].Text,
			depends: cell{cells[columnDepends].Text, cells[columnDepends].Start},
			steps:   cell{cells[columnSteps].Text, cells[columnSteps].Start},
			number:  stageNumber(cells[columnStage].Text),
		}
		row.deps, row.depsBad = dependencies(row.depends.text)
		if _, taken := m.byStage[row.number]; row.number > 0 && !taken {
			row.first = true
			m.byStage[row.number] = i
		}
		m.rows = append(m.rows, row)
	}
	c.stages = m
	c.readSections()
	c.graph = newGraph(m)
}

// stageNumber reads a number from 1, or gives 0.
func stageNumber(s string) plan.StageNumber {
	n, ok := wholeNumber(s)
	if !ok {
		return 0
	}
	return plan.StageNumber(n)
}

// wholeNumber reads up to nine decimal digits and nothing else.
func wholeNumber(s string) (int, bool) {
	if s == "" || len(s) > 9 || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	return n, err == nil
}

// dependencies reads a depends-on cell. bad: it is no list of numbers.
func dependencies(s string) (deps []plan.StageNumber, bad bool) {
	if s == "" || s == "(none)" {
		return nil, false
	}
	seen := map[plan.StageNumber]bool{}
	for part := range strings.SplitSeq(s, ",") {
		n, ok := wholeNumber(strings.TrimSpace(part))
		if !ok {
			return nil, true
		}
		if d := plan.StageNumber(n); !seen[d] {
			seen[d] = true
			deps = append(deps, d)
		}
	}
	return deps, false
}
