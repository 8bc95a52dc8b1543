package plan

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/util"
)

// simple reads inline text whose only markup is what nearly all plans have:
// code spans in single backticks, emphasis with stars around plain words, and
// backslash escapes. It gives what goldmark gives, at a tenth of the cost;
// wherever the two could differ, ok is false and goldmark is to read the text.
func (d *Document) simple(lines []Span) (out []line, ok bool) {
	out = make([]line, 0, len(lines))
	for i, s := range lines {
		sc := scanner{s: d.Slice(s), base: s.Start, refs: len(d.refs) > 0, more: len(lines) > 1, last: i == len(lines)-1}
		if !sc.scan() {
			return nil, false
		}
		out = append(out, sc.out)
	}
	return out, true
}

// simpleCell is simple for a cell whose \| were made pipes.
func (d *Document) simpleCell(p piece) (l line, ok bool) {
	sc := scanner{s: string(p.src), from: p.from, refs: len(d.refs) > 0, last: true}
	ok = sc.scan()
	return sc.out, ok
}

// scanner reads one line.
type scanner struct {
	s     string
	base  int    // offset of s in Document.Text …
	from  []part // … unless these say it
	refs  bool   // the document defines links: brackets may be some
	more  bool   // the text has other lines
	last  bool   // none of them follows
	begin int    // of the prose that is not yet in out
	text  []byte
	out   line
}

func (sc *scanner) scan() bool {
	sc.text = make([]byte, 0, len(sc.s))
	for i := 0; i < len(sc.s); {
		if !isMarker[sc.s[i]] {
			i++
			continue
		}
		n := sc.markup(i)
		if n == 0 {
			return false
		}
		i += n
	}
	sc.prose(len(sc.s))
	sc.out.text = string(sc.text)
	return true
}

// markup reads what begins at a marker and gives its length, 0 if it is more
// than we judge here.
func (sc *scanner) markup(i int) int {
	switch sc.s[i] {
	case '`':
		return sc.codeSpan(i)
	case '\\':
		return sc.escape(i)
	case '*':
		return sc.stars(i)
	case '_':
		return sc.underscores(i)
	case '[', '!', '>':
		return sc.literalIf(sc.s[i] != '[' || !sc.refs)
	case ']':
		return sc.literalIf(!sc.refs && sc.byteAt(i+1) != '(')
	case '&':
		return sc.literalIf(!strings.Contains(sc.s[i:min(i+40, len(sc.s))], ";"))
	case '<':
		return sc.literalIf(sc.byteAt(i+1) == ' ')
	}
	return 0
}

func (sc *scanner) literalIf(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// byteAt is the byte at i, a line end beyond the text.
func (sc *scanner) byteAt(i int) byte {
	if i < 0 || i >= len(sc.s) {
		return '\n'
	}
	return sc.s[i]
}

// codeSpan reads `code` that ends on its line.
func (sc *scanner) codeSpan(i int) int {
	n := strings.IndexByte(sc.s[i+1:], '`')
	if n < 0 {
		return sc.literalIf(!sc.more)
	}
	end := i + 1 + n
	if n == 0 || sc.byteAt(end+1) == '`' {
		return 0
	}
	from, to := i+1, end
	if n > 2 && sc.s[from] == ' ' && sc.s[to-1] == ' ' && strings.Trim(sc.s[from:to], " \t\r\n") != "" {
		from, to = from+1, to-1
	}
	sc.prose(i)
	sc.add(from, to, code)
	sc.begin = end + 1
	return n + 2
}

func (sc *scanner) escape(i int) int {
	if i+1 == len(sc.s) {
		return sc.literalIf(sc.last) // else a hard line break
	}
	if !util.IsPunct(sc.s[i+1]) {
		return 1
	}
	sc.prose(i)
	sc.begin = i + 1
	return 2
}

// stars reads *words* and **words**, and stars that stand alone.
func (sc *scanner) stars(i int) int {
	n := sc.run(i)
	before, after := sc.around(i, n)
	if before == blank && after == blank {
		return n
	}
	length := strings.IndexByte(sc.s[i+n:], '*')
	if n > 2 || length < 1 || !opens(before, after) {
		return 0
	}
	end := i + n + length
	if sc.run(end) != n {
		return 0
	}
	before, after = sc.around(end, n)
	if countAny(sc.s[i+n:end]) > 0 || !opens(after, before) {
		return 0
	}
	sc.prose(i)
	sc.add(i+n, end, prose)
	sc.begin = end + n
	return length + 2*n
}

// underscores reads those inside a word, which mean nothing.
func (sc *scanner) underscores(i int) int {
	n := sc.run(i)
	if i > 0 && isAlnum(sc.s[i-1]) && isAlnum(sc.byteAt(i+n)) {
		return n
	}
	return 0
}

// run is the length of the run of one character at i.
func (sc *scanner) run(i int) int {
	n := 1
	for i+n < len(sc.s) && sc.s[i+n] == sc.s[i] {
		n++
	}
	return n
}

type class uint8

const (
	blank class = iota
	word
	punct
	unsure
)

// around classes the characters on both sides of a run of stars.
func (sc *scanner) around(i, n int) (before, after class) {
	r, _ := utf8.DecodeLastRuneInString(sc.s[:i])
	if i == 0 {
		r = '\n'
	}
	q, _ := utf8.DecodeRuneInString(sc.s[i+n:])
	if i+n == len(sc.s) {
		q = '\n'
	}
	return classOf(r), classOf(q)
}

func classOf(r rune) class {
	switch {
	case r < utf8.RuneSelf && isSpace(byte(r)):
		return blank
	case r < utf8.RuneSelf && util.IsPunct(byte(r)):
		return punct
	case unicode.IsLetter(r) || r < utf8.RuneSelf && isAlnum(byte(r)):
		return word
	}
	return unsure
}

// opens is CommonMark's left-flanking; with its arguments exchanged, the
// right-flanking.
func opens(outside, inside class) bool {
	switch inside {
	case word:
		return outside != unsure
	case punct:
		return outside == blank || outside == punct
	}
	return false
}

// prose adds the text up to a place.
func (sc *scanner) prose(to int) {
	sc.add(sc.begin, to, prose)
	sc.begin = to
}

func (sc *scanner) add(from, to int, kind partKind) {
	if from >= to {
		return
	}
	offset := sc.base + from
	if sc.from != nil {
		offset = line{parts: sc.from}.offset(from)
	}
	sc.out.parts = append(sc.out.parts, part{len(sc.text), offset, kind})
	sc.text = append(sc.text, sc.s[from:to]...)
}
