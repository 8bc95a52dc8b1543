package plan

import (
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// references are the document's link definitions by normalized label. They
// are copies: goldmark's own would keep its whole tree alive.
type references map[string]parser.Reference

func newReferences(pc parser.Context) references {
	refs := references{}
	for _, r := range pc.References() {
		key := util.ToLinkReference(r.Label())
		if _, taken := refs[key]; !taken {
			refs[key] = parser.NewReference(r.Label(), r.Destination(), r.Title())
		}
	}
	return refs
}

// pieceContext hands the definitions to the parse of a piece of inline text.
type pieceContext struct {
	parser.Context
	refs references
}

// Reference looks a normalized label up in the whole document.
func (c pieceContext) Reference(label string) (parser.Reference, bool) {
	r, ok := c.refs[label]
	return r, ok
}

// maxDefinitionLines bounds the paragraphs that are searched for link
// definitions; goldmark's search needs quadratic time in their lines. In a
// longer paragraph definitions are read as text.
const maxDefinitionLines = 100

// definitions is goldmark's transformer for link definitions under that bound.
type definitions struct{}

// Transform takes the definitions at the head of a paragraph.
func (definitions) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	lines := node.Lines()
	if n := lines.Len(); n == 0 || !mayDefine(lines.At(0), reader.Source()) || n > maxDefinitionLines || lines.At(n-1).Stop-lines.At(0).Start > maxInline {
		return
	}
	parser.LinkReferenceParagraphTransformer.Transform(node, reader, pc)
}

// mayDefine reports whether a paragraph's first line begins as a definition.
func mayDefine(first text.Segment, source []byte) bool {
	first = first.TrimLeftSpace(source)
	return first.Len() > 0 && source[first.Start] == '['
}
