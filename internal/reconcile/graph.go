package reconcile

import "git-okstra/gitops"

// graph is a part of history, children before parents.
type graph struct {
	nodes []gitops.CommitNode
	index map[gitops.Hash]int
}

func newGraph(nodes []gitops.CommitNode) *graph {
	g := &graph{nodes: nodes, index: make(map[gitops.Hash]int, len(nodes))}
	for i, n := range nodes {
		g.index[n.Hash] = i
	}
	return g
}

func (g *graph) has(h gitops.Hash) bool { _, ok := g.index[h]; return ok }

// reach marks what can be reached from a commit within the graph.
func (g *graph) reach(from gitops.Hash) []bool {
	seen := make([]bool, len(g.nodes))
	todo := []gitops.Hash{from}
	for len(todo) > 0 {
		h := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if i, ok := g.index[h]; ok && !seen[i] {
			seen[i] = true
			todo = append(todo, g.nodes[i].Parents...)
		}
	}
	return seen
}

// parent is a commit's first parent, "" for a root.
func (g *graph) parent(h gitops.Hash) gitops.Hash {
	if i, ok := g.index[h]; ok && len(g.nodes[i].Parents) > 0 {
		return g.nodes[i].Parents[0]
	}
	return ""
}

// firstWithAll is the oldest commit in whose history all of the given ones are; the
// one of them that has the others, as a rule. "" where there is none.
func (g *graph) firstWithAll(all []gitops.Hash) gitops.Hash {
	const word = 64
	bit := map[gitops.Hash]int{}
	for _, h := range all {
		if _, ok := bit[h]; !ok {
			bit[h] = len(bit)
		}
	}
	words := (len(bit) + word - 1) / word
	sets := make([][]uint64, len(g.nodes))
	for i := len(g.nodes) - 1; i >= 0; i-- { // parents first
		set := make([]uint64, words)
		for _, p := range g.nodes[i].Parents {
			if k, ok := g.index[p]; ok {
				for w := range set {
					set[w] |= sets[k][w]
				}
			}
		}
		if b, ok := bit[g.nodes[i].Hash]; ok {
			set[b/word] |= 1 << (b % word)
		}
		sets[i] = set
		if full(set, len(bit)) {
			return g.nodes[i].Hash
		}
	}
	return ""
}

func full(set []uint64, n int) bool {
	for w, have := range set {
		if rest := n - 64*w; rest >= 64 && have != ^uint64(0) || rest < 64 && have != 1<<rest-1 {
			return false
		}
	}
	return true
}

// runBase is the parent of the oldest of some commits, if they are a chain of first
// parents without gaps that ends in last; "" where they are not.
func (g *graph) runBase(last gitops.Hash, members []gitops.Hash) gitops.Hash {
	in := map[gitops.Hash]bool{}
	for _, h := range members {
		in[h] = true
	}
	n, at := 0, last
	for in[at] {
		n, at = n+1, g.parent(at)
	}
	if n != len(in) {
		return ""
	}
	return at
}
