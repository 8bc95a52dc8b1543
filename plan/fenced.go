package plan

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// CodeBlock is a fenced code block.
type CodeBlock struct {
	Language string // the first word behind the opening fence, lower case
	Text     string // its lines, without the indentation of the fence
	doc      *Document
	lines    []Span // of Document.Text
	at       int    // where there are no lines: the place of the heading
}

// Position gives the place in the file of an offset of Text.
func (c CodeBlock) Position(offset int) Position {
	for _, l := range c.lines {
		if length := l.End - l.Start; offset >= length {
			offset -= length
			continue
		}
		return c.doc.Position(l.Start + offset)
	}
	if last := len(c.lines) - 1; last >= 0 {
		return c.doc.Position(max(c.lines[last].Start, c.lines[last].End-1))
	}
	return c.doc.Position(c.at)
}

// Fenced finds the headings that begin with a title, and the fenced code blocks of
// their sections that stand in no list or quote.
func (d *Document) Fenced(title string) (headings []Heading, blocks []CodeBlock) {
	for i, h := range d.Headings {
		if rest, ok := strings.CutPrefix(h.Text, title); ok && (rest == "" || strings.ContainsAny(rest[:1], " (:")) {
			headings = append(headings, h)
			blocks = append(blocks, d.fencedIn(d.Section(i), h)...)
		}
	}
	return headings, blocks
}

// fencedIn reads the block structure of one section again, this time for its code. The
// whole document was read within bounds, so a part of it is too.
func (d *Document) fencedIn(section Span, h Heading) []CodeBlock {
	src := []byte(d.Slice(section))
	root := parser.NewParser(parser.WithBlockParsers(parser.DefaultBlockParsers()...)).Parse(text.NewReader(src))
	var out []CodeBlock
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		code, ok := n.(*ast.FencedCodeBlock)
		if !ok {
			continue
		}
		c := CodeBlock{Language: strings.ToLower(string(code.Language(src))), doc: d, at: h.Offset}
		var b strings.Builder
		for i := range code.Lines().Len() {
			segment := code.Lines().At(i)
			b.Write(src[segment.Start:segment.Stop])
			c.lines = append(c.lines, Span{section.Start + segment.Start, section.Start + segment.Stop})
		}
		c.Text = b.String()
		out = append(out, c)
	}
	return out
}
