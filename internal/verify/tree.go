package verify

import (
	"context"
	"path/filepath"
	"strings"

	"git-okstra/gitops"
)

// Tree is a worktree as git sees it.
type Tree struct {
	Path      string
	Head      gitops.Hash // "" on a branch without a commit
	Operation string      // that is under way there, "" for none
	Dirt      []string    // lines of git status
}

// Repo is what is needed of a repository.
type Repo interface {
	StatusAll(ctx context.Context, worktree string) ([]string, error)
	BoundBelow(ctx context.Context, prefix string) ([]gitops.Worktree, error)
	RefValues(ctx context.Context, names ...gitops.RefName) (map[gitops.RefName]gitops.Hash, error)
}

// Look reads what is not committed in a worktree. Stage worktrees in it, of any task,
// and folders named .okstra are no dirt.
func Look(ctx context.Context, repo Repo, wt gitops.Worktree) (*Tree, error) {
	t := &Tree{Path: wt.Path, Head: wt.Head, Operation: wt.Operation()}
	if wt.Branch != "" {
		values, err := repo.RefValues(ctx, wt.Branch)
		if err != nil {
			return nil, err
		}
		t.Head = values[wt.Branch]
	}
	lines, err := repo.StatusAll(ctx, wt.Path)
	if err != nil || len(lines) == 0 {
		return t, err
	}
	stages, err := repo.BoundBelow(ctx, "refs/worktree/okstra")
	if err != nil {
		return nil, err
	}
	var inside []string
	for _, s := range stages {
		if rel, ok := below(wt.Path, s.Path); ok {
			inside = append(inside, rel)
		}
	}
	t.Dirt = dirt(lines, inside)
	return t, nil
}

// below is a path's place under a folder, with slashes.
func below(top, path string) (string, bool) {
	for _, dir := range []string{top, resolved(top)} {
		for _, p := range []string{path, resolved(path)} {
			if rel, err := filepath.Rel(dir, p); err == nil && rel != "." && filepath.IsLocal(rel) {
				return filepath.ToSlash(rel), true
			}
		}
	}
	return "", false
}

func resolved(path string) string {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	return path
}

// dirt leaves out of git's status lines what is the tool's own.
func dirt(lines, inside []string) []string {
	var out []string
	for _, line := range lines {
		const code = 3 // two letters and a space
		if len(line) > code && ours(line[code:], inside) {
			continue
		}
		out = append(out, line)
	}
	return out
}

func ours(path string, inside []string) bool {
	if strings.HasPrefix(path, ".okstra/") || strings.Contains(path, "/.okstra/") {
		return true
	}
	for _, dir := range inside {
		if strings.HasPrefix(path, dir+"/") {
			return true
		}
	}
	return false
}
