package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"git-okstra/gitops"
	"git-okstra/plan"
)

// landing is one attempt to land one stage.
type landing struct {
	engine   *Engine
	task     *Task
	sketch   *gitops.Sketch
	stage    plan.StageNumber
	how      LandHow
	signing  gitops.Signing
	onto     gitops.RefName
	ref, tip gitops.Hash // what the branch has; what is landed on, another one in a dry run of several stages
	head     gitops.Hash
	dryRun   bool
	virtual  bool // tip is in the sketch alone
	users    []gitops.Worktree
	moves    []Move
}

func (d *landing) land(ctx context.Context) (StageLanding, error) {
	out := StageLanding{Stage: d.stage, From: d.tip, To: d.tip, Head: d.head, How: LandedBefore}
	var err error
	if d.users, err = d.engine.Repo.UsersOf(ctx, d.onto); err != nil {
		return out, err
	}
	if err := d.mendWorktrees(ctx); err != nil {
		return out, err
	}
	there, forward, err := d.related(ctx)
	if err != nil || there {
		return out, err
	}
	if d.engine.MayLand != nil {
		if err := d.engine.MayLand(ctx, d.task, d.stage, d.head); err != nil {
			return out, err
		}
	}
	if err := d.compute(ctx, forward, &out); err != nil || len(out.Conflicts) > 0 {
		return out, err
	}
	if err := d.fitWorktrees(ctx, out.To); err != nil {
		return out, err
	}
	if len(d.moves) > 0 {
		if out.Standing, err = d.standing(ctx); err != nil {
			return out, err
		}
	}
	for _, wt := range d.users {
		out.Worktrees = append(out.Worktrees, wt.Path)
	}
	if d.dryRun {
		return out, nil
	}
	return out, d.write(ctx, out)
}

// related tells whether the stage's work is in the branch already, and whether the branch
// can simply go forward to it.
func (d *landing) related(ctx context.Context) (there, forward bool, err error) {
	repo := d.sketch.Repo
	if there, err = repo.IsAncestor(ctx, d.head, d.tip); err != nil || there {
		return there, false, err
	}
	if forward, err = repo.IsAncestor(ctx, d.tip, d.head); err != nil || forward {
		return false, forward, err
	}
	onto := plan.Printable(shortBranch(d.onto))
	if repo.Shallow() {
		return false, false, refuse(Gate, fetchRest, "cannot tell in a shallow clone how stage %d (%s) and %s belong together", d.stage, d.head.Short(), onto)
	}
	if common, err := repo.CommonBase(ctx, d.tip, d.head); err != nil || common == "" {
		if err == nil {
			err = refuse(Refused, "", "stage %d (%s) and %s have no history in common", d.stage, d.head.Short(), onto)
		}
		return false, false, err
	}
	if d.virtual {
		return false, false, nil
	}
	lacking, err := d.engine.mergedByContent(ctx, d.task, []plan.StageNumber{d.stage}, d.tip, d.dryRun)
	return err == nil && len(lacking) == 0, false, err
}

// compute makes the commit that the branch is to have, in the sketch.
func (d *landing) compute(ctx context.Context, forward bool, out *StageLanding) error {
	switch {
	case d.how == Squash:
		return d.squash(ctx, out)
	case forward:
		out.To, out.How = d.head, FastForward
		return nil
	case d.how == Rebase:
		return d.rebase(ctx, out)
	}
	return d.merge(ctx, out)
}

// standing lists the active stages that were started from the commit that is replaced.
func (d *landing) standing(ctx context.Context) ([]plan.StageNumber, error) {
	var list []plan.StageNumber
	for n := range d.task.Reserved {
		r, held, err := d.engine.Reservation(ctx, d.task, n)
		if err != nil {
			return nil, err
		}
		if held && r.Broken == "" && r.Base == d.head {
			list = append(list, n)
		}
	}
	slices.Sort(list)
	return list, nil
}

