package conform

import (
	"time"
	"unicode/utf8"

	"github.com/alecthomas/chroma/v2"
)

// mostMatch is how long one pattern may be tried at one place, as with chroma.
const mostMatch = 250 * time.Millisecond

// run is a text that is being read by a definition.
type run struct {
	def  *definition
	give func(chroma.Token) bool // reports whether to go on
	look matching
}

// tokens gives the tokens of a text, as chroma itself would: the first rule of the state
// that fits wins, its mutator changes the states, its emitter says what it is. It stops
// where give says so.
func (d *definition) tokens(src string, give func(chroma.Token) bool) error {
	r := &run{def: d, give: give}
	added := d.ensureNL && (src == "" || src[len(src)-1] != '\n')
	if added {
		src += "\n"
	}
	_, err := r.read("root", src, []rune(src), added)
	return err
}

// read reads a text from a state on and reports whether to go on behind it.
func (r *run) read(first, src string, text []rune, added bool) (bool, error) {
	l := chroma.LexerState{Text: text, Stack: []string{first}, MutatorContext: map[any]any{}}
	end, at := len(text), 0 // at is that of the place in bytes
	if added {
		end--
	}
	for l.Pos < end && len(l.Stack) > 0 {
		l.State = l.Stack[len(l.Stack)-1]
		rule, to, err := r.match(l.State, text, l.Pos)
		if err != nil {
			return false, err
		}
		if rule == nil {
			if text[l.Pos] == '\n' && l.State != first {
				l.Stack = []string{first} // as after an error of the source
				continue
			}
			n := utf8.RuneLen(text[l.Pos])
			l.Pos, at = l.Pos+1, at+n
			if !r.give(chroma.Token{Type: chroma.Error, Value: src[at-n : at]}) {
				return false, nil
			}
			continue
		}
		from, begin := l.Pos, at
		l.Pos, at = to, at+width(src, text, from, to)
		if rule.mutator != nil {
			if err := rule.mutator.Mutate(&l); err != nil {
				return false, err
			}
		}
		if rule.emits == nil {
			continue
		}
		if goOn, err := r.emit(rule.emits, src[begin:at], text[from:to], from); err != nil || !goOn {
			return false, err
		}
	}
	if l.Pos != len(text) && len(l.Stack) == 0 {
		return r.give(chroma.Token{Type: chroma.Error, Value: src[at:]}), nil
	}
	return true, nil
}

// width is how many bytes some runes of a text are.
func width(src string, text []rune, from, to int) int {
	if len(src) == len(text) {
		return to - from
	}
	n := 0
	for _, c := range text[from:to] {
		n += utf8.RuneLen(c)
	}
	return n
}

// match finds the first rule of a state that fits at a place, nil for none, and where
// that ends. Its groups are left in look.
func (r *run) match(state string, text []rune, pos int) (*lexRule, int, error) {
	s := r.def.states[state]
	if s == nil {
		panic("unknown state " + state)
	}
	if err := s.ready(); err != nil {
		return nil, 0, err
	}
	rules := s.rules
	if c := text[pos]; c < ascii {
		rules = s.begin[c]
	}
	for _, rule := range rules {
		r.look.text, r.look.start, r.look.steps = text, pos, 0
		if rule.emits != nil && rule.emits.each {
			r.look.spans = [mostGroups]extent{}
		}
		to := rule.look(&r.look, pos)
		if to == unsure {
			var err error
			if to, err = r.ask(rule, text, pos); err != nil {
				return nil, 0, err
			}
		}
		if to >= 0 {
			return rule, to, nil
		}
	}
	return nil, 0, nil
}

// ask has the library try a rule.
func (r *run) ask(rule *lexRule, text []rune, pos int) (int, error) {
	re, err := rule.regexp()
	if err != nil {
		return no, err
	}
	m, err := re.FindRunesMatchStartingAt(text, pos)
	if m == nil || err != nil || m.RuneIndex != pos { // an error is that it took too long
		return no, nil //nolint:nilerr // chroma goes on with the next rule then
	}
	if rule.emits != nil && rule.emits.each {
		r.look.spans = [mostGroups]extent{}
		for i, g := range m.Groups() {
			r.look.spans[i] = extent{g.RuneIndex, g.RuneIndex + g.RuneLength}
		}
	}
	return pos + m.RuneLength, nil
}

// emit gives the tokens of what a rule fitted and reports whether to go on.
func (r *run) emit(e *emission, src string, text []rune, from int) (bool, error) {
	switch {
	case e == nil:
		return true, nil
	case e.self != "":
		inner := run{def: r.def, give: r.give}
		return inner.read(e.self, src, text, false)
	case !e.each:
		t := chroma.Token{Type: e.token, Value: src}
		if t == chroma.EOF || t.Type == chroma.Ignore {
			return true, nil
		}
		return r.give(t), nil
	}
	spans := r.look.spans
	for i, group := range e.groups {
		if group == nil {
			continue
		}
		a, b := spans[i+1].from-from, spans[i+1].to-from
		if b <= a {
			a, b = 0, 0 // empty, or not there
		}
		begin := width(src, text, 0, a)
		goOn, err := r.emit(group, src[begin:begin+width(src, text, a, b)], text[a:b], 0)
		if err != nil || !goOn {
			return false, err
		}
	}
	return true, nil
}
