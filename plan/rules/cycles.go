package rules

import (
	"fmt"
	"slices"
	"strings"

	"git-okstra/plan"
)

// shownStages is how many stages of a cycle a message names.
const shownStages = 20

// checkCycles is S8.
func checkCycles(c *checker) {
	for _, r := range c.stages.rows {
		if r.number > 0 && slices.Contains(r.deps, r.number) {
			c.report("S8", r.number, r.depends.start, fmt.Sprintf("stage %d depends on itself", r.number),
				"remove its own number from depends-on")
		}
	}
	for _, cycle := range c.graph.cycles() {
		c.report("S8", 0, c.stages.rows[cycle[0]].depends.start,
			"the stages "+chain(c.stages.numbers(cycle))+" depend on each other in a circle",
			"remove one of these dependencies")
	}
}

// chain writes a cycle as "1 → 2 → 1".
func chain(stages []plan.StageNumber) string {
	var b strings.Builder
	for i, n := range stages {
		if i == shownStages {
			fmt.Fprintf(&b, "… (%d more) → ", len(stages)-i)
			break
		}
		fmt.Fprintf(&b, "%d → ", n)
	}
	fmt.Fprintf(&b, "%d", stages[0])
	return b.String()
}
