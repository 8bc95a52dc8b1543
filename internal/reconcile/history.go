package reconcile

import (
	"context"

	"git-okstra/gitops"
)

// readHistory reads the part of the tip's history that none of the stages stands on,
// and the changes of those of its commits that may be a match.
func (s *search) readHistory(ctx context.Context) error {
	if len(s.open) == 0 {
		return nil
	}
	var bases []gitops.Hash
	for _, w := range s.open {
		bases = append(bases, w.from)
	}
	bottom, err := s.repo.CommonBase(ctx, append(bases, s.tip)...)
	if err != nil {
		return err
	}
	var hidden []gitops.Hash
	if bottom != "" {
		hidden = append(hidden, bottom)
	}
	nodes, more, err := s.repo.Commits(ctx, []gitops.Hash{s.tip}, hidden, s.limit)
	if err != nil {
		return err
	}
	s.hist, s.answer.Looked, s.answer.Stopped = newGraph(nodes), len(nodes), more
	if err := s.readTouched(ctx); err != nil {
		return err
	}
	for _, w := range s.open {
		w.inside = make([]bool, len(nodes))
		base, head := s.hist.reach(w.from), s.hist.reach(w.Stage.Head)
		for i := range nodes {
			w.inside[i] = !base[i] && !head[i]
		}
	}
	return s.readCandidates(ctx)
}

// readTouched finds the commits that change some path of a stage.
func (s *search) readTouched(ctx context.Context) error {
	known := map[string]bool{}
	var paths []string
	add := func(name string) {
		if !known[name] {
			known[name] = true
			paths = append(paths, name)
		}
	}
	for _, w := range s.open {
		for _, name := range w.paths() {
			add(name)
			add(w.named(name))
		}
	}
	var single []gitops.Hash
	for _, n := range s.hist.nodes {
		if len(n.Parents) < 2 {
			single = append(single, n.Hash)
		}
	}
	touched, err := s.repo.Touching(ctx, single, paths)
	if err != nil {
		return err
	}
	s.touch = make(map[gitops.Hash]map[string]bool, len(touched))
	for h, names := range touched {
		set := make(map[string]bool, len(names))
		for _, name := range names {
			set[name] = true
		}
		s.touch[h] = set
	}
	return nil
}

// all lists the changes that are looked for.
func (w *work) all() []gitops.Patch {
	out := []gitops.Patch{w.whole}
	for _, p := range w.parts {
		out = append(out, p.patch)
	}
	return out
}

// readCandidates computes the changes of the commits that change all paths of something
// that is looked for, the newest first.
func (s *search) readCandidates(ctx context.Context) error {
	var diffs []gitops.Diff
	for _, n := range s.hist.nodes {
		if set := s.touch[n.Hash]; set != nil && s.mayBe(set) {
			diffs = append(diffs, gitops.Diff{To: n.Hash})
		}
	}
	if len(diffs) > mostPatches {
		diffs, s.answer.Stopped = diffs[:mostPatches], true
		s.answer.Looked = s.hist.index[diffs[mostPatches-1].To] + 1
	}
	patches, err := s.repo.Patches(ctx, diffs)
	if err != nil {
		return err
	}
	s.cands = make(map[gitops.Hash]*gitops.Patch, len(diffs))
	for i, d := range diffs {
		s.cands[d.To] = &patches[i]
	}
	return nil
}

// mayBe reports whether a commit that changes these paths can make one of the changes.
func (s *search) mayBe(touched map[string]bool) bool {
	for _, w := range s.open {
		for _, p := range w.all() {
			if !p.Empty() && w.within(p, touched) {
				return true
			}
		}
	}
	return false
}

// within reports whether all files of a change are among the paths, under one name.
func (w *work) within(p gitops.Patch, set map[string]bool) bool {
	for _, f := range p.Files {
		if !set[f.Path] && !set[w.named(f.Path)] {
			return false
		}
	}
	return true
}
