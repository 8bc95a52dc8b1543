package reconcile

import (
	"context"
	"errors"
	"fmt"

	"git-okstra/gitops"
	"git-okstra/plan"
)

// DefaultLimit is how many commits are looked through unless somebody says otherwise.
const DefaultLimit = 25000

// mostPatches bounds the commits whose changes are compared line by line, after the
// others were left out for the paths that they change.
const mostPatches = 2000

// Stage is a done stage and the commits that were its work.
type Stage struct {
	Number plan.StageNumber
	Base   gitops.Hash // "" where it is not known
	Head   gitops.Hash // the done commit
}

// Bounds on the merges that are tried where no patch is the same: for one change, and
// in all.
const (
	mostMergesOfOne = 8
	mostMerges      = 100
)

// Verdict is an answer.
type Verdict string

// The verdicts. CannotTell is for what is neither proved nor refuted.
const (
	Done       Verdict = "done"
	NotDone    Verdict = "not done"
	CannotTell Verdict = "cannot tell"
)

// How says by what a stage's work was found.
type How string

// The ways, in the order in which they are tried.
const (
	Ancestor How = "ancestor"
	PatchID  How = "patch-id"
	Replay   How = "replay" // patch-id, but for commits that git's merge alone shows to be the same
	Squash   How = "squash"
	Split    How = "split"
)

// Pair is a commit of a stage and the one that took its place.
type Pair struct{ Old, New gitops.Hash }

// Result is the answer for one stage.
type Result struct {
	Stage   Stage
	Verdict Verdict
	How     How         // of a done one
	Head    gitops.Hash // of a done one: the commit that has all of its work
	Base    gitops.Hash // of a done one: what the commits of its work stand on; "" where others lie between them
	Pairs   []Pair
	Why     string // of one that is not done, for a person
}

// Answer is what a look through a history gave.
type Answer struct {
	Results []Result // in the order of the stages
	Looked  int      // commits that were looked through
	Stopped bool     // there were more
}

// Repo is what is needed of a repository.
type Repo interface {
	Commits(ctx context.Context, tips, hidden []gitops.Hash, limit int) ([]gitops.CommitNode, bool, error)
	CommonBase(ctx context.Context, commits ...gitops.Hash) (gitops.Hash, error)
	Touching(ctx context.Context, commits []gitops.Hash, paths []string) (map[gitops.Hash][]string, error)
	Patches(ctx context.Context, diffs []gitops.Diff) ([]gitops.Patch, error)
	Replays(ctx context.Context, change gitops.Diff, onto, result gitops.Hash, paths []string, renamed map[string]string) (bool, error)
	Renamed(ctx context.Context, from, to gitops.Hash, paths []string) (map[string]string, error)
	Remakes(ctx context.Context, change gitops.Diff, onto, result gitops.Hash) (bool, error)
	ReadCommit(ctx context.Context, h gitops.Hash) (gitops.Commit, error)
	Shallow() bool
	Partial() bool
}

// errCannot marks what hinders an answer and is no failure: objects that are not here.
var errCannot = errors.New("cannot tell")

// Find looks for the work of the stages in the history of tip. Errors: git's; objects
// that this clone lacks are no error but a reason for CannotTell.
func Find(ctx context.Context, repo Repo, stages []Stage, tip gitops.Hash, limit int) (Answer, error) {
	if limit <= 0 {
		limit = DefaultLimit
	}
	s := &search{repo: repo, tip: tip, limit: limit}
	s.answer.Results = make([]Result, len(stages))
	err := s.run(ctx, stages)
	if errors.Is(err, errCannot) || err != nil && ctx.Err() == nil && (repo.Partial() || errors.Is(err, gitops.ErrMissing)) {
		for i := range s.answer.Results {
			if r := &s.answer.Results[i]; r.Verdict == "" {
				r.Verdict, r.Why = CannotTell, err.Error()
			}
		}
		err = nil
	}
	for i := range s.answer.Results {
		if r := &s.answer.Results[i]; r.Verdict == NotDone {
			s.doubt(r)
		}
	}
	return s.answer, err
}

// doubt makes a negative answer of a history that was not seen as a whole none.
func (s *search) doubt(r *Result) {
	switch {
	case s.repo.Shallow():
		r.Verdict, r.Why = CannotTell, r.Why+"; history is cut off in a shallow clone"
	case s.answer.Stopped:
		r.Verdict, r.Why = CannotTell, fmt.Sprintf("%s; stopped after %d commits", r.Why, s.answer.Looked)
	}
}

// search is one look through the history of tip.
type search struct {
	repo   Repo
	tip    gitops.Hash
	limit  int
	answer Answer
	open   []*work
	merges int                             // that were tried
	hist   *graph                          // of the tip, without what all stages stand on
	cands  map[gitops.Hash]*gitops.Patch   // compared candidates
	touch  map[gitops.Hash]map[string]bool // the stages' paths that a commit of hist changes
}

func (s *search) run(ctx context.Context, stages []Stage) error {
	for i, st := range stages {
		s.answer.Results[i].Stage = st
	}
	if err := s.byAncestry(ctx, stages); err != nil || len(s.open) == 0 {
		return err
	}
	if err := s.ownPatches(ctx); err != nil {
		return err
	}
	if err := s.readHistory(ctx); err != nil {
		return err
	}
	for _, try := range []func(context.Context, *work) error{s.byCommits, s.bySquash, s.bySplit, s.bySquashRemade} {
		for _, w := range s.open {
			if w.settled() {
				continue
			}
			if err := try(ctx, w); err != nil {
				return err
			}
		}
	}
	if err := s.bySquashOfSeveral(ctx); err != nil {
		return err
	}
	for _, w := range s.open {
		if !w.settled() {
			w.notFound()
		}
	}
	return nil
}

// byAncestry settles the stages whose done commit is in the history, and collects what
// is to be looked for of the others.
func (s *search) byAncestry(ctx context.Context, stages []Stage) error {
	if _, err := s.repo.ReadCommit(ctx, s.tip); err != nil {
		return err
	}
	var heads []gitops.Hash
	for i := range stages {
		r := &s.answer.Results[i]
		for _, h := range []gitops.Hash{r.Stage.Head, r.Stage.Base} {
			if h == "" {
				continue
			}
			if _, err := s.repo.ReadCommit(ctx, h); err != nil {
				if !errors.Is(err, gitops.ErrMissing) {
					return err
				}
				r.Verdict, r.Why = CannotTell, fmt.Sprintf("commit %s is not in this repository", h.Short())
			}
		}
		if r.Verdict == "" {
			heads = append(heads, r.Stage.Head)
		}
	}
	if len(heads) == 0 {
		return nil
	}
	nodes, more, err := s.repo.Commits(ctx, heads, []gitops.Hash{s.tip}, DefaultLimit)
	if err != nil {
		return err
	}
	own := newGraph(nodes)
	for i := range s.answer.Results {
		r := &s.answer.Results[i]
		switch {
		case r.Verdict != "":
		case more:
			r.Verdict, r.Why = CannotTell, fmt.Sprintf("more than %d commits of the stages are not in the history", DefaultLimit)
			s.answer.Stopped = true
		case !own.has(r.Stage.Head):
			r.Verdict, r.How, r.Head, r.Base = Done, Ancestor, r.Stage.Head, r.Stage.Base
		default:
			if err := s.collect(ctx, own, r); err != nil {
				return err
			}
		}
	}
	return nil
}
