package conform

import (
	"math"

	"github.com/dlclark/regexp2/v2/syntax"
)

// class is a set of characters.
type class struct {
	low  [ascii / 64]uint64
	high func(rune) bool // of those above
}

func (c *class) has(r rune) bool {
	if r < ascii {
		return c.low[r/64]&(1<<(r%64)) != 0
	}
	return c.high(r)
}

// classOf is what a node for single characters takes.
func classOf(n *syntax.RegexNode) class {
	var c class
	switch {
	case n.IsSetFamily():
		c.high = n.Set.CharIn
	case n.IsOneFamily():
		c.high = func(r rune) bool { return r == n.Ch }
	default:
		c.high = func(r rune) bool { return r != n.Ch }
	}
	for r := range rune(ascii) {
		if c.high(r) {
			c.low[r/64] |= 1 << (r % 64)
		}
	}
	return c
}

// firstSet is what a part of a pattern may begin with; of characters above ASCII nothing
// is known. What is nullable may also take nothing.
type firstSet struct {
	low      [ascii / 64]uint64
	nullable bool
}

func (f *firstSet) has(r rune) bool { return r >= ascii || f.low[r/64]&(1<<(r%64)) != 0 }

func (f *firstSet) add(other firstSet) {
	for i, bits := range other.low {
		f.low[i] |= bits
	}
}

func beginsOf(n *syntax.RegexNode) firstSet {
	switch n.T {
	case syntax.NtOne, syntax.NtNotone, syntax.NtSet:
		return firstSet{low: classOf(n).low}
	case syntax.NtOneloop, syntax.NtNotoneloop, syntax.NtSetloop, syntax.NtOneloopatomic, syntax.NtNotoneloopatomic, syntax.NtSetloopatomic,
		syntax.NtOnelazy, syntax.NtNotonelazy, syntax.NtSetlazy:
		return firstSet{low: classOf(n).low, nullable: n.M == 0}
	case syntax.NtMulti:
		if r := n.Str[0]; r < ascii && n.Options&syntax.IgnoreCase == 0 {
			var f firstSet
			f.low[r/64] |= 1 << (r % 64)
			return f
		}
	case syntax.NtConcatenate:
		f := firstSet{nullable: true}
		for _, child := range n.Children {
			if f.nullable {
				next := beginsOf(child)
				f.add(next)
				f.nullable = next.nullable
			}
		}
		return f
	case syntax.NtAlternate:
		var f firstSet
		for _, child := range n.Children {
			next := beginsOf(child)
			f.add(next)
			f.nullable = f.nullable || next.nullable
		}
		return f
	case syntax.NtGroup, syntax.NtCapture, syntax.NtAtomic:
		return beginsOf(n.Children[0])
	case syntax.NtLoop, syntax.NtLazyloop:
		f := beginsOf(n.Children[0])
		f.nullable = f.nullable || n.M == 0
		return f
	case syntax.NtNothing:
		return firstSet{}
	}
	return firstSet{nullable: true, low: everything(n.T)}
}

// everything is what may follow what is not known; what takes nothing adds nothing.
func everything(t syntax.NodeType) (low [ascii / 64]uint64) {
	switch {
	case anchor(t) != nil, t == syntax.NtEmpty, t == syntax.NtPosLook, t == syntax.NtNegLook, t == syntax.NtUpdateBumpalong:
	default:
		for i := range low {
			low[i] = math.MaxUint64
		}
	}
	return low
}
