package plan

import (
	"iter"
	"slices"
	"sort"
	"strings"
)

// Codes of the findings that Parse itself can make; plan/rules reports them.
const (
	CodeUnreadable  = "P1"
	CodeFrontMatter = "P2"
)

// Problem is something that keeps the document, or its front matter, from
// being read. Code is one of the Code constants.
type Problem struct {
	Code          string
	Pos           Position
	Message, Hint string
}

// Heading is an ATX or setext heading that stands on the top level of the
// document, outside quotes and lists.
type Heading struct {
	Level int
	Text  string // rendered: no markup, white space folded
	Pos   Position
	// Offsets in [Document.Text]: of the heading's line, where its section
	// begins, and of the heading in it, which is the place that Pos names.
	Start, Offset int
}

// Document is a parsed plan. It is never changed after Parse and safe for
// concurrent use.
type Document struct {
	// Problems holds the P1 problem alone, or the P2 problems in order.
	Problems    []Problem
	FrontMatter FrontMatter
	Headings    []Heading // in document order
	Tables      []Table   // in document order, nested ones included
	Tokens      []Token   // in document order

	index       lineIndex
	literalOnly bool // too much markup to read it, see maxMarkup
	body        int  // offset where the Markdown begins
	paragraphs  []paragraph
	refs        references
}

// Parse reads a plan. It never fails: what cannot be read is in Problems.
func Parse(src []byte) *Document {
	if p, bad := unreadable(src); bad {
		return &Document{Problems: []Problem{p}, index: newLineIndex("")}
	}
	d := &Document{index: newLineIndex(normalize(src))}
	d.literalOnly = countAny(d.index.text) > maxMarkup
	d.readFrontMatter()
	if problem := d.readBlocks(); problem != nil {
		// Half a document proves nothing, so none of it is shown.
		return &Document{Problems: []Problem{*problem}, index: newLineIndex("")}
	}
	d.readTokens()
	return d
}

// Text is the document without byte order mark and with LF line ends, front
// matter included. Spans and offsets refer to it.
func (d *Document) Text() string { return d.index.text }

// Slice is the part of Text that the span names.
func (d *Document) Slice(s Span) string { return d.index.text[s.Start:s.End] }

// Position gives the place in the file of an offset of Text.
func (d *Document) Position(offset int) Position { return d.index.position(offset) }

// Section is what belongs to heading i: from its line to the next heading of
// its level or a higher one, or to the end.
func (d *Document) Section(i int) Span {
	for j := i + 1; j < len(d.Headings); j++ {
		if d.Headings[j].Level <= d.Headings[i].Level {
			return Span{d.Headings[i].Start, d.Headings[j].Start}
		}
	}
	return Span{d.Headings[i].Start, len(d.index.text)}
}

// HeadingsIn gives the half-open index range of the headings that begin in s.
func (d *Document) HeadingsIn(s Span) (from, to int) {
	return window(len(d.Headings), s, func(i int) int { return d.Headings[i].Start })
}

// TablesIn gives the tables that begin in s, those in lists and quotes included.
func (d *Document) TablesIn(s Span) []Table {
	from, to := window(len(d.Tables), s, func(i int) int { return d.Tables[i].Header.span.Start })
	return d.Tables[from:to]
}

// TokensIn gives the token lines that begin in s.
func (d *Document) TokensIn(s Span) []Token {
	from, to := window(len(d.Tokens), s, func(i int) int { return d.Tokens[i].offset })
	return d.Tokens[from:to]
}

func (d *Document) paragraphsIn(s Span) []paragraph {
	from, to := window(len(d.paragraphs), s, func(i int) int { return d.paragraphs[i].lines[0].Start })
	return d.paragraphs[from:to]
}

// window finds, in a list sorted by offset, the half-open range inside s.
func window(n int, s Span, at func(int) int) (from, to int) {
	from = sort.Search(n, func(i int) bool { return at(i) >= s.Start })
	to = sort.Search(n, func(i int) bool { return at(i) >= s.End })
	return from, max(from, to)
}

// Line is one line of running text as a page shows it.
type Line struct {
	Text  string
	Start int // offset in [Document.Text]
}

// Lines gives the lines of running text that begin in s, outside quotes: those
// of paragraphs and list items, without markers, rendered and folded.
func (d *Document) Lines(s Span) iter.Seq[Line] {
	return func(yield func(Line) bool) {
		for _, p := range d.paragraphsIn(s) {
			if p.quoted {
				continue
			}
			for _, l := range d.render(p.lines) {
				if !yield(Line{fold(l.text), l.offset(0)}) {
					return
				}
			}
		}
	}
}

// PipeLines gives the lines of running text in s that begin with a pipe: what
// was meant as a table row and is none. A line in code, HTML or a comment does
// not count.
func (d *Document) PipeLines(s Span) []Line {
	var out []Line
	for _, p := range d.paragraphsIn(s) {
		piped := func(l Span) bool { return l.Start < l.End && d.index.text[l.Start] == '|' }
		if !slices.ContainsFunc(p.lines, piped) {
			continue
		}
		for _, l := range d.render(p.lines) {
			if at := l.offset(0); l.begins("|") && d.index.text[at] == '|' && d.lineHead(at) {
				out = append(out, Line{fold(l.text), at})
			}
		}
	}
	return out
}

// lineHead reports whether only white space stands before offset on its line.
func (d *Document) lineHead(offset int) bool {
	head := d.index.text[d.index.starts[d.index.line(offset)]:offset]
	return strings.TrimLeft(head, " \t") == ""
}
