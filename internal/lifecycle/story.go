package lifecycle

import (
	"context"
	"errors"

	"git-okstra/gitops"
	"git-okstra/notes"
	"git-okstra/plan"
	"git-okstra/plan/stage"
)

// Story is what came of one stage so far.
type Story struct {
	Base    gitops.Hash // what it branched from, "" where nothing says so
	Branch  string      // short name, "" where none was ever made
	Tip     gitops.Hash // the done commit, or where its branch stands
	Ended   *notes.Row  // the done row that stands, nil where the stage is not done
	Moments []stage.Moment
	Commits []gitops.Hash // newest first
	More    bool          // there are more commits than are listed
	Files   []string      // that the commits changed
	Missing bool          // base or tip is not in this clone, so commits and files are not known
}

// Story gathers what refs, rows and history say of a stage. rows are the stage's, in
// the log's order, and branch its name as it is now, if that is known. It asks git three
// times, in a shallow clone four times, and lists so many commits at most.
func (e *Engine) Story(ctx context.Context, t *Task, n plan.StageNumber, rows []notes.Line, branch string, most int) (Story, error) {
	s, err := e.Ends(ctx, t, n, rows, branch)
	if err != nil || s.Base == "" || s.Tip == "" || s.Missing {
		return s, err
	}
	return s, e.history(ctx, &s, most)
}

// Ends is a Story without its history: base, branch, tip, and whether they are in this
// clone. It asks git once at most.
func (e *Engine) Ends(ctx context.Context, t *Task, n plan.StageNumber, rows []notes.Line, branch string) (Story, error) {
	s := Story{Branch: branch, Tip: t.Done[n], Moments: stage.Fold(eventsOf(rows))[n]}
	claim := ""
	for _, l := range rows {
		if l.Row.Status == notes.Done && l.Row.Head == s.Tip {
			s.Ended = &l.Row
			claim = l.Row.Claim
		}
	}
	if s.Tip == "" {
		r, held, err := e.Reservation(ctx, t, n)
		if err != nil || !held || r.Broken != "" {
			return s, err
		}
		s.Base, claim = r.Base, r.Claim
	} else if s.Ended != nil && s.Ended.Carry != nil {
		s.Base = s.Ended.Carry.StageCommitRange.Base
	}
	for _, l := range rows {
		if l.Row.Status == notes.Started && l.Row.Claim == claim && claim != "" {
			s.Base = firstHash(s.Base, l.Row.Head)
			if s.Branch == "" {
				s.Branch = l.Row.Branch
			}
		}
	}
	return s, e.findEnds(ctx, &s)
}

// findEnds fills in the tip of a stage that is under way.
func (e *Engine) findEnds(ctx context.Context, s *Story) error {
	if name := gitops.RefName("refs/heads/" + s.Branch); s.Tip == "" && gitops.ValidRefName(name) {
		values, err := e.Repo.RefValues(ctx, name)
		if err != nil {
			return err
		}
		s.Tip = values[name]
	}
	if s.Base == "" || s.Tip == "" {
		return nil
	}
	for _, h := range []gitops.Hash{s.Base, s.Tip} {
		switch _, err := e.Repo.ReadCommit(ctx, h); {
		case errors.Is(err, gitops.ErrMissing):
			s.Missing = true
			return nil
		case err != nil:
			return err
		}
	}
	return nil
}

// history fills in commits and files.
func (e *Engine) history(ctx context.Context, s *Story, most int) error {
	var err error
	if s.Commits, s.More, err = e.Repo.CommitsBetween(ctx, s.Base, s.Tip, most); err != nil {
		return err
	}
	if e.Repo.Shallow() && !s.More { // what was cut off may lie between
		whole, err := e.Repo.IsAncestor(ctx, s.Base, s.Tip)
		if err != nil {
			return err
		}
		s.More = !whole
	}
	s.Files, err = e.Repo.ChangedPaths(ctx, s.Base, s.Tip)
	return err
}

func firstHash(a, b gitops.Hash) gitops.Hash {
	if a != "" {
		return a
	}
	return b
}

// eventsOf is what rows say to the fold.
func eventsOf(rows []notes.Line) []stage.Event {
	out := make([]stage.Event, 0, len(rows))
	for _, l := range rows {
		out = append(out, stage.Event{Stage: l.Row.Stage, Kind: string(l.Row.Status), Claim: l.Row.Claim, Head: string(l.Row.Head)})
	}
	return out
}
