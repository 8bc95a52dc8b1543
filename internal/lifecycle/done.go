package lifecycle

import (
	"context"
	"fmt"
	"strings"

	"git-okstra/gitops"
	"git-okstra/notes"
	"git-okstra/plan"
)

// DoneRequest says which stage is finished.
type DoneRequest struct {
	Stage      plan.StageNumber // 0: the stage whose worktree the caller stands in
	AllowEmpty bool
	ReportPath string
	Evidence   *notes.Carry // what only the worker knows; nil for none
	// Conforms is asked about the commits that are to be recorded, before they are; its
	// error is the answer. It names the surfaces that are waived, for the row. nil: nothing
	// is asked.
	Conforms func(ctx context.Context, t *Task, n plan.StageNumber, base, tip gitops.Hash) (waived string, err error)
}

// Finished is a stage that is done.
type Finished struct {
	Key     plan.TaskKey
	Stage   plan.StageNumber
	Head    gitops.Hash
	Already bool               // it was done before, at the same commit
	Ready   []plan.StageNumber // what became ready
}

// Finish records a stage as done at its branch's tip, with evidence, in one
// transaction. Errors: *Refusal with everything that is in the way.
func (e *Engine) Finish(ctx context.Context, t *Task, req DoneRequest) (Finished, error) {
	if req.Stage == 0 {
		req.Stage = t.Here
	}
	if req.Stage == 0 {
		return Finished{}, refuse(Usage, "name the stage, or run this inside its worktree", "which stage is done?")
	}
	var out Finished
	err := e.inTurn(ctx, func(again bool) (err error) {
		if again {
			if t, err = e.Reload(ctx, t); err != nil {
				return err
			}
		}
		if err := e.notice(ctx, t); err != nil {
			return e.confirm(ctx, t, err)
		}
		out, err = e.finishOnce(ctx, t, req)
		return e.confirm(ctx, t, err)
	})
	return out, err
}

func (e *Engine) finishOnce(ctx context.Context, t *Task, req DoneRequest) (Finished, error) {
	n := req.Stage
	st, ok := t.Plan.Stage(n)
	if !ok {
		return Finished{}, notInMap(t, n)
	}
	r, held, err := e.Reservation(ctx, t, n)
	if err != nil {
		return Finished{}, err
	}
	if head, done := t.Done[n]; done {
		return e.alreadyDone(ctx, t, req, head, r, held)
	}
	if !held {
		return Finished{}, refuse(Refused, fmt.Sprintf("start it with: git okstra stage start %d", n), "stage %d was not started", n)
	}
	if r.Broken != "" {
		return Finished{}, taken(n, r)
	}
	if e.lost(r) {
		return Finished{}, e.lostLease(n, r)
	}
	if !e.madeHere(ctx, t, r) { // the branch here may be that of a claim that was lost
		refusal := taken(n, r)
		refusal.Message += ", in another clone"
		refusal.Hints = []string{fmt.Sprintf("end it there; to go on with it here, take it up with: git okstra stage start %d --resume", n)}
		return Finished{}, refusal
	}
	branch, tip, err := e.workOf(ctx, t, n, r)
	if err != nil {
		return Finished{}, err
	}
	if err := e.provesWork(ctx, n, r, tip, req.AllowEmpty); err != nil {
		return Finished{}, err
	}
	waived := ""
	if req.Conforms != nil {
		if waived, err = req.Conforms(ctx, t, n, r.Base, tip); err != nil {
			return Finished{}, err
		}
	}
	if err := e.writeDone(ctx, t, st, r, branch, tip, waived, req); err != nil {
		return Finished{}, err
	}
	return e.finished(t, n, tip, false), nil
}

// finished tells what became ready.
func (e *Engine) finished(t *Task, n plan.StageNumber, head gitops.Hash, already bool) Finished {
	p := t.Progress()
	p.Done[n] = true
	return Finished{Key: t.Key, Stage: n, Head: head, Already: already, Ready: p.NewlyReady(t.Plan, n)}
}

// alreadyDone answers a repeated done: a success if it is the same commit, and
// then a reservation that a crash left over is taken away.
func (e *Engine) alreadyDone(ctx context.Context, t *Task, req DoneRequest, head gitops.Hash,
	r Reservation, held bool,
) (Finished, error) {
	n := req.Stage
	tip, err := e.tipOf(ctx, t, n, r, held)
	if err != nil {
		return Finished{}, err
	}
	if tip != "" && tip != head {
		return Finished{}, refuse(Refused, "", "stage %d is already done at another commit, %s; its branch is at %s",
			n, head.Short(), tip.Short())
	}
	if err := e.sameEvidence(ctx, t, n, head, req.Evidence); err != nil {
		return Finished{}, err
	}
	return e.finished(t, n, head, true), e.finishDone(ctx, t, n, r, held)
}

