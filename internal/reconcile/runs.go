package reconcile

import (
	"context"

	"git-okstra/gitops"
)

// Bounds on the runs of commits that are compared with a stage's whole range.
const (
	longestRun = 32
	mostRuns   = 512
)

// run is a chain of commits, each the first parent of the one before it.
type run struct {
	from, last gitops.Hash // from: what the run stands on
	members    []gitops.Hash
}

// bySplit looks for a run of commits that together make the change of the whole range.
func (s *search) bySplit(ctx context.Context, w *work) error {
	if w.whole.Empty() {
		return nil
	}
	runs := s.runs(w)
	var diffs []gitops.Diff
	for _, r := range runs {
		diffs = append(diffs, gitops.Diff{From: r.from, To: r.last})
	}
	patches, err := s.repo.Patches(ctx, diffs)
	if err != nil {
		return err
	}
	for i, r := range runs {
		if !patches[i].Same(w.whole) {
			continue
		}
		ok, err := s.repo.Replays(ctx, gitops.Diff{From: w.from, To: w.Stage.Head}, r.from, r.last, w.whole.Paths)
		if err != nil {
			return err
		}
		if ok {
			used := map[gitops.Hash]bool{}
			for _, h := range r.members {
				used[h] = true
			}
			s.accept(w, Split, r.last, r.from, []Pair{{w.Stage.Head, r.last}}, used)
			return nil
		}
	}
	return nil
}

// runs lists the runs of at least two commits in which each changes some path of the
// stage and all paths are changed, short ones first.
func (s *search) runs(w *work) []run {
	var out []run
	for length := 2; length <= longestRun && len(out) < mostRuns; length++ {
		grew := false
		for i, n := range s.hist.nodes {
			r, ok := s.runAt(w, i, length)
			grew = grew || ok
			if ok && s.covers(w, r.members) && len(out) < mostRuns {
				r.last = n.Hash
				out = append(out, r)
			}
		}
		if !grew {
			break
		}
	}
	return out
}

// runAt is the run of some length that ends in a commit.
func (s *search) runAt(w *work, i, length int) (run, bool) {
	r := run{}
	for range length {
		n := s.hist.nodes[i]
		if !w.inside[i] || s.touch[n.Hash] == nil || len(n.Parents) != 1 || !s.touches(w, n.Hash) {
			return r, false
		}
		r.members, r.from = append(r.members, n.Hash), n.Parents[0]
		if len(r.members) == length {
			break
		}
		next, ok := s.hist.index[n.Parents[0]]
		if !ok {
			return r, false
		}
		i = next
	}
	return r, true
}

func (s *search) touches(w *work, h gitops.Hash) bool {
	for _, p := range w.whole.Paths {
		if s.touch[h][p] {
			return true
		}
	}
	return false
}

func (s *search) covers(w *work, members []gitops.Hash) bool {
	for _, p := range w.whole.Paths {
		in := false
		for _, h := range members {
			in = in || s.touch[h][p]
		}
		if !in {
			return false
		}
	}
	return true
}

// bySquashOfSeveral looks for stages that stand on each other and became one commit.
func (s *search) bySquashOfSeveral(ctx context.Context) error {
	type group struct{ chain []*work }
	var groups []group
	var diffs []gitops.Diff
	for _, first := range s.open {
		chain := []*work{first}
		for last := first; last != nil && !last.settled() && !last.merges && len(chain) <= longestRun; {
			if len(chain) > 1 && len(groups) < mostRuns {
				groups = append(groups, group{append([]*work(nil), chain...)})
				diffs = append(diffs, gitops.Diff{From: first.from, To: last.Stage.Head})
			}
			if last = s.standingOn(last); last != nil {
				chain = append(chain, last)
			}
		}
	}
	patches, err := s.repo.Patches(ctx, diffs)
	if err != nil {
		return err
	}
	for i, g := range groups {
		if g.chain[0].settled() {
			continue
		}
		h, err := s.match(ctx, g.chain[0], diffs[i], patches[i], nil)
		if err != nil {
			return err
		}
		if h == "" {
			continue
		}
		for _, w := range g.chain {
			if !w.settled() {
				s.accept(w, Squash, h, s.hist.parent(h), w.allTo(h), map[gitops.Hash]bool{h: true})
			}
		}
	}
	return nil
}

// standingOn is an open stage that was started on another one's done commit; nil for
// none.
func (s *search) standingOn(below *work) *work {
	for _, w := range s.open {
		if !w.settled() && w.from == below.Stage.Head {
			return w
		}
	}
	return nil
}
