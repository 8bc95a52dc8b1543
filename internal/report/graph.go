package report

import (
	"fmt"
	"slices"
	"strings"

	"git-okstra/plan"
)

// Graph is okstra.plan-graph/v1: the stages and what they depend on.
type Graph struct {
	Schema string       `json:"schema"`
	Task   string       `json:"task"` // "" where the plan does not say
	Stages []GraphStage `json:"stages"`
}

// GraphStage is one node. State is "" where no task is asked.
type GraphStage struct {
	Stage     plan.StageNumber   `json:"stage"`
	Title     string             `json:"title"`
	State     string             `json:"state"` // done, active, ready, blocked or ""
	DependsOn []plan.StageNumber `json:"depends_on"`
}

// Sorted gives the stages so that each comes after those that it depends on, the
// smaller number first. Stages in a circle, and those behind one, come last in the
// order of the map.
func (g Graph) Sorted() []GraphStage {
	at := map[plan.StageNumber]int{}
	for i, s := range g.Stages {
		at[s.Stage] = i
	}
	waits := make([]int, len(g.Stages))
	dependents := make([][]int, len(g.Stages))
	for i, s := range g.Stages {
		for _, d := range s.DependsOn {
			if j, ok := at[d]; ok {
				waits[i]++
				dependents[j] = append(dependents[j], i)
			}
		}
	}
	var ready []int
	for i, n := range waits {
		if n == 0 {
			ready = append(ready, i)
		}
	}
	smaller := func(i, j int) int { return int(g.Stages[i].Stage) - int(g.Stages[j].Stage) }
	slices.SortFunc(ready, smaller)
	out, seen := make([]GraphStage, 0, len(g.Stages)), make([]bool, len(g.Stages))
	for len(ready) > 0 {
		i := ready[0]
		ready = ready[1:]
		out, seen[i] = append(out, g.Stages[i]), true
		for _, j := range dependents[i] {
			if waits[j]--; waits[j] == 0 {
				at, _ := slices.BinarySearchFunc(ready, j, smaller)
				ready = slices.Insert(ready, at, j)
			}
		}
	}
	for i, s := range g.Stages {
		if !seen[i] {
			out = append(out, s)
		}
	}
	return out
}

// DOT writes the graph in Graphviz's language.
func (g Graph) DOT() string {
	var b strings.Builder
	fmt.Fprintf(&b, "digraph %s {\n  rankdir=LR;\n  node [shape=box, style=\"rounded,filled\", fillcolor=white];\n", dotString(g.Task))
	for _, s := range g.Stages {
		label := fmt.Sprintf("%d  %s", s.Stage, s.Title)
		if s.State != "" {
			label += "\n" + s.State
		}
		fmt.Fprintf(&b, "  %d [label=%s%s];\n", s.Stage, dotString(label), dotColours[s.State])
	}
	g.Edges(func(from, to plan.StageNumber) { fmt.Fprintf(&b, "  %d -> %d;\n", from, to) })
	return b.String() + "}\n"
}

var dotColours = map[string]string{
	"done": ", fillcolor=palegreen", "active": ", fillcolor=khaki", "ready": ", fillcolor=lightblue", "blocked": ", fillcolor=lightgrey",
}

// dotString is a quoted string of the language; only \n is markup in it, and no
// character reference stands for another text.
func dotString(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "&", "&amp;").Replace(plan.Printable(l))
	}
	return `"` + strings.Join(lines, `\n`) + `"`
}

// Mermaid writes the graph as a Mermaid flowchart.
func (g Graph) Mermaid() string {
	var b strings.Builder
	b.WriteString("flowchart LR\n")
	for _, s := range g.Stages {
		class := ""
		if s.State != "" {
			class = ":::" + s.State
		}
		fmt.Fprintf(&b, "  s%d[\"%d &nbsp; %s\"]%s\n", s.Stage, s.Stage, mermaidText(s.Title), class)
	}
	g.Edges(func(from, to plan.StageNumber) { fmt.Fprintf(&b, "  s%d --> s%d\n", from, to) })
	for _, c := range []string{
		"done fill:#b7e4c7,stroke:#2d6a4f", "active fill:#ffe8a1,stroke:#b08900", "ready fill:#cfe2ff,stroke:#1d4ed8", "blocked fill:#e5e7eb,stroke:#6b7280",
	} {
		state, _, _ := strings.Cut(c, " ")
		if slices.ContainsFunc(g.Stages, func(s GraphStage) bool { return s.State == state }) {
			fmt.Fprintf(&b, "  classDef %s,color:#111\n", c)
		}
	}
	return b.String()
}

// mermaidText writes everything that could be markup as a numeric entity.
func mermaidText(s string) string {
	var b strings.Builder
	for _, r := range plan.Printable(s) {
		if strings.ContainsRune("\"#&<>`;\\*_~[](){}|", r) {
			fmt.Fprintf(&b, "#%d;", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Edges calls yield for each dependency on a stage of the graph, once.
func (g Graph) Edges(yield func(from, to plan.StageNumber)) {
	known := map[plan.StageNumber]bool{}
	for _, s := range g.Stages {
		known[s.Stage] = true
	}
	for _, s := range g.Stages {
		for i, d := range s.DependsOn {
			if known[d] && !slices.Contains(s.DependsOn[:i], d) {
				yield(d, s.Stage)
			}
		}
	}
}
