package lifecycle

import (
	"context"

	"git-okstra/gitops"
	"git-okstra/notes"
	"git-okstra/plan"
)

// CompleteStart writes what a crash left out of a stage's start: the port slot, the
// anchor, the branch, the row, all from the reservation's tag, and in its holder's name. A whole
// start is left as it is. Errors: *Refusal where nobody holds the stage or the tag says
// too little.
func (e *Engine) CompleteStart(ctx context.Context, t *Task, n plan.StageNumber) error {
	first := true
	return retry(ctx, func() (err error) {
		if !first {
			if t, err = e.Reload(ctx, t); err != nil {
				return err
			}
		}
		first = false
		return e.completeOnce(ctx, t, n)
	})
}

func (e *Engine) completeOnce(ctx context.Context, t *Task, n plan.StageNumber) error {
	r, held, err := e.Reservation(ctx, t, n)
	if err != nil {
		return err
	}
	branch := gitops.RefName("refs/heads/" + r.Branch)
	switch _, done := t.Done[n]; {
	case !held || done:
		return refuse(Refused, "", "nobody holds stage %d", n)
	case r.Broken != "":
		return taken(n, r)
	case r.Claim == "" || !gitops.ValidRefName(branch):
		return refuse(Environment, "", "the reservation of stage %d names no usable branch and claim", n)
	}
	if _, err := e.ownBranch(ctx, t, n, r); err != nil {
		return err
	}
	s := Started{Key: t.Key, Stage: n, Base: r.Base, Bind: t.BindRef(n), Branch: branch, tag: r.Tag}
	if err := e.whereItIs(ctx, &s); err != nil {
		return err
	}
	values, err := e.Repo.RefValues(ctx, s.Branch, t.claimRef(r.Tag))
	if err != nil {
		return err
	}
	s.Tip, s.anchored = values[s.Branch], values[t.claimRef(r.Tag)] != ""
	if !s.anchored && !e.madeHere(ctx, t, r) {
		s.anchored = true // the ref that keeps its tag is in the clone where it was made
		if s.Tip == "" {
			s.Tip = r.Base // and so is its branch
		}
	} else if err := e.chooseSlot(ctx, t, &s); err != nil {
		return err
	}
	return e.inNameOf(r).complete(ctx, t, &s, r)
}

// madeHere reports whether a reservation was made in this clone: it is among the claims
// made here, its tag names this clone, or its start did not come far enough for that and it
// was on this host.
func (e *Engine) madeHere(ctx context.Context, t *Task, r Reservation) bool {
	if r.Clone != "" && r.Clone == e.clone() && r.Host == e.Caller.Host {
		return true
	}
	claim := t.claimRef(r.Tag)
	values, err := e.Repo.RefValues(ctx, claim)
	if err != nil || values[claim] != "" {
		return err == nil
	}
	note, err := e.Repo.NoteGet(ctx, t.NotesTip, r.Base)
	if err != nil {
		return false
	}
	for _, l := range notes.ParseNote(r.Base, note) {
		if (l.Row.Status == notes.Started || l.Row.Status == notes.TakenOver) && l.Row.Claim == r.Claim {
			return false
		}
	}
	return r.Host == e.Caller.Host
}
