package lifecycle

import (
	"context"
	"fmt"

	"git-okstra/notes"
	"git-okstra/plan"
)

// resume takes up a reservation that is the caller's own, or refuses with the
// holder's name. A reservation whose branch or row is missing (a crash between
// two refs) is completed from its tag.
func (e *Engine) resume(ctx context.Context, t *Task, st plan.Stage, req StartRequest) (Started, error) {
	r, held, err := e.Reservation(ctx, t, st.Number)
	if err != nil {
		return Started{}, err
	}
	if !held || r.Broken != "" || !e.mine(t, st.Number, r, req.Resume) || e.strayed(ctx, t, r, req.Resume) {
		refusal, err := e.takenBy(ctx, t, st.Number, r)
		if err != nil {
			return Started{}, err
		}
		return Started{}, refusal
	}
	s, err := e.held(ctx, t, st, r, req)
	if err != nil {
		return s, err
	}
	if err := e.chooseSlot(ctx, t, &s); err != nil {
		return s, err
	}
	if req.Preflight != nil && s.Tip != "" {
		if err := req.Preflight(ctx, s); err != nil {
			return s, err
		}
	}
	if req.DryRun {
		return s, nil
	}
	err = e.inNameOf(r).complete(ctx, t, &s, r)
	return s, err
}

// inNameOf is the engine for what a reservation's holder has begun: a row that a crash
// left out says who began it, whoever writes it now.
func (e *Engine) inNameOf(r Reservation) *Engine {
	holder := *e
	holder.Caller = Caller{Actor: r.By, Host: r.Host, Run: r.Run}
	return &holder
}

// whereItIs looks for the stage's worktree, which may have been moved and its
// branch renamed since.
func (e *Engine) whereItIs(ctx context.Context, s *Started) error {
	wt, ok, err := e.Repo.FindBound(ctx, s.Bind)
	if err != nil || !ok {
		return err
	}
	s.Path = wt.Path
	if wt.Branch == "" {
		return refuse(Refused, "switch it to the stage's branch "+plan.Printable(shortBranch(s.Branch)),
			"the worktree of stage %d, %q, is on no branch (detached HEAD)", s.Stage, wt.Path)
	}
	values, err := e.Repo.RefValues(ctx, s.Branch)
	if err != nil {
		return err
	}
	if wt.Branch != s.Branch && values[s.Branch] != "" {
		return refuse(Refused, "switch it to the stage's branch "+plan.Printable(shortBranch(s.Branch)),
			"the worktree of stage %d, %q, has branch %s checked out", s.Stage, wt.Path, plan.Printable(shortBranch(wt.Branch)))
	}
	s.Branch = wt.Branch
	return nil
}

// mine reports whether a reservation is the caller's: the same run id, a call
// from inside the stage's worktree, or, where it was asked for, the same actor
// on the same host. The git identity alone proves nothing: agents share it.
func (e *Engine) mine(t *Task, n plan.StageNumber, r Reservation, resume bool) bool {
	switch {
	case e.lost(r):
		return false
	case e.Caller.Run != "" && e.Caller.Run == r.Run:
		return true
	case t.Here == n:
		return true
	}
	return resume && e.Caller.Actor != "" && e.Caller.Actor == r.By && e.Caller.Host == r.Host
}

// strayed reports whether only the folder speaks for the caller, and the reservation is
// another clone's: then the folder is that of a claim which was lost to it.
func (e *Engine) strayed(ctx context.Context, t *Task, r Reservation, resume bool) bool {
	sameRun := e.Caller.Run != "" && e.Caller.Run == r.Run
	samePerson := resume && e.Caller.Actor == r.By && e.Caller.Host == r.Host
	return !sameRun && !samePerson && !e.madeHere(ctx, t, r)
}

// complete writes what a crash left out: the ref that keeps the tag, the port slot, the
// anchor, the branch, the row.
func (e *Engine) complete(ctx context.Context, t *Task, s *Started, r Reservation) error {
	rec, err := e.begin(ctx, fmt.Sprintf("complete start of stage %d", s.Stage))
	if err != nil {
		return err
	}
	rec.tx.Verify(t.reservedRef(s.Stage), r.Tag)
	whole := len(rec.tx.Changes)
	if !s.anchored {
		rec.tx.Tags = true
		rec.tx.Create(t.claimRef(r.Tag), r.Tag)
	}
	if s.PortBase != 0 {
		s.holdSlot(rec)
	}
	// another stage branches from its predecessors, so its base says nothing of the task's
	if st, ok := t.Plan.Stage(s.Stage); t.Base == "" && ok && len(st.DependsOn) == 0 {
		rec.tx.Create(t.Ref("base"), r.Base)
	}
	if s.Tip == "" {
		s.Tip = r.Base
		rec.tx.Create(s.Branch, s.Tip)
	}
	if err := e.healRow(ctx, rec, t, s.Stage, r); err != nil {
		return err
	}
	if len(rec.tx.Changes) == whole {
		return nil
	}
	return e.commit(ctx, rec)
}

// healRow records the reservation's row if the note on its base lacks it, or if a
// release of it was cut short after its row: the stage is held, so the log says so.
func (e *Engine) healRow(ctx context.Context, rec *record, t *Task, n plan.StageNumber, r Reservation) error {
	note, err := e.Repo.NoteGet(ctx, t.NotesTip, r.Base)
	if err != nil {
		return err
	}
	held, ended := false, false
	for _, l := range notes.Sort(notes.ParseNote(r.Base, note)) {
		if l.Row.Claim != r.Claim {
			continue
		}
		switch l.Row.Status {
		case notes.Started, notes.TakenOver:
			held = true
		case notes.Released:
			held, ended = false, true
		default:
		}
	}
	switch {
	case held:
		return nil
	case r.TookFrom != "" && !ended:
		return e.appendTakenOver(ctx, rec, t, n, r)
	}
	return e.appendStarted(ctx, rec, t, n, r)
}
