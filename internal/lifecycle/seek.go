package lifecycle

import (
	"context"
	"errors"
	"fmt"

	"git-okstra/gitops"
	"git-okstra/plan"
)

// Sought is what a look for a done stage's work in a history gave.
type Sought struct {
	Stage  plan.StageNumber
	Found  *Move  // where it is, nil where it is not
	Unsure string // why nothing can be told; "" where it certainly is not there
	// Elsewhere: nothing can be told because this clone lacks history or objects.
	Elsewhere bool
}

// mergedByContent looks for stages whose done commits are not in a history (lifecycle.md
// §5). What is found is recorded at once, and the answer is then found anew on the moved
// refs. It returns the stages that are still lacking.
func (e *Engine) mergedByContent(ctx context.Context, t *Task, lacking []plan.StageNumber, tip gitops.Hash, dryRun bool) ([]Sought, error) {
	all := make([]Sought, len(lacking))
	for i, n := range lacking {
		all[i].Stage = n
	}
	if e.Seek != nil {
		all = e.Seek(ctx, t, lacking, tip)
	}
	var moves []Move
	var left []Sought
	for _, s := range all {
		if s.Found != nil {
			moves = append(moves, *s.Found)
		} else {
			left = append(left, s)
		}
	}
	if len(moves) == 0 || dryRun {
		return left, nil
	}
	if _, err := e.rewriteOnce(ctx, t, moves, nil); err != nil {
		// It is advice: where it certainly was not recorded, the gate decides on what was found.
		if e.Unrecorded == nil || ctx.Err() != nil || lostRace(err) || cutShort(err) || errors.Is(e.confirm(ctx, t, err), errMoved) {
			return nil, err
		}
		e.Unrecorded(err)
		return left, nil
	}
	return nil, fmt.Errorf("%w: stages %s were found in rewritten history", errMoved, Numbers(stagesOf(moves)))
}

func stagesOf(moves []Move) []plan.StageNumber {
	var out []plan.StageNumber
	for _, m := range moves {
		out = append(out, m.Stage)
	}
	return out
}
