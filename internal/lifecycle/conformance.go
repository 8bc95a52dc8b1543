package lifecycle

import (
	"context"
	"fmt"

	"git-okstra/gitops"
	"git-okstra/notes"
	"git-okstra/plan"
)

// RecordResult adds a line about a tested commit to the task's log of conformance
// results, in its own ref. encode makes the line for its place in the log's order. It
// returns the new tip.
func (e *Engine) RecordResult(ctx context.Context, t *Task, tested gitops.Hash, encode func(seq uint64) ([]byte, error)) (gitops.Hash, error) {
	var tip gitops.Hash
	err := e.inTurn(ctx, func(bool) error {
		ref := notes.QARef(t.Key)
		values, err := e.Repo.RefValues(ctx, ref)
		if err != nil {
			return err
		}
		rec, err := e.begin(ctx, "conformance result")
		if err != nil {
			return err
		}
		tip, err = notes.AppendLine(ctx, e.Repo, rec.objects, values[ref], rec.sig, tested, encode)
		if err != nil {
			return fmt.Errorf("%s: %w", ref, err)
		}
		rec.tx.Update(ref, values[ref], tip)
		return e.commit(ctx, rec)
	})
	return tip, err
}

// WaiveRequest takes surfaces out of a stage's judgement.
type WaiveRequest struct {
	Stage    plan.StageNumber
	Surfaces []string
	Why      string
	Until    string // "" for good
}

// Waive records waivers: a row for each surface. It returns the rows.
func (e *Engine) Waive(ctx context.Context, t *Task, req WaiveRequest) ([]notes.Row, error) {
	if _, ok := t.Plan.Stage(req.Stage); !ok {
		return nil, notInMap(t, req.Stage)
	}
	var rows []notes.Row
	err := e.inTurn(ctx, func(again bool) (err error) {
		if again {
			if t, err = e.Reload(ctx, t); err != nil {
				return err
			}
		}
		rec, err := e.begin(ctx, fmt.Sprintf("waiver for stage %d", req.Stage))
		if err != nil {
			return err
		}
		target, err := e.spokenOf(ctx, t, req.Stage)
		if err != nil {
			return err
		}
		rows = nil
		var entries []notes.Entry
		for _, surface := range req.Surfaces {
			row, err := e.row(t, req.Stage, notes.Waived)
			if err != nil {
				return err
			}
			row.Plan, row.Reason, row.Surface, row.Until = t.PlanCommit, req.Why, surface, req.Until
			rows, entries = append(rows, row), append(entries, notes.Entry{Target: target, Row: row})
		}
		return e.confirm(ctx, t, e.writeRows(ctx, rec, t, entries))
	})
	return rows, err
}

// spokenOf is the commit that a row about a stage stands on: its done commit, its base,
// or, where it was not started, the plan's.
func (e *Engine) spokenOf(ctx context.Context, t *Task, n plan.StageNumber) (gitops.Hash, error) {
	if head := t.Done[n]; head != "" {
		return head, nil
	}
	r, held, err := e.Reservation(ctx, t, n)
	if err != nil || held && r.Broken == "" {
		return r.Base, err
	}
	return t.PlanCommit, nil
}

// Waivers lists the waived rows of each stage in the log's order, expired ones among
// them.
func (e *Engine) Waivers(ctx context.Context, t *Task) (map[plan.StageNumber][]notes.Row, error) {
	out := map[plan.StageNumber][]notes.Row{}
	err := e.eachRow(ctx, t, notes.Waived, func(r notes.Row) { out[r.Stage] = append(out[r.Stage], r) })
	return out, err
}
