package plan

import (
	"fmt"
	"sort"
	"unicode/utf8"
)

// StageNumber is the number of a stage as the Stage Map gives it, from 1.
// 0 stands for the whole plan.
type StageNumber int

// Position is a place in the file as it was given, front matter included.
// Line and Column count from 1. A column is one Unicode code point: a tab, a
// wide character and a combining mark are one column each; a byte order mark
// is none. CRLF, LF and a lone CR each end one line, as in CommonMark.
type Position struct {
	Line, Column int
}

// String renders the position as "line:column".
func (p Position) String() string { return fmt.Sprintf("%d:%d", p.Line, p.Column) }

// Before reports whether p stands before q.
func (p Position) Before(q Position) bool {
	if p.Line != q.Line {
		return p.Line < q.Line
	}
	return p.Column < q.Column
}

// Span is a half-open range of byte offsets in [Document.Text].
type Span struct {
	Start, End int
}

// Contains reports whether the offset lies in the span.
func (s Span) Contains(offset int) bool { return s.Start <= offset && offset < s.End }

// markEvery is the distance in bytes between two rune counts: small enough to
// make a column cheap in a document that is one long line.
const markEvery = 1024

// lineIndex answers "which line and column is this offset" in bounded time.
type lineIndex struct {
	text   string
	starts []int32 // offset of each line
	marks  []int32 // runes before each multiple of markEvery
}

func newLineIndex(text string) lineIndex {
	ix := lineIndex{text: text, starts: []int32{0}}
	runes := int32(0)
	for i := 0; i < len(text); i++ {
		if i%markEvery == 0 {
			ix.marks = append(ix.marks, runes)
		}
		if utf8.RuneStart(text[i]) {
			runes++
		}
		if text[i] == '\n' {
			ix.starts = append(ix.starts, int32(i+1))
		}
	}
	return ix
}

// runesBefore counts the code points that start before offset.
func (ix lineIndex) runesBefore(offset int) int {
	if len(ix.marks) == 0 {
		return 0
	}
	m := min(offset/markEvery, len(ix.marks)-1)
	n := int(ix.marks[m])
	for i := m * markEvery; i < offset; i++ {
		if utf8.RuneStart(ix.text[i]) {
			n++
		}
	}
	return n
}

// line gives the 0-based line that holds offset.
func (ix lineIndex) line(offset int) int {
	return sort.Search(len(ix.starts), func(i int) bool { return int(ix.starts[i]) > offset }) - 1
}

func (ix lineIndex) position(offset int) Position {
	offset = max(0, min(offset, len(ix.text)))
	line := ix.line(offset)
	column := ix.runesBefore(offset) - ix.runesBefore(int(ix.starts[line])) + 1
	return Position{Line: line + 1, Column: column}
}

// offset is the inverse of position; a place outside the text is its nearest end.
func (ix lineIndex) offset(p Position) int {
	if p.Line < 1 {
		return 0
	}
	if p.Line > len(ix.starts) {
		return len(ix.text)
	}
	at := int(ix.starts[p.Line-1])
	for n := 1; n < p.Column && at < len(ix.text) && ix.text[at] != '\n'; n++ {
		_, size := utf8.DecodeRuneInString(ix.text[at:])
		at += size
	}
	return at
}
