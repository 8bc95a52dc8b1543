package plan

import (
	"html"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// piece is the text given to goldmark, with its way back to Document.Text.
type piece struct {
	src  []byte
	from []part // start: in src
}

func newPiece(d *Document, lines []Span) piece {
	var p piece
	for i, s := range lines {
		if i > 0 {
			p.src = append(p.src, '\n')
		}
		p.from = append(p.from, part{start: len(p.src), offset: s.Start})
		p.src = append(p.src, d.Slice(s)...)
	}
	return p
}

// newCell is the piece of a table cell, where \| is a pipe even in code.
func newCell(d *Document, s Span) piece {
	p := piece{from: []part{{offset: s.Start}}}
	raw := d.Slice(s)
	for i := 0; i < len(raw); i++ {
		if raw[i] == '\\' && i+1 < len(raw) && raw[i+1] == '|' {
			i++
			p.from = append(p.from, part{start: len(p.src), offset: s.Start + i})
		}
		p.src = append(p.src, raw[i])
	}
	return p
}

func (p piece) offset(i int) int { return line{parts: p.from}.offset(i) }

// inlineParser reads a piece as one block of CommonMark inline text.
var inlineParser = sync.OnceValue(func() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(util.Prioritized(wholeBlock{}, 1)),
		parser.WithInlineParsers(append(parser.DefaultInlineParsers(),
			util.Prioritized(strike{}, 500))...),
	)
})

func (d *Document) renderPiece(p piece) []line {
	pc := pieceContext{parser.NewContext(), d.refs}
	root := inlineParser().Parse(text.NewReader(p.src), parser.WithContext(pc))
	r := renderer{piece: p}
	_ = ast.Walk(root, r.visit) // visit returns no error
	return append(r.lines, r.line)
}

// renderer turns goldmark's inline nodes into lines.
type renderer struct {
	piece
	lines []line
	line  line
}

func (r *renderer) visit(n ast.Node, entering bool) (ast.WalkStatus, error) {
	if e, ok := n.(*ast.Emphasis); ok {
		r.dunder(e)
		return ast.WalkContinue, nil
	}
	if !entering {
		return ast.WalkContinue, nil
	}
	switch n := n.(type) {
	case *ast.Text:
		r.add(unescape(string(n.Segment.Value(r.src))), n.Segment.Start, prose)
		if n.SoftLineBreak() || n.HardLineBreak() {
			r.lines, r.line = append(r.lines, r.line), line{}
		}
	case *ast.CodeSpan:
		r.addCode(n)
		return ast.WalkSkipChildren, nil
	case *ast.AutoLink:
		r.add(string(n.Label(r.src)), n.Pos(), address)
	}
	return ast.WalkContinue, nil
}

// dunder gives back the underscores of pkg/__init__.py, which CommonMark takes
// for emphasis and nobody means so. Called on both sides of the name.
func (r *renderer) dunder(e *ast.Emphasis) {
	t, ok := e.FirstChild().(*ast.Text)
	if !ok || e.Level != 2 || e.FirstChild() != e.LastChild() {
		return
	}
	from, to := t.Segment.Start-2, t.Segment.Stop+2
	if from < 0 || to > len(r.src) || r.src[from] != '_' {
		return
	}
	inPath := from > 0 && r.src[from-1] == '/'
	beforeDot := to+1 < len(r.src) && r.src[to] == '.' && isAlnum(r.src[to+1])
	if inPath || beforeDot {
		r.add("__", from, prose)
	}
}

// addCode joins the lines of a code span with spaces, as a page shows it.
func (r *renderer) addCode(n *ast.CodeSpan) {
	var b strings.Builder
	start := -1
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			if start < 0 {
				start = t.Segment.Start
			}
			b.Write(t.Segment.Value(r.src))
		}
	}
	r.add(strings.ReplaceAll(b.String(), "\n", " "), start, code)
}

func (r *renderer) add(s string, at int, kind partKind) {
	if s == "" {
		return
	}
	r.line.parts = append(r.line.parts, part{len(r.line.text), r.piece.offset(max(at, 0)), kind})
	r.line.text += s
}

// unescape resolves backslash escapes and entities of prose.
func unescape(s string) string {
	if !strings.ContainsAny(s, `\&`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s) && util.IsPunct(s[i+1]):
			i++
			b.WriteByte(s[i])
		case s[i] == '&':
			n := strings.IndexByte(s[i:min(len(s), i+40)], ';')
			if n < 0 {
				n = 0
			}
			b.WriteString(html.UnescapeString(s[i : i+n+1]))
			i += n
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// wholeBlock is a block parser that takes all lines as one block of text.
type wholeBlock struct{}

// Trigger: any line.
func (wholeBlock) Trigger() []byte { return nil }

// Open takes the first line.
func (b wholeBlock) Open(_ ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	node := ast.NewTextBlock()
	return node, b.Continue(node, reader, pc)
}

// Continue takes another line.
func (wholeBlock) Continue(node ast.Node, reader text.Reader, _ parser.Context) parser.State {
	_, segment := reader.PeekLine()
	node.Lines().Append(segment)
	reader.AdvanceToEOL()
	return parser.Continue | parser.NoChildren
}

// Close has nothing to do.
func (wholeBlock) Close(ast.Node, text.Reader, parser.Context) {}

// CanInterruptParagraph is never asked: there are no paragraphs.
func (wholeBlock) CanInterruptParagraph() bool { return true }

// CanAcceptIndentedLine lets a piece begin with white space.
func (wholeBlock) CanAcceptIndentedLine() bool { return true }
