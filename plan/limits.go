package plan

import (
	"fmt"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// Bounds on what is read as Markdown. No plan that a person wrote comes near
// them; they keep the time and memory of a hostile one in proportion to its
// size. Past maxDepth text is simply not nested deeper; past the other block
// bounds the document is refused as P1, because a part of it proves nothing.
const (
	maxDepth  = 40      // containers open at once
	maxBlocks = 1 << 20 // blocks in a document
	maxVisits = 1 << 22 // open blocks that lines continue, summed over all lines
)

// tooComplex is the panic value with which a bound stops goldmark, which has
// no other way out of a parse. readBlocks recovers it.
type tooComplex struct{ what string }

// bounded wraps a goldmark block parser: it holds the bounds and tells the
// collector about blocks that end.
type bounded struct {
	parser.BlockParser
	c *collector
}

// Open refuses a container that would nest too deep.
func (b bounded) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	if len(pc.OpenedBlocks()) >= maxDepth && parent.Kind() != ast.KindList {
		if _, leaf := b.BlockParser.(container); leaf {
			return nil, parser.NoChildren
		}
	}
	node, state := b.BlockParser.Open(parent, reader, pc)
	if node != nil {
		if b.c.blocks++; b.c.blocks > maxBlocks {
			panic(tooComplex{fmt.Sprintf("more than %d blocks", maxBlocks)})
		}
	}
	return node, state
}

// container marks the parsers of blocks that hold blocks.
type container struct{ parser.BlockParser }

// Continue drops the lines of code and HTML as they come: nobody reads them,
// and one is enough for goldmark's own bookkeeping of a block's first line.
func (b bounded) Continue(node ast.Node, reader text.Reader, pc parser.Context) parser.State {
	if b.c.visits++; b.c.visits > maxVisits {
		panic(tooComplex{fmt.Sprintf("more than %d lines of nested blocks", maxVisits)})
	}
	state := b.BlockParser.Continue(node, reader, pc)
	if node.IsRaw() && node.Lines().Len() > 2 {
		node.Lines().SetSliced(0, 2)
	}
	return state
}

// Close passes the block on to the collector.
func (b bounded) Close(node ast.Node, reader text.Reader, pc parser.Context) {
	b.BlockParser.Close(node, reader, pc)
	b.c.closed(node)
}
