package rules

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"git-okstra/plan"
)

// mapOf makes the map of stages with these dependencies.
func mapOf(deps ...[]int) *stageMap {
	m := &stageMap{byStage: map[plan.StageNumber]int{}}
	for i, list := range deps {
		n := plan.StageNumber(i + 1)
		r := mapRow{number: n, first: true, section: -1}
		for _, d := range list {
			r.deps = append(r.deps, plan.StageNumber(d))
		}
		m.byStage[n] = i
		m.rows = append(m.rows, r)
	}
	return m
}

func TestCycles(t *testing.T) {
	for _, tc := range []struct {
		deps [][]int
		want string
	}{
		{[][]int{{}, {1}, {1, 2}}, ""},
		{[][]int{{2}, {1}}, "1 → 2 → 1"},
		{[][]int{{1}, {2}}, ""},
		{[][]int{{3}, {1}, {2}}, "1 → 3 → 2 → 1"},
		{[][]int{{2, 3}, {3}, {1}}, "1 → 3 → 1"},
		{[][]int{{2}, {1}, {4}, {3}}, "1 → 2 → 1; 3 → 4 → 3"},
		{[][]int{{9}, {2, 3}, {2}}, "2 → 3 → 2"},
		{[][]int{{}, {1, 4}, {2}, {3}, {4}}, "2 → 4 → 3 → 2"},
	} {
		m := mapOf(tc.deps...)
		var got []string
		for _, c := range newGraph(m).cycles() {
			got = append(got, chain(m.numbers(c)))
		}
		if s := strings.Join(got, "; "); s != tc.want {
			t.Errorf("%v: %s, want %s", tc.deps, s, tc.want)
		}
	}
}

func TestCycleMessage(t *testing.T) {
	r := check(stages("2", "3", "1"), Options{})
	if len(r.Findings) != 1 || !strings.Contains(r.Findings[0].Message, "1 → 2 → 3 → 1") {
		t.Errorf("%+v", r.Findings)
	}
	long := make([]plan.StageNumber, 30)
	for i := range long {
		long[i] = plan.StageNumber(i + 1)
	}
	if s := chain(long); !strings.HasSuffix(s, "20 → … (10 more) → 1") {
		t.Errorf("a long cycle is %s", s)
	}
}

// drawDeps makes any graph, cycles and self-dependencies included.
func drawDeps(t *rapid.T) [][]int {
	n := rapid.IntRange(1, 12).Draw(t, "n")
	deps := make([][]int, n)
	for i := range deps {
		deps[i] = rapid.SliceOfNDistinct(rapid.IntRange(1, n), 0, 3, rapid.ID[int]).Draw(t, "deps")
	}
	return deps
}

// paths is the plain closure to compare with.
func paths(deps [][]int) [][]bool {
	n := len(deps)
	p := make([][]bool, n)
	for i, list := range deps {
		p[i] = make([]bool, n)
		for _, d := range list {
			p[i][d-1] = true
		}
	}
	for k := range n {
		for i := range n {
			for j := range n {
				p[i][j] = p[i][j] || p[i][k] && p[k][j]
			}
		}
	}
	return p
}

func TestGraphProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		deps := drawDeps(t)
		g := newGraph(mapOf(deps...))
		p := paths(deps)
		for i := range deps {
			for j := range deps {
				same := i == j || p[i][j] && p[j][i]
				if (g.comp[i] == g.comp[j]) != same {
					t.Fatalf("%v: components of %d and %d", deps, i+1, j+1)
				}
				if p[i][j] && g.comp[j] > g.comp[i] {
					t.Fatalf("%v: %d depends on %d and comes first", deps, i+1, j+1)
				}
			}
		}
		for _, c := range g.cycles() {
			for k, v := range c {
				if !slices.Contains(deps[v], c[(k+1)%len(c)]+1) {
					t.Fatalf("%v: %v is no cycle", deps, c)
				}
			}
		}
	})
}

func TestUnorderedProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		deps := drawDeps(t)
		p := paths(deps)
		members := rapid.SliceOfNDistinct(rapid.IntRange(0, len(deps)-1), 1, len(deps), rapid.ID[int]).Draw(t, "members")
		slices.Sort(members)
		gr := group{file: "f"}
		for _, m := range members {
			gr.mentions = append(gr.mentions, mention{row: m})
		}
		var want, got []string
		for i, a := range members {
			for _, b := range members[i+1:] {
				if !p[a][b] && !p[b][a] {
					want = append(want, fmt.Sprint(a, b))
				}
			}
		}
		newReach(newGraph(mapOf(deps...)), []group{gr}).unordered(func(a, b mention, _ string) bool {
			got = append(got, fmt.Sprint(min(a.row, b.row), max(a.row, b.row)))
			return true
		})
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Fatalf("%v, %v: pairs %v, want %v", deps, members, got, want)
		}
	})
}

// TestUnorderedOverWindows: more stages than one window holds.
func TestUnorderedOverWindows(t *testing.T) {
	const n = 3*windowBits + 5
	deps := make([][]int, n)
	for i := 1; i < n; i++ {
		deps[i] = []int{i} // a chain …
	}
	deps[n-1] = []int{windowBits} // … whose last stage leaves it early
	gr := group{file: "f"}
	for i := range n {
		gr.mentions = append(gr.mentions, mention{row: i})
	}
	pairs := 0
	newReach(newGraph(mapOf(deps...)), []group{gr}).unordered(func(a, b mention, _ string) bool {
		if max(a.row, b.row) != n-1 || min(a.row, b.row) < windowBits {
			t.Fatalf("pair %d %d", a.row, b.row)
		}
		pairs++
		return true
	})
	if want := n - 1 - windowBits; pairs != want {
		t.Errorf("%d pairs, want %d", pairs, want)
	}
}
