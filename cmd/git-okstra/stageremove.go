package main

import (
	"context"
	"fmt"
	"strings"

	"git-okstra/gitops"
	"git-okstra/internal/lifecycle"
	"git-okstra/internal/report"
	"git-okstra/internal/workspace"
	"git-okstra/plan"
)

// removed is what release --remove did beside giving the stage back.
type removed struct {
	holder              lifecycle.Reservation
	worktrees, branches []string
	kept                []report.Kept
}

// giveBack ends the reservation; with --stale only one that is.
func (c *stageReleaseCmd) giveBack(ctx context.Context, e *lifecycle.Engine, t *lifecycle.Task, n plan.StageNumber) (lifecycle.Reservation, error) {
	if c.Stale {
		return e.ReleaseStale(ctx, t, n, c.Why)
	}
	return e.Release(ctx, t, n, c.Why)
}

// remove gives a stage back and removes its worktree and branch, or refuses before
// anything is written. One that was given back before is only cleaned up after. A
// branch that something stands on is kept.
func (c *stageReleaseCmd) remove(a *app, e *lifecycle.Engine, t *lifecycle.Task, n plan.StageNumber) (removed, error) {
	var out removed
	root, err := workspace.Root(a.repo)
	if err != nil {
		return out, err
	}
	cl := cleaner{app: a, e: e, t: t, dir: workspace.Path(root, t.Key.Ref()), ignored: c.Ignored}
	settled, err := cl.settle()
	if err != nil {
		return out, err
	}
	if len(settled) > 0 {
		a.say("%s", strings.TrimSuffix(report.StageClean{Settled: settled}.Text(false), "\n"))
	}
	branches, err := e.BranchesOf(a.ctx, t, n)
	if err != nil {
		return out, err
	}
	trees, err := a.repo.FindMarked(a.ctx, t.BindRef(n))
	if err != nil {
		return out, err
	}
	_, held := t.Reserved[n]
	_, done := t.Done[n]
	settle := func(ctx context.Context) (err error) {
		out.holder, err = c.giveBack(ctx, e, t, n)
		return err
	}
	if !held && !done && len(trees)+len(branches) > 0 {
		settle = func(ctx context.Context) error { return e.Unheld(ctx, t, n) }
	} else if !held || len(trees) == 0 && (c.KeepBranch || len(branches) == 0) {
		err = settle(a.ctx) // it cannot be given back, or that is all
		return out, err
	}
	if err := c.check(cl, n, trees, branches); err != nil {
		return out, err
	}
	if len(trees) == 0 {
		if err := settle(a.ctx); err != nil {
			return out, err
		}
	}
	for i, wt := range trees {
		rm := cl.removal(n, wt)
		if i == 0 {
			rm.Settle = settle
		}
		if err := workspace.Remove(a.ctx, a.repo, rm); err != nil {
			return out, err
		}
		out.worktrees = append(out.worktrees, wt.Path)
	}
	err = c.dropBranches(cl, n, branches, &out)
	return out, err
}

// check refuses what would lose work, all of it at once.
func (c *stageReleaseCmd) check(cl cleaner, n plan.StageNumber, trees []gitops.Worktree, branches []lifecycle.StageBranch) error {
	var lost workspace.LossError
	for _, wt := range trees {
		losses, err := workspace.Losses(cl.ctx, cl.repo, cl.removal(n, wt))
		if err != nil {
			return err
		}
		lost.Path, lost.Losses = wt.Path, append(lost.Losses, losses...)
	}
	for _, b := range branches {
		if !c.KeepBranch {
			lost.Losses = append(lost.Losses, workspace.CommitLosses(b.Lost, fmt.Sprintf("only on branch %s; --keep-branch keeps it", b.Short()))...)
		}
	}
	if len(lost.Losses) == 0 {
		return nil
	}
	if lost.Path == "" {
		lost.Path = branches[0].Short()
	}
	return &lost
}

func (c *stageReleaseCmd) dropBranches(cl cleaner, n plan.StageNumber, branches []lifecycle.StageBranch, out *removed) error {
	for _, b := range branches {
		kept := "you asked for it"
		if !c.KeepBranch {
			var err error
			if kept, err = cl.e.DropBranch(cl.ctx, cl.t, n, b); err != nil {
				return err
			}
		}
		if kept == "" {
			out.branches = append(out.branches, b.Short())
			continue
		}
		out.kept = append(out.kept, report.Kept{What: "branch", Name: b.Short(), Reason: kept})
	}
	return nil
}

// text says what was done.
func (r removed) text(n plan.StageNumber) string {
	var b strings.Builder
	if r.holder.Tag != "" {
		fmt.Fprintf(&b, "stage %d released\n", n)
	}
	s := report.CleanedStage{Stage: n, Worktrees: r.worktrees, Branches: r.branches, Kept: r.kept}
	b.WriteString(report.StageClean{Stages: []report.CleanedStage{s}}.Text(false))
	if len(r.worktrees)+len(r.branches)+len(r.kept) == 0 {
		return fmt.Sprintf("stage %d released; nothing of it is here\n", n)
	}
	return b.String()
}
