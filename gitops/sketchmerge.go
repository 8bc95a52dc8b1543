package gitops

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Merged is what a merge came to.
type Merged struct {
	Tree      Hash     // "" where there are conflicts
	Conflicts []string // the paths, raw bytes, in order
}

// Merge merges two commits as `git merge` would, rename detection, attributes and the
// user's merge settings included. Nothing of it is in the repository.
func (s *Sketch) Merge(ctx context.Context, ours, theirs Hash) (Merged, error) {
	if err := s.attributes(ctx, ours); err != nil {
		return Merged{}, err
	}
	if !s.plain {
		m, err := s.mergeTree(ctx, ours, theirs)
		if !errors.Is(err, errNoMergeTree) {
			return m, err
		}
		s.plain = true
	}
	out, err := s.run(ctx, s.desk(), nil, "merge-base", "--all", string(ours), string(theirs))
	if err != nil {
		return Merged{}, fmt.Errorf("merge: %w", err)
	}
	var bases []Hash
	for line := range strings.Lines(string(out)) {
		bases = append(bases, Hash(strings.TrimSpace(line)))
	}
	return s.mergeHere(ctx, bases, ours, theirs)
}

// Replay makes the change from one commit to another again on a third one, as
// cherry-picking it would.
func (s *Sketch) Replay(ctx context.Context, change Diff, onto Hash) (Merged, error) {
	var trees [3]Hash
	for i, h := range []Hash{change.From, onto, change.To} {
		tree, err := s.treeOf(ctx, h)
		if err != nil {
			return Merged{}, err
		}
		trees[i] = tree
	}
	nobody := Signature{Name: "git-okstra", Email: "git-okstra"}
	var made [3]Hash
	for i, tree := range trees {
		c := CommitData{Tree: tree, Author: nobody, Committer: nobody}
		if i > 0 {
			c.Parents, c.Message = []Hash{made[0]}, fmt.Sprint(i) // two sides with one tree are two commits
		}
		h, err := s.looseCommitOf(c)
		if err != nil {
			return Merged{}, err
		}
		made[i], s.scaffold[h] = h, true
	}
	return s.Merge(ctx, made[1], made[2])
}

// errNoMergeTree says that this git (before 2.38) merges in a worktree only.
var errNoMergeTree = errors.New("git merge-tree cannot write a tree")

func (s *Sketch) mergeTree(ctx context.Context, ours, theirs Hash) (Merged, error) {
	out, err := s.run(ctx, s.desk(), nil, "merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", string(ours), string(theirs))
	words := nulList(out)
	switch code := ExitCode(err); {
	case err == nil && len(words) == 1 && Hash(words[0]).Valid():
		return Merged{Tree: Hash(words[0])}, nil
	case code == 1 && len(words) > 0:
		return Merged{Conflicts: sortedPaths(words[1:])}, nil
	case code == 129: // what it says to an option that it does not know
		return Merged{}, errNoMergeTree
	case err == nil:
		return Merged{}, fmt.Errorf("merge: unexpected answer %q", out)
	}
	return Merged{}, fmt.Errorf("merge: %w", err)
}

// mergeHere merges in the sketch's own folder, which begins empty: a file that is not
// there counts as unchanged, so only those that the merge changes are written.
func (s *Sketch) mergeHere(ctx context.Context, bases []Hash, ours, theirs Hash) (Merged, error) {
	p := s.desk()
	if err := os.RemoveAll(filepath.Join(s.dir, "index")); err != nil {
		return Merged{}, fmt.Errorf("merge: %w", err)
	}
	if _, err := s.run(ctx, p, nil, "read-tree", string(ours)); err != nil {
		return Merged{}, fmt.Errorf("merge: %w", err)
	}
	args := append(slices.Clone(s.settings), "merge-recursive")
	for _, b := range bases {
		args = append(args, string(b))
	}
	_, err := s.run(ctx, p, nil, append(args, "--", string(ours), string(theirs))...)
	if err != nil && ExitCode(err) != 1 {
		return Merged{}, fmt.Errorf("merge: %w", err)
	}
	out, listErr := s.run(ctx, p, nil, "ls-files", "-u", "-z")
	if listErr != nil {
		return Merged{}, fmt.Errorf("merge: %w", listErr)
	}
	if err != nil {
		var paths []string
		for _, entry := range nulList(out) { // mode id stage TAB path
			_, path, _ := strings.Cut(entry, "\t")
			paths = append(paths, path)
		}
		if len(paths) == 0 {
			return Merged{}, fmt.Errorf("merge: %w", err)
		}
		return Merged{Conflicts: sortedPaths(paths)}, nil
	}
	if out, err = s.run(ctx, p, nil, "write-tree"); err != nil {
		return Merged{}, fmt.Errorf("merge: %w", err)
	}
	return Merged{Tree: Hash(strings.TrimSpace(string(out)))}, nil
}

func sortedPaths(list []string) []string {
	out := slices.Clone(list)
	slices.Sort(out)
	return slices.Compact(out)
}
