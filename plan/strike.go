package plan

import (
	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// strike reads GFM's ~~struck out~~ text, for goldmark both as inline parser and
// as delimiter processor. goldmark's own lives in a package that compiles the
// expressions of other extensions at every start, a third of a millisecond.
type strike struct{}

// maxTildes is the longest run of tildes that GFM takes for a mark.
const maxTildes = 2

// Trigger names the byte that may begin the mark.
func (strike) Trigger() []byte { return []byte{'~'} }

// IsDelimiter tells tildes from other marks.
func (strike) IsDelimiter(b byte) bool { return b == '~' }

// CanOpenCloser pairs marks.
func (strike) CanOpenCloser(opener, closer *parser.Delimiter) bool { return opener.Char == closer.Char }

// OnMatch makes the node of a pair; what stands in it is kept as its children.
func (strike) OnMatch(int) ast.Node { return extast.NewStrikethrough() }

// Parse takes a run of tildes as a possible mark. A longer run, and the rest of
// one, is text.
func (s strike) Parse(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	previous := block.PrecendingCharacter()
	if previous == '~' {
		return nil
	}
	rest, at := block.PeekLine()
	mark := parser.ScanDelimiter(rest, previous, 1, s)
	if mark == nil || mark.OriginalLength > maxTildes {
		return nil
	}
	mark.Segment = text.NewSegment(at.Start, at.Start+mark.OriginalLength)
	block.Advance(mark.OriginalLength)
	pc.PushDelimiter(mark)
	return mark
}
