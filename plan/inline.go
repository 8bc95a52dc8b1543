package plan

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds on one piece of inline text. goldmark needs more than linear time for
// some runs of brackets, stars and tags; a piece beyond the bounds is read line
// by line, and a line beyond them as it stands.
const (
	maxInline  = 16 << 10 // bytes
	maxMarkers = 200      // characters that may open or close markup
	maxMarkup  = 2 << 20  // such characters in a document; beyond, all text is taken as it stands
)

// markers are the characters that may begin or end markup, or stand for others.
const markers = "\\`*_[]<>&~!"

// line is one rendered line of inline text: markup, comments and tags are
// gone, escapes and entities resolved.
type line struct {
	text  string
	parts []part
}

// part says where a piece of a rendered line comes from.
type part struct {
	start  int // in the line's text
	offset int // in Document.Text
	kind   partKind
}

type partKind uint8

const (
	prose partKind = iota
	code
	address // the text of an autolink
)

// offset maps a place in the rendered line to Document.Text. It is exact
// unless an escape or entity stands before it in the same part.
func (l line) offset(i int) int {
	for j := len(l.parts) - 1; j >= 0; j-- {
		if l.parts[j].start <= i {
			return l.parts[j].offset + i - l.parts[j].start
		}
	}
	return 0
}

// begins reports whether prose, not code, stands at the head of the line.
func (l line) begins(prefix string) bool {
	if !strings.HasPrefix(l.text, prefix) {
		return false
	}
	for _, p := range l.parts {
		if p.start < len(prefix) && p.kind != prose {
			return false
		}
	}
	return true
}

// render reads the inline text of some source lines.
func (d *Document) render(lines []Span) []line {
	size, marks := 0, 0
	for _, s := range lines {
		size += s.End - s.Start
	}
	if d.literalOnly {
		return d.literal(lines)
	}
	if size <= maxInline {
		for _, s := range lines {
			marks += countAny(d.Slice(s))
		}
	}
	switch {
	case size <= maxInline && marks == 0:
		return d.literal(lines)
	case size <= maxInline && marks <= maxMarkers:
		if out, ok := d.simple(lines); ok {
			return out
		}
		return d.renderPiece(newPiece(d, lines))
	case len(lines) > 1:
		var out []line
		for i := range lines {
			out = append(out, d.render(lines[i:i+1])...)
		}
		return out
	}
	return d.literal(lines)
}

var isMarker = func() (set [256]bool) {
	for _, b := range []byte(markers) {
		set[b] = true
	}
	return set
}()

func countAny(s string) int {
	n := 0
	for i := range len(s) {
		if isMarker[s[i]] {
			n++
		}
	}
	return n
}

// literal is the reading of text without markup.
func (d *Document) literal(lines []Span) []line {
	out, parts := make([]line, len(lines)), make([]part, len(lines))
	for i, s := range lines {
		parts[i].offset = s.Start
		out[i] = line{text: d.Slice(s), parts: parts[i : i+1 : i+1]}
	}
	return out
}

// cellText renders a table cell to one line.
func (d *Document) cellText(s Span) string {
	if d.plainCell(s) {
		return fold(d.Slice(s))
	}
	return joined(d.renderCell(s))
}

// plainCell reports whether a cell is read as it stands.
func (d *Document) plainCell(s Span) bool {
	marks := countAny(d.Slice(s))
	return marks == 0 || marks > maxMarkers || d.literalOnly || s.End-s.Start > maxInline
}

func (d *Document) renderCell(s Span) []line {
	if d.plainCell(s) {
		return d.literal([]Span{s})
	}
	if !strings.Contains(d.Slice(s), `\|`) {
		if out, ok := d.simple([]Span{s}); ok {
			return out
		}
	}
	p := newCell(d, s)
	if l, ok := d.simpleCell(p); ok {
		return []line{l}
	}
	return d.renderPiece(p)
}

// heading renders a heading.
func (d *Document) heading(h rawHeading) Heading {
	start := d.index.starts[d.index.line(h.start)]
	return Heading{
		Level: h.level, Text: joined(d.render(h.lines)),
		Pos: d.Position(h.start), Start: int(start), Offset: h.start,
	}
}

func joined(lines []line) string {
	if len(lines) == 1 {
		return fold(lines[0].text)
	}
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.text)
		b.WriteByte(' ')
	}
	return fold(b.String())
}

// fold makes each run of white space one space and trims the ends.
func fold(s string) string {
	if folded(s) {
		return s
	}
	return strings.Join(strings.Fields(s), " ")
}

// folded reports whether there is nothing to fold.
func folded(s string) bool {
	space := true
	for _, r := range s {
		switch {
		case r == ' ' && !space:
			space = true
		case r <= ' ' && isSpace(byte(r)), r == '\r', r >= utf8.RuneSelf && unicode.IsSpace(r):
			return false
		default:
			space = false
		}
	}
	return !space || s == ""
}
