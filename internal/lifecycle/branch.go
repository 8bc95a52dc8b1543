package lifecycle

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"git-okstra/gitops"
	"git-okstra/notes"
	"git-okstra/plan"
)

// chooseBranch decides the stage's branch: a new one, or its own kept one with
// its commits. A branch that is not the stage's own is never touched.
func (e *Engine) chooseBranch(ctx context.Context, t *Task, h headRefs, s *Started) error {
	if h.underShort {
		return refuse(Refused, "rename or delete the branches below it",
			"branch %s cannot be made: branches stand below that name", plan.Printable(shortBranch(h.short)))
	}
	s.Branch = h.short
	tip, exists := h.values[s.Branch]
	own := false
	if exists {
		var err error
		if own, err = e.owns(ctx, t, s); err != nil {
			return err
		}
		if !own && e.othersMayHold(t) {
			s.Branch = h.long
			if tip, exists = h.values[s.Branch]; exists {
				if own, err = e.owns(ctx, t, s); err != nil {
					return err
				}
			}
		}
	}
	if !exists {
		s.Tip, s.BranchCreated = s.Base, true
		return nil
	}
	if !own {
		where, err := e.usedBy(ctx, s.Branch)
		if err != nil {
			return err
		}
		if where != "" {
			where = "; " + where
		}
		return refuse(Refused, "rename it (git branch -m), then run the same command again",
			"branch %s exists already (%s) and is not this stage's%s", plan.Printable(shortBranch(s.Branch)), tip.Short(), where)
	}
	s.Tip = tip
	if err := e.notCheckedOut(ctx, s); err != nil {
		return err
	}
	return e.keptFits(ctx, s)
}

// owns reports whether the branch was made for this stage: the log says so, or a
// reservation made in this clone. A log that cannot be read is an error, not a no.
func (e *Engine) owns(ctx context.Context, t *Task, s *Started) (bool, error) {
	lines, err := notes.Read(ctx, e.Repo, t.NotesTip)
	if err != nil {
		return false, fmt.Errorf("%s: %w", notes.Ref(t.Key), err)
	}
	for _, l := range lines {
		if (l.Row.Status == notes.Started || l.Row.Status == notes.TakenOver) && l.Row.Stage == s.Stage && l.Row.Branch == shortBranch(s.Branch) {
			return true, nil
		}
	}
	return e.claimed(ctx, t, s)
}

// ownBranch refuses a reservation that names a branch which cannot be the stage's. One
// that was made in this clone (made) knows; of any other only the ref is to be believed,
// for whoever may write to a remote can make its tag say anything.
func (e *Engine) ownBranch(ctx context.Context, t *Task, n plan.StageNumber, r Reservation) (made bool, err error) {
	values, err := e.Repo.RefValues(ctx, t.claimRef(r.Tag))
	if err != nil {
		return false, err
	}
	made = values[t.claimRef(r.Tag)] != ""
	if branch := gitops.RefName("refs/heads/" + r.Branch); !made && !couldBeNamed(t, n, branch) {
		return false, refuse(Environment, fmt.Sprintf("give it back with: git okstra stage release %d", n),
			"the reservation of stage %d names branch %s, which is none of its own", n, plan.Printable(r.Branch))
	}
	return made, nil
}

// claimed looks through the tags of the reservations made in this clone.
func (e *Engine) claimed(ctx context.Context, t *Task, s *Started) (bool, error) {
	refs, err := e.Repo.Refs(ctx, claimPrefix+t.Key.Ref())
	if err != nil {
		return false, err
	}
	for _, ref := range refs {
		tag, err := e.Repo.ReadTag(ctx, ref.Hash)
		if err != nil || tag.Name != tagName(t.Key, s.Stage) {
			continue // a damaged or another stage's tag proves nothing
		}
		for _, tr := range gitops.Trailers(tag.Message) {
			if tr.Key == tagBranch && tr.Value == shortBranch(s.Branch) {
				return true, nil
			}
		}
	}
	return false, nil
}

// othersMayHold reports whether another task of this repository has the same
// last segment, so that its branches have the same short names.
func (e *Engine) othersMayHold(t *Task) bool {
	own := lastSegment(t.Key.Ref())
	for _, key := range t.siblings {
		if lastSegment(key) == own {
			return true
		}
	}
	return false
}

func lastSegment(key string) string {
	for i := len(key) - 1; i >= 0; i-- {
		if key[i] == '/' {
			return key[i+1:]
		}
	}
	return key
}

// notCheckedOut refuses a branch that some other worktree has checked out. One at the
// stage's own place is not another: if it has no mark it was never finished, or its
// removal was cut short, and what makes the worktree judges it.
func (e *Engine) notCheckedOut(ctx context.Context, s *Started) error {
	all, err := e.Repo.Worktrees(ctx)
	if err != nil {
		return err
	}
	for _, wt := range all {
		if wt.Branch != s.Branch || strings.HasSuffix(filepath.ToSlash(wt.Path), "/"+s.Worktree) {
			continue
		}
		bound, err := e.Repo.BoundRefs(ctx, wt, string(s.Bind))
		if err != nil {
			return err
		}
		if len(bound) == 0 {
			return refuse(Refused, "switch that worktree to another branch, then run the same command again",
				"branch %s is checked out in %q", plan.Printable(shortBranch(s.Branch)), wt.Path)
		}
	}
	return nil
}

// keptFits refuses to take up a kept branch that does not stand on the base.
func (e *Engine) keptFits(ctx context.Context, s *Started) error {
	if s.Tip == s.Base {
		return nil
	}
	on, err := e.Repo.IsAncestor(ctx, s.Base, s.Tip)
	if err != nil {
		return err
	}
	switch {
	case on:
		return nil
	case e.Repo.Shallow():
		return refuse(Gate, fetchRest, "cannot tell in a shallow clone whether branch %s stands on the stage's base %s",
			plan.Printable(shortBranch(s.Branch)), s.Base.Short())
	}
	return refuse(Gate, fmt.Sprintf("rebase it onto %s, or rename it, then run the same command again", s.Base.Short()),
		"branch %s was kept from an earlier start and does not stand on the stage's base %s",
		plan.Printable(shortBranch(s.Branch)), s.Base.Short())
}
