package plan

import (
	"fmt"
	"sort"
	"strings"
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
	ix := lineIndex{text: text, starts: make([]int32, 1, strings.Count(text, "\n")+1)}
	for at := 0; ; {
		end := strings.IndexByte(text[at:], '\n')
		if end < 0 {
			break
		}
		at += end + 1
		ix.starts = append(ix.starts, int32(at))
	}
	ix.marks = make([]int32, 0, len(text)/markEvery+1)
	runes := 0
	for at := 0; at < len(text); at += markEvery {
		ix.marks = append(ix.marks, int32(runes))
		runes += runeStarts(text[at:min(at+markEvery, len(text))])
	}
	return ix
}

// runesBefore counts the code points that start before offset.
func (ix lineIndex) runesBefore(offset int) int {
	if len(ix.marks) == 0 {
		return 0
	}
	m := min(offset/markEvery, len(ix.marks)-1)
	return int(ix.marks[m]) + runeStarts(ix.text[m*markEvery:offset])
}

// runeStarts counts the code points that begin in s.
func runeStarts(s string) int {
	n := 0
	for i := range len(s) {
		if utf8.RuneStart(s[i]) {
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
	start := int(ix.starts[line])
	if offset-start < markEvery {
		return Position{Line: line + 1, Column: runeStarts(ix.text[start:offset]) + 1}
	}
	return Position{Line: line + 1, Column: ix.runesBefore(offset) - ix.runesBefore(start) + 1}
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
