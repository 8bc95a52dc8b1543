package plan

import (
	"iter"
	"strings"
)

// Table is a GFM table. Rows hold spans; [Document.Cells] reads one row, so a
// huge table costs nothing until somebody asks for it.
type Table struct {
	Header Row
	Rows   []Row
	Nested bool // inside a list or a quote
}

// Row is one line of a table.
type Row struct {
	span Span // the line, trimmed
}

// Start is the row's offset in [Document.Text].
func (r Row) Start() int { return r.span.Start }

// RowText is the row as it stands in the file.
func (d *Document) RowText(r Row) string { return d.Slice(r.span) }

// CellCount counts the cells of a row, without reading them.
func (d *Document) CellCount(r Row) int { return countCells(d.index.text, r.span) }

// Cell is one cell of a row.
type Cell struct {
	Text  string // rendered: no markup, white space folded
	Start int    // offset of its content in [Document.Text]
	span  Span
}

// Cells splits a row as GFM does and renders each cell. All the cells that are
// there are given, also those beyond the table's columns, which a page would
// not show.
func (d *Document) Cells(r Row) []Cell {
	cells := make([]Cell, 0, min(maxColumns, strings.Count(d.RowText(r), "|"))+1)
	for s := range cellSpans(d.index.text, r.span) {
		cells = append(cells, Cell{Text: d.cellText(s), Start: s.Start, span: s})
	}
	return cells
}

// Cell reads one cell of a row, counted from 0; ok: the row has it.
func (d *Document) Cell(r Row, i int) (cell Cell, ok bool) {
	if i < 0 || i > maxColumns {
		return Cell{}, false
	}
	n := 0
	for s := range cellSpans(d.index.text, r.span) {
		if n == i {
			return Cell{Text: d.cellText(s), Start: s.Start, span: s}, true
		}
		n++
	}
	return Cell{}, false
}

// Blank reports whether a page shows nothing in any of the row's cells.
func (d *Document) Blank(r Row) bool {
	for s := range cellSpans(d.index.text, r.span) {
		if d.cellText(s) != "" {
			return false
		}
	}
	return true
}

// Rows in a plan have at most eight cells; a row of thousands is one mistake,
// not thousands.
const maxColumns = 64

// cellSpans gives the trimmed content of each cell, at most maxColumns+1 of
// them. A pipe behind a backslash does not split, in code too; any other pipe does.
func cellSpans(text string, row Span) iter.Seq[Span] {
	pos, end := row.Start, row.End
	if pos < end && text[pos] == '|' {
		pos++
	}
	if pos < end && text[end-1] == '|' && !(end-1 > pos && text[end-2] == '\\') {
		end--
	}
	return func(yield func(Span) bool) {
		n := 0
		for start, pos := pos, pos; pos <= end && n <= maxColumns; pos++ {
			if pos == end || text[pos] == '|' && text[pos-1] != '\\' {
				if !yield(trim(text, Span{start, pos})) {
					return
				}
				start = pos + 1
				n++
			}
		}
	}
}

// countCells counts a row's cells without a bound.
func countCells(text string, row Span) int {
	n, line := 1, text[row.Start:row.End]
	line = strings.TrimPrefix(line, "|")
	if strings.HasSuffix(line, "|") && !strings.HasSuffix(line, `\|`) {
		line = line[:len(line)-1]
	}
	for i := range len(line) {
		if line[i] == '|' && (i == 0 || line[i-1] != '\\') {
			n++
		}
	}
	return n
}

func trim(text string, s Span) Span {
	for s.Start < s.End && isSpace(text[s.Start]) {
		s.Start++
	}
	for s.Start < s.End && isSpace(text[s.End-1]) {
		s.End--
	}
	return s
}

func isSpace(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\v' || b == '\f' }

// findTable gives the index of a paragraph's line that is a table's header:
// the first line followed by a delimiter row with as many cells. -1: none.
func findTable(text string, lines []Span) int {
	for i := 1; i < len(lines); i++ {
		n := delimiterCells(text[lines[i].Start:lines[i].End])
		if n > 0 && n == countCells(text, lines[i-1]) {
			return i - 1
		}
	}
	return -1
}

// delimiterCells counts the cells of a delimiter row such as |---|:-:|;
// 0 if the line is none. Dashes alone are none: they underline a heading.
func delimiterCells(line string) int {
	if !strings.ContainsAny(line, "|:") || strings.Trim(line, "|:- \t") != "" {
		return 0
	}
	n := 0
	for cell := range strings.SplitSeq(strings.TrimSuffix(strings.TrimPrefix(line, "|"), "|"), "|") {
		cell = strings.Trim(cell, " \t")
		cell = strings.TrimSuffix(strings.TrimPrefix(cell, ":"), ":")
		if cell == "" || strings.Trim(cell, "-") != "" {
			return 0
		}
		n++
	}
	return n
}

func newTable(lines []Span, nested bool) Table {
	t := Table{Header: Row{lines[0]}, Rows: make([]Row, 0, len(lines)-2), Nested: nested}
	for _, s := range lines[2:] {
		t.Rows = append(t.Rows, Row{s})
	}
	return t
}
