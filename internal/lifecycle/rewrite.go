package lifecycle

import (
	"context"
	"slices"

	"git-okstra/gitops"
	"git-okstra/notes"
	"git-okstra/plan"
)

// Rewrite is a commit and the one that took its place in a rewritten history.
type Rewrite struct{ Old, New gitops.Hash }

// Move is a done stage whose work stands at another commit now.
type Move struct {
	Stage    plan.StageNumber
	From, To gitops.Hash
	Reason   string      // how that is known, for the row
	Base     gitops.Hash // what the stage's commits stand on now; "" where they are not in one piece
	Commits  []Rewrite   // its commits, for the rows that stand on them
	Changed  bool        // its content may not be the same: the evidence's files are read anew
}

// Rewritten is what a rewrite came to.
type Rewritten struct {
	Moved   []Move // the done refs that it moved
	Carried int    // rows that were copied
}

// Rewrite moves done stages to the commits that took the place of theirs, and copies
// the rows of rewritten commits, as they are, to the new ones; all in one transaction.
// What stands already stays, so the same call twice is one. Errors: *Refusal where a
// stage is not done at the commit that is to be replaced.
func (e *Engine) Rewrite(ctx context.Context, t *Task, moves []Move, commits []Rewrite) (Rewritten, error) {
	var out Rewritten
	err := e.inTurn(ctx, func(again bool) (err error) {
		if again {
			if t, err = e.Reload(ctx, t); err != nil {
				return err
			}
		}
		out, err = e.rewriteOnce(ctx, t, moves, commits)
		return e.confirm(ctx, t, err)
	})
	return out, err
}

// rewriteOnce carries the transaction out.
func (e *Engine) rewriteOnce(ctx context.Context, t *Task, moves []Move, commits []Rewrite) (Rewritten, error) {
	rec, err := e.begin(ctx, "reconcile rewritten history")
	if err != nil {
		return Rewritten{}, err
	}
	out, err := e.addRewrite(ctx, rec, t, moves, commits)
	if err != nil || len(rec.tx.Changes) == 0 {
		return out, err
	}
	if err := e.commit(ctx, rec); err != nil {
		return Rewritten{}, err
	}
	return out, nil
}

// addRewrite adds moves to a transaction. Their order is notes, done: a row that the ref
// does not follow yet is found again by the next call.
func (e *Engine) addRewrite(ctx context.Context, rec *record, t *Task, moves []Move, commits []Rewrite) (Rewritten, error) {
	var out Rewritten
	var stages []plan.StageNumber
	for _, m := range moves {
		switch have := t.Done[m.Stage]; have {
		case m.To:
		case m.From:
			out.Moved, stages = append(out.Moved, m), append(stages, m.Stage)
		case "":
			return Rewritten{}, refuse(Refused, "", "stage %d is not done", m.Stage)
		default:
			return Rewritten{}, refuse(Refused, "", "stage %d is done at %s, not at %s", m.Stage, have.Short(), m.From.Short())
		}
		commits = append(slices.Clip(commits), m.Commits...)
	}
	entries, err := e.copies(ctx, t, commits)
	if err != nil {
		return Rewritten{}, err
	}
	out.Carried = len(entries)
	var lines []notes.Line
	if len(stages) > 0 {
		if lines, err = notes.ReadStages(ctx, e.Repo, t.NotesTip, stages); err != nil {
			return Rewritten{}, err
		}
	}
	for _, m := range out.Moved {
		row, stands, err := e.movedRow(ctx, t, m, lines, commits)
		if err != nil {
			return Rewritten{}, err
		}
		if !stands {
			entries = append(entries, notes.Entry{Target: m.To, Row: row})
		}
	}
	if err := e.writeRewrite(ctx, rec, t, out.Moved, entries); err != nil {
		return Rewritten{}, err
	}
	return out, nil
}

