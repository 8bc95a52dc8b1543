package revision

import (
	"slices"
	"strings"
	"unicode"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// Op says where a piece of text stands.
type Op string

// The three places.
const (
	Equal  Op = "equal"  // in both texts
	Delete Op = "delete" // in the old one alone
	Insert Op = "insert" // in the new one alone
)

// Part is a piece of a line.
type Part struct {
	Op   Op     `json:"op"`
	Text string `json:"text"` // without line ends
}

// Hunk is a run of lines with changes, and the lines around them.
type Hunk struct {
	From, FromLines int // first line in the old text, from 1, and how many
	To, ToLines     int // the same in the new text
	Lines           [][]Part
}

// context is how many equal lines stand around a change, as in git's diffs.
const context = 3

// Words compares two texts by line, and changed lines by word. Line ends of all
// three kinds are the same to it. Equal texts have no hunks.
func Words(old, now string) []Hunk {
	a, b := lines(old), lines(now)
	if len(a)+len(b) > maxLines {
		a, b, before, after := trimmed(a, b)
		return hunks([]block{{true, before, before}, {false, a, b}, {true, after, after}})
	}
	return hunks(blocks(a, b))
}

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// lines splits a text; a line end at its very end begins no further line.
func lines(s string) []string {
	s = strings.TrimSuffix(lineEnds.Replace(strings.TrimPrefix(s, "\ufeff")), "\n")
	if s == "" {
		return nil
	}
	return strings.Split(s, "\n")
}

// block is a run of lines, equal in both texts or changed.
type block struct {
	equal    bool
	old, now []string
}

func blocks(old, now []string) []block {
	var out []block
	open := block{}
	flush := func() {
		if len(open.old)+len(open.now) > 0 {
			out = append(out, open)
		}
		open = block{}
	}
	for _, r := range compareTokens(old, now) {
		if equal := r.op == Equal; equal != open.equal {
			flush()
			open.equal = equal
		}
		if r.op != Insert {
			open.old = append(open.old, r.tokens...)
		}
		if r.op != Delete {
			open.now = append(open.now, r.tokens...)
		}
	}
	flush()
	return out
}

// run is a run of tokens with one Op.
type run struct {
	op     Op
	tokens []string
}

// compareTokens is the shortest edit between two lists of tokens. go-diff compares
// code points, so each different token is given one.
func compareTokens(old, now []string) []run {
	codes := map[string]rune{}
	var names []string
	encode := func(tokens []string) []rune {
		out := make([]rune, len(tokens))
		for i, t := range tokens {
			code, ok := codes[t]
			if !ok {
				code = codePoint(len(names))
				codes[t] = code
				names = append(names, t)
			}
			out[i] = code
		}
		return out
	}
	a, b := encode(old), encode(now)
	dmp := diffmatchpatch.New()
	dmp.DiffTimeout = 0 // a result that depends on the clock is none
	var out []run
	for _, d := range dmp.DiffMainRunes(a, b, false) {
		r := run{op: places[d.Type]}
		for _, c := range d.Text {
			r.tokens = append(r.tokens, names[index(c)])
		}
		out = append(out, r)
	}
	return out
}

var places = map[diffmatchpatch.Operation]Op{
	diffmatchpatch.DiffEqual: Equal, diffmatchpatch.DiffDelete: Delete, diffmatchpatch.DiffInsert: Insert,
}

const (
	surrogates    = 0xd800 // first code point that no text may hold
	numSurrogates = 0x800
)

// codePoint numbers tokens by valid code points; index is its inverse.
func codePoint(i int) rune {
	if i >= surrogates {
		i += numSurrogates
	}
	return rune(i)
}

func index(r rune) int {
	if r >= surrogates+numSurrogates {
		return int(r) - numSurrogates
	}
	return int(r)
}

// hunks groups changed blocks that are near each other and adds their context.
func hunks(list []block) []Hunk {
	var out []Hunk
	var open *Hunk
	from, to, budget := 1, 1, wordBudget
	for i, b := range list {
		if !b.equal {
			if open == nil {
				before := []string(nil)
				if i > 0 {
					before = list[i-1].old[max(0, len(list[i-1].old)-context):]
				}
				open = &Hunk{From: from - len(before), To: to - len(before)}
				open.context(before)
			}
			open.FromLines, open.ToLines = open.FromLines+len(b.old), open.ToLines+len(b.now)
			open.Lines = append(open.Lines, changed(b.old, b.now, &budget)...)
		}
		if b.equal && open != nil {
			last := i == len(list)-1
			if !last && len(b.old) <= 2*context {
				open.context(b.old)
			} else {
				open.context(b.old[:min(context, len(b.old))])
				out, open = append(out, *open), nil
			}
		}
		from, to = from+len(b.old), to+len(b.now)
	}
	if open != nil {
		out = append(out, *open)
	}
	return out
}

func (h *Hunk) context(list []string) {
	for _, l := range list {
		h.Lines = append(h.Lines, []Part{{Equal, l}})
	}
	h.FromLines, h.ToLines = h.FromLines+len(list), h.ToLines+len(list)
}

// changed compares changed lines by word, as long as the budget lasts. Lines that
// have little in common are given one after the other: interleaved words of two
// sentences help nobody.
func changed(old, now []string, budget *int) [][]Part {
	a, b := tokens(old), tokens(now)
	cost := (len(a) + len(b)) * (len(a) + len(b))
	if len(a) == 0 || len(b) == 0 || cost > *budget {
		return whole(old, now)
	}
	*budget -= cost
	runs := compareTokens(a, b)
	same := 0
	for _, r := range runs {
		if r.op == Equal {
			same += weight(r.tokens)
		}
	}
	if 3*same < max(weight(a), weight(b)) {
		return whole(old, now)
	}
	return split(bridge(runs))
}

// The time of a comparison grows, at worst, with the square of what is compared.
// Beyond these bounds (seconds) the answer is coarser, never late.
const (
	maxLines   = 80_000      // of both texts together
	wordBudget = 400_000_000 // sum of squares of the words of each change
)

// trimmed cuts what two lists have in common at both ends.
func trimmed(a, b []string) (restA, restB, before, after []string) {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	before, a, b = a[:n], a[n:], b[n:]
	n = 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return a[:len(a)-n], b[:len(b)-n], before, a[len(a)-n:]
}

// weight counts the tokens that are words.
func weight(tokens []string) int {
	n := 0
	for _, t := range tokens {
		if strings.ContainsFunc(t, wordRune) {
			n++
		}
	}
	return n
}

// whole gives all old lines, then all new ones.
func whole(old, now []string) [][]Part {
	var out [][]Part
	for _, l := range old {
		out = append(out, []Part{{Delete, l}})
	}
	for _, l := range now {
		out = append(out, []Part{{Insert, l}})
	}
	return out
}

// tokens splits lines into words, white space, line ends and single other
// characters.
func tokens(list []string) []string {
	var out []string
	for i, l := range list {
		if i > 0 {
			out = append(out, "\n")
		}
		start, class := 0, -1
		for at, r := range l {
			c := classOf(r)
			if at > start && (c != class || c == other) {
				out = append(out, l[start:at])
				start = at
			}
			class = c
		}
		if start < len(l) {
			out = append(out, l[start:])
		}
	}
	return out
}

const (
	word = iota
	space
	other
)

func classOf(r rune) int {
	switch {
	case wordRune(r):
		return word
	case unicode.IsSpace(r):
		return space
	}
	return other
}

func wordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) || r == '_'
}