// finishDone takes away what a crash left of a done stage's reservation.
func (e *Engine) finishDone(ctx context.Context, t *Task, n plan.StageNumber, r Reservation, held bool) error {
	slots, err := e.slotsOf(ctx, t, n)
	if err != nil || !held && len(slots) == 0 && t.Reopened[n] == "" {
		return err
	}
	rec, err := e.begin(ctx, fmt.Sprintf("finish done of stage %d", n))
	if err != nil {
		return err
	}
	rec.tx.Verify(t.doneRef(n), t.Done[n])
	if held {
		rec.tx.Delete(t.reservedRef(n), r.Tag)
	}
	t.dropReopened(rec, n)
	for _, slot := range slots {
		rec.tx.Delete(slotRef(slot), t.ports.slots[slot])
	}
	dropMarks(&rec.tx, t, n)
	return e.commit(ctx, rec)
}

// tipOf finds the commit that the stage's branch stands at now, "" where there
// is no such branch.
func (e *Engine) tipOf(ctx context.Context, t *Task, n plan.StageNumber, r Reservation, held bool) (gitops.Hash, error) {
	wt, ok, err := e.stageWorktree(ctx, t, n)
	if err != nil {
		return "", err
	}
	branch, _ := branchNames(t, n)
	switch {
	case ok && wt.Branch != "":
		branch = wt.Branch
	case ok:
		return wt.Head, nil
	case held && r.Broken == "":
		branch = gitops.RefName("refs/heads/" + r.Branch)
	}
	values, err := e.Repo.RefValues(ctx, branch)
	return values[branch], err
}

// stageWorktree finds the worktree that is bound to the stage, wherever it is.
func (e *Engine) stageWorktree(ctx context.Context, t *Task, n plan.StageNumber) (gitops.Worktree, bool, error) {
	if t.Here == n && e.Repo.WorkTree() != "" {
		return e.Repo.WorktreeAt(ctx, e.Repo.WorkTree())
	}
	return e.Repo.FindBound(ctx, t.BindRef(n))
}

// workOf finds the branch and tip that hold the stage's work, and refuses what
// is not committed or still under way.
func (e *Engine) workOf(ctx context.Context, t *Task, n plan.StageNumber, r Reservation) (gitops.RefName, gitops.Hash, error) {
	branch := gitops.RefName("refs/heads/" + r.Branch)
	wt, ok, err := e.stageWorktree(ctx, t, n)
	if err != nil {
		return "", "", err
	}
	if ok {
		if branch, err = e.settled(ctx, n, wt, branch); err != nil {
			return "", "", err
		}
	}
	if !gitops.ValidRefName(branch) {
		return "", "", refuse(Environment, "", "the reservation of stage %d names no usable branch", n)
	}
	values, err := e.Repo.RefValues(ctx, branch)
	if err != nil {
		return "", "", err
	}
	tip := values[branch]
	if tip == "" {
		return "", "", refuse(Refused, fmt.Sprintf("take it up again with: git okstra stage start %d --resume", n),
			"stage %d has no branch %s", n, plan.Printable(shortBranch(branch)))
	}
	return branch, tip, nil
}

// settled checks that a stage's worktree has nothing uncommitted and stands on a
// branch.
func (e *Engine) settled(ctx context.Context, n plan.StageNumber, wt gitops.Worktree, reserved gitops.RefName) (gitops.RefName, error) {
	if op := wt.Operation(); op != "" {
		return "", refuse(Refused, "finish or abort it first", "a %s is under way in the worktree of stage %d", op, n)
	}
	if wt.Branch == "" {
		return "", refuse(Refused, "switch to the stage's branch, with the work on it", "the worktree of stage %d is on no branch (detached HEAD)", n)
	}
	if err := e.sameBranch(ctx, n, wt, reserved); err != nil {
		return "", err
	}
	dirty, err := e.Repo.Status(ctx, wt.Path)
	if err != nil {
		return "", err
	}
	if len(dirty) == 0 {
		return wt.Branch, nil
	}
	const most = 10
	shown := dirty[:min(most, len(dirty))]
	r := refuse(Refused, "commit or remove them: done means committed", "the worktree of stage %d has uncommitted changes:\n", n)
	for _, line := range shown {
		r.Message += "  " + plan.Printable(line) + "\n"
	}
	if len(dirty) > most {
		r.Message += fmt.Sprintf("  and %d more\n", len(dirty)-most)
	}
	r.Message = strings.TrimSuffix(r.Message, "\n")
	return "", r
}

