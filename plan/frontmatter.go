package plan

import (
	"fmt"
	"strings"
)

// Value is one front matter value of a known key.
type Value struct {
	Text string   // as written, quotes resolved: 0.100 stays "0.100"
	Pos  Position // of the value; zero if the key is absent
}

// Present reports whether the key stands in the front matter with a usable value.
func (v Value) Present() bool { return v.Pos.Line > 0 }

// FrontMatter holds the known keys. A key whose value has the wrong type is
// absent here and a P2 problem of the document.
type FrontMatter struct {
	Present  bool // the document begins with closed front matter
	Approved bool
	Okstra   Value
	Project  Value
	Group    Value
	Task     Value
	Category Value

	block      Span     // between the two fences
	approvedAt Position // of the value of approved, if it stands there
	approvedIs approvedState
	firstKey   Position
}

// maxFrontMatter bounds what the YAML library is given. It is far above seven
// keys and keeps its worst inputs short.
const maxFrontMatter = 32 << 10

// maxFlow bounds the nesting of brackets, for the library recurses into them.
const maxFlow = 200

// Categories are the values that the key category may have.
var Categories = []string{"bugfix", "feature", "refactor", "ops", "improvement"}

const fence = "---"

// readFrontMatter splits the front matter off and reads it. A document that
// begins with a fence and has no second one is all body.
func (d *Document) readFrontMatter() {
	block, body, open := splitFrontMatter(d.index.text)
	if !open {
		return
	}
	if body < 0 {
		d.frontMatterProblem(Position{1, 1}, "the front matter is not closed",
			"end it with a line that holds only ---")
		return
	}
	d.body = body
	d.FrontMatter.Present, d.FrontMatter.block = true, block
	text := d.Slice(block)
	if len(text) > maxFrontMatter {
		d.frontMatterProblem(Position{1, 1},
			fmt.Sprintf("the front matter has %d bytes, more than %d", len(text), maxFrontMatter),
			"keep only the known keys there")
		return
	}
	if strings.Count(text, "[")+strings.Count(text, "{") > maxFlow {
		d.frontMatterProblem(Position{1, 1}, "the front matter nests too many brackets", "keep its values simple")
		return
	}
	d.readYAML(text)
}

// splitFrontMatter finds the text between the fences and where the body
// begins: -1 if the second fence is missing. open: the first one is there.
func splitFrontMatter(text string) (block Span, body int, open bool) {
	first, rest, _ := strings.Cut(text, "\n")
	if strings.TrimRight(first, " \t") != fence {
		return Span{}, 0, false
	}
	start := len(text) - len(rest)
	for at := start; at < len(text); {
		end := strings.IndexByte(text[at:], '\n')
		next := at + end + 1
		if end < 0 {
			end, next = len(text)-at, len(text)
		}
		if strings.TrimRight(text[at:at+end], " \t") == fence {
			return Span{start, at}, next, true
		}
		at = next
	}
	return Span{}, -1, true
}

func (d *Document) frontMatterProblem(pos Position, message, hint string) {
	d.Problems = append(d.Problems, Problem{Code: CodeFrontMatter, Pos: pos, Message: message, Hint: hint})
}
