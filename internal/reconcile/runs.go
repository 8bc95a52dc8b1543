package reconcile

import (
	"cmp"
	"context"
	"slices"

	"git-okstra/gitops"
)

// Bounds on the runs of commits that are compared with a stage's whole range.
const (
	longestRun = 32
	mostRuns   = 256
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
		same, renamed := w.same(w.whole, patches[i])
		if !same {
			continue
		}
		ok, err := s.replays(ctx, w, gitops.Diff{From: w.from, To: w.Stage.Head}, w.whole, r.from, r.last, renamed)
		if err != nil {
			return err
		}
		if ok {
			used := map[gitops.Hash]bool{}
			for _, h := range r.members {
				used[h] = true
			}
			return s.acceptWhole(ctx, w, Split, r.last, r.from, []Pair{{w.Stage.Head, r.last}}, used)
		}
	}
	return nil
}

// runs lists the runs of at least two commits in which each changes some path of the
// stage and all paths are changed, short ones first.
func (s *search) runs(w *work) []run {
	changes := s.changesOf(w)
	var out []run
	for end := range s.hist.nodes {
		r, covered := run{last: s.hist.nodes[end].Hash}, map[int]bool{}
		for i, ok := end, true; ok && changes[i] != nil && len(r.members) < longestRun; {
			n := s.hist.nodes[i]
			r.members, r.from = append(r.members, n.Hash), n.Parents[0]
			for _, f := range changes[i] {
				covered[f] = true
			}
			if len(r.members) > 1 && len(covered) == len(w.whole.Files) {
				out = append(out, run{r.from, r.last, slices.Clone(r.members)})
			}
			i, ok = s.hist.index[r.from]
		}
		if len(out) > 16*mostRuns {
			break
		}
	}
	slices.SortStableFunc(out, func(a, b run) int { return cmp.Compare(len(a.members), len(b.members)) })
	return out[:min(mostRuns, len(out))]
}

// changesOf tells which of the stage's files each commit changes, by index; nil for one
// that cannot be in a run.
func (s *search) changesOf(w *work) [][]int {
	index := map[string]int{}
	for i, f := range w.whole.Files {
		index[f.Path], index[w.named(f.Path)] = i, i
	}
	out := make([][]int, len(s.hist.nodes))
	for i, n := range s.hist.nodes {
		if !w.inside[i] || len(n.Parents) != 1 {
			continue
		}
		for name := range s.touch[n.Hash] {
			if f, ok := index[name]; ok {
				out[i] = append(out[i], f)
			}
		}
	}
	return out
}

// bySquashOfSeveral looks for stages that stand on each other and became one commit.
func (s *search) bySquashOfSeveral(ctx context.Context) error {
	var groups [][]*work
	var diffs []gitops.Diff
	for _, first := range s.open {
		chain := []*work{first}
		for last := first; last != nil && !last.settled() && !last.merges && len(chain) <= longestRun; {
			if len(chain) > 1 && len(groups) < mostRuns {
				groups = append(groups, slices.Clone(chain))
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
		if g[0].settled() {
			continue
		}
		h, err := s.match(ctx, g[0], diffs[i], patches[i], nil)
		if err != nil {
			return err
		}
		if h == "" {
			continue
		}
		for _, w := range g {
			if w.settled() {
				continue
			}
			if err := s.acceptWhole(ctx, w, Squash, h, s.hist.parent(h), w.allTo(h), map[gitops.Hash]bool{h: true}); err != nil {
				return err
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
