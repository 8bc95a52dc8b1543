package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// outline is what a reader of the document sees, one line each.
func outline(d *Document) []string {
	var out []string
	for _, p := range d.Problems {
		out = append(out, fmt.Sprintf("%s %s", p.Code, p.Pos))
	}
	for _, h := range d.Headings {
		out = append(out, fmt.Sprintf("h%d %s %s", h.Level, h.Pos, h.Text))
	}
	for _, t := range d.Tables {
		for _, r := range t.Rows {
			var cells []string
			for _, c := range d.Cells(r) {
				cells = append(cells, fmt.Sprintf("%s@%s", c.Text, d.Position(c.Start)))
			}
			out = append(out, "row "+strings.Join(cells, " "))
		}
	}
	for _, t := range d.Tokens {
		out = append(out, fmt.Sprintf("token %s %s=%q", t.Pos, t.Key, t.Value))
	}
	return out
}

func check(t *testing.T, src string, want ...string) {
	t.Helper()
	if got := outline(Parse([]byte(src))); !slices.Equal(got, want) {
		t.Errorf("outline of %q:\n got %q\nwant %q", src, got, want)
	}
}

func TestHeadings(t *testing.T) {
	for _, tc := range []struct {
		name, src string
		want      []string
	}{
		{"atx", "# A\n\n##  B  ##\n", []string{"h1 1:1 A", "h2 3:1 B"}},
		{"indented three", "   ## B\n", []string{"h2 1:4 B"}},
		{"setext", "A b\n===\n\nC\nd\n---\n", []string{"h1 1:1 A b", "h2 4:1 C d"}},
		{"markup", "## **A** `b|c` [d](e.md) &amp; \\# <!-- x -->f\n", []string{"h2 1:1 A b|c d & # f"}},
		{"snake case stays", "## a_b_c *d*\n", []string{"h2 1:1 a_b_c d"}},
		{"reference link", "## [a][R]\n\n[r]: x.md\n", []string{"h2 1:1 a"}},
		{"strikethrough", "## a ~~b~~\n", []string{"h2 1:1 a b"}},
		{"empty", "##\n", []string{"h2 1:1 "}},
		{"no space", "##x\n", nil},
		{"seven", "####### x\n", nil},
		{"escaped", "\\## x\n", nil},
		{"backtick fence", "```\n## x\n```\n", nil},
		{"tilde fence", "~~~\n## x\n```\n## y\n~~~\n## z\n", []string{"h2 6:1 z"}},
		{"four backticks", "````\n```\n## x\n````\n", nil},
		{"unclosed fence", "```\n## x\n", nil},
		{"indented fence", "   ```\n## x\n   ```\n", nil},
		{"indented code", "    ## x\n", nil},
		{"comment", "<!--\n## x\n-->\n", nil},
		{"comment over blank lines", "<!--\n\n## x\n\n-->\n## y\n", []string{"h2 6:1 y"}},
		{"html block", "<div>\n## x\n</div>\n\n## y\n", []string{"h2 5:1 y"}},
		{"quote", "> ## x\n", nil},
		{"list", "- ## x\n", nil},
		{"shell comment in code", "```sh\n# Stage 9\n```\n", nil},
	} {
		t.Run(tc.name, func(t *testing.T) { check(t, tc.src, tc.want...) })
	}
}

