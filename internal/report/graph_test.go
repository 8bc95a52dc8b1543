package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"git-okstra/plan"
)

// graphOf reads lines such as "3 done: 1 2".
func graphOf(text string) Graph {
	g := Graph{Schema: "okstra.plan-graph/v1", Stages: []GraphStage{}}
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		head, deps, _ := strings.Cut(line, ":")
		s := GraphStage{DependsOn: []plan.StageNumber{}}
		_, _ = fmt.Sscan(head, &s.Stage, &s.State)
		s.Title = fmt.Sprint("part ", s.Stage)
		for d := range strings.FieldsSeq(deps) {
			var n plan.StageNumber
			_, _ = fmt.Sscan(d, &n)
			s.DependsOn = append(s.DependsOn, n)
		}
		g.Stages = append(g.Stages, s)
	}
	return g
}

func TestGraphText(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"line":     "1 done:\n2 active: 1\n3 blocked: 2",
		"diamond":  "1 done:\n2 done: 1\n3 active: 1\n4 blocked: 2 3",
		"fan":      "1:\n2: 1\n3: 1\n4: 1\n5: 1",
		"join":     "1:\n2:\n3:\n4: 1 2 3",
		"cross":    "1:\n2:\n3: 1\n4: 2\n5: 1 4\n6: 3 5",
		"loose":    "1:\n2:\n3:",
		"forward":  "1: 3\n2: 1\n3:",
		"circle":   "1: 2\n2: 1\n3: 3\n4:\n5: 4 1",
		"unknown":  "1: 7\n2: 1",
		"repeated": "1:\n2: 1 1",
		"empty":    "",
	} {
		g := graphOf(text)
		if text == "" {
			g.Stages = nil
		}
		golden(t, "graph-"+name+".txt", g.Text())
	}
}

// TestGraphTextTitles holds that what follows the drawing is aligned whatever the
// titles hold, and escaped.
func TestGraphTextTitles(t *testing.T) {
	t.Parallel()
	g := graphOf("1 done:\n2 ready: 1\n3 ready: 1")
	g.Task, g.Stages[0].Title, g.Stages[1].Title = "앱:그룹:task\x1b[2J", "가격 조회 API", "esc\x1b[31m\nline"
	golden(t, "graph-titles.txt", g.Text())
}

// readDrawing recovers each line's dependencies from the drawing alone: a lane runs
// down from a stage, and ends or branches where a line joins it.
func readDrawing(lines []string) [][]int {
	var out [][]int
	owner := map[int]int{} // column → the row whose lane runs there
	for i, line := range lines {
		cells := []rune(line)
		node := slices.Index(cells, '○')
		var deps []int
		above, runs := owner[node]
		if runs {
			deps = append(deps, above)
		}
		for col, r := range cells {
			joined := strings.ContainsRune("├┤┼┴╰╯", r)
			if joined {
				deps = append(deps, owner[col])
			}
			if strings.ContainsRune("┴╰╯", r) {
				delete(owner, col)
			}
		}
		slices.Sort(deps)
		out = append(out, deps)
		delete(owner, node)
		if i+1 < len(lines) {
			next := []rune(lines[i+1])
			if node < len(next) && strings.ContainsRune("│├┤┼┴╰╯○", next[node]) {
				owner[node] = i
			}
		}
	}
	return out
}

// TestGraphTextCanBeRead draws random graphs and reads the edges back.
func TestGraphTextCanBeRead(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 14).Draw(t, "n")
		g := Graph{}
		want := make([][]int, n)
		for i := range n {
			s := GraphStage{Stage: plan.StageNumber(i + 1)}
			for j := range i {
				if rapid.IntRange(0, 3).Draw(t, "edge") == 0 {
					s.DependsOn = append(s.DependsOn, plan.StageNumber(j+1))
					want[i] = append(want[i], j)
				}
			}
			g.Stages = append(g.Stages, s)
		}
		var lines []string
		for i, line := range strings.Split(strings.TrimRight(g.Text(), "\n"), "\n") {
			drawn, _, _ := strings.Cut(line, fmt.Sprintf("  %d", i+1))
			lines = append(lines, drawn)
		}
		// Topological order with the smaller number first is the order of numbers here.
		if got := readDrawing(lines); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("drawn\n%s\nread %v, want %v", g.Text(), got, want)
		}
	})
}

// TestGraphWide: a graph with more lanes than a screen has columns is listed.
func TestGraphWide(t *testing.T) {
	t.Parallel()
	g := Graph{}
	last := GraphStage{Stage: 100}
	for n := plan.StageNumber(1); n < 100; n++ {
		g.Stages = append(g.Stages, GraphStage{Stage: n})
		last.DependsOn = append(last.DependsOn, n)
	}
	g.Stages = append(g.Stages, last)
	text := g.Text()
	if strings.ContainsAny(text, "│─┴") || strings.Count(text, "\n") != 100 || !strings.Contains(text, "after 1, 2, 3, ") {
		t.Errorf("%s", text)
	}
}

func TestGraphDOTAndMermaid(t *testing.T) {
	t.Parallel()
	g := graphOf("1 done:\n2 active: 1\n3 ready: 1\n4 blocked: 2 3 3\n5: 9")
	g.Task = `shop:"x"\y`
	g.Stages[0].Title, g.Stages[1].Title = `a "quoted" \ title`+"\x1b[31m", "<b>한글</b> & `code` #1; [x](y) | end\"]"
	golden(t, "graph.dot", g.DOT())
	golden(t, "graph.mermaid", g.Mermaid())
}
