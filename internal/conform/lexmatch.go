package conform

import (
	"math"

	"github.com/dlclark/regexp2/v2/syntax"
)

// What a look at a place may say beside where the pattern ends there.
const (
	no     = -1
	unsure = -2 // the library is to be asked
)

const (
	ascii      = 128
	mostGroups = 24
	mostSteps  = 4096 // of a look: what takes more is left to the library and its clock
	mostCopies = 8    // of the body of a loop with an end
)

// extent is a piece of the text, in runes.
type extent struct{ from, to int }

// matching is a pattern being looked for at a place.
type matching struct {
	text  []rune
	start int
	steps int
	spans [mostGroups]extent // of the groups
	opens [mostGroups]int
}

// tick counts a step and reports whether it was one too many.
func (m *matching) tick() bool {
	m.steps++
	return m.steps > mostSteps
}

// step fits a part of a pattern, and all that follows it, at a place. It gives where that
// ends, or no or unsure.
type step func(m *matching, pos int) int

func accept(_ *matching, pos int) int { return pos }

func doubt(*matching, int) int { return unsure }

// builder makes steps of a pattern's tree as the library's parser gives it. They try what
// the library would, in its order; what they do not know they are unsure of.
type builder struct {
	keep bool // the groups
}

// build makes the step of a node, next follows it.
func (b *builder) build(n *syntax.RegexNode, next step) step {
	back := n.Options&syntax.RightToLeft != 0
	switch n.T {
	case syntax.NtOne, syntax.NtNotone, syntax.NtSet:
		return single(classOf(n), back, next)
	case syntax.NtMulti:
		return multi(n, back, next)
	case syntax.NtConcatenate:
		for i := len(n.Children) - 1; i >= 0; i-- {
			next = b.build(n.Children[i], next)
		}
		return next
	case syntax.NtAlternate:
		return b.alternate(n, back, next)
	case syntax.NtGroup:
		return b.build(n.Children[0], next)
	case syntax.NtEmpty, syntax.NtUpdateBumpalong:
		return next
	case syntax.NtNothing:
		return func(*matching, int) int { return no }
	case syntax.NtPosLook, syntax.NtNegLook, syntax.NtAtomic:
		return b.look(n, next)
	}
	if at := anchor(n.T); at != nil {
		return func(m *matching, pos int) int {
			if !at(m, pos) {
				return no
			}
			return next(m, pos)
		}
	}
	if back {
		return doubt
	}
	switch n.T {
	case syntax.NtOneloop, syntax.NtNotoneloop, syntax.NtSetloop:
		return greedy(classOf(n), n.M, n.N, next)
	case syntax.NtOneloopatomic, syntax.NtNotoneloopatomic, syntax.NtSetloopatomic:
		return atomic(classOf(n), n.M, n.N, next)
	case syntax.NtOnelazy, syntax.NtNotonelazy, syntax.NtSetlazy:
		return lazily(classOf(n), n.M, n.N, next)
	case syntax.NtCapture:
		return b.capture(n, next)
	case syntax.NtLoop, syntax.NtLazyloop:
		return b.loop(n, next)
	}
	return doubt
}

// anchor is the test of a node that takes nothing, nil where it is none.
func anchor(t syntax.NodeType) func(m *matching, pos int) bool {
	switch t {
	case syntax.NtBol:
		return func(m *matching, pos int) bool { return pos == 0 || m.text[pos-1] == '\n' }
	case syntax.NtEol:
		return func(m *matching, pos int) bool { return pos == len(m.text) || m.text[pos] == '\n' }
	case syntax.NtBoundary:
		return func(m *matching, pos int) bool { return m.wordAt(pos-1) != m.wordAt(pos) }
	case syntax.NtNonboundary:
		return func(m *matching, pos int) bool { return m.wordAt(pos-1) == m.wordAt(pos) }
	case syntax.NtBeginning:
		return func(_ *matching, pos int) bool { return pos == 0 }
	case syntax.NtStart:
		return func(m *matching, pos int) bool { return pos == m.start }
	case syntax.NtEnd:
		return func(m *matching, pos int) bool { return pos == len(m.text) }
	case syntax.NtEndZ:
		return func(m *matching, pos int) bool {
			return pos == len(m.text) || pos == len(m.text)-1 && m.text[pos] == '\n'
		}
	}
	return nil
}

func (m *matching) wordAt(i int) bool {
	return i >= 0 && i < len(m.text) && syntax.IsWordChar(m.text[i])
}

func single(c class, back bool, next step) step {
	if back {
		return func(m *matching, pos int) int {
			if pos == 0 || !c.has(m.text[pos-1]) {
				return no
			}
			return next(m, pos-1)
		}
	}
	return func(m *matching, pos int) int {
		if pos == len(m.text) || !c.has(m.text[pos]) {
			return no
		}
		return next(m, pos+1)
	}
}

