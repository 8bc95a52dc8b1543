package reconcile

import (
	"cmp"
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
		if cand == nil || !w.inside[i] || used[n.Hash] {
			continue
		}
		same, renamed := w.same(patch, *cand)
		if !same {
			continue
		}
		if tried++; tried > mostEqual {
			break
		}
		ok, err := s.replays(ctx, w, change, patch, s.hist.parent(n.Hash), n.Hash, renamed)
		if err != nil {
			return "", err
		}
		if ok {
			return n.Hash, nil
		}
	}
	return "", nil
}

// remade finds a commit that is what git's merge makes of a change, though its patch is
// another: one of its files was renamed, or the same lines count as moved otherwise. Of
// the commits that change any of its files those that change most of them are tried.
func (s *search) remade(ctx context.Context, w *work, change gitops.Diff, patch gitops.Patch, used map[gitops.Hash]bool) (gitops.Hash, error) {
	type try struct {
		hash   gitops.Hash
		common int
	}
	if patch.Empty() {
		return "", nil
	}
	var tries []try
	for i, n := range s.hist.nodes {
		set := s.touch[n.Hash]
		if set == nil || !w.inside[i] || used[n.Hash] || len(n.Parents) != 1 {
			continue
		}
		t := try{hash: n.Hash}
		for _, f := range patch.Files {
			if set[f.Path] || set[w.named(f.Path)] {
				t.common++
			}
		}
		if t.common > 0 {
			tries = append(tries, t)
		}
	}
	slices.SortStableFunc(tries, func(a, b try) int { return cmp.Compare(b.common, a.common) })
	for _, t := range tries[:min(mostMergesOfOne, len(tries))] {
		if s.merges++; s.merges > mostMerges {
			break
		}
		ok, err := s.repo.Remakes(ctx, change, s.hist.parent(t.hash), t.hash)
		if err != nil || ok {
			return t.hash, err
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
	used, how := map[gitops.Hash]bool{}, PatchID
	var pairs []Pair
	var news []gitops.Hash
	for _, p := range slices.Backward(w.parts) { // the newest of several equal ones gets the newest match
		h, err := s.match(ctx, w, gitops.Diff{From: p.node.Parents[0], To: p.node.Hash}, p.patch, used)
		if err != nil {
			return err
		}
		if h == "" {
			if h, err = s.remade(ctx, w, gitops.Diff{From: p.node.Parents[0], To: p.node.Hash}, p.patch, used); err != nil {
				return err
			}
			if h == "" {
				continue
			}
			how = Replay
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
	base := gitops.Hash("")
	if how == PatchID {
		base = s.hist.runBase(head, news)
	}
	s.accept(w, how, head, base, pairs, used)
	return nil
}

// bySquash looks for one commit that makes the change of the whole range.
func (s *search) bySquash(ctx context.Context, w *work) error {
	h, err := s.match(ctx, w, gitops.Diff{From: w.from, To: w.Stage.Head}, w.whole, nil)
	if err != nil || h == "" {
		return err
	}
	return s.acceptWhole(ctx, w, Squash, h, s.hist.parent(h), w.allTo(h), map[gitops.Hash]bool{h: true})
}

// bySquashRemade looks for one commit that is what git's merge makes of the whole. A part
// of it may have been there before, so what it stands on is not the stage's base.
func (s *search) bySquashRemade(ctx context.Context, w *work) error {
	if len(w.parts) < 2 && !w.merges {
		return nil // byCommits tried it
	}
	h, err := s.remade(ctx, w, gitops.Diff{From: w.from, To: w.Stage.Head}, w.whole, nil)
	if err != nil || h == "" {
		return err
	}
	return s.acceptWhole(ctx, w, Squash, h, "", w.allTo(h), map[gitops.Hash]bool{h: true})
}

// allTo pairs each of the stage's commits with one.
func (w *work) allTo(h gitops.Hash) []Pair {
	var out []Pair
	for _, n := range slices.Backward(w.own) {
		out = append(out, Pair{n.Hash, h})
	}
	return out
}

// acceptWhole settles a stage whose whole change was found in other commits. It proves
// nothing where one of its own commits is there beside them, and nothing takes it back:
// commits of the stage that cancel each other out are not in its whole change, and of
// these one was left out.
func (s *search) acceptWhole(ctx context.Context, w *work, how How, head, base gitops.Hash, pairs []Pair, used map[gitops.Hash]bool) error {
	for _, p := range w.parts {
		if len(p.node.Parents) != 1 || p.patch.Same(w.whole) {
			continue
		}
		beside, err := s.match(ctx, w, gitops.Diff{From: p.node.Parents[0], To: p.node.Hash}, p.patch, used)
		if err != nil {
			return err
		}
		if beside != "" && s.revertedBy(w, p.patch, map[gitops.Hash]bool{beside: true}) == "" {
			w.cannot("its whole change is there as %s, but so is one of its commits alone, as %s", head.Short(), beside.Short())
			return nil
		}
	}
	s.accept(w, how, head, base, pairs, used)
	return nil
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