func TestTables(t *testing.T) {
	const head = "| a | b |\n|---|:-:|\n"
	for _, tc := range []struct {
		name, src string
		want      []string
	}{
		{"plain", head + "| 1 | 2 |\n", []string{"row 1@3:3 2@3:7"}},
		{"no outer pipes", "a | b\n--|--\n1 | 2\n", []string{"row 1@3:1 2@3:5"}},
		{"short and long rows", head + "| 1 |\n| 1 | 2 | 3 |\n", []string{"row 1@3:3", "row 1@4:3 2@4:7 3@4:11"}},
		{"escaped pipe", head + "| x \\| y | 2 |\n", []string{"row x | y@3:3 2@3:12"}},
		{"escaped pipe in code", head + "| `x \\| y` | 2 |\n", []string{"row x | y@3:3 2@3:14"}},
		{"plain pipe in code splits", head + "| `x | y` | 2 |\n", []string{"row `x@3:3 y`@3:8 2@3:13"}},
		{"markup", head + "| **x** | [l](u) |\n", []string{"row x@3:3 l@3:11"}},
		{"comment in a cell", head + "| <!-- x --> | 2 |\n", []string{"row @3:3 2@3:16"}},
		{"empty cells", head + "| | |\n", []string{"row @3:3 @3:5"}},
		{"header does not fit", "| a |\n|---|---|\n| 1 | 2 |\n", nil},
		{"after a paragraph", "text\n" + head + "| 1 | 2 |\n", []string{"row 1@4:3 2@4:7"}},
		{"ends at a blank line", head + "| 1 | 2 |\n\n| 3 | 4 |\n", []string{"row 1@3:3 2@3:7"}},
		{"ends at a heading", head + "| 1 | 2 |\n# x\n", []string{"h1 4:1 x", "row 1@3:3 2@3:7"}},
		{"in a fence", "```\n" + head + "| 1 | 2 |\n```\n", nil},
		{"in a comment", "<!--\n" + head + "| 1 | 2 |\n-->\n", nil},
		{"wide", head + "| 한국 | é | \n", []string{"row 한국@3:3 é@3:8"}},
		{"tab", head + "|\t1\t|\t2\t|\n", []string{"row 1@3:3 2@3:7"}},
		{"rule below is no heading", head + "---\n", nil},
	} {
		t.Run(tc.name, func(t *testing.T) { check(t, tc.src, tc.want...) })
	}
}

func TestNestedTableIsMarked(t *testing.T) {
	d := Parse([]byte("- x\n\n  | a | b |\n  |---|---|\n  | 1 | 2 |\n"))
	if len(d.Tables) != 1 || !d.Tables[0].Nested {
		t.Errorf("tables %+v", d.Tables)
	}
}

func TestTokens(t *testing.T) {
	for _, tc := range []struct {
		name, src string
		want      []string
	}{
		{"paragraph", "Slice value: x y\n", []string{`token 1:1 Slice value="x y"`}},
		{"to the end of the paragraph", "Slice value: x\ny\n\nz\n", []string{`token 1:1 Slice value="x y"`}},
		{"several lines", "Slice value: x\nAcceptance: y\n", []string{`token 1:1 Slice value="x"`, `token 2:1 Acceptance="y"`}},
		{"empty before another", "Slice value:\nAcceptance: y\n", []string{`token 1:1 Slice value=""`, `token 2:1 Acceptance="y"`}},
		{"in the middle", "some text\nSlice value: x\n", []string{`token 2:1 Slice value="x"`}},
		{"item", "- Test case (failure): x\n", []string{`token 1:3 Test case (failure)="x"`}},
		{"ordered item", "1. Acceptance: x\n", []string{`token 1:4 Acceptance="x"`}},
		{"item with more", "- Acceptance:\n\n  x\n  - y\n\nz\n", []string{`token 1:3 Acceptance="x y"`}},
		{"item in an item", "- Slice value:\n  - Acceptance: x\n", []string{`token 1:3 Slice value=""`, `token 2:5 Acceptance="x"`}},
		{"emphasis", "**Slice value:** x\n\n*Acceptance*: y\n", []string{`token 1:3 Slice value="x"`, `token 3:2 Acceptance="y"`}},
		{"code in the value", "Acceptance: `a: b` c\n", []string{`token 1:1 Acceptance="a: b c"`}},
		{"code is no token", "`Acceptance: x`\n", nil},
		{"case counts", "slice value: x\nSLICE VALUE: x\n", nil},
		{"not at the head", "The Slice value: x\n", nil},
		{"fence", "```\nSlice value: x\n```\n", nil},
		{"indented code", "    Slice value: x\n", nil},
		{"comment", "<!--\nSlice value: x\n-->\n", nil},
		{"comment in a paragraph", "a <!--\nSlice value: x\n--> b\n", nil},
		{"comment as value", "Slice value: <!-- x -->\n", []string{`token 1:1 Slice value=""`}},
		{"html block", "<div>\nSlice value: x\n</div>\n", nil},
		{"quote", "> Slice value: x\n", nil},
		{"heading", "## Slice value: x\n", []string{"h2 1:1 Slice value: x"}},
	} {
		t.Run(tc.name, func(t *testing.T) { check(t, tc.src, tc.want...) })
	}
}

