package lifecycle

import (
	"context"
	"fmt"

	"git-okstra/gitops"
	"git-okstra/notes"
	"git-okstra/plan"
)

// takeOver replaces a stale reservation by the caller's: same branch, same worktree,
// its commits kept. The caller's own that is not stale is taken up again; anybody
// else's is refused.
func (e *Engine) takeOver(ctx context.Context, t *Task, st plan.Stage, req StartRequest) (Started, error) {
	r, _, err := e.Reservation(ctx, t, st.Number)
	if err != nil {
		return Started{}, err
	}
	if r.Broken != "" {
		return Started{}, taken(st.Number, r)
	}
	why, err := e.Stale(ctx, t, st.Number, r)
	if err != nil {
		return Started{}, err
	}
	if (why == "" || why == whyWorktree) && e.mine(t, st.Number, r, req.Resume) {
		return e.resume(ctx, t, st, req)
	}
	if why == "" {
		refusal := taken(st.Number, r)
		refusal.Message += "; it is not stale"
		refusal.Hints = append(refusal.Hints, fmt.Sprintf("if nobody works there any more, give it back with: git okstra stage release %d", st.Number))
		return Started{}, refusal
	}
	s, err := e.held(ctx, t, st, r, req)
	if err != nil {
		return s, err
	}
	s.Already, s.TakenOver = false, true
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
	if req.Why != "" {
		why += ": " + req.Why
	}
	if err := e.inNameOf(r).complete(ctx, t, &s, r); err != nil {
		return s, err
	}
	fresh, err := e.Reload(ctx, t)
	if err != nil {
		return s, err
	}
	if fresh.Reserved[st.Number] != r.Tag {
		return s, errMoved
	}
	s.slot.have = fresh.ports.slots[s.slot.n]
	err = e.writeTakeover(ctx, fresh, r, &s, why)
	return s, err
}

// writeTakeover carries the transaction out. The refs that belong to the new tag come
// before it: there is no moment at which it is neither kept nor marked. A reservation
// that has no row yet is completed from its tag, as after a start.
func (e *Engine) writeTakeover(ctx context.Context, t *Task, old Reservation, s *Started, why string) error {
	rec, err := e.begin(ctx, fmt.Sprintf("take stage %d over", s.Stage))
	if err != nil {
		return err
	}
	r, err := e.newReservation(s.Base, shortBranch(s.Branch), s.Worktree)
	if err != nil {
		return err
	}
	r.TookFrom, r.TookBy, r.TookWhy, r.Kept = old.Claim, old.By, why, true
	if r.TookFrom == "" {
		r.TookFrom = string(old.Tag)
	}
	if r.Tag, err = r.tag(rec.objects, t.Key, s.Stage, rec.sig); err != nil {
		return err
	}
	s.tag, s.claim = r.Tag, r.Claim
	s.took = &replaced{Reservation: old}
	s.took.Claim = r.TookFrom
	s.took.seen, _ = e.firstSeen(t, s.Stage, old.Tag)
	rec.tx.Tags = true
	rec.tx.Verify(t.Ref("plan"), t.PlanCommit)
	rec.tx.Verify(t.doneRef(s.Stage), "")
	rec.tx.Create(t.claimRef(r.Tag), r.Tag)
	e.mark(&rec.tx, t, s.Stage, r)
	rec.tx.Update(t.reservedRef(s.Stage), old.Tag, r.Tag)
	s.holdSlot(rec)
	if err := e.appendTakenOver(ctx, rec, t, s.Stage, r); err != nil {
		return err
	}
	dropMarks(&rec.tx, t, s.Stage)
	return e.commit(ctx, rec)
}

// appendTakenOver records a takeover as a row where started stands. It begins the new
// claim, so it says what a started row says.
func (e *Engine) appendTakenOver(ctx context.Context, rec *record, t *Task, n plan.StageNumber, r Reservation) error {
	row, err := e.row(t, n, notes.TakenOver)
	if err != nil {
		return err
	}
	row.Head, row.Claim, row.Branch, row.Worktree, row.Plan, row.Reason = r.Base, r.Claim, r.Branch, r.Worktree, t.PlanCommit, r.TookWhy
	return e.appendRow(ctx, rec, t, r.Base, row)
}

// held describes a stage that somebody holds, and finds its branch and worktree.
// Errors: *Refusal where the work is in another clone, or the branch is none of the
// stage's.
func (e *Engine) held(ctx context.Context, t *Task, st plan.Stage, r Reservation, req StartRequest) (Started, error) {
	s := Started{
		Key: t.Key, Stage: st.Number, Title: st.Title, Base: r.Base, Worktree: r.Worktree, Bind: t.BindRef(st.Number),
		Branch: gitops.RefName("refs/heads/" + r.Branch), Already: true, tag: r.Tag, claim: r.Claim,
	}
	if s.Worktree == "" || !gitops.ValidRefName(s.Branch) {
		return s, refuse(Environment, "give it back with: git okstra stage release "+fmt.Sprint(st.Number),
			"the reservation of stage %d names no usable branch and worktree", st.Number)
	}
	made, err := e.ownBranch(ctx, t, st.Number, r)
	if err != nil {
		return s, err
	}
	if !made {
		s.Worktree = req.Worktree(t.Key, st.Number)
	}
	if err := e.whereItIs(ctx, &s); err != nil {
		return s, err
	}
	values, err := e.Repo.RefValues(ctx, s.Branch, t.claimRef(r.Tag))
	if err != nil {
		return s, err
	}
	s.Tip, s.anchored = values[s.Branch], values[t.claimRef(r.Tag)] != ""
	if s.Tip == "" && !s.anchored && !e.madeHere(ctx, t, r) {
		return s, elsewhere(st.Number, r)
	}
	return s, nil
}
