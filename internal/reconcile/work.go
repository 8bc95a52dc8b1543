package reconcile

import (
	"context"
	"fmt"
	"slices"

	"git-okstra/gitops"
)

// work is what is looked for of one stage.
type work struct {
	*Result
	own    []gitops.CommitNode // its commits that are not in the history, newest first
	merges bool                // some of them are merges, whose content no patch of a commit shows
	from   gitops.Hash         // what its own commits stand on
	whole  gitops.Patch        // from there to its head
	parts  []part              // its commits that change anything, oldest first
	inside []bool              // of the history: what can be a match
	names  map[string]string   // what its files are called in the history now, where that is otherwise
	found  int                 // of parts
}

// part is one of a stage's commits with its change.
type part struct {
	node  gitops.CommitNode
	patch gitops.Patch
}

func (w *work) settled() bool { return w.Verdict != "" }

func (w *work) cannot(format string, args ...any) {
	w.Verdict, w.Why = CannotTell, fmt.Sprintf(format, args...)
}

func (w *work) done(how How, head, base gitops.Hash, pairs []Pair) {
	w.Verdict, w.How, w.Head, w.Base, w.Pairs = Done, how, head, base, pairs
}

// notFound says what is missing.
func (w *work) notFound() {
	if w.merges {
		w.cannot("its commits hold a merge, and no commit makes the change of the whole")
		return
	}
	w.Verdict = NotDone
	w.Why = fmt.Sprintf("%d of its %d commits are there by content", w.found, len(w.parts))
}

// collect finds a stage's own commits.
func (s *search) collect(ctx context.Context, own *graph, r *Result) error {
	w := &work{Result: r}
	mine, below := own.reach(r.Stage.Head), make([]bool, len(own.nodes))
	if r.Stage.Base != "" {
		below = own.reach(r.Stage.Base)
	}
	for i, node := range own.nodes {
		if mine[i] && !below[i] {
			w.own = append(w.own, node)
			w.merges = w.merges || len(node.Parents) > 1
		}
	}
	switch {
	case r.Stage.Base == "":
		w.cannot("the commit that it was started on is not known")
		return nil
	case len(w.own) == 0:
		w.cannot("it has no commit of its own")
		return nil
	case w.merges && own.has(r.Stage.Base):
		w.cannot("its commits hold a merge, and what they stand on is not in the history")
		return nil
	case w.merges:
		base, err := s.repo.CommonBase(ctx, r.Stage.Head, s.tip)
		if err != nil {
			return err
		}
		w.from = base
	default: // a chain
		w.from = own.parent(w.own[len(w.own)-1].Hash)
	}
	if w.from == "" {
		w.cannot("it has a root commit of its own")
		return nil
	}
	s.open = append(s.open, w)
	return nil
}

// ownPatches computes the changes of all open stages at once.
func (s *search) ownPatches(ctx context.Context) error {
	var diffs []gitops.Diff
	for _, w := range s.open {
		diffs = append(diffs, gitops.Diff{From: w.from, To: w.Stage.Head})
		for _, node := range slices.Backward(w.own) {
			if len(node.Parents) == 1 {
				diffs = append(diffs, gitops.Diff{To: node.Hash})
			}
		}
	}
	patches, err := s.repo.Patches(ctx, diffs)
	if err != nil {
		return err
	}
	for _, w := range s.open {
		w.whole, patches = patches[0], patches[1:]
		for _, node := range slices.Backward(w.own) {
			if len(node.Parents) != 1 {
				continue
			}
			if !patches[0].Empty() {
				w.parts = append(w.parts, part{node, patches[0]})
			}
			patches = patches[1:]
		}
		if len(w.parts) == 0 && !w.merges {
			w.cannot("its commits change nothing, so nothing shows where they went")
		}
	}
	s.open = slices.DeleteFunc(s.open, (*work).settled)
	for _, w := range s.open {
		if w.names, err = s.repo.Renamed(ctx, w.from, s.tip, w.paths()); err != nil {
			return err
		}
	}
	return nil
}

// paths lists the files that the stage changes.
func (w *work) paths() []string {
	known := map[string]bool{}
	var out []string
	for _, p := range w.all() {
		for _, f := range p.Files {
			if !known[f.Path] {
				known[f.Path] = true
				out = append(out, f.Path)
			}
		}
	}
	return out
}

// named is what a path is called in the history now.
func (w *work) named(path string) string {
	if other, ok := w.names[path]; ok {
		return other
	}
	return path
}

// same reports whether a commit of the history makes a change; renamed says that it
// does so under other names.
func (w *work) same(change, there gitops.Patch) (ok, renamed bool) {
	if change.Same(there) {
		return true, false
	}
	if len(w.names) == 0 || change.Empty() || len(change.Files) != len(there.Files) {
		return false, false
	}
	exact := map[string]string{}
	for _, f := range there.Files {
		exact[f.Path] = f.Exact
	}
	for _, f := range change.Files {
		if exact[w.named(f.Path)] != f.Exact {
			return false, false
		}
	}
	return true, true
}

// replays makes a change again where it was found.
func (s *search) replays(ctx context.Context, w *work, change gitops.Diff, patch gitops.Patch, onto, result gitops.Hash, renamed bool) (bool, error) {
	var names map[string]string
	if renamed {
		names = w.names
	}
	return s.repo.Replays(ctx, change, onto, result, patch.Paths(), names)
}
