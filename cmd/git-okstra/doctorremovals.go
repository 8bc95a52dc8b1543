package main

import (
	"context"
	"path/filepath"

	"git-okstra/internal/doctor"
	"git-okstra/internal/workspace"
)

// removals tells the doctor what only those who remove worktrees know.
type removals struct {
	*app
	root string // "" where there is none
}

// HalfRemoved lists the worktrees of a task whose removal was cut short.
func (r removals) HalfRemoved(ctx context.Context, key string) ([]doctor.HalfRemoved, error) {
	if r.root == "" {
		return nil, nil
	}
	left, err := workspace.Leftovers(ctx, r.repo, filepath.Join(r.root, filepath.FromSlash(key)))
	if err != nil {
		return nil, err
	}
	var list []doctor.HalfRemoved
	for _, l := range left {
		list = append(list, doctor.HalfRemoved{
			Path: l.Path, From: l.Worktree, Finish: l.Decided, Why: l.Why,
			Settle: func(ctx context.Context) error { return l.Settle(ctx, r.repo) },
		})
	}
	return list, nil
}
