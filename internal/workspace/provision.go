package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"git-okstra/gitops"
)

// Target says which worktree is wanted.
type Target struct {
	Path   string         // absolute
	Branch gitops.RefName // exists already
	Head   gitops.Hash    // the branch's tip
	Bind   gitops.RefName // the refs/worktree/ ref that marks the worktree as this stage's
	Base   gitops.Hash    // what Bind points to
}

// Result tells what Provision did.
type Result struct {
	Path    string
	Existed bool  // it was there, whole
	Copied  int   // files copied from a sibling
	Written int   // files written by git
	HookErr error // the post-checkout hook's failure: the worktree is good all the same
}

// ForeignPathError names a path that is in the way and not ours to touch.
type ForeignPathError struct {
	Path string
	What string
}

func (e *ForeignPathError) Error() string { return fmt.Sprintf("%q is in the way: %s", e.Path, e.What) }

// Preflight checks, without writing anything, that the target's path is free or
// is a worktree of this repository on the target's branch. Errors: a
// *ForeignPathError, or that of looking.
func Preflight(ctx context.Context, repo *gitops.Repo, t Target) error {
	wt, ok, err := repo.WorktreeAt(ctx, t.Path)
	if err != nil {
		return err
	}
	if ok {
		if wt.Branch != t.Branch {
			return &ForeignPathError{Path: t.Path, What: "a worktree of another branch stands there"}
		}
		return nil
	}
	return free(t.Path)
}

// free reports whether a path is absent or an empty folder.
func free(path string) error {
	entries, err := os.ReadDir(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return &ForeignPathError{Path: path, What: "it is not a folder"}
	case len(entries) > 0:
		return &ForeignPathError{Path: path, What: "the folder is not empty and no worktree of this repository"}
	}
	return nil
}

// Provision makes the target's worktree, or completes or confirms the one that
// is there. The mark (Target.Bind) is written last, so a worktree without it is
// half-made; of several processes at one target, one works and the others wait.
// Where it fails, what it made is gone again.
func Provision(ctx context.Context, repo *gitops.Repo, t Target) (Result, error) {
	if err := forgetMissing(ctx, repo, t); err != nil {
		return Result{}, err
	}
	if err := os.MkdirAll(t.Path, 0o777); err != nil {
		return Result{}, fmt.Errorf("make worktree folder: %w", err)
	}
	unlock, err := lockDir(ctx, t.Path)
	if err != nil {
		return Result{}, err
	}
	defer unlock()
	done, err := settle(ctx, repo, t)
	if err != nil || done {
		return Result{Path: t.Path, Existed: done}, err
	}
	return create(ctx, repo, t)
}

// forgetMissing lets git forget a registered worktree at the target whose folder
// is gone, which would otherwise stand in the way of a new one. A locked one is
// refused by git, with the lock's reason.
func forgetMissing(ctx context.Context, repo *gitops.Repo, t Target) error {
	_, registered, err := repo.WorktreeAt(ctx, t.Path)
	if err != nil || !registered {
		return err
	}
	if _, err := os.Lstat(t.Path); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return repo.RemoveWorktree(ctx, t.Path)
}

// settle looks at what stands at the target: true where it is whole. A half-made
// one is removed if nothing foreign lies in it.
func settle(ctx context.Context, repo *gitops.Repo, t Target) (bool, error) {
	wt, ok, err := repo.WorktreeAt(ctx, t.Path)
	if err != nil {
		return false, err
	}
	if !ok {
		return false, free(t.Path)
	}
	bound, err := repo.BoundRefs(ctx, wt, string(t.Bind))
	if err != nil {
		return false, err
	}
	if len(bound) > 0 {
		return true, nil
	}
	if wt.Branch != t.Branch {
		return false, &ForeignPathError{Path: t.Path, What: "a worktree of another branch stands there"}
	}
	return false, discardHalfMade(ctx, repo, t)
}

// discardHalfMade removes a worktree that was never finished. Nobody was told of
// it, but a path that the tree does not hold would be somebody's all the same.
func discardHalfMade(ctx context.Context, repo *gitops.Repo, t Target) error {
	entries, err := repo.FlattenTree(ctx, t.Head)
	if err != nil {
		return err
	}
	known := make(map[string]bool, len(entries))
	for _, e := range entries {
		known[e.Name] = true
	}
	err = filepath.WalkDir(t.Path, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(t.Path, path)
		if err != nil {
			return err
		}
		if name := filepath.ToSlash(rel); name != ".git" && !known[name] {
			return &ForeignPathError{Path: path, What: "it lies in a half-made worktree and is not of its commit"}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := repo.RemoveWorktree(ctx, t.Path); err != nil {
		return err
	}
	return os.MkdirAll(t.Path, 0o777)
}

// create makes the worktree: register, fill, hook, mark.
func create(ctx context.Context, repo *gitops.Repo, t Target) (Result, error) {
	wt, err := repo.AddWorktree(ctx, t.Path, t.Branch)
	if err != nil {
		return Result{}, errors.Join(err, removeIfEmpty(t.Path))
	}
	res := Result{Path: t.Path}
	err = fill(ctx, repo, wt, t.Head, &res)
	if err == nil {
		res.HookErr = repo.RunPostCheckout(ctx, wt.Path, t.Head)
		err = repo.BindWorktree(ctx, wt, t.Bind, t.Base)
	}
	if err != nil {
		return Result{}, errors.Join(err, repo.RemoveWorktree(context.WithoutCancel(ctx), t.Path))
	}
	return res, nil
}

// removeIfEmpty takes back the folder that was made for the worktree.
func removeIfEmpty(path string) error {
	if free(path) != nil {
		return nil
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
