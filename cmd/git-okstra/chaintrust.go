package main

import (
	"fmt"

	"git-okstra/internal/chain"
	"git-okstra/internal/lifecycle"
	"git-okstra/plan"
)

// validations are the commands that the plan wants to pass in the stages of a queue.
func (d *chainDesk) validations(queue []plan.StageNumber) []lifecycle.Trusted {
	var out []lifecycle.Trusted
	for _, n := range queue {
		st, _ := d.task.Plan.Stage(n)
		for _, command := range chain.Validations(st) {
			out = append(out, lifecycle.Trusted{What: fmt.Sprintf("validation of stage %d", st.Number), Text: command})
		}
	}
	return out
}

// trust refuses to run what nobody here has agreed to; with grant, it is agreed to now.
func (d *chainDesk) trust(need []lifecycle.Trusted, grant bool) error {
	if grant {
		return d.e.Trust(d.a.ctx, need, d.task.PlanCommit)
	}
	fresh, err := d.e.Untrusted(d.a.ctx, need)
	if err != nil || len(fresh) == 0 {
		return err
	}
	return untrusted(fresh)
}

// untrusted shows what would run.
func untrusted(fresh []lifecycle.Trusted) error {
	refused := &commandError{
		code: exitGate, message: "this would run here, and nobody in this clone has agreed to it yet:",
		hints: []string{"if you want that, run the same command once with --trust"},
	}
	for _, t := range fresh {
		refused.message += "\n  " + t.What + ": " + plan.Printable(t.Text)
	}
	return refused
}