func TestTokenEmpty(t *testing.T) {
	for _, tc := range []struct {
		key   TokenKey
		value string
		want  bool
	}{
		{SliceValue, "", true},
		{SliceValue, "-", true},
		{SliceValue, "…", true},
		{SliceValue, "...", true},
		{SliceValue, "TBD", true},
		{SliceValue, "todo.", true},
		{SliceValue, "N/A", false},
		{TestFailure, "N/A", true},
		{TestBoundary, "n/a.", true},
		{TestSuccess, "none", false},
		{SliceValue, "값", false},
		{SliceValue, "TBD by whom", false},
	} {
		if got := (Token{Key: tc.key, Value: tc.value}).Empty(); got != tc.want {
			t.Errorf("%s: %q empty: %v", tc.key, tc.value, got)
		}
	}
}

func TestSection(t *testing.T) {
	const src = "# A\n\n## B\nb\n### C\nc\n#### D\n## E\ne\n"
	d := Parse([]byte(src))
	want := []string{src, "## B\nb\n### C\nc\n#### D\n", "### C\nc\n#### D\n", "#### D\n", "## E\ne\n"}
	for i, w := range want {
		if got := d.Slice(d.Section(i)); got != w {
			t.Errorf("section %d is %q, want %q", i, got, w)
		}
	}
	if from, to := d.HeadingsIn(d.Section(1)); from != 1 || to != 4 {
		t.Errorf("headings of B: %d to %d", from, to)
	}
}

func TestUnreadable(t *testing.T) {
	for name, tc := range map[string]struct {
		src []byte
		pos Position
	}{
		"nul":       {[]byte("a\r\nb\x00"), Position{2, 2}},
		"latin-1":   {[]byte("한\n\xe9t\xe9"), Position{2, 1}},
		"surrogate": {[]byte("ab\xed\xa0\x80"), Position{1, 3}},
		"too large": {make([]byte, MaxSize+1), Position{1, 1}},
	} {
		d := Parse(tc.src)
		if len(d.Problems) != 1 || d.Problems[0].Code != CodeUnreadable || d.Problems[0].Pos != tc.pos {
			t.Errorf("%s: %+v", name, d.Problems)
		}
		if d.Text() != "" || d.Headings != nil {
			t.Errorf("%s: something was read", name)
		}
	}
}

func TestPipeLines(t *testing.T) {
	for src, want := range map[string]int{
		"| 4 | x |\n":               1,
		"  | 4 | x |\n":             1,
		"a\n| 4 | x |\n":            1,
		"- x\n\n  | 4 | x |\n":      1,
		"> | 4 | x |\n":             0,
		"\\| 4 | x |\n":             0,
		"a <!--\n| 4 |\n-->\n":      0,
		"a `b\n| 4 |\n` c\n":        0,
		"```\n| 4 |\n```\n":         0,
		"    | 4 |\n":               0,
		"| a | b |\n|-|-|\n| 4 |\n": 0,
	} {
		d := Parse([]byte(src))
		if got := d.PipeLines(Span{0, len(src)}); len(got) != want {
			t.Errorf("%q: %d lines, want %d", src, len(got), want)
		}
	}
}