func (e *Engine) writeRewrite(ctx context.Context, rec *record, t *Task, moved []Move, entries []notes.Entry) error {
	if len(entries) > 0 {
		tip, err := notes.AppendAll(ctx, e.Repo, rec.objects, t.NotesTip, rec.sig, entries)
		if err != nil {
			return err
		}
		rec.tx.Update(notes.Ref(t.Key), t.NotesTip, tip)
	} else if len(moved) > 0 {
		rec.tx.Verify(notes.Ref(t.Key), t.NotesTip)
	}
	for _, m := range moved {
		rec.tx.Update(t.doneRef(m.Stage), m.From, m.To)
	}
	return nil
}

// copies lists the rows of rewritten commits that do not stand on the new ones yet.
func (e *Engine) copies(ctx context.Context, t *Task, commits []Rewrite) ([]notes.Entry, error) {
	on := map[gitops.Hash]map[string]bool{} // ids, by commit
	var out []notes.Entry
	for _, c := range commits {
		old, err := e.Repo.NoteGet(ctx, t.NotesTip, c.Old)
		if err != nil {
			return nil, err
		}
		if len(old) == 0 || c.Old == c.New {
			continue
		}
		if on[c.New] == nil {
			there, err := e.Repo.NoteGet(ctx, t.NotesTip, c.New)
			if err != nil {
				return nil, err
			}
			on[c.New] = map[string]bool{}
			for _, l := range notes.ParseNote(c.New, there) {
				on[c.New][l.Row.ID] = true
			}
		}
		for _, l := range notes.ParseNote(c.Old, old) {
			if !l.Foreign && !on[c.New][l.Row.ID] {
				on[c.New][l.Row.ID] = true
				out = append(out, notes.Entry{Target: c.New, Row: l.Row, Raw: l.Raw})
			}
		}
	}
	return out, nil
}

// movedRow is the done row that replaces a stage's last one, with its evidence; stands
// says that the log has it already, from a transaction that was killed half way.
func (e *Engine) movedRow(ctx context.Context, t *Task, m Move, lines []notes.Line, commits []Rewrite) (row notes.Row, stands bool, err error) {
	old := lastDone(lines, m.Stage, m.From)
	if last := lastDone(lines, m.Stage, ""); last != nil && last.Head == m.To && last.Replaces == m.From {
		return notes.Row{}, true, nil
	}
	if row, err = e.row(t, m.Stage, notes.Done); err != nil {
		return notes.Row{}, false, err
	}
	row.Head, row.Plan, row.Replaces, row.Reason = m.To, t.PlanCommit, m.From, m.Reason
	if old == nil {
		return row, false, nil
	}
	row.Claim, row.ReportPath = old.Claim, old.ReportPath
	if old.Plan != "" {
		row.Plan = old.Plan
	}
	if old.Carry != nil {
		row.Carry, err = e.movedCarry(ctx, *old.Carry, m, commits)
	}
	return row, false, err
}

// movedCarry is a stage's evidence at its new commit: the range, and the commits of its
// steps, which else nobody would have any more.
func (e *Engine) movedCarry(ctx context.Context, carry notes.Carry, m Move, commits []Rewrite) (*notes.Carry, error) {
	if m.Base != "" {
		carry.StageCommitRange = notes.CommitRange{Base: m.Base, Head: m.To}
	}
	if m.Base != "" && m.Changed {
		files, err := e.Repo.ChangedPaths(ctx, m.Base, m.To)
		if err != nil {
			return nil, err
		}
		carry.FilesChanged = append([]string{}, files...)
	}
	next := map[gitops.Hash]gitops.Hash{}
	for _, c := range slices.Concat(commits, m.Commits) {
		next[c.Old] = c.New
	}
	carry.StepResults = slices.Clone(carry.StepResults)
	for i, s := range carry.StepResults {
		if to := next[s.Commit]; to != "" {
			carry.StepResults[i].Commit = to
		}
	}
	return &carry, nil
}

// lastDone is a stage's last done row, at the given commit if one is given; nil for none.
func lastDone(lines []notes.Line, n plan.StageNumber, head gitops.Hash) *notes.Row {
	for i := range slices.Backward(lines) {
		r := &lines[i].Row
		if !lines[i].Foreign && r.Stage == n && r.Status == notes.Done && (head == "" || r.Head == head) {
			return r
		}
	}
	return nil
}
