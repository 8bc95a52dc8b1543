package rules

import (
	"slices"

	"git-okstra/plan"
)

// graph is the DAG of the map, stages as indices of rows. Edges run from a
// stage to what it depends on; unknown stages and self-dependencies have none.
type graph struct {
	deps [][]int32
	comp []int32 // strongly connected component of each row
	n    int     // components; one that others depend on has the lower number
}

func newGraph(m *stageMap) *graph {
	g := &graph{deps: make([][]int32, len(m.rows))}
	for i, r := range m.rows {
		if !r.first {
			continue
		}
		for _, d := range r.deps {
			if j, ok := m.byStage[d]; ok && j != i {
				g.deps[i] = append(g.deps[i], int32(j))
			}
		}
	}
	g.components()
	return g
}

// components is Tarjan's algorithm with its own stack: a chain of a million
// stages must not become a million calls.
func (g *graph) components() {
	t := tarjan{g: g, index: make([]int32, len(g.deps)), low: make([]int32, len(g.deps))}
	g.comp = make([]int32, len(g.deps))
	for i := range g.comp {
		g.comp[i] = -1
	}
	for v := range g.deps {
		if t.index[v] == 0 {
			t.search(int32(v))
		}
	}
}

type tarjan struct {
	g          *graph
	index, low []int32 // from 1; 0: not seen
	next       int32
	stack      []int32
}

type frame struct{ v, edge int32 }

func (t *tarjan) enter(v int32) frame {
	t.next++
	t.index[v], t.low[v] = t.next, t.next
	t.stack = append(t.stack, v)
	return frame{v, 0}
}

func (t *tarjan) search(root int32) {
	calls := []frame{t.enter(root)}
	for len(calls) > 0 {
		f := &calls[len(calls)-1]
		if int(f.edge) < len(t.g.deps[f.v]) {
			w := t.g.deps[f.v][f.edge]
			f.edge++
			switch {
			case t.index[w] == 0:
				calls = append(calls, t.enter(w))
			case t.g.comp[w] < 0:
				t.low[f.v] = min(t.low[f.v], t.index[w])
			}
			continue
		}
		v := f.v
		calls = calls[:len(calls)-1]
		if len(calls) > 0 {
			p := calls[len(calls)-1].v
			t.low[p] = min(t.low[p], t.low[v])
		}
		if t.low[v] == t.index[v] {
			t.pop(v)
		}
	}
}

// pop closes the component that v began.
func (t *tarjan) pop(v int32) {
	for {
		w := t.stack[len(t.stack)-1]
		t.stack = t.stack[:len(t.stack)-1]
		t.g.comp[w] = int32(t.g.n)
		if w == v {
			break
		}
	}
	t.g.n++
}

// cycles gives one shortest cycle of each component that has one, from its
// first row on, in the order in which the stages depend on each other.
func (g *graph) cycles() [][]int {
	size := make([]int, g.n)
	for _, c := range g.comp {
		size[c]++
	}
	var out [][]int
	done := make([]bool, g.n)
	for v, c := range g.comp {
		if size[c] > 1 && !done[c] {
			done[c] = true
			out = append(out, g.cycleFrom(int32(v)))
		}
	}
	return out
}

// cycleFrom searches breadth first for the way back to v.
func (g *graph) cycleFrom(v int32) []int {
	from := map[int32]int32{}
	queue := []int32{v}
	for len(queue) > 0 {
		w := queue[0]
		queue = queue[1:]
		for _, d := range g.deps[w] {
			if d == v {
				return g.path(from, v, w)
			}
			if _, seen := from[d]; !seen && g.comp[d] == g.comp[v] {
				from[d] = w
				queue = append(queue, d)
			}
		}
	}
	return nil
}

// path walks back from w to v.
func (g *graph) path(from map[int32]int32, v, w int32) []int {
	var out []int
	for ; w != v; w = from[w] {
		out = append(out, int(w))
	}
	out = append(out, int(v))
	slices.Reverse(out)
	return out
}

// numbers names the stages of some rows.
func (m *stageMap) numbers(rows []int) []plan.StageNumber {
	out := make([]plan.StageNumber, 0, len(rows))
	for _, i := range rows {
		out = append(out, m.rows[i].number)
	}
	return out
}
