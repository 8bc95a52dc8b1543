package stage

import (
	"container/heap"
	"errors"
	"fmt"
	"slices"

	"git-okstra/plan"
)

// ErrCircle is the sentinel for stages that wait for each other. A checked plan has
// none.
var ErrCircle = errors.New("stages depend on each other in a circle")

// Closure gives the chosen stages and all that they wait for, each after what it
// depends on, of those that could come next the smallest number first. Done stages are
// left out and not walked through, numbers that the plan lacks are passed over. It
// takes time in proportion to the plan, whatever its shape. Errors: ErrCircle, with
// the stages that no order can hold.
func (p Progress) Closure(pl *plan.Plan, chosen []plan.StageNumber) ([]plan.StageNumber, error) {
	at := places(pl)
	set, members := p.ancestors(pl, at, chosen)
	waits := make([]int, len(pl.Stages))
	behind := make([][]int, len(pl.Stages))
	var free numbers
	for _, i := range members {
		for _, d := range p.WaitingFor(pl.Stages[i]) {
			if j, known := at[d]; known && set[j] {
				waits[i]++
				behind[j] = append(behind[j], i)
			}
		}
		if waits[i] == 0 {
			free = append(free, pl.Stages[i].Number)
		}
	}
	heap.Init(&free)
	out := make([]plan.StageNumber, 0, len(members))
	for len(free) > 0 {
		n, _ := heap.Pop(&free).(plan.StageNumber)
		i := at[n]
		out, set[i] = append(out, n), false
		for _, later := range behind[i] {
			if waits[later]--; waits[later] == 0 {
				heap.Push(&free, pl.Stages[later].Number)
			}
		}
	}
	if len(out) == len(members) {
		return out, nil
	}
	var left []plan.StageNumber
	for _, i := range members {
		if set[i] {
			left = append(left, pl.Stages[i].Number)
		}
	}
	slices.Sort(left)
	return nil, fmt.Errorf("%w: %s", ErrCircle, Ranges(left))
}

// places says where in the map each stage stands.
func places(pl *plan.Plan) map[plan.StageNumber]int {
	at := make(map[plan.StageNumber]int, len(pl.Stages))
	for i, st := range pl.Stages {
		at[st.Number] = i
	}
	return at
}

// ancestors marks the chosen stages and what they wait for, and lists them. It keeps
// its own list of what is still to be looked at: a plan may be one long chain.
func (p Progress) ancestors(pl *plan.Plan, at map[plan.StageNumber]int, chosen []plan.StageNumber) (set []bool, members []int) {
	set = make([]bool, len(pl.Stages))
	todo := slices.Clone(chosen)
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		i, known := at[n]
		if !known || set[i] || p.Done[n] {
			continue
		}
		set[i] = true
		members = append(members, i)
		todo = append(todo, pl.Stages[i].DependsOn...)
	}
	return set, members
}

// All is the closure of every stage that nobody holds and that is not done. Stages
// that somebody holds are in it where others wait for them.
func (p Progress) All(pl *plan.Plan) ([]plan.StageNumber, error) {
	var free []plan.StageNumber
	for _, st := range pl.Stages {
		if !p.Occupied(st.Number) {
			free = append(free, st.Number)
		}
	}
	return p.Closure(pl, free)
}

// Batch gives the first ready stage in map order, whatever its size, and then the next
// ready ones while the sum of their steps stays within the budget. The first one that
// does not fit ends it, even if a smaller one would follow.
func (p Progress) Batch(pl *plan.Plan, budget int) []plan.StageNumber {
	var out []plan.StageNumber
	for _, st := range pl.Stages {
		if p.Of(st) != Ready {
			continue
		}
		if len(out) > 0 && st.Steps > budget {
			break
		}
		out = append(out, st.Number)
		budget -= st.Steps
	}
	return out
}

// numbers is a heap of stage numbers, the smallest on top.
type numbers []plan.StageNumber

func (h numbers) Len() int           { return len(h) }
func (h numbers) Less(i, j int) bool { return h[i] < h[j] }
func (h numbers) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }

// Push is heap's: it adds a number at the end.
func (h *numbers) Push(x any) {
	n, _ := x.(plan.StageNumber)
	*h = append(*h, n)
}

// Pop is heap's: it takes the number at the end.
func (h *numbers) Pop() any {
	last := len(*h) - 1
	n := (*h)[last]
	*h = (*h)[:last]
	return n
}
