package plan

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

// reference is the unbounded reading of a document by goldmark itself, inline
// text and GFM tables included: the level and first line of each top-level
// heading, the row count of each top-level table.
func reference(src string) []string {
	md := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough))
	source := []byte(src)
	root := md.Parser().Parse(text.NewReader(source))
	var out []string
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Heading:
			out = append(out, fmt.Sprintf("h%d %s", n.Level, plainText(n, source)))
		case *east.Table:
			out = append(out, fmt.Sprintf("table %d", n.ChildCount()-1))
		}
	}
	return out
}

// plainText is what a page shows of a heading without entities and escapes.
func plainText(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(c ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := c.(*ast.Text); ok && entering {
			b.Write(t.Segment.Value(source))
			if t.SoftLineBreak() || t.HardLineBreak() {
				b.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return fold(b.String())
}

// ours is the same of our reading, in document order.
func ours(d *Document) []string {
	type item struct {
		at   int
		text string
	}
	var items []item
	for _, h := range d.Headings {
		items = append(items, item{h.Start, fmt.Sprintf("h%d %s", h.Level, h.Text)})
	}
	for _, t := range d.Tables {
		if !t.Nested {
			items = append(items, item{t.Header.Start(), fmt.Sprintf("table %d", len(t.Rows))})
		}
	}
	slices.SortFunc(items, func(a, b item) int { return a.at - b.at })
	var out []string
	for _, i := range items {
		out = append(out, i.text)
	}
	return out
}

// One difference is meant: a header with fewer cells than the delimiter row
// makes a table for goldmark, and none for GFM and us.
func TestAgainstGoldmark(t *testing.T) {
	files, err := filepath.Glob("rules/testdata/shared/*.md")
	if err != nil || len(files) == 0 {
		t.Fatal("no plans")
	}
	sources := []string{
		"# a\n## *b* `c` d_e_f\n\nA\n=\n\nB\nb\n-\n", "| a | b |\n|-|-|\n| 1 | 2 |\n\n```\n# x\n```\n<div>\n# y\n</div>\n\n# z\n",
		"- # a\n\n> # b\n\n1. x\n\n   # c\n\n# d\n", "text\n| a |\n|---|\n| b |\n# c\n", "[a]: b\n# [a]\n", "a\n***\nb\n---\n",
		"    # code\n\n\t# code\n\n# no code\n", "~~~~\n```\n# x\n~~~\n# y\n~~~~\n# z\n", "<!-- a\n\n# b\n-->\n# c\n", "- a\n\n\n  b\n# c\n",
		"# ~~a~~ <b>c</b> <!-- d -->e\n", "| a |\n|:-:|\n|b\nc|d\n\nx\n", "# a #\n#c\n", "a | b\n- | -\n1 | 2 | 3\n4\n",
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		d := Parse(src)
		sources = append(sources, d.Text()[d.body:])
	}
	for _, src := range sources {
		if got, want := ours(Parse([]byte(src))), reference(src); !slices.Equal(got, want) {
			t.Errorf("%q:\n got %q\nwant %q", src, got, want)
		}
	}
}

// TestBoundsKeepOrdinaryText: what a person might write is far inside the
// bounds, and what is beyond them keeps its structure.
func TestBoundsKeepOrdinaryText(t *testing.T) {
	deep := strings.Repeat("> ", 30) + "Acceptance: x\n\n# after\n"
	check(t, deep, "h1 3:1 after")
	nested := ""
	for i := range 15 {
		nested += strings.Repeat("  ", i) + "- x\n"
	}
	nested += strings.Repeat("  ", 15) + "- Acceptance: deep\n"
	check(t, nested, `token 16:33 Acceptance="deep"`)
	long := "Acceptance: " + strings.Repeat("*a* ", maxMarkers) + "\n\n# *b*\n"
	check(t, long, "h1 3:1 b", fmt.Sprintf("token 1:1 Acceptance=%q", strings.TrimSpace(strings.Repeat("*a* ", maxMarkers))))
	defs := strings.Repeat("[a]: b\n", maxDefinitionLines+1) + "\n# [a]\n"
	check(t, defs, fmt.Sprintf("h1 %d:1 [a]", maxDefinitionLines+3))
}
