package lifecycle

import (
	"context"
	"fmt"
	"strings"

	"git-okstra/gitops"
	"git-okstra/notes"
	"git-okstra/plan"
	"git-okstra/plan/stage"
)

// StartRequest says what to reserve.
type StartRequest struct {
	Stage    plan.StageNumber // 0: the next ready one
	Resume   bool             // take up the own reservation of the same actor and host
	Onto     string           // integration branch instead of the plan's, short name
	DryRun   bool
	Takeover bool   // replace a stale reservation by the caller's
	Why      string // recorded with a takeover
	// Fits is asked about the next ready stage where none is named; nil: any does.
	Fits func(plan.Stage) bool
	// Worktree names the stage's worktree below the root.
	Worktree func(plan.TaskKey, plan.StageNumber) string
	// Preflight is asked before anything is written whether the worktree can be
	// made.
	Preflight func(ctx context.Context, s Started) error
}

// Started is a stage that is now, or would be, the caller's.
type Started struct {
	Key           plan.TaskKey
	Stage         plan.StageNumber
	Title         string
	Base          gitops.Hash
	Branch        gitops.RefName
	Tip           gitops.Hash // the branch's tip: the base, or the commits it kept
	Worktree      string      // below the root, slashes
	Path          string      // absolute, where the worktree stands already; "" where it does not
	Bind          gitops.RefName
	Already       bool // it was the caller's before
	TakenOver     bool // it was somebody's whose reservation was stale
	BranchCreated bool
	PortBase      int // the first port that is the stage's own in this clone; 0 for none
	slot          portSlot
	took          *replaced // what a takeover replaced
	tag           gitops.Hash
	anchored      bool // the ref that keeps the tag is there
	claim         string
}

// Reservation is the tag object of the stage's reservation.
func (s *Started) Reservation() gitops.Hash { return s.tag }

// Start reserves a stage for the caller: reservation, anchor, branch and row in
// one transaction. Errors: *Refusal, in the order of lifecycle.md §1; ErrNoFit;
// otherwise git's.
func (e *Engine) Start(ctx context.Context, t *Task, req StartRequest) (Started, error) {
	var out Started
	err := e.inTurn(ctx, func(again bool) (err error) {
		if again {
			if t, err = e.Reload(ctx, t); err != nil {
				return err
			}
		}
		if !req.DryRun {
			if err := e.notice(ctx, t); err != nil {
				return e.confirm(ctx, t, err)
			}
		}
		out, err = e.startOnce(ctx, t, req)
		return e.confirm(ctx, t, err)
	})
	return out, err
}

func (e *Engine) startOnce(ctx context.Context, t *Task, req StartRequest) (Started, error) {
	n := req.Stage
	if n == 0 {
		next, ok := t.Progress().Next(t.Plan)
		if !ok {
			return Started{}, e.nothingReady(ctx, t)
		}
		n = next
	}
	st, ok := t.Plan.Stage(n)
	if !ok {
		return Started{}, notInMap(t, n)
	}
	if req.Stage == 0 && req.Fits != nil && !req.Fits(st) {
		return Started{}, ErrNoFit
	}
	if _, done := t.Done[n]; done {
		return Started{}, alreadyDone(t, []plan.StageNumber{n})
	}
	switch _, held := t.Reserved[n]; {
	case held && req.Takeover:
		return e.takeOver(ctx, t, st, req)
	case held:
		return e.resume(ctx, t, st, req)
	}
	if len(t.Progress().WaitingFor(st)) > 0 {
		return Started{}, waiting(t, []plan.StageNumber{n})
	}
	return e.reserve(ctx, t, st, req)
}

// WhyNone says why no stage can be started, where none is ready: a *Refusal, or git's
// error.
func (e *Engine) WhyNone(ctx context.Context, t *Task) error { return e.nothingReady(ctx, t) }

// nothingReady says why no stage can be started.
func (e *Engine) nothingReady(ctx context.Context, t *Task) error {
	why := t.Progress().Why(t.Plan)
	if why.AllDone() {
		return refuse(AllDone, "", "all %d stages are done", why.Total)
	}
	r := notReady(why)
	if err := e.addStale(ctx, t, why.Active, r); err != nil {
		return err
	}
	return r
}

func notReady(why stage.Nothing) *Refusal {
	if len(why.Blocked) == 0 {
		return refuse(NothingReady, "see who holds them with: git okstra stage list",
			"nothing is ready: in progress: %s", Numbers(why.Active))
	}
	var chain []string
	for _, b := range why.Blocked[:min(mostNamed, len(why.Blocked))] {
		chain = append(chain, fmt.Sprintf("%d waits for %s", b.Stage, Numbers(b.WaitingFor)))
	}
	if more := len(why.Blocked) - mostNamed; more > 0 {
		chain = append(chain, fmt.Sprintf("and %d more", more))
	}
	r := refuse(NothingReady, "see who holds what with: git okstra stage list",
		"nothing is ready: stage %s", strings.Join(chain, "; "))
	if len(why.Active) > 0 {
		r.Message += "; in progress: " + Numbers(why.Active)
	}
	return r
}

