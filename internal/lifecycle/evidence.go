package lifecycle

import (
	"context"
	"fmt"
	"slices"

	"git-okstra/gitops"
	"git-okstra/notes"
	"git-okstra/plan"
)

// addEvidence puts what only the worker knows beside what git knows. Of what he says of
// the latter nothing is taken: git knows better.
func (e *Engine) addEvidence(ctx context.Context, c, given *notes.Carry) error {
	if given == nil {
		return nil
	}
	steps, err := e.wholeIDs(ctx, given.StepResults)
	if err != nil {
		return err
	}
	c.StepResults = steps
	c.NewIdentifiers, c.ValidationsPassed, c.Notes = given.NewIdentifiers, given.ValidationsPassed, given.Notes
	for _, list := range []*[]string{&c.NewIdentifiers, &c.ValidationsPassed, &c.Notes} {
		if *list == nil {
			*list = []string{}
		}
	}
	return nil
}

// wholeIDs finds the commits of the steps. One that is not here proves nothing.
func (e *Engine) wholeIDs(ctx context.Context, given []notes.StepResult) ([]notes.StepResult, error) {
	var words []string
	for _, s := range given {
		if s.Commit != "" {
			words = append(words, string(s.Commit))
		}
	}
	found, err := e.Repo.ResolveIDs(ctx, words)
	if err != nil {
		return nil, err
	}
	out := append([]notes.StepResult{}, given...)
	for i, s := range out {
		if s.Commit == "" {
			continue
		}
		whole, ok := found[string(s.Commit)]
		if !ok {
			return nil, refuse(Refused, "name a commit of this repository by its id, or leave it out",
				"step %d of the evidence names commit %q, and there is none, or more than one", s.Step, s.Commit)
		}
		out[i].Commit = whole
	}
	return out, nil
}

// sameEvidence refuses other evidence than the done row has: what a stage was believed
// on does not change behind it. Where its commits were rewritten, the rows of before stand
// on the new one too, and whoever repeats what he said then says nothing else.
func (e *Engine) sameEvidence(ctx context.Context, t *Task, n plan.StageNumber, head gitops.Hash, given *notes.Carry) error {
	if given == nil {
		return nil
	}
	note, err := e.Repo.NoteGet(ctx, t.NotesTip, head)
	if err != nil {
		return fmt.Errorf("%s: %w", notes.Ref(t.Key), err)
	}
	var stored []*notes.Carry
	for _, l := range notes.Sort(notes.ParseNote(head, note)) {
		if l.Row.Status == notes.Done && l.Row.Stage == n && l.Row.Carry != nil {
			stored = append(stored, l.Row.Carry)
		}
	}
	if len(stored) == 0 {
		stored = append(stored, &notes.Carry{})
	}
	steps, err := e.wholeIDs(ctx, given.StepResults)
	if err != nil {
		return err
	}
	for _, c := range stored {
		if slices.Equal(steps, c.StepResults) && slices.Equal(given.NewIdentifiers, c.NewIdentifiers) &&
			slices.Equal(given.ValidationsPassed, c.ValidationsPassed) && slices.Equal(given.Notes, c.Notes) {
			return nil
		}
	}
	return refuse(Refused, fmt.Sprintf("see what is recorded with: git okstra stage show %d", n),
		"stage %d is already done at %s, with other evidence", n, head.Short())
}
