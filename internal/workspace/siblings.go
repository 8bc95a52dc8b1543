package workspace

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"sort"

	"git-okstra/gitops"
)

// sibling is a worktree with an index that says which of its files are as
// committed.
type sibling struct {
	path  string
	index *gitops.Index // its entries in strict order
	but   []converted   // what is not to be copied from it
	noCR  bool          // nor is a file with a CR in it
}

// readSibling reads a worktree's index; nil where it cannot serve as a source,
// for whatever reason: git then writes the files.
func readSibling(repo *gitops.Repo, wt gitops.Worktree) *sibling {
	idx, err := repo.ReadIndex(wt)
	if err != nil {
		return nil
	}
	for i := range idx.Entries {
		if !idx.Entries[i].Plain || i > 0 && idx.Entries[i-1].Name >= idx.Entries[i].Name {
			return nil
		}
	}
	return &sibling{path: wt.Path, index: idx}
}

// find looks a path up, first where the caller guesses that it is.
func (s *sibling) find(name string, guess int) (at int, ok bool) {
	all := s.index.Entries
	if guess < len(all) && all[guess].Name == name {
		return guess, true
	}
	at = sort.Search(len(all), func(i int) bool { return all[i].Name >= name })
	return at, at < len(all) && all[at].Name == name
}

// common counts the files that the sibling has with the same content and mode.
func (s *sibling) common(entries []gitops.TreeEntry) int {
	n, at := 0, 0
	for i := range entries {
		found, ok := s.find(entries[i].Name, at)
		if at = found; ok {
			at++
		}
		if ok && s.index.Entries[found].TreeEntry == entries[i] {
			n++
		}
	}
	return n
}

// The bounds of the search for siblings: a clone can have hundreds of worktrees, and
// each index takes time and memory.
const (
	maxRanked = 64   // worktrees whose trees are compared
	maxRead   = 3    // indexes that are read
	farAway   = 2000 // entries; from there on one tree is as good as another
)

// siblings chooses the worktrees to copy from, the one with most of the wanted files
// first, and those after it that can have what it lacks. One that has everything is
// enough; the others are then left unread, for the case that its files were changed. ahead
// is the first, which has been read already.
func siblings(ctx context.Context, repo *gitops.Repo, ranked []gitops.Worktree, ahead *sibling, entries []gitops.TreeEntry) (chosen []*sibling, unread []gitops.Worktree) {
	type counted struct {
		*sibling
		n int
	}
	var found []counted
	for i, wt := range ranked {
		s := ahead
		if i > 0 {
			s = readSibling(repo, wt)
		}
		if s == nil {
			continue
		}
		n := s.common(entries)
		if n == len(entries) {
			return []*sibling{s}, ranked[i+1:]
		}
		if n > 0 {
			found = append(found, counted{s, n})
		}
		if len(found) == maxRead || ctx.Err() != nil {
			break
		}
	}
	slices.SortStableFunc(found, func(a, b counted) int { return cmp.Compare(b.n, a.n) })
	for _, c := range found {
		chosen = append(chosen, c.sibling)
	}
	return chosen, nil
}

// rank orders the worktrees other than the target's by how near their commit's tree is to
// the wanted one. It is a look at trees and no proof: HEAD may be elsewhere by now, and
// what is checked out is known from the index alone.
func rank(ctx context.Context, repo *gitops.Repo, t Target) ([]gitops.Worktree, error) {
	all, err := repo.Worktrees(ctx)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(wt gitops.Worktree) bool {
		return wt.Unfinished || wt.Path == t.Path || !exists(filepath.Join(wt.GitDir, "index"))
	})
	if len(all) < 2 {
		return all, nil
	}
	distance := make(map[string]int, len(all))
	nearest := farAway
	for i, wt := range all {
		d := farAway
		if tip := repo.GuessTip(wt); tip != "" && i < maxRanked && nearest > 0 {
			if n, err := repo.TreeDistance(ctx, t.Head, tip, farAway); err == nil {
				d = n
			}
		}
		distance[wt.GitDir] = d
		nearest = min(nearest, d)
	}
	slices.SortStableFunc(all, func(a, b gitops.Worktree) int { return cmp.Compare(distance[a.GitDir], distance[b.GitDir]) })
	return all, nil
}
