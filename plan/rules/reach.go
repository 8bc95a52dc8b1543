package rules

import (
	"cmp"
	"math/bits"
	"slices"
)

// reach answers which stages of a group no path joins. Paths are kept as bit
// sets over a window of components at a time, so that memory grows with the
// number of stages and not with its square; 64 pairs cost one operation.
type reach struct {
	g      *graph
	groups []group
	column map[int32]int // component → column; only of stages in groups
	comps  []int32       // column → component, dependencies first
}

const (
	windowWords = 16
	windowBits  = 64 * windowWords
)

type bitset [windowWords]uint64

// newReach orders each group's stages by component, dependencies first.
func newReach(g *graph, groups []group) *reach {
	r := &reach{g: g, groups: groups, column: map[int32]int{}}
	for _, gr := range groups {
		slices.SortStableFunc(gr.mentions, func(a, b mention) int { return cmp.Compare(g.comp[a.row], g.comp[b.row]) })
		for _, m := range gr.mentions {
			r.column[g.comp[m.row]] = 0
		}
	}
	for c := range r.column {
		r.comps = append(r.comps, c)
	}
	slices.Sort(r.comps)
	for i, c := range r.comps {
		r.column[c] = i
	}
	return r
}

// unordered calls yield for each pair of stages of a group that no path joins,
// until it returns false.
func (r *reach) unordered(yield func(a, b mention, file string) bool) {
	if len(r.comps) == 0 {
		return
	}
	members := r.membership()
	sets := make([]bitset, r.g.n)
	for lo := 0; lo < len(r.comps); lo += windowBits {
		r.closure(sets, members, lo)
		for _, gr := range r.groups {
			if !r.window(sets, gr, lo, yield) {
				return
			}
		}
	}
}

// membership lists the rows of each component.
func (r *reach) membership() [][]int32 {
	members := make([][]int32, r.g.n)
	for row, c := range r.g.comp {
		members[c] = append(members[c], int32(row))
	}
	return members
}

// closure computes for each component which columns of the window it depends
// on, itself included. Components come dependencies first: one pass is enough.
func (r *reach) closure(sets []bitset, members [][]int32, lo int) {
	for c := range sets {
		sets[c] = bitset{}
		if col, ok := r.column[int32(c)]; ok && col >= lo && col < lo+windowBits {
			sets[c].set(col - lo)
		}
		for _, row := range members[c] {
			for _, d := range r.g.deps[row] {
				if dc := r.g.comp[d]; dc != int32(c) {
					sets[c].union(&sets[dc])
				}
			}
		}
	}
}

// window finds the pairs whose earlier stage has its column in the window.
func (r *reach) window(sets []bitset, gr group, lo int, yield func(a, b mention, file string) bool) bool {
	first, _ := slices.BinarySearchFunc(gr.mentions, lo, func(m mention, at int) int { return cmp.Compare(r.columnOf(m), at) })
	var present bitset
	byColumn := map[int][]mention{} // more than one where stages form a circle
	for i := first; i < len(gr.mentions); i++ {
		b := gr.mentions[i]
		for w, word := range present {
			for word &^= sets[r.g.comp[b.row]][w]; word != 0; word &= word - 1 {
				for _, a := range byColumn[w*64+bits.TrailingZeros64(word)] {
					if !yield(a, b, gr.file) {
						return false
					}
				}
			}
		}
		if col := r.columnOf(b) - lo; col < windowBits {
			present.set(col)
			byColumn[col] = append(byColumn[col], b)
		} else if len(byColumn) == 0 {
			break
		}
	}
	return true
}

func (r *reach) columnOf(m mention) int { return r.column[r.g.comp[m.row]] }

func (s *bitset) set(i int) { s[i/64] |= 1 << (i % 64) }

func (s *bitset) union(t *bitset) {
	for i := range s {
		s[i] |= t[i]
	}
}
