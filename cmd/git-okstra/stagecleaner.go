package main

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"

	"git-okstra/gitops"
	"git-okstra/internal/lifecycle"
	"git-okstra/internal/report"
	"git-okstra/internal/workspace"
	"git-okstra/plan"
)

// cleaner removes what stages of one task leave behind.
type cleaner struct {
	*app
	e       *lifecycle.Engine
	t       *lifecycle.Task
	dir     string // where the task's worktrees stand
	dryRun  bool
	ignored bool
	named   bool // the stages were named by the caller
	losses  *[]workspace.Loss
}

// settle ends earlier removals that were cut short.
func (c *cleaner) settle() ([]report.SettledRemoval, error) {
	c.losses = &[]workspace.Loss{}
	list, err := workspace.Leftovers(c.ctx, c.repo, c.dir)
	if err != nil {
		return nil, err
	}
	out := []report.SettledRemoval{}
	for _, l := range list {
		one := report.SettledRemoval{Path: l.Path, Action: "undone", Reason: l.Why}
		if l.Decided {
			one.Action = "finished"
		}
		if l.Why == "" && !c.dryRun {
			if err := l.Settle(c.ctx, c.repo); err != nil {
				return nil, err
			}
		}
		out = append(out, one)
	}
	return out, nil
}

// stage cleans up after one stage.
func (c *cleaner) stage(n plan.StageNumber) (report.CleanedStage, error) {
	s := report.CleanedStage{Stage: n, Worktrees: []string{}, Branches: []string{}, Kept: []report.Kept{}}
	why, err := c.e.Uncleanable(c.ctx, c.t, n, nil)
	if err != nil {
		return s, err
	}
	if _, done := c.t.Done[n]; why != "" {
		if c.named || done {
			s.Blocked = c.named
			s.Kept = append(s.Kept, report.Kept{What: "stage", Reason: why})
		}
		return s, nil
	}
	branches, err := c.e.BranchesOf(c.ctx, c.t, n)
	if err != nil {
		return s, err
	}
	trees, err := c.repo.FindMarked(c.ctx, c.t.BindRef(n))
	if err != nil {
		return s, err
	}
	for _, b := range branches {
		c.keep(&s, "branch", b.Short(), workspace.CommitLosses(b.Lost, "on no other branch, tag or remote"))
	}
	look := c.dryRun || s.Blocked // the worktree goes with its branch, or not at all
	for _, wt := range trees {
		if err := c.tree(&s, c.removal(n, wt), look); err != nil {
			return s, err
		}
	}
	if s.Blocked {
		return s, nil
	}
	err = c.branches(&s, branches)
	return s, err
}

// removal describes the removal of a stage's worktree.
func (c *cleaner) removal(n plan.StageNumber, wt gitops.Worktree) workspace.Removal {
	caller, err := os.Getwd()
	if err != nil {
		caller = "" // a folder that is gone is in no worktree
	}
	return workspace.Removal{
		Worktree: wt, Bind: c.t.BindRef(n), Dir: c.dir, Caller: caller,
		Ignored: c.ignored, Globs: c.repo.Config().All("okstra.cleanIgnored"), Ours: func() func(string) bool { return provided(wt) },
		Settle: func(ctx context.Context) error { return c.e.Unheld(ctx, c.t, n) },
	}
}

// provided tells which ignored paths of a worktree were brought along and are as they
// were. A record that cannot be read vouches for none.
func provided(wt gitops.Worktree) func(string) bool {
	list, err := workspace.Provided(wt)
	if err != nil {
		return nil
	}
	return func(path string) bool {
		return slices.ContainsFunc(list, func(p workspace.ProvidedPath) bool {
			top := strings.TrimSuffix(p.Path, "/")
			return p.Unchanged && (path == top || strings.HasPrefix(path, top+"/"))
		})
	}
}

// tree removes one worktree, or only looks, and says why not.
func (c *cleaner) tree(s *report.CleanedStage, rm workspace.Removal, look bool) error {
	var losses []workspace.Loss
	var err error
	if look {
		losses, err = workspace.Losses(c.ctx, c.repo, rm)
	} else {
		err = workspace.Remove(c.ctx, c.repo, rm)
	}
	var lost *workspace.LossError
	var refusal *lifecycle.Refusal
	switch {
	case errors.As(err, &lost):
		losses = lost.Losses
	case errors.As(err, &refusal):
		s.Blocked = c.named
		s.Kept = append(s.Kept, report.Kept{What: "worktree", Name: rm.Worktree.Path, Reason: refusal.Message})
		return nil
	case err != nil:
		return err
	}
	if len(losses) == 0 && !s.Blocked {
		s.Worktrees = append(s.Worktrees, rm.Worktree.Path)
	}
	c.keep(s, "worktree", rm.Worktree.Path, losses)
	return nil
}

// keep notes what stays because it would be lost.
func (c *cleaner) keep(s *report.CleanedStage, what, name string, losses []workspace.Loss) {
	for _, l := range losses {
		s.Blocked = true
		s.Kept = append(s.Kept, report.Kept{What: what, Name: name, Kind: string(l.Kind), Reason: l.String()})
	}
	*c.losses = append(*c.losses, losses...)
}

// branches deletes branches; in a dry run those that a worktree which stays has checked
// out are told as kept.
func (c *cleaner) branches(s *report.CleanedStage, list []lifecycle.StageBranch) error {
	for _, b := range list {
		kept, err := c.branch(s, b)
		if err != nil {
			return err
		}
		if kept == "" {
			s.Branches = append(s.Branches, b.Short())
			continue
		}
		s.Kept = append(s.Kept, report.Kept{What: "branch", Name: b.Short(), Reason: kept})
	}
	return nil
}

func (c *cleaner) branch(s *report.CleanedStage, b lifecycle.StageBranch) (string, error) {
	if !c.dryRun {
		return c.e.DropBranch(c.ctx, c.t, s.Stage, b)
	}
	users, err := c.repo.UsersOf(c.ctx, b.Name)
	for _, wt := range users {
		if !slices.Contains(s.Worktrees, wt.Path) {
			return "it is checked out in " + wt.Path, err
		}
	}
	return "", err
}

// hints says what to do about what would have been lost.
func (c *cleaner) hints() []string { return (&workspace.LossError{Losses: *c.losses}).Hints() }
