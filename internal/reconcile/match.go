package reconcile

import (
	"context"
	"slices"

	"git-okstra/gitops"
)

// mostEqual bounds how many commits of the same patch are tried for one.
const mostEqual = 16

// match finds a commit that makes the change from one commit to another, the newest
// first; "" where there is none.
func (s *search) match(ctx context.Context, w *work, change gitops.Diff, patch gitops.Patch, used map[gitops.Hash]bool) (gitops.Hash, error) {
	tried := 0
	for i, n := range s.hist.nodes {
		cand := s.cands[n.Hash]
		if cand == nil || !w.inside[i] || used[n.Hash] || !cand.Same(patch) {
			continue
		}
		if tried++; tried > mostEqual {
			break
		}
		ok, err := s.repo.Replays(ctx, change, s.hist.parent(n.Hash), n.Hash, patch.Paths)
		if err != nil {
			return "", err
		}
		if ok {
			return n.Hash, nil
		}
	}
	return "", nil
}

// byCommits looks for each of the stage's commits. All have to be there: that the last
// one is proves nothing of those before it.
func (s *search) byCommits(ctx context.Context, w *work) error {
	if w.merges {
		return nil
	}
	used := map[gitops.Hash]bool{}
	var pairs []Pair
	var news []gitops.Hash
	for _, p := range slices.Backward(w.parts) { // the newest of several equal ones gets the newest match
		h, err := s.match(ctx, w, gitops.Diff{From: p.node.Parents[0], To: p.node.Hash}, p.patch, used)
		if err != nil {
			return err
		}
		if h == "" {
			continue
		}
		used[h] = true
		pairs, news = append(pairs, Pair{p.node.Hash, h}), append(news, h)
	}
	w.found = len(pairs)
	if w.found < len(w.parts) {
		return nil
	}
	slices.Reverse(pairs)
	head := s.hist.firstWithAll(news)
	if head == "" { // further down than was looked
		return nil
	}
	if pairs[len(pairs)-1].Old != w.Stage.Head { // its last commits change nothing
		pairs = append(pairs, Pair{w.Stage.Head, head})
	}
	s.accept(w, PatchID, head, s.hist.runBase(head, news), pairs, used)
	return nil
}

// bySquash looks for one commit that makes the change of the whole range.
func (s *search) bySquash(ctx context.Context, w *work) error {
	h, err := s.match(ctx, w, gitops.Diff{From: w.from, To: w.Stage.Head}, w.whole, nil)
	if err == nil && h != "" {
		s.accept(w, Squash, h, s.hist.parent(h), w.allTo(h), map[gitops.Hash]bool{h: true})
	}
	return err
}

// allTo pairs each of the stage's commits with one.
func (w *work) allTo(h gitops.Hash) []Pair {
	var out []Pair
	for _, n := range slices.Backward(w.own) {
		out = append(out, Pair{n.Hash, h})
	}
	return out
}

// accept settles a stage whose work was found, unless it was taken back later.
func (s *search) accept(w *work, how How, head, base gitops.Hash, pairs []Pair, used map[gitops.Hash]bool) {
	for _, p := range w.all() {
		if r := s.revertedBy(w, p, used); r != "" {
			w.cannot("its work is there as %s, and commit %s takes it back", head.Short(), r.Short())
			return
		}
	}
	w.done(how, head, base, pairs)
}

// revertedBy is a commit that makes the opposite change and does not stand before one
// of those that were found, "" for none.
func (s *search) revertedBy(w *work, p gitops.Patch, found map[gitops.Hash]bool) gitops.Hash {
	for i, n := range s.hist.nodes {
		cand := s.cands[n.Hash]
		if cand == nil || !w.inside[i] || found[n.Hash] || p.Empty() || cand.Exact != p.Inverse {
			continue
		}
		before := false
		for h := range found {
			before = before || s.hist.reach(h)[i]
		}
		if !before {
			return n.Hash
		}
	}
	return ""
}
