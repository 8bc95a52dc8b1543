package conform

import (
	"strconv"
	"strings"
)

// change is an added or removed line, read in its language.
type change struct {
	side     Side
	line     int
	raw      string
	code     string     // without comments, literals emptied
	full     string     // without comments
	literals []*literal // the string literals that are on it, whole
	heads    []string   // code of the calls that the line goes on with
	void     bool       // only moved, or only laid out anew
}

// empty reports whether there is nothing but comments and blanks.
func (c change) empty() bool { return strings.TrimSpace(c.full) == "" }

func (c change) number() string { return strconv.Itoa(c.line) }

// key is what a line is recognised by elsewhere.
func (c change) key() string { return strings.Join(strings.Fields(c.full), "") }

// judged is a file that is looked at.
type judged struct {
	diff     FileDiff
	language *Language
	changes  []change
	slow     bool // the lexer was stopped
}

// maxSource is how long a piece of source may be for a lexer; longer ones are taken
// line by line.
const maxSource = 1 << 20

// read lays out what is added and removed in a file.
func (r *Rules) read(f FileDiff, over func() bool) (*judged, error) {
	j := &judged{diff: f, language: r.languageIn(f)}
	for _, hunk := range f.Hunks {
		var sides [2]text
		for i, op := range []byte{'-', '+'} {
			var err error
			if sides[i], err = r.readSide(j.language, hunk, op, over); err != nil {
				return nil, err
			}
			j.slow = j.slow || sides[i].slow
		}
		first := len(j.changes)
		at := [2]int{}
		for _, l := range hunk {
			for i, op := range []byte{'-', '+'} {
				if l.Op != op && l.Op != ' ' {
					continue
				}
				if l.Op == op {
					j.changes = append(j.changes, changeOf(l, sides[i], at[i]))
				}
				at[i]++
			}
			if l.Op == ' ' {
				cancelLayout(j.changes[first:])
				first = len(j.changes)
			}
		}
		cancelLayout(j.changes[first:])
	}
	return j, nil
}

// changeOf is the n-th line of a side.
func changeOf(l Line, side text, n int) change {
	c := change{side: Added, line: l.New, raw: l.Text}
	if l.Op == '-' {
		c.side, c.line = Removed, l.Old
	}
	if n < len(side.lines) {
		at := side.lines[n]
		c.code, c.full = at.code, at.full
		for _, i := range at.strings {
			c.literals = append(c.literals, side.strings[i])
		}
		if _, to := nextName(at.full, 0); to > 0 { // a bracket alone says nothing
			c.heads = headsOf(side.lines, n)
		}
	}
	return c
}

// tailLines is how many lines behind the last changed one are read, for a literal that
// goes on.
const tailLines = 60

// sideOf is the source of a side, as far as it matters, and where in the file it begins.
// It is empty where nothing changed on that side.
func sideOf(hunk []Line, op byte) (src string, begins int) {
	last := -1
	for i, line := range hunk {
		if line.Op == op {
			last = i
		}
	}
	if last < 0 {
		return "", 0
	}
	var b strings.Builder
	for _, line := range hunk[:min(len(hunk), last+tailLines)] {
		if line.Op != op && line.Op != ' ' {
			continue
		}
		if begins == 0 {
			begins = max(line.Old, line.New)
		}
		b.WriteString(strings.TrimSuffix(line.Text, "\r") + "\n")
	}
	return b.String(), begins
}

// plainText takes source line by line.
func plainText(src string) text {
	var t text
	for line := range strings.Lines(src) {
		line = strings.TrimSuffix(line, "\n")
		t.lines = append(t.lines, lexed{code: line, full: line})
	}
	return t
}

// readSide tells a side of a hunk apart.
func (r *Rules) readSide(l *Language, hunk []Line, op byte, over func() bool) (text, error) {
	src, begins := sideOf(hunk, op)
	if src == "" || l == nil || l.Lexer == "" || len(src) > maxSource {
		return plainText(src), nil
	}
	before := ""
	if begins > 1 {
		before = l.inside(src)
	}
	list, rest, err := r.pieces(l.Lexer, before+src, over)
	if err != nil {
		return text{}, err
	}
	t := split(list)
	if rest != "" {
		t.slow = true
		tail := plainText(rest)
		if n := len(t.lines); n > 0 && len(tail.lines) > 0 {
			t.lines[n-1].code += tail.lines[0].code
			t.lines[n-1].full += tail.lines[0].full
			t.lines = append(t.lines, tail.lines[1:]...)
		}
	}
	if before != "" {
		t.lines = t.lines[1:]
	}
	unbroken(l.Name, src, t.lines)
	return t, nil
}

// prose is a line as they are in the middle of a block comment.
var prose = lazy(`^\s*\*(?:\s|$)`)

// sqlWords are what a text within a literal must have for us to believe that it is one.
var sqlWords = lazy(`(?m)^\s*(?:SELECT|FROM|WHERE|INSERT|UPDATE|DELETE|LEFT|INNER|JOIN|SET|VALUES|AND|OR|ORDER|GROUP|LIMIT|HAVING|RETURNING|ON)\b`)

// inside guesses what a piece from the middle of a file begins in: nothing (""), a
// comment or a literal. It gives a line that opens that.
func (l *Language) inside(src string) string {
	if len(l.Block) == 2 {
		opens, closes := strings.Index(src, l.Block[0]), strings.Index(src, l.Block[1])
		if closes >= 0 && (opens < 0 || closes < opens) || opens < 0 && prose().MatchString(strings.TrimLeft(src, "\n")) {
			return l.Block[0] + "\n"
		}
	}
	for _, q := range l.Quotes {
		before, _, found := strings.Cut(src, q)
		if !found || strings.Count(src, q)%2 == 0 {
			continue
		}
		lines := strings.Split(strings.TrimRight(before, " \t"), "\n")
		last := strings.TrimSpace(lines[len(lines)-1])
		if sqlWords().MatchString(before) || len(q) > 1 && (last != "" && !strings.HasSuffix(last, "=") && !strings.HasSuffix(last, "(") || last == "" && strings.HasPrefix(src[len(before)+len(q):], "\n")) {
			return "x = " + q + "\n"
		}
	}
	return ""
}
