package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"git-okstra/gitops"
	"git-okstra/plan"
)

// CarryOver takes the rows of rewritten commits, and the stages that are done there,
// over to the new commits, in every task that has any: one transaction a task. A task
// that fails does not keep the others from it. told hears what moved.
func (e *Engine) CarryOver(ctx context.Context, commits []Rewrite, reason string, told func(task string, moved []Move)) error {
	states, err := e.listRefs(ctx)
	if err != nil {
		return err
	}
	var failed []error
	for _, key := range slices.Sorted(maps.Keys(states)) {
		s := states[key]
		if s.plan == "" {
			continue
		}
		there, err := e.concerned(ctx, s, commits)
		if err == nil && there {
			err = e.carryOver(ctx, states, s, commits, reason, told)
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("task %s: %w", plan.Printable(key), err))
		}
	}
	return errors.Join(failed...)
}

// concerned reports whether a task has rows or done refs on some rewritten commit.
func (e *Engine) concerned(ctx context.Context, s *refState, commits []Rewrite) (bool, error) {
	done := map[gitops.Hash]bool{}
	for _, h := range s.done {
		done[h] = true
	}
	for _, c := range commits {
		note, err := e.Repo.NoteGet(ctx, s.notes, c.Old)
		if err != nil || len(note) > 0 || done[c.Old] {
			return err == nil, err
		}
	}
	return false, nil
}

func (e *Engine) carryOver(ctx context.Context, states map[string]*refState, s *refState, commits []Rewrite, reason string,
	told func(string, []Move),
) error {
	t, err := e.task(ctx, states, s)
	if err != nil {
		return err
	}
	var out Rewritten
	err = e.inTurn(ctx, func(again bool) (err error) {
		if again {
			if t, err = e.Reload(ctx, t); err != nil {
				return err
			}
		}
		moves, err := e.movesBy(ctx, t, commits, reason)
		if err != nil {
			return err
		}
		out, err = e.rewriteOnce(ctx, t, moves, commits)
		return e.confirm(ctx, t, err)
	})
	if err == nil {
		told(t.Key.String(), out.Moved)
	}
	return err
}

// movesBy lists the done stages whose commits were rewritten.
func (e *Engine) movesBy(ctx context.Context, t *Task, commits []Rewrite, reason string) ([]Move, error) {
	next := map[gitops.Hash]gitops.Hash{}
	for _, c := range commits {
		next[c.Old] = c.New
	}
	var stages []plan.StageNumber
	for _, n := range slices.Sorted(maps.Keys(t.Done)) {
		if next[t.Done[n]] != "" {
			stages = append(stages, n)
		}
	}
	if len(stages) == 0 {
		return nil, nil
	}
	ranges, err := e.Ranges(ctx, t, stages...)
	if err != nil {
		return nil, err
	}
	var moves []Move
	for _, r := range ranges {
		m := Move{Stage: r.Stage, From: r.Head, To: next[r.Head], Reason: reason, Changed: true}
		m.Base = e.rewrittenBase(ctx, r, m.To, next)
		moves = append(moves, m)
	}
	return moves, nil
}

// longestRange bounds the commits of a stage that are walked one by one.
const longestRange = 10000

// rewrittenBase is what a stage's commits stand on after a rewrite: the first commit
// below its new tip that is none of them. "" where that cannot be told.
func (e *Engine) rewrittenBase(ctx context.Context, r Range, to gitops.Hash, next map[gitops.Hash]gitops.Hash) gitops.Hash {
	mine := map[gitops.Hash]bool{}
	for at := r.Head; at != r.Base; {
		c, err := e.Repo.ReadCommit(ctx, at)
		if err != nil || len(c.Parents) != 1 || len(mine) > longestRange {
			return ""
		}
		mine[at] = true
		if next[at] != "" {
			mine[next[at]] = true
		}
		at = c.Parents[0]
	}
	at := to
	for mine[at] {
		c, err := e.Repo.ReadCommit(ctx, at)
		if err != nil || len(c.Parents) != 1 {
			return ""
		}
		at = c.Parents[0]
	}
	if at == to {
		return ""
	}
	return at
}