// Numbers writes stage numbers as people list them.
func Numbers(list []plan.StageNumber) string {
	words := make([]string, len(list))
	for i, n := range list {
		words[i] = fmt.Sprint(n)
	}
	return strings.Join(words, ", ")
}

// reserve takes a free stage.
func (e *Engine) reserve(ctx context.Context, t *Task, st plan.Stage, req StartRequest) (Started, error) {
	s := Started{Key: t.Key, Stage: st.Number, Title: st.Title, Bind: t.BindRef(st.Number), Worktree: req.Worktree(t.Key, st.Number)}
	heads, err := e.heads(ctx, t, st, req)
	if err != nil {
		return s, err
	}
	if s.Base, err = e.base(ctx, t, st, heads, req.DryRun); err != nil {
		return s, err
	}
	if err := e.chooseBranch(ctx, t, heads, &s); err != nil {
		return s, err
	}
	if err := e.chooseSlot(ctx, t, &s); err != nil {
		return s, err
	}
	if req.Preflight != nil {
		if err := req.Preflight(ctx, s); err != nil {
			return s, err
		}
	}
	if req.DryRun {
		return s, nil
	}
	err = e.writeStart(ctx, t, st, heads, &s)
	return s, err
}

// writeStart carries out the start transaction. The order is that of storage.md
// §4: every prefix of it is a state that the next command can finish.
func (e *Engine) writeStart(ctx context.Context, t *Task, st plan.Stage, heads headRefs, s *Started) error {
	rec, err := e.begin(ctx, fmt.Sprintf("start stage %d", s.Stage))
	if err != nil {
		return err
	}
	r, err := e.newReservation(s.Base, shortBranch(s.Branch), s.Worktree)
	if err != nil {
		return err
	}
	r.Kept = !s.BranchCreated
	rec.tx.Tags = true
	s.claim = r.Claim
	if s.tag, err = r.tag(rec.objects, t.Key, s.Stage, rec.sig); err != nil {
		return err
	}
	rec.tx.Verify(t.Ref("plan"), t.PlanCommit)
	rec.tx.Verify(t.doneRef(s.Stage), "")
	if before := t.Reopened[s.Stage]; before != "" {
		rec.tx.Verify(t.reopenedRef(s.Stage), before)
	}
	for _, d := range st.DependsOn {
		rec.tx.Verify(t.doneRef(d), t.Done[d])
	}
	rec.tx.Create(t.reservedRef(s.Stage), s.tag)
	rec.tx.Create(t.claimRef(s.tag), s.tag)
	s.holdSlot(rec)
	r.Tag = s.tag
	e.mark(&rec.tx, t, s.Stage, r)
	if t.Base == "" {
		rec.tx.Create(t.Ref("base"), heads.anchor)
	}
	if s.BranchCreated {
		rec.tx.Create(s.Branch, s.Tip)
	} else {
		rec.tx.Verify(s.Branch, s.Tip)
	}
	if err := e.appendStarted(ctx, rec, t, s.Stage, r); err != nil {
		return err
	}
	return e.commit(ctx, rec)
}

// appendStarted records a reservation as a row on its base.
func (e *Engine) appendStarted(ctx context.Context, rec *record, t *Task, n plan.StageNumber, r Reservation) error {
	row, err := e.row(t, n, notes.Started)
	if err != nil {
		return err
	}
	row.Head, row.Claim, row.Branch, row.Worktree, row.Plan = r.Base, r.Claim, r.Branch, r.Worktree, t.PlanCommit
	return e.appendRow(ctx, rec, t, r.Base, row)
}

// Undo gives back a stage that was reserved a moment ago, because its worktree
// could not be made or others were faster at the remote: the reservation goes, and
// with it the branch that was made for it; the rows say so.
func (e *Engine) Undo(ctx context.Context, t *Task, s Started, why string) error {
	return e.inTurn(ctx, func(bool) error {
		fresh, err := e.Reload(ctx, t)
		if err != nil {
			return err
		}
		r, held, err := e.Reservation(ctx, fresh, s.Stage)
		if err != nil {
			return err
		}
		if !held || r.Tag != s.tag {
			return e.dropBranch(ctx, fresh, s, r, held)
		}
		if s.took != nil {
			return e.undoTakeover(ctx, fresh, s, why)
		}
		return e.writeRelease(ctx, fresh, s.Stage, r, why, s.BranchCreated)
	})
}

// dropBranch removes the branch that was made for a reservation which is gone already,
// unless another start of this clone has it by now.
func (e *Engine) dropBranch(ctx context.Context, t *Task, s Started, r Reservation, held bool) error {
	if !s.BranchCreated || held && e.madeHere(ctx, t, r) {
		return nil
	}
	free, err := e.untouched(ctx, s.Branch, s.Base)
	if err != nil || !free {
		return err
	}
	tx := gitops.Transaction{Reason: fmt.Sprintf("okstra: undo start of stage %d", s.Stage)}
	tx.Delete(s.Branch, s.Base)
	return e.Repo.Apply(ctx, tx)
}
