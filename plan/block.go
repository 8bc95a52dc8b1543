package plan

import (
	"fmt"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// paragraph is running text: its lines without indentation, quote marks and
// list markers.
type paragraph struct {
	lines  []Span
	quoted bool // inside a block quote
	opens  bool // the first block of a list item
	last   int  // for one that opens: index after the item's last paragraph
}

// collector takes what we need out of goldmark's parse as blocks end. Leaf
// blocks end in document order, so everything arrives sorted. It leaves only
// small placeholders in goldmark's tree, for a list item counts its children.
type collector struct {
	all        string // Document.Text
	src        []byte // its Markdown part
	base       int    // where that begins
	headings   []rawHeading
	tables     []Table
	paragraphs []paragraph
	items      map[ast.Node]int // item → the paragraph that opens it
	blocks     int
	visits     int
}

// maxHint bounds the room that is made for blocks before any are seen.
const maxHint = 1 << 14

type rawHeading struct {
	level int
	start int
	lines []Span
}

// readBlocks parses the Markdown part of the text.
func (d *Document) readBlocks() (problem *Problem) {
	c := &collector{all: d.index.text, src: []byte(d.index.text[d.body:]), base: d.body, items: map[ast.Node]int{}}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case tooComplex:
			problem = &Problem{
				Code: CodeUnreadable, Pos: Position{1, 1},
				Message: "the document has " + r.what,
				Hint:    "no plan needs that many: split it",
			}
		default: // a defect in the Markdown library; the plan stays unproven
			problem = &Problem{
				Code: CodeUnreadable, Pos: Position{1, 1},
				Message: "the Markdown reader gave up: " + clean(fmt.Sprint(r)),
				Hint:    "simplify the plan's Markdown and report the plan that did this",
			}
		}
	}()
	hint := min(len(d.index.starts)/4, maxHint)
	c.paragraphs, c.headings = make([]paragraph, 0, hint), make([]rawHeading, 0, hint/2)
	pc := parser.NewContext()
	c.parser().Parse(text.NewReader(c.src), parser.WithContext(pc))
	d.refs = newReferences(pc)
	d.paragraphs, d.Tables = c.paragraphs, c.tables
	d.Headings = make([]Heading, 0, len(c.headings))
	for _, h := range c.headings {
		d.Headings = append(d.Headings, d.heading(h))
	}
	return nil
}

// parser is goldmark's block structure under our bounds, without inline
// parsing: inline text is read piece by piece, where it is needed.
func (c *collector) parser() parser.Parser {
	var blocks []util.PrioritizedValue
	for _, v := range parser.DefaultBlockParsers() {
		bp := v.Value.(parser.BlockParser)
		if bp == parser.NewListParser() || bp == parser.NewBlockquoteParser() {
			bp = container{bp}
		}
		blocks = append(blocks, util.Prioritized(bounded{bp, c}, v.Priority))
	}
	return parser.NewParser(
		parser.WithBlockParsers(blocks...),
		parser.WithParagraphTransformers(
			util.Prioritized(definitions{}, 100),
			util.Prioritized(c, 200),
		),
	)
}

// Transform takes a paragraph that ends, and the table that may be in it.
func (c *collector) Transform(node *ast.Paragraph, _ text.Reader, pc parser.Context) {
	lines := c.spans(node.Lines())
	header := findTable(c.all, lines)
	if header < 0 && !stillOpen(node, pc) {
		return // the text of a setext heading: it ends as one
	}
	if header != 0 {
		c.addParagraph(node, lines, header)
	}
	if header >= 0 {
		c.tables = append(c.tables, newTable(lines[header:], node.Parent().Kind() != ast.KindDocument))
	}
	node.Parent().ReplaceChild(node.Parent(), node, &placeholder{})
}

// stillOpen tells a paragraph that ends from one that an underline is about to
// make a heading: goldmark takes the latter off its list first.
func stillOpen(node ast.Node, pc parser.Context) bool {
	opened := pc.OpenedBlocks()
	for i := len(opened) - 1; i >= 0; i-- {
		if opened[i].Node == node {
			return true
		}
	}
	return false
}

func (c *collector) addParagraph(node ast.Node, lines []Span, header int) {
	if header > 0 {
		lines = lines[:header]
	}
	p := paragraph{lines: lines, quoted: quoted(node)}
	item := node.Parent()
	if item.Kind() == ast.KindListItem && item.FirstChild() == node {
		p.opens = true
		c.items[item] = len(c.paragraphs)
	}
	c.paragraphs = append(c.paragraphs, p)
}

func quoted(node ast.Node) bool {
	for n := node.Parent(); n != nil; n = n.Parent() {
		if n.Kind() == ast.KindBlockquote {
			return true
		}
	}
	return false
}

// closed records a heading or the end of a list item.
func (c *collector) closed(node ast.Node) {
	switch n := node.(type) {
	case *ast.ListItem:
		if first, ok := c.items[node]; ok {
			c.paragraphs[first].last = len(c.paragraphs)
			delete(c.items, node)
		}
	case *ast.Heading:
		if n.Parent() != nil && n.Parent().Kind() == ast.KindDocument {
			h := rawHeading{level: n.Level, start: n.Pos() + c.base, lines: c.spans(n.Lines())}
			c.headings = append(c.headings, h)
		}
		n.SetLines(text.NewSegments())
	}
}

// spans copies goldmark's segments, trimmed, as spans of Document.Text.
func (c *collector) spans(segments *text.Segments) []Span {
	out := make([]Span, 0, segments.Len())
	for i := range segments.Len() {
		s := segments.At(i)
		s = s.TrimLeftSpace(c.src)
		s = s.TrimRightSpace(c.src)
		out = append(out, Span{s.Start + c.base, s.Stop + c.base})
	}
	return out
}

// placeholder stands in goldmark's tree where a paragraph was.
type placeholder struct{ ast.BaseBlock }

var kindPlaceholder = ast.NewNodeKind("Placeholder")

// Kind names the node's type to goldmark.
func (*placeholder) Kind() ast.NodeKind { return kindPlaceholder }

// IsRaw keeps goldmark from looking for inline text.
func (*placeholder) IsRaw() bool { return true }

// Dump satisfies goldmark's interface; nothing prints our tree.
func (*placeholder) Dump([]byte, int) {}
