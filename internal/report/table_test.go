package report

import (
	"strings"
	"testing"

	"github.com/mattn/go-runewidth"
)

// columnOf is where a word begins on a terminal, or -1.
func columnOf(line, word string) int {
	at := strings.Index(line, word)
	if at < 0 {
		return -1
	}
	return terminal.StringWidth(line[:at])
}

// TestTableAligns holds that the second column begins at the same place on a terminal
// in each row, whatever stands in the first.
func TestTableAligns(t *testing.T) {
	t.Parallel()
	cells := []string{
		"", "plain", "한국어", "日本 語", "naïve", "e\u0301 combining", "👩‍💻", "emoji 🎉", "ｆｕｌｌ",
		"esc\x1b[31mred", "tab\tin", "new\nline", "bell\a", "bidi\u202e", "back\\slash",
	}
	rows := make([][]string, len(cells))
	for i, c := range cells {
		rows[i] = []string{c, "MARK", "end "}
	}
	lines := strings.Split(strings.TrimSuffix(Table(rows), "\n"), "\n")
	if len(lines) != len(cells) {
		t.Fatalf("%d lines for %d rows:\n%s", len(lines), len(cells), Table(rows))
	}
	for i, line := range lines {
		if columnOf(line, "MARK") != columnOf(lines[0], "MARK") || columnOf(line, "end") != columnOf(lines[0], "end") {
			t.Errorf("%q begins at %d and %d, not at %d and %d", line, columnOf(line, "MARK"), columnOf(line, "end"),
				columnOf(lines[0], "MARK"), columnOf(lines[0], "end"))
		}
		if strings.HasSuffix(line, " ") || strings.ContainsAny(line, "\x1b\a\t\u202e") {
			t.Errorf("row %d: %q", i, line)
		}
	}
}

func TestTableForms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rows [][]string
		want string
	}{
		{nil, ""},
		{[][]string{{}}, "\n"},
		{[][]string{{"a"}}, "a\n"},
		{[][]string{{"a", ""}, {"bb", "c"}}, "a\nbb  c\n"},
		{[][]string{{"한", "x"}, {"abc", "y"}}, "한   x\nabc  y\n"},
		{[][]string{{"a", "b", "c"}, {"long"}, {"", "x"}}, "a     b  c\nlong\n      x\n"},
		{[][]string{{"a\x00", "b"}}, "a\\x00  b\n"},
	} {
		if got := Table(c.rows); got != c.want {
			t.Errorf("%q:\n%q, want\n%q", c.rows, got, c.want)
		}
	}
}

// TestTableDependsOnItsArgumentsOnly changes what the width package took from the
// environment. It is not parallel.
func TestTableDependsOnItsArgumentsOnly(t *testing.T) {
	rows := [][]string{{"①→…", "x"}, {"abcdef", "y"}}
	before := Table(rows)
	old := *runewidth.DefaultCondition
	defer func() { *runewidth.DefaultCondition = old }()
	runewidth.DefaultCondition.EastAsianWidth = !old.EastAsianWidth
	if after := Table(rows); after != before {
		t.Errorf("%q, in another locale %q", before, after)
	}
}
