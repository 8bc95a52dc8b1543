package board

import (
	"cmp"
	"slices"

	"git-okstra/internal/report"
	"git-okstra/plan"
)

// Sizes of the drawing in its own units, which are pixels at first.
const (
	nodeWide, nodeHigh = 210, 52
	gapAcross, gapDown = 64, 16
	margin             = 12
)

// node is a stage at its place, the upper left corner.
type node struct {
	report.GraphStage
	X, Y int
}

// edge leads from a stage to one that depends on it.
type edge struct{ X1, Y1, X2, Y2 int }

// layout is a graph drawn from left to right: each stage stands right of all that it
// depends on.
type layout struct {
	Nodes      []node
	Edges      []edge
	Wide, High int
}

// lay lays a graph out in layers. Stages of a circle stand behind those that are in none.
func lay(g report.Graph) layout {
	stages := g.Sorted()
	layer, at := map[plan.StageNumber]int{}, map[plan.StageNumber]int{}
	var layers [][]report.GraphStage
	for _, s := range stages {
		n := 0
		for _, d := range s.DependsOn {
			if l, drawn := layer[d]; drawn {
				n = max(n, l+1)
			}
		}
		layer[s.Stage] = n
		for len(layers) <= n {
			layers = append(layers, nil)
		}
		layers[n] = append(layers[n], s)
	}
	out := layout{Wide: 2 * margin, High: 2*margin + nodeHigh}
	place := map[plan.StageNumber]node{}
	for l, list := range layers {
		slices.SortStableFunc(list, func(a, b report.GraphStage) int { return cmp.Compare(middle(a, at), middle(b, at)) })
		for i, s := range list {
			at[s.Stage] = i
			n := node{s, margin + l*(nodeWide+gapAcross), margin + i*(nodeHigh+gapDown)}
			place[s.Stage] = n
			out.Nodes = append(out.Nodes, n)
			out.Wide, out.High = max(out.Wide, n.X+nodeWide+margin), max(out.High, n.Y+nodeHigh+margin)
		}
	}
	g.Edges(func(from, to plan.StageNumber) {
		a, b := place[from], place[to]
		out.Edges = append(out.Edges, edge{a.X + nodeWide, a.Y + nodeHigh/2, b.X, b.Y + nodeHigh/2})
	})
	return out
}

// middle is the mean row of the stages that one depends on, so that lines seldom cross.
func middle(s report.GraphStage, at map[plan.StageNumber]int) float64 {
	sum, n := 0, 0
	for _, d := range s.DependsOn {
		if i, ok := at[d]; ok {
			sum, n = sum+i, n+1
		}
	}
	if n == 0 {
		return 0
	}
	return float64(sum) / float64(n)
}
