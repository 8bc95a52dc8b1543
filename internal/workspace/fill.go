package workspace

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"git-okstra/gitops"
)

// fill writes the files and the index of a new worktree. Files that a clean
// sibling has already are copied, the rest is left to git; where copying could
// give other bytes than git would, git does all of it.
func fill(ctx context.Context, repo *gitops.Repo, wt gitops.Worktree, head gitops.Hash, res *Result) error {
	if mayFetch(repo.Config()) {
		return fillByGit(ctx, repo, wt, head, res)
	}
	entries, err := repo.FlattenTree(ctx, head)
	if err != nil {
		return err
	}
	config, err := repo.ConfigAt(ctx, wt.Path)
	if err != nil {
		return err
	}
	plain, err := copyable(ctx, repo, config, entries)
	if err != nil {
		return err
	}
	var source *sibling
	if plain {
		source, err = nearest(ctx, repo, wt, entries)
		if err != nil {
			return err
		}
	}
	if source == nil {
		res.Written = len(entries)
		return repo.ResetHard(ctx, wt.Path, workers(repo))
	}
	// Neither needs the other: together they take the time of the longer one.
	recorded := make(chan error, 1)
	go func() { recorded <- repo.RecordReset(ctx, wt, head) }()
	err = fillFrom(ctx, repo, wt, entries, source, res)
	return errors.Join(err, <-recorded)
}

// fillByGit leaves everything to git. In a partial clone it fetches all that is missing
// at once, while each object that we ask for would be a fetch of its own.
func fillByGit(ctx context.Context, repo *gitops.Repo, wt gitops.Worktree, head gitops.Hash, res *Result) error {
	if err := repo.ResetHard(ctx, wt.Path, workers(repo)); err != nil {
		return err
	}
	entries, err := repo.FlattenTree(ctx, head)
	res.Written = len(entries)
	return err
}

// workers is the bound on parallel file writing: checkout.workers as git reads
// it (below 1: one for each processor), else one for each processor.
func workers(repo *gitops.Repo) int {
	n := 0
	if v := repo.Config().Get("checkout.workers"); v != "" {
		if _, err := fmt.Sscan(v, &n); err != nil {
			n = 0
		}
	}
	if n < 1 {
		n = runtime.NumCPU()
	}
	return n
}

// fillFrom copies what the sibling has, writes the index once, and lets git add
// the rest.
func fillFrom(ctx context.Context, repo *gitops.Repo, wt gitops.Worktree,
	entries []gitops.TreeEntry, source *sibling, res *Result,
) error {
	index := make([]gitops.IndexEntry, len(entries))
	for i, e := range entries {
		index[i].TreeEntry = e
	}
	if err := copyAll(ctx, source, wt.Path, index, workers(repo)); err != nil {
		return err
	}
	var rest []string
	for _, e := range index {
		if !e.Known {
			rest = append(rest, e.Name)
		}
	}
	res.Copied, res.Written = len(index)-len(rest), len(rest)
	if err := repo.WriteIndex(wt, index); err != nil {
		return err
	}
	return repo.CheckoutIndex(ctx, wt.Path, rest)
}

// sibling is a worktree with an index that says which of its files are as
// committed.
type sibling struct {
	path   string
	index  *gitops.Index
	byName map[string]*gitops.IndexEntry
	real   sync.Map // of a folder below path: whether it is one, and no link
}

// nearest picks the worktree with the most files in common: the one that stands
// on the wanted commit's own branch point is usually the main one, so few are
// looked at.
func nearest(ctx context.Context, repo *gitops.Repo, self gitops.Worktree, entries []gitops.TreeEntry) (*sibling, error) {
	const candidates = 3
	all, err := repo.Worktrees(ctx)
	if err != nil {
		return nil, err
	}
	var best *sibling
	most, seen := 0, 0
	for _, wt := range all {
		if wt.GitDir == self.GitDir || seen == candidates {
			continue
		}
		s := readSibling(repo, wt)
		if s == nil {
			continue
		}
		seen++
		if n := s.common(entries); n > most {
			best, most = s, n
		}
		if most == len(entries) {
			break
		}
	}
	return best, nil
}

// readSibling reads a worktree's index; nil where it cannot serve as a source,
// for whatever reason: git then writes the files.
func readSibling(repo *gitops.Repo, wt gitops.Worktree) *sibling {
	idx, err := repo.ReadIndex(wt)
	if err != nil {
		return nil
	}
	s := &sibling{path: wt.Path, index: idx, byName: make(map[string]*gitops.IndexEntry, len(idx.Entries))}
	for i := range idx.Entries {
		e := &idx.Entries[i]
		if !e.Plain {
			return nil
		}
		s.byName[e.Name] = e
	}
	return s
}

// common counts the files that the sibling has with the same content and mode.
func (s *sibling) common(entries []gitops.TreeEntry) int {
	n := 0
	for _, e := range entries {
		if have, ok := s.byName[e.Name]; ok && have.TreeEntry == e {
			n++
		}
	}
	return n
}
