package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"git-okstra/gitops"
	"git-okstra/internal/chain"
	"git-okstra/plan"
)

// trustedPrefix holds a ref for each thing that may run in this clone, named by its hash.
const trustedPrefix = "refs/okstra-local/trusted/"

// trusted is something that runs only after somebody here has agreed to it.
type trusted struct{ what, text string }

func (t trusted) ref() gitops.RefName {
	sum := sha256.Sum256([]byte(t.what + "\x00" + t.text))
	return gitops.RefName(trustedPrefix + hex.EncodeToString(sum[:]))
}

// validations are the commands that the plan wants to pass in the stages of a queue.
func (d *chainDesk) validations(queue []plan.StageNumber) []trusted {
	var out []trusted
	for _, n := range queue {
		st, _ := d.task.Plan.Stage(n)
		for _, command := range chain.Validations(st) {
			out = append(out, trusted{fmt.Sprintf("validation of stage %d", st.Number), command})
		}
	}
	return out
}

// trust refuses to run what nobody here has agreed to; with grant, it is agreed to now.
func (d *chainDesk) trust(need []trusted, grant bool) error {
	if len(need) == 0 {
		return nil
	}
	names := make([]gitops.RefName, len(need))
	for i, t := range need {
		names[i] = t.ref()
	}
	have, err := d.a.repo.RefValues(d.a.ctx, names...)
	if err != nil {
		return err
	}
	tx := gitops.Transaction{Reason: "okstra: trust"}
	refused := &commandError{code: exitGate, message: "this would run here, and nobody in this clone has agreed to it yet:"}
	seen := map[gitops.RefName]bool{}
	for i, t := range need {
		if have[names[i]] != "" || seen[names[i]] {
			continue
		}
		seen[names[i]] = true
		tx.Create(names[i], d.task.PlanCommit)
		refused.message += "\n  " + t.what + ": " + plan.Printable(t.text)
	}
	switch {
	case len(tx.Changes) == 0:
		return nil
	case !grant:
		refused.hints = []string{"if you want that, run the same command once with --trust"}
		return refused
	}
	return d.a.repo.Apply(d.a.ctx, tx)
}