func multi(n *syntax.RegexNode, back bool, next step) step {
	str := n.Str
	if n.Options&syntax.IgnoreCase != 0 {
		for _, r := range str {
			if r >= ascii || 'a' <= r|0x20 && r|0x20 <= 'z' {
				return doubt
			}
		}
	}
	return func(m *matching, pos int) int {
		from := pos
		if back {
			from -= len(str)
		}
		if from < 0 || from+len(str) > len(m.text) {
			return no
		}
		for i, r := range str {
			if m.text[from+i] != r {
				return no
			}
		}
		if back {
			return next(m, from)
		}
		return next(m, from+len(str))
	}
}

func (b *builder) alternate(n *syntax.RegexNode, back bool, next step) step {
	list := make([]step, len(n.Children))
	firsts := make([]firstSet, len(n.Children))
	for i, child := range n.Children {
		list[i] = b.build(child, next)
		firsts[i] = beginsOf(child)
		firsts[i].nullable = firsts[i].nullable || back
	}
	return func(m *matching, pos int) int {
		for i, try := range list {
			if f := &firsts[i]; !f.nullable && (pos == len(m.text) || !f.has(m.text[pos])) {
				continue
			}
			if m.tick() {
				return unsure
			}
			if r := try(m, pos); r != no {
				return r
			}
		}
		return no
	}
}

// look is what is tried on its own: only its first way counts.
func (b *builder) look(n *syntax.RegexNode, next step) step {
	inner, kind := b.build(n.Children[0], accept), n.T
	return func(m *matching, pos int) int {
		var kept [mostGroups]extent
		if b.keep {
			kept = m.spans
		}
		to := inner(m, pos)
		if to == unsure {
			return unsure
		}
		r := no
		switch {
		case kind == syntax.NtNegLook && to == no, kind == syntax.NtPosLook && to != no:
			r = next(m, pos)
		case kind == syntax.NtAtomic && to != no:
			r = next(m, to)
		}
		if r == no && b.keep {
			m.spans = kept
		}
		return r
	}
}

func (b *builder) capture(n *syntax.RegexNode, next step) step {
	if n.N != -1 {
		return doubt // takes from another group
	}
	if !b.keep {
		return b.build(n.Children[0], next)
	}
	g := n.M
	if g >= mostGroups {
		return doubt
	}
	inner := b.build(n.Children[0], func(m *matching, pos int) int {
		old := m.spans[g]
		m.spans[g] = extent{m.opens[g], pos}
		r := next(m, pos)
		if r == no {
			m.spans[g] = old
		}
		return r
	})
	return func(m *matching, pos int) int {
		old := m.opens[g]
		m.opens[g] = pos
		r := inner(m, pos)
		m.opens[g] = old
		return r
	}
}

// loop repeats what is more than a character.
func (b *builder) loop(n *syntax.RegexNode, next step) step {
	child := n.Children[0]
	endless := n.N == math.MaxInt32
	if endless && n.M > mostCopies || !endless && n.N > mostCopies || beginsOf(child).nullable && (n.M != 0 || n.N != 1) {
		return doubt // what takes nothing ends a loop early
	}
	either := func(more, done step) step {
		if n.T == syntax.NtLazyloop {
			more, done = done, more
		}
		return func(m *matching, pos int) int {
			if m.tick() {
				return unsure
			}
			if r := more(m, pos); r != no {
				return r
			}
			return done(m, pos)
		}
	}
	out := next
	if endless {
		var again step
		again = either(b.build(child, func(m *matching, pos int) int { return again(m, pos) }), next)
		out = again
	} else {
		for range n.N - n.M {
			out = either(b.build(child, out), next)
		}
	}
	for range n.M {
		out = b.build(child, out)
	}
	return out
}

// reach is how far a class goes from a place on.
func (m *matching) reach(c *class, pos, most int) int {
	end := len(m.text)
	if most < end-pos {
		end = pos + most
	}
	i := pos
	for i < end && c.has(m.text[i]) {
		i++
	}
	m.steps += (i - pos) / 16
	return i
}

func atomic(c class, least, most int, next step) step {
	return func(m *matching, pos int) int {
		to := m.reach(&c, pos, most)
		if to < pos+least {
			return no
		}
		return next(m, to)
	}
}

func greedy(c class, least, most int, next step) step {
	return func(m *matching, pos int) int {
		for to := m.reach(&c, pos, most); to >= pos+least; to-- {
			if r := next(m, to); r != no {
				return r
			}
			if m.tick() {
				return unsure
			}
		}
		return no
	}
}

func lazily(c class, least, most int, next step) step {
	return func(m *matching, pos int) int {
		to := m.reach(&c, pos, least)
		if to < pos+least {
			return no
		}
		for {
			if r := next(m, to); r != no {
				return r
			}
			if m.tick() {
				return unsure
			}
			if to == len(m.text) || to-pos >= most || !c.has(m.text[to]) {
				return no
			}
			to++
		}
	}
}
