package conform

import (
	"embed"
	"fmt"
	"strings"
	"sync"

	"github.com/alecthomas/chroma/v2"
)

//go:embed lexers/*.xml
var definitions embed.FS

// text is one side of a piece of a file, told apart by line.
type text struct {
	lines   []lexed
	strings []*literal
	slow    bool // the lexer was stopped before the end
}

// lexed is what a line has beside comments.
type lexed struct {
	code    string // with "" for each string literal
	full    string // with the literals as they are
	strings []int  // the literals that are on it, by index
}

// literal is the text of a string literal, quotes and all, with ? for what is put in.
type literal struct {
	text  string
	fit   []*Rule // that it fits, once tried
	tried bool
}

// kind is what a piece of source is.
type kind int

const (
	isCode kind = iota
	isComment
	isString
	opensCode  // within a string: code follows
	closesCode // and ends
)

// piece is a token, as far as it matters here.
type piece struct {
	kind kind
	text string
}

// lexers holds what was compiled so far: a definition is read when it is first needed.
var lexers sync.Map // name to func() (*definition, error)

func lexerFor(name string) (*definition, error) {
	kept, _ := lexers.LoadOrStore(name, sync.OnceValues(func() (*definition, error) {
		src, err := definitions.ReadFile("lexers/" + name + ".xml")
		if err != nil {
			return nil, fmt.Errorf("read lexer %q: %w", name, err)
		}
		d, err := loadDefinition(src)
		if err != nil {
			return nil, fmt.Errorf("read lexer %q: %w", name, err)
		}
		return d, nil
	}))
	return kept.(func() (*definition, error))() //nolint:forcetypeassert // only these are stored
}

// pieces tells comments, strings and code of a source text apart. Where over says so in
// between, the rest is given back as it is.
func pieces(lexerName, src string, over func() bool) (list []piece, rest string, err error) {
	if lexerName == "go" {
		return goPieces(src), "", nil
	}
	d, err := lexerFor(lexerName)
	if err != nil {
		return nil, "", err
	}
	src = strings.ToValidUTF8(src, "?") // so that what the lexer gives is as long as the source
	done := 0
	err = d.tokens(src, func(t chroma.Token) bool {
		k := kindOf(t)
		if n := len(list); n > 0 && list[n-1].kind == k && k == isCode {
			list[n-1].text = asOne(src, done, list[n-1].text, t.Value)
		} else {
			list = append(list, piece{k, t.Value})
		}
		done += len(t.Value)
		if over() {
			rest = src[min(done, len(src)):]
			return false
		}
		return true
	})
	if err != nil {
		return nil, "", fmt.Errorf("read as %s: %w", lexerName, err)
	}
	return list, rest, nil
}

// asOne is two tokens as one: a part of the source where they lie in it side by side, up
// to and from at. A definition whose groups overlap gives some text twice.
func asOne(src string, at int, before, after string) string {
	from, to := at-len(before), at+len(after)
	if from >= 0 && to <= len(src) && src[from:at] == before && src[at:to] == after {
		return src[from:to]
	}
	return before + after
}

func kindOf(t chroma.Token) kind {
	switch {
	case t.Type == chroma.CommentPreproc, t.Type == chroma.CommentPreprocFile:
		return isCode
	case t.Type.InCategory(chroma.Comment), t.Type == chroma.LiteralStringDoc:
		return isComment
	case t.Type == chroma.LiteralStringInterpol && strings.HasSuffix(t.Value, "{"):
		return opensCode
	case t.Type == chroma.LiteralStringInterpol && strings.HasPrefix(t.Value, "}"):
		return closesCode
	case t.Type.InSubCategory(chroma.LiteralString) && t.Type != chroma.LiteralStringSymbol:
		return isString
	}
	return isCode
}

// split lays pieces out on lines.
func split(list []piece) text {
	s := splitter{out: text{lines: []lexed{{}}}}
	for _, p := range list {
		s.take(p)
	}
	s.endString()
	return s.out
}

type splitter struct {
	out   text
	lit   *strings.Builder // the literal that is open
	depth int              // of code within it
}

func (s *splitter) take(p piece) {
	switch p.kind {
	case isString:
		if s.lit == nil {
			s.lit = &strings.Builder{}
			s.line().code += `""`
			s.mark()
		}
		s.lit.WriteString(p.text)
		s.write(p.text, false)
		return
	case opensCode, closesCode:
		if s.lit != nil {
			s.depth++
			if p.kind == closesCode {
				s.depth = max(s.depth-2, 0)
			} else {
				s.lit.WriteByte('?')
			}
			s.write(p.text, false)
			return
		}
	case isComment:
		for range strings.Count(p.text, "\n") {
			s.newline()
		}
		return
	case isCode:
		if s.lit != nil && s.depth == 0 {
			s.endString()
		}
	}
	s.write(p.text, true)
}

func (s *splitter) line() *lexed { return &s.out.lines[len(s.out.lines)-1] }

func (s *splitter) newline() {
	s.out.lines = append(s.out.lines, lexed{})
	s.mark()
}

// mark notes the open literal on the current line.
func (s *splitter) mark() {
	if s.lit != nil {
		s.line().strings = append(s.line().strings, len(s.out.strings))
	}
}

func (s *splitter) write(t string, code bool) {
	for i, part := range strings.Split(t, "\n") {
		if i > 0 {
			s.newline()
		}
		s.line().full += part
		if code {
			s.line().code += part
		}
	}
}

func (s *splitter) endString() {
	if s.lit != nil {
		s.out.strings = append(s.out.strings, &literal{text: s.lit.String()})
		s.lit, s.depth = nil, 0
	}
}
