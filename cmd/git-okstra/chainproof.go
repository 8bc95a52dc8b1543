package main

import (
	"context"
	"fmt"
	"os"
	"slices"

	"git-okstra/internal/chain"
	"git-okstra/internal/conform/verdict"
	"git-okstra/internal/lifecycle"
	"git-okstra/plan"
)

// trustProofs makes sure that the conformance commands of a queue may run here: stages that
// declare tests run theirs before they are done.
func (d *chainDesk) trustProofs(queue []plan.StageNumber, grant bool) error {
	all, err := d.a.conformance(d.a.ctx, d.e, d.task)
	if err != nil || all.manifest == nil {
		return err
	}
	numbers := slices.DeleteFunc(slices.Clone(queue), func(n plan.StageNumber) bool { return !all.runs(n) })
	if len(numbers) == 0 {
		return nil
	}
	return all.trust(numbers, grant)
}

// trustProof refuses a stage whose conformance command nobody here has agreed to, and asks
// nobody.
func (d *chainDesk) trustProof(ctx context.Context, t *lifecycle.Task, n plan.StageNumber) error {
	all, err := d.a.conformance(ctx, d.e, t)
	if err != nil || all.manifest == nil || !all.runs(n) {
		return err
	}
	_, show, err := all.untrusted(ctx, []plan.StageNumber{n})
	if err != nil || len(show) == 0 {
		return err
	}
	return untrusted(show)
}

// runs reports whether a stage has a command that is to run before it is done.
func (c *conformance) runs(n plan.StageNumber) bool {
	_, ok := c.manifest.Entry(n)
	return ok && c.declaresTests(n)
}

func (c *conformance) declaresTests(n plan.StageNumber) bool {
	st, _ := c.t.Plan.Stage(n)
	return verdict.DeclarationOf(st).Kind == verdict.Tests
}

// proves runs a stage's conformance command, unless its worker has done so on this very
// tree. What it prints goes to the stage's log. A result that is no pass is the verdict's
// to refuse.
func (d *chainDesk) proves(ctx context.Context, t *lifecycle.Task, j *chain.Job) error {
	all, err := d.a.conformance(ctx, d.e, t)
	if err != nil || !all.declaresTests(j.Stage) || len(all.problems) > 0 {
		return err
	}
	wt, err := all.worktree(ctx, j.Stage)
	if err != nil {
		return err
	}
	head, err := all.head(ctx, wt)
	if err != nil {
		return err
	}
	commit, err := d.a.repo.ReadCommit(ctx, head)
	if err != nil {
		return err
	}
	if p, _ := all.proofOf(j.Stage, commit.Tree); p.State == verdict.Proved {
		return nil
	}
	// the manifest may have changed since the stage was taken
	if err := d.trustProof(ctx, t, j.Stage); err != nil {
		return err
	}
	limit, err := (&conformRunCmd{}).limit(d.a)
	if err != nil {
		return err
	}
	log, err := os.OpenFile(j.Log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666)
	if err != nil {
		return fmt.Errorf("keep the output: %w", err)
	}
	defer func() { _ = log.Close() }()
	var failed error
	all.line = func(line []byte, _ bool) {
		if _, err := log.Write(append(append([]byte(nil), line...), '\n')); err != nil {
			failed = err
		}
	}
	if _, err := all.prove(ctx, j.Stage, limit); err != nil {
		return err
	}
	if failed != nil {
		return fmt.Errorf("keep the output: %w", failed)
	}
	return nil
}
