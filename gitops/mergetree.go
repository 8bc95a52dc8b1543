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

// MergeTree merges two commits as `git merge` would and touches no worktree, index or
// ref. It returns the merged tree, or the paths that conflict, sorted, and then no tree.
// The tree's new objects are loose and held by nothing: see KeepTree. A git that cannot
// merge without a worktree (before 2.38) gets a temporary one.
func (r *Repo) MergeTree(ctx context.Context, ours, theirs Hash) (tree Hash, conflicts []string, err error) {
	if !ours.Valid() || !theirs.Valid() {
		return "", nil, fmt.Errorf("merge: bad id %q or %q", ours, theirs)
	}
	out, err := r.run(ctx, r.common(), nil, "merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", string(ours), string(theirs))
	switch code := ExitCode(err); {
	case code == 129: // an option that is not known
		return r.mergeBeside(ctx, ours, theirs)
	case err != nil && code != 1:
		return "", nil, fmt.Errorf("merge: %w", err)
	}
	words := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	if tree = Hash(words[0]); !tree.Valid() {
		return "", nil, fmt.Errorf("merge: unexpected answer %.80q", words[0])
	}
	if err == nil {
		return tree, nil, nil
	}
	return "", sortedPaths(words[1:]), nil
}

func sortedPaths(words []string) []string {
	words = slices.DeleteFunc(slices.Clone(words), func(s string) bool { return s == "" })
	slices.Sort(words)
	return slices.Compact(words)
}

// mergeBeside merges in a worktree that is made for it and always removed.
func (r *Repo) mergeBeside(ctx context.Context, ours, theirs Hash) (tree Hash, conflicts []string, err error) {
	dir, err := os.MkdirTemp("", "git-okstra-merge-")
	if err != nil {
		return "", nil, fmt.Errorf("merge: %w", err)
	}
	path := filepath.Join(dir, "worktree")
	defer func() {
		var gone error
		if _, there, lookErr := r.WorktreeAt(context.WithoutCancel(ctx), path); there && lookErr == nil {
			gone = r.RemoveWorktree(context.WithoutCancel(ctx), path)
		}
		err = errors.Join(err, gone, os.RemoveAll(dir))
	}()
	plain := []string{"-c", "core.hooksPath=" + os.DevNull, "-c", "rerere.enabled=false", "-c", "merge.verifySignatures=false"}
	add := append(slices.Clone(plain), "worktree", "add", "--quiet", "--detach", "--", path, string(ours))
	if _, err := r.run(ctx, r.common(), nil, add...); err != nil {
		return "", nil, fmt.Errorf("merge: %w", err)
	}
	merge := append(slices.Clone(plain), "merge", "--quiet", "--no-commit", "--no-ff", "--no-autostash", "--", string(theirs))
	_, mergeErr := r.run(ctx, r.at(path), nil, merge...)
	if mergeErr != nil && ExitCode(mergeErr) != 1 {
		return "", nil, fmt.Errorf("merge: %w", mergeErr)
	}
	out, err := r.run(ctx, r.at(path), nil, "ls-files", "--unmerged", "-z")
	if err != nil {
		return "", nil, fmt.Errorf("merge: %w", err)
	}
	for line := range strings.SplitSeq(string(out), "\x00") { // mode, id, side, a tab, the path
		if _, name, ok := strings.Cut(line, "\t"); ok {
			conflicts = append(conflicts, name)
		}
	}
	switch {
	case len(conflicts) > 0:
		return "", sortedPaths(conflicts), nil
	case mergeErr != nil:
		return "", nil, fmt.Errorf("merge: %w", mergeErr)
	}
	if out, err = r.run(ctx, r.at(path), nil, "write-tree"); err != nil {
		return "", nil, fmt.Errorf("merge: %w", err)
	}
	tree, err = lastHash(out)
	return tree, nil, err
}

// KeepTree adds to w what a tree has beyond those of some commits, each compared path by
// path, so that it goes into the pack of a transition.
func (r *Repo) KeepTree(ctx context.Context, w *ObjectWriter, tree Hash, beside ...Hash) error {
	var known []Hash
	for _, c := range beside {
		t, err := r.treeOf(ctx, c)
		if err != nil {
			return err
		}
		known = append(known, t)
	}
	return r.keepTree(ctx, w, tree, known, 0)
}

// deepestTree bounds how deep trees are followed.
const deepestTree = 4096

func (r *Repo) keepTree(ctx context.Context, w *ObjectWriter, tree Hash, known []Hash, depth int) error {
	if slices.Contains(known, tree) && depth > 0 {
		return nil
	}
	if depth > deepestTree {
		return fmt.Errorf("read tree: more than %d folders deep", deepestTree)
	}
	data, err := r.readTyped(ctx, tree, TypeTree)
	if err != nil {
		return fmt.Errorf("read tree: %w", err)
	}
	w.add(TypeTree, data)
	entries, err := parseTree(data, r.objects.hashLen())
	if err != nil {
		return err
	}
	there := map[string][]Hash{} // by name, what the known trees have
	for _, k := range known {
		old, err := readTree(ctx, r.objects, k)
		if err != nil {
			return err
		}
		for _, e := range old {
			there[e.Name] = append(there[e.Name], e.Hash)
		}
	}
	for _, e := range entries {
		switch {
		case slices.Contains(there[e.Name], e.Hash), e.Mode == ModeGitlink:
			continue
		case e.Mode == ModeTree:
			below, err := r.treesOf(ctx, there[e.Name])
			if err == nil {
				err = r.keepTree(ctx, w, e.Hash, below, depth+1)
			}
			if err != nil {
				return err
			}
			continue
		}
		blob, err := r.readTyped(ctx, e.Hash, TypeBlob)
		if err != nil {
			return fmt.Errorf("read blob: %w", err)
		}
		w.Blob(blob)
	}
	return nil
}

// treesOf is the trees among objects.
func (r *Repo) treesOf(ctx context.Context, list []Hash) ([]Hash, error) {
	var out []Hash
	for _, h := range list {
		kind, _, err := r.objects.read(ctx, h)
		if err != nil {
			return nil, err
		}
		if kind == TypeTree {
			out = append(out, h)
		}
	}
	return out, nil
}
