package conform

import (
	"regexp/syntax"
	"slices"
	"strings"
)

// mostTexts bounds the texts that needs works with.
const mostTexts = 600

// known is what must be in whatever a part of a pattern fits: exactly one of whole, or
// one of some; nil is not known.
type known struct{ whole, some []string }

// needs gives texts in lower case, one of which is in everything that a pattern fits;
// nil where no such texts of two bytes or more are known. A line that has none of them
// need not be tried, which is what makes many patterns cheap.
func needs(pattern string) []string {
	i, ours := slices.BinarySearchFunc(builtinNeeds, pattern, func(n patternNeeds, p string) int { return strings.Compare(n.pattern, p) })
	if ours {
		return builtinNeeds[i].texts
	}
	return needsOf(pattern)
}

// patternNeeds is what one of our own patterns needs, worked out beforehand: to read
// hundreds of patterns takes longer than to judge a commit.
type patternNeeds struct {
	pattern string
	texts   []string
}

// needsOf reads a pattern for what it needs.
func needsOf(pattern string) []string {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil
	}
	k := knownOf(re)
	return better(k.whole, k.some)
}

func knownOf(re *syntax.Regexp) known {
	switch re.Op {
	case syntax.OpLiteral:
		return known{whole: []string{lower(string(re.Rune))}}
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return known{whole: []string{""}}
	case syntax.OpCharClass:
		return known{whole: runesOf(re.Rune)}
	case syntax.OpCapture:
		return knownOf(re.Sub[0])
	case syntax.OpPlus:
		k := knownOf(re.Sub[0])
		return known{some: better(k.whole, k.some)}
	case syntax.OpQuest:
		if k := knownOf(re.Sub[0]); k.whole != nil && len(k.whole) < mostTexts {
			return known{whole: append([]string{""}, k.whole...)}
		}
	case syntax.OpConcat:
		return knownOfAll(re.Sub)
	case syntax.OpAlternate:
		return knownOfAny(re.Sub)
	}
	return known{}
}

// runesOf spells a small class out.
func runesOf(pairs []rune) []string {
	const most = 6
	var out []string
	for i := 0; i < len(pairs); i += 2 {
		for r := pairs[i]; r <= pairs[i+1]; r++ {
			if len(out) == most {
				return nil
			}
			out = append(out, lower(string(r)))
		}
	}
	return out
}

// knownOfAll joins what follows one another.
func knownOfAll(list []*syntax.Regexp) known {
	run, all := []string{""}, true
	var best []string
	for _, sub := range list {
		k := knownOf(sub)
		if k.whole != nil && len(k.whole)*len(run) <= mostTexts {
			run = joined(run, k.whole)
			continue
		}
		best, all = better(best, run), false
		run = []string{""}
		if k.whole != nil {
			run = k.whole
		} else {
			best = better(best, k.some)
		}
	}
	if all {
		return known{whole: run}
	}
	return known{some: better(best, run)}
}

func joined(heads, tails []string) []string {
	out := make([]string, 0, len(heads)*len(tails))
	for _, h := range heads {
		for _, t := range tails {
			out = append(out, h+t)
		}
	}
	return out
}

func knownOfAny(list []*syntax.Regexp) known {
	out := known{whole: []string{}, some: []string{}}
	for _, sub := range list {
		k := knownOf(sub)
		if k.whole == nil || len(out.whole)+len(k.whole) > mostTexts {
			out.whole = nil
		}
		if out.whole != nil {
			out.whole = append(out.whole, k.whole...)
		}
		some := better(k.whole, k.some)
		if some == nil {
			out.some = nil
		}
		if out.some != nil {
			out.some = append(out.some, some...)
		}
	}
	if out.whole == nil && len(out.some) == 0 {
		return known{}
	}
	return out
}

// better is the list with the longer shortest text; a text of one byte is no help.
func better(a, b []string) []string {
	const least = 2
	short := func(list []string) int {
		if len(list) == 0 {
			return 0
		}
		n := len(list[0])
		for _, s := range list {
			n = min(n, len(s))
		}
		return min(n, 4)
	}
	na, nb := short(a), short(b)
	switch {
	case na < least && nb < least:
		return nil
	case na > nb, na == nb && len(a) <= len(b):
		return a
	}
	return b
}

// lower folds ASCII letters, so that lengths stay. A long s or a Kelvin sign, which
// patterns without case fit too, is left alone: no name of a library has one.
func lower(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return 'A' <= r && r <= 'Z' }) < 0 {
		return s
	}
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// filter finds which of many patterns a line may fit, in one pass.
type filter struct {
	size   int                  // how many patterns there are
	always []int                // patterns of which nothing is known
	first  [1 << 16 / 64]uint64 // the first two bytes of all texts
	texts  map[[2]byte][]need
}

// need is a text that a pattern needs.
type need struct {
	text    string
	pattern int
}

// newFilter makes a filter for patterns, in order.
func newFilter(patterns []string) *filter {
	f := &filter{size: len(patterns), texts: map[[2]byte][]need{}}
	for i, p := range patterns {
		list := needs(p)
		if list == nil {
			f.always = append(f.always, i)
		}
		for _, text := range list {
			key := [2]byte{text[0], text[1]}
			at := uint(key[0])<<8 | uint(key[1])
			f.first[at/64] |= 1 << (at % 64)
			f.texts[key] = append(f.texts[key], need{text, i})
		}
	}
	return f
}

// mark sets the patterns that a line may fit in hits, which has a place for each.
func (f *filter) mark(line string, hits []bool) {
	for _, i := range f.always {
		hits[i] = true
	}
	low := lower(line)
	for i := 0; i+1 < len(low); i++ {
		at := uint(low[i])<<8 | uint(low[i+1])
		if f.first[at/64]&(1<<(at%64)) == 0 {
			continue
		}
		for _, n := range f.texts[[2]byte{low[i], low[i+1]}] {
			if !hits[n.pattern] && strings.HasPrefix(low[i:], n.text) {
				hits[n.pattern] = true
			}
		}
	}
}