// sameBranch refuses a worktree that has another branch checked out than the
// stage's. A renamed branch is the stage's: then the old name is gone.
func (e *Engine) sameBranch(ctx context.Context, n plan.StageNumber, wt gitops.Worktree, reserved gitops.RefName) error {
	if wt.Branch == reserved {
		return nil
	}
	values, err := e.Repo.RefValues(ctx, reserved)
	if err != nil {
		return err
	}
	if values[reserved] == "" {
		return nil
	}
	return refuse(Refused, "switch to "+plan.Printable(shortBranch(reserved))+", with the work on it",
		"the worktree of stage %d has branch %s checked out, and the stage's is %s",
		n, plan.Printable(shortBranch(wt.Branch)), plan.Printable(shortBranch(reserved)))
}

// provesWork refuses a tip that adds nothing to the base or does not stand on it.
func (e *Engine) provesWork(ctx context.Context, n plan.StageNumber, r Reservation, tip gitops.Hash, allowEmpty bool) error {
	if tip == r.Base {
		if allowEmpty {
			return nil
		}
		return refuse(Refused, "commit the work, or say --allow-empty if there is none", "stage %d has no commit since its base %s", n, r.Base.Short())
	}
	on, err := e.Repo.IsAncestor(ctx, r.Base, tip)
	if err != nil {
		return err
	}
	switch {
	case on:
		return nil
	case e.Repo.Shallow():
		return refuse(Gate, fetchRest,
			"cannot tell in a shallow clone whether stage %d stands on its base %s", n, r.Base.Short())
	}
	return refuse(Refused, fmt.Sprintf("rebase the branch onto %s", r.Base.Short()),
		"stage %d does not stand on its base %s: its branch is at %s", n, r.Base.Short(), tip.Short())
}

// writeDone carries out the done transaction, in the order of storage.md §4.
func (e *Engine) writeDone(ctx context.Context, t *Task, st plan.Stage, r Reservation,
	branch gitops.RefName, tip gitops.Hash, waived string, req DoneRequest,
) error {
	rec, err := e.begin(ctx, fmt.Sprintf("stage %d done", st.Number))
	if err != nil {
		return err
	}
	row, err := e.row(t, st.Number, notes.Done)
	if err != nil {
		return err
	}
	row.Head, row.Claim, row.Plan, row.ReportPath = tip, r.Claim, t.PlanCommit, req.ReportPath
	row.Surface = waived
	if row.Carry, err = e.carry(ctx, t, st, r.Base, tip, row.At); err != nil {
		return err
	}
	if err := e.addEvidence(ctx, row.Carry, req.Evidence); err != nil {
		return err
	}
	rec.tx.Verify(branch, tip)
	if err := e.appendRow(ctx, rec, t, tip, row); err != nil {
		return err
	}
	rec.tx.Create(t.doneRef(st.Number), tip)
	rec.tx.Delete(t.reservedRef(st.Number), r.Tag)
	t.dropReopened(rec, st.Number)
	t.dropSlot(rec, r.Tag)
	dropMarks(&rec.tx, t, st.Number)
	return e.commit(ctx, rec)
}

// carry fills in the evidence that git knows.
func (e *Engine) carry(ctx context.Context, t *Task, st plan.Stage, base, head gitops.Hash, at string) (*notes.Carry, error) {
	files, err := e.Repo.ChangedPaths(ctx, base, head)
	if err != nil {
		return nil, err
	}
	if files == nil {
		files = []string{}
	}
	return &notes.Carry{
		SchemaVersion: 1, SourcePlanPath: t.Meta.Path, StageNumber: st.Number, StageTitle: st.Title, CompletedAt: at,
		StageCommitRange: notes.CommitRange{Base: base, Head: head}, FilesChanged: files,
		NewIdentifiers: []string{}, StepResults: []notes.StepResult{}, ValidationsPassed: []string{}, Notes: []string{},
	}, nil
}
