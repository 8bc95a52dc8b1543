package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"git-okstra/gitops"
	"git-okstra/internal/chain"
	"git-okstra/internal/lifecycle"
	"git-okstra/plan"
)

// executorSetting is the command of chains that name none.
const executorSetting = "okstra.executor"

// validations are the commands that a task's plan wants to pass in the stages of a queue.
func (d *chainDesk) validations(t *lifecycle.Task, queue []plan.StageNumber) []lifecycle.Trusted {
	var out []lifecycle.Trusted
	for _, n := range queue {
		st, _ := t.Plan.Stage(n)
		for _, command := range chain.Validations(st) {
			out = append(out, lifecycle.Trusted{What: fmt.Sprintf("validation of stage %d", st.Number), Text: command})
		}
	}
	return out
}

// trustRevision stops at a stage whose commands came with a revision of the plan after
// the run had begun, where nobody here has agreed to them.
func (d *chainDesk) trustRevision(ctx context.Context, t *lifecycle.Task, n plan.StageNumber) error {
	if t.PlanCommit == d.task.PlanCommit {
		return nil
	}
	if d.validate {
		if err := d.trust(ctx, t.PlanCommit, d.validations(t, []plan.StageNumber{n}), false); err != nil {
			return d.stop(err)
		}
	}
	if err := d.trustProof(ctx, t, n); err != nil {
		return d.stop(err)
	}
	return nil
}

// trust refuses to run what nobody here has agreed to: by its very text, or, of what a
// plan says, by approving that revision of it in this clone. With grant, or where a person
// says so at the terminal, it is agreed to now.
func (d *chainDesk) trust(ctx context.Context, revision gitops.Hash, need []lifecycle.Trusted, grant bool) error {
	if len(need) == 0 {
		return nil
	}
	whole := lifecycle.TrustedPlan(revision)
	fresh, err := d.e.Untrusted(ctx, append([]lifecycle.Trusted{whole}, need...))
	if err != nil {
		return err
	}
	asked := slices.Contains(fresh, whole)
	fresh = slices.DeleteFunc(fresh, func(t lifecycle.Trusted) bool { return t == whole || !asked && t.What != executorSetting })
	if len(fresh) == 0 {
		return nil
	}
	refused := untrusted(fresh)
	if !grant {
		if grant, err = d.a.agreed(refused.message); err != nil {
			return err
		}
	}
	if !grant {
		return refused
	}
	return d.e.Trust(ctx, fresh, revision)
}

// agreed asks the person at the terminal, if there is one.
func (a *app) agreed(what string) (bool, error) {
	if !a.interactive() || a.flags.JSON {
		return false, nil
	}
	_, _ = fmt.Fprintf(a.std.err, "%s\nLet it run here from now on? [y/N] ", what)
	answer, err := a.interruptible(func() ([]byte, error) {
		line, err := bufio.NewReader(a.std.in).ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return line, err
	})
	switch strings.ToLower(strings.TrimSpace(string(answer))) {
	case "y", "yes":
		return err == nil, err
	}
	return false, err
}

// untrusted shows what would run.
func untrusted(fresh []lifecycle.Trusted) *commandError {
	refused := &commandError{
		code: exitGate, message: "this would run here, and nobody in this clone has agreed to it yet:",
		hints: []string{"if you want that, run the same command once with --trust"},
	}
	for _, t := range fresh {
		refused.message += "\n  " + t.What + ": " + plan.Printable(t.Text)
	}
	return refused
}