// bridge turns equal white space between two changes into part of both, so that
// changed words next to each other read as one change.
func bridge(runs []run) []run {
	var out []run
	for i := 0; i < len(runs); i++ {
		if runs[i].op == Equal {
			out = append(out, runs[i])
			continue
		}
		var gone, come []string
		for ; i < len(runs); i++ {
			r := runs[i]
			if r.op == Equal && (i+1 == len(runs) || !blank(r.tokens)) {
				break
			}
			if r.op != Insert {
				gone = append(gone, r.tokens...)
			}
			if r.op != Delete {
				come = append(come, r.tokens...)
			}
		}
		i--
		for _, r := range []run{{Delete, gone}, {Insert, come}} {
			if len(r.tokens) > 0 {
				out = append(out, r)
			}
		}
	}
	return out
}

// blank reports whether tokens are white space within a line.
func blank(tokens []string) bool {
	return !slices.ContainsFunc(tokens, func(t string) bool { return t == "\n" || strings.TrimSpace(t) != "" })
}

// split writes runs as lines. A line end that stands in one text alone ends the
// line all the same.
func split(runs []run) [][]Part {
	out := [][]Part{nil}
	for _, r := range runs {
		for i, piece := range strings.Split(strings.Join(r.tokens, ""), "\n") {
			if i > 0 {
				out = append(out, nil)
			}
			if piece != "" {
				out[len(out)-1] = append(out[len(out)-1], Part{r.op, piece})
			}
		}
	}
	return out
}
