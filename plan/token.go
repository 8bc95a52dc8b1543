package plan

import (
	"slices"
	"strings"
	"unicode"
)

// TokenKey is the name of a token line.
type TokenKey string

// The token lines that a plan may have. Case matters.
const (
	SliceValue           TokenKey = "Slice value"
	Acceptance           TokenKey = "Acceptance"
	TestSuccess          TokenKey = "Test case (success)"
	TestBoundary         TokenKey = "Test case (boundary)"
	TestFailure          TokenKey = "Test case (failure)"
	TDDExemption         TokenKey = "TDD exemption"
	ConformanceTests     TokenKey = "Conformance tests"
	ConformanceExemption TokenKey = "Conformance exemption"
	CrossProject         TokenKey = "Cross-project parallelism"
	GateResult           TokenKey = "Gate result"
)

var tokenKeys = []TokenKey{
	SliceValue, Acceptance, TestSuccess, TestBoundary, TestFailure, TDDExemption,
	ConformanceTests, ConformanceExemption, CrossProject, GateResult,
}

// Token is a token line: a paragraph line or list item that begins with a key
// and a colon. Value runs to the end of the paragraph or item, or to the next
// token line in it; its lines are folded to one.
type Token struct {
	Key    TokenKey
	Value  string
	Pos    Position
	offset int
}

// placeholders are values that say nothing. They are compared in lower case
// and without punctuation around them.
var placeholders = map[string]bool{"": true, "tbd": true, "todo": true}

// Empty reports whether the value says nothing: white space, punctuation or a
// placeholder, and in a test case N/A.
func (t Token) Empty() bool {
	word := strings.ToLower(strings.TrimFunc(t.Value, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r)
	}))
	test := t.Key == TestSuccess || t.Key == TestBoundary || t.Key == TestFailure
	return placeholders[word] || test && (word == "n/a" || word == "na")
}

// readTokens finds the token lines. Quoted text is somebody else's: no tokens.
func (d *Document) readTokens() {
	d.Tokens = make([]Token, 0, min(len(d.paragraphs), maxHint/2))
	for i, p := range d.paragraphs {
		if p.quoted || !d.mayHoldToken(p) {
			continue
		}
		lines := d.render(p.lines)
		own := len(lines)
		if p.opens && p.last > i+1 && tokenKey(lines[0]) != "" {
			lines = append(lines, d.restOfItem(i+1, p.last)...)
		}
		d.addTokens(lines, own)
	}
}

// restOfItem renders what else a list item holds, as far as its own text goes:
// a token line in it begins something new.
func (d *Document) restOfItem(from, to int) []line {
	var out []line
	for _, p := range d.paragraphs[from:to] {
		for _, l := range d.render(p.lines) {
			if tokenKey(l) != "" {
				return out
			}
			out = append(out, l)
		}
	}
	return out
}

// mayHoldToken spares most paragraphs the reading of their inline text.
func (d *Document) mayHoldToken(p paragraph) bool {
	raw := d.index.text[p.lines[0].Start:p.lines[len(p.lines)-1].End]
	for i := range len(raw) {
		for _, word := range tokenWords[raw[i]] {
			if strings.HasPrefix(raw[i:], word) {
				return true
			}
		}
	}
	return false
}

// tokenWords are the words that a token line begins with, by first byte.
var tokenWords = func() (words [256][]string) {
	for _, key := range tokenKeys {
		word, _, _ := strings.Cut(string(key), " (")
		if first := &words[word[0]]; !slices.Contains(*first, word) {
			*first = append(*first, word)
		}
	}
	return words
}()

// addTokens reads the tokens that begin in the first own lines.
func (d *Document) addTokens(lines []line, own int) {
	for i := 0; i < own; {
		key := tokenKey(lines[i])
		if key == "" {
			i++
			continue
		}
		at := lines[i].offset(0)
		value := []string{lines[i].text[len(key)+1:]}
		for i++; i < len(lines) && tokenKey(lines[i]) == ""; i++ {
			value = append(value, lines[i].text)
		}
		d.Tokens = append(d.Tokens, Token{key, fold(strings.Join(value, " ")), d.Position(at), at})
	}
}

// tokenKey gives the key that a rendered line begins with, or "".
func tokenKey(l line) TokenKey {
	for _, key := range tokenKeys {
		if l.begins(string(key) + ":") {
			return key
		}
	}
	return ""
}