// mendWorktrees finishes what a landing that was killed left in worktrees.
func (d *landing) mendWorktrees(ctx context.Context) error {
	if d.dryRun {
		return nil
	}
	for _, wt := range d.users {
		err := d.engine.Repo.MendForward(ctx, wt, d.ref)
		if gitops.ExitCode(err) == 128 {
			return refuse(Refused, "commit, stash or undo your changes there, then run the same command again",
				"a landing that was killed left %q ahead of branch %s, and it cannot be put right: %s", wt.Path, plan.Printable(shortBranch(d.onto)), plan.Printable(err.Error()))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// fitWorktrees refuses, before anything is written, where a worktree that has the branch
// checked out cannot follow it.
func (d *landing) fitWorktrees(ctx context.Context, to gitops.Hash) error {
	branch := plan.Printable(shortBranch(d.onto))
	for _, wt := range d.users {
		if _, err := os.Stat(wt.Path); err != nil {
			return refuse(Refused, "bring it back, or let git forget it: git worktree prune", "branch %s is checked out in %q, which is not there", branch, wt.Path)
		}
		if op := wt.Operation(); op != "" {
			return refuse(Refused, "finish or abort it first", "a %s is under way in %q, where branch %s is checked out", op, wt.Path, branch)
		}
		paths, err := d.sketch.InTheWay(ctx, wt, d.ref, to)
		if err != nil {
			return err
		}
		if len(paths) > 0 {
			return refuse(Refused, "commit them, stash them or move them away, then run the same command again",
				"branch %s is checked out in %q, and local changes there are in the way:\n%s", branch, wt.Path, pathList(paths))
		}
	}
	return nil
}

// pathList writes paths one a line, within bounds.
func pathList(paths []string) string {
	const most = 20
	var lines []string
	for _, p := range paths[:min(most, len(paths))] {
		lines = append(lines, "  "+plan.Printable(p))
	}
	if more := len(paths) - most; more > 0 {
		lines = append(lines, fmt.Sprintf("  and %d more", more))
	}
	return strings.Join(lines, "\n")
}

// write carries the transaction out: branch, notes, done. With the branch alone moved,
// the stage's work is there and is found by content. Worktrees go before the refs, as with
// git merge: between the two their files are ahead of HEAD, and MendForward knows why.
func (d *landing) write(ctx context.Context, out StageLanding) error {
	e, t := d.engine, d.task
	rec, err := e.begin(ctx, fmt.Sprintf("land stage %d", d.stage))
	if err != nil {
		return err
	}
	if err := d.sketch.Take(ctx, rec.objects); err != nil {
		return err
	}
	if len(d.moves) == 0 {
		rec.tx.Verify(t.doneRef(d.stage), d.head)
	}
	if out.To != d.ref {
		rec.tx.Update(d.onto, d.ref, out.To)
	} else {
		rec.tx.Verify(d.onto, d.ref)
	}
	if _, err := e.addRewrite(ctx, rec, t, d.moves, nil); err != nil {
		return err
	}
	return e.Repo.ApplyObjectsAround(ctx, rec.objects, rec.tx, func() error {
		for _, wt := range d.users {
			if out.To == d.ref {
				break
			}
			if err := e.Repo.Forward(ctx, wt, d.ref, out.To); err != nil {
				return err
			}
		}
		return nil
	}, func(failed error) error { return d.settle(context.WithoutCancel(ctx), failed) })
}

// settle ends what was begun in worktrees: they stay with the branch's new tip, or go back
// to what it has. All of them are tried; it returns what could not be done.
func (d *landing) settle(ctx context.Context, failed error) error {
	var left error
	for _, wt := range d.users {
		if failed == nil {
			left = errors.Join(left, wt.Forwarded())
			continue
		}
		values, err := d.engine.Repo.RefValues(ctx, d.onto)
		if err == nil {
			err = d.engine.Repo.MendForward(ctx, wt, values[d.onto])
		}
		if err != nil {
			left = errors.Join(left, fmt.Errorf("worktree %q could not be put back: %w", wt.Path, err))
		}
	}
	return left
}
