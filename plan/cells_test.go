package plan

import (
	"slices"
	"strings"
	"testing"
)

func TestCells(t *testing.T) {
	for row, want := range map[string]string{
		"| a | b |":                "a¦b",
		"a | b":                    "a¦b",
		"| a | b":                  "a¦b",
		"a | b |":                  "a¦b",
		"|a|b|":                    "a¦b",
		"| a |":                    "a",
		"|  |  |":                  "¦",
		"||":                       "",
		"|||":                      "¦",
		"| a || b |":               "a¦¦b",
		`| a \| b | c |`:           "a | b¦c",
		`| a \\| b |`:              "a | b",
		"| `a \\| b` |":            "a | b",
		"| `a | b` |":              "`a¦b`",
		`| a \|`:                   "a |",
		`| \| |`:                   "|",
		"|\ta\t|\tb\t|":            "a¦b",
		"| **a** | _b_ |":          "a¦b",
		"| a  b |":                 "a b",
		"| [a](b \"c|d\") |":       "[a](b \"c¦d\")",
		"| [a](b) | ![c](d) |":     "a¦c",
		"| <br> | <!-- x --> |":    "¦",
		"| &lt; | &#x41; | &no; |": "<¦A¦&no;",
		"| 한 | e\u0301 |":          "한¦e\u0301",
		"| a_b_c | *a |":           "a_b_c¦*a",
		"| ~~a~~ |":                "a",
		"| https://x.org |":        "https://x.org",
		"| <https://x.org> |":      "https://x.org",
		"| `` a ` b `` |":          "a ` b",
		"| ` a ` |":                "a",
		"| `a |":                   "`a",
		`| \*a\* |`:                "*a*",
	} {
		d := Parse([]byte("| x |\n|---|\n" + row + "\n"))
		if len(d.Tables) != 1 || len(d.Tables[0].Rows) != 1 {
			t.Errorf("%q is no row", row)
			continue
		}
		r := d.Tables[0].Rows[0]
		var got []string
		for _, c := range d.Cells(r) {
			got = append(got, c.Text)
		}
		if s := strings.Join(got, "¦"); s != want {
			t.Errorf("%q: %q, want %q", row, s, want)
		}
		checkRow(t, d, r, got)
	}
}

// checkRow holds the other ways to read a row against its cells.
func checkRow(t *testing.T, d *Document, r Row, cells []string) {
	t.Helper()
	if n := d.CellCount(r); n != len(cells) {
		t.Errorf("%q: %d cells, counted %d", d.RowText(r), len(cells), n)
	}
	for i, want := range cells {
		if c, ok := d.Cell(r, i); !ok || c.Text != want {
			t.Errorf("%q: cell %d is %q, %v, want %q", d.RowText(r), i, c.Text, ok, want)
		}
	}
	for _, i := range []int{-1, len(cells), len(cells) + 1, maxColumns + 1} {
		if c, ok := d.Cell(r, i); ok {
			t.Errorf("%q: cell %d is %q", d.RowText(r), i, c.Text)
		}
	}
	if blank := !slices.ContainsFunc(cells, func(s string) bool { return s != "" }); d.Blank(r) != blank {
		t.Errorf("%q: blank %v", d.RowText(r), d.Blank(r))
	}
}

// TestWideRow: a row of thousands of cells is read as far as a plan could need.
func TestWideRow(t *testing.T) {
	d := Parse([]byte("| x |\n|---|\n" + strings.Repeat("| a ", 5000) + "|\n"))
	r := d.Tables[0].Rows[0]
	if n := len(d.Cells(r)); n != maxColumns+1 {
		t.Errorf("%d cells", n)
	}
	if n := d.CellCount(r); n != 5000 {
		t.Errorf("counted %d cells", n)
	}
	if c, ok := d.Cell(r, maxColumns); !ok || c.Text != "a" {
		t.Errorf("the last cell is %+v, %v", c, ok)
	}
}

func TestDelimiterCells(t *testing.T) {
	for line, want := range map[string]int{
		"|---|":        1,
		"|-|-|":        2,
		"-|-":          2,
		"| :-: | -: |": 2,
		":--":          1,
		"|:-:|":        1,
		"| - | - |":    2,
		"---":          0,
		"|":            0,
		"||":           0,
		"|:|":          0,
		"|-:-|":        0,
		"|--|  |":      0,
		"|--|a|":       0,
		"|–|":          0,
		"|= |":         0,
		"":             0,
		"| -- -- |":    0,
	} {
		if got := delimiterCells(line); got != want {
			t.Errorf("%q: %d, want %d", line, got, want)
		}
	}
}

func TestTablesIn(t *testing.T) {
	const src = "| a |\n|---|\n| 1 |\n\n# x\n\n| b |\n|---|\n\n- c\n\n  | d |\n  |---|\n  | 2 |\n\n> | e |\n> |---|\n"
	d := Parse([]byte(src))
	names := func(s Span) string {
		var out []string
		for _, table := range d.TablesIn(s) {
			name := d.Cells(table.Header)[0].Text
			if table.Nested {
				name += "+"
			}
			out = append(out, name)
		}
		return strings.Join(out, " ")
	}
	section := d.Section(0)
	for _, tc := range []struct {
		span Span
		want string
	}{
		{Span{0, len(src)}, "a b d+ e+"},
		{section, "b d+ e+"},
		{Span{0, section.Start}, "a"},
		{Span{1, 5}, ""},
		{Span{0, 0}, ""},
		{Span{len(src), len(src)}, ""},
	} {
		if got := names(tc.span); got != tc.want {
			t.Errorf("%v: %q, want %q", tc.span, got, tc.want)
		}
	}
}

func TestUnescape(t *testing.T) {
	for in, want := range map[string]string{
		"a":              "a",
		`\*`:             "*",
		`\a`:             `\a`,
		`\\*`:            `\*`,
		`\`:              `\`,
		"&amp;":          "&",
		"&AMP;":          "&",
		"&lt;&gt;":       "<>",
		"&#65;":          "A",
		"&#x1F600;":      "😀",
		"&nosuch;":       "&nosuch;",
		"&":              "&",
		"& amp;":         "& amp;",
		`\&amp;`:         "&amp;",
		"&amp;amp;":      "&amp;",
		"한&middot;글":     "한·글",
		`&quot;\"&quot;`: `"""`,
	} {
		if got := unescape(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
