package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"git-okstra/gitops"
)

// Target says which worktree is wanted.
type Target struct {
	Path   string         // absolute
	Root   string         // the folder of all stage worktrees; "" where that does not matter
	Branch gitops.RefName // exists already
	Head   gitops.Hash    // the branch's tip
	Bind   gitops.RefName // the refs/worktree/ ref that marks the worktree as this stage's
	Base   gitops.Hash    // what Bind points to
	// NoSmudge leaves files that go through a smudge filter as they are stored.
	NoSmudge bool
	// Tell is told now and then how many of the commit's files are done with; it may be
	// nil, and must stand calls at once.
	Tell func(done, total int)
	// Ahead is what was begun to be read for this target before; it may be nil.
	Ahead *Ahead
}

// Result tells what Provision did.
type Result struct {
	Path    string
	Existed bool // it was there, whole
	Copied  int  // files copied from a sibling
	Written int  // files written by git
	rest    []string
	HookErr error // the post-checkout hook's failure: the worktree is good all the same

	NoMain       bool     // there is no main worktree that ignored files could come from
	Brought      int      // ignored paths that were copied or linked from there
	BroughtFiles int      // the files among and in them that were copied
	Warnings     []string // what could not be brought, and what else a person should know
}

// errGone says that the folder to be locked is not there (any more).
var errGone = errors.New("the folder is gone")

// ForeignPathError names a path that is in the way and not ours to touch.
type ForeignPathError struct {
	Path string
	What string
}

func (e *ForeignPathError) Error() string { return fmt.Sprintf("%q is in the way: %s", e.Path, e.What) }

// Preflight checks, without writing anything, that the target's path is free or
// is a worktree of this repository on the target's branch. Errors: a
// *ForeignPathError, gitops.ErrSparse, or that of looking.
func Preflight(ctx context.Context, repo *gitops.Repo, t Target) error {
	if _, err := readSync(repo.Config()); err != nil {
		return err
	}
	for look := 1; ; look++ {
		wt, ok, err := repo.WorktreeAt(ctx, t.Path)
		if err != nil {
			return err
		}
		if ok {
			if wt.Branch != t.Branch && !wt.Unfinished {
				return &ForeignPathError{Path: t.Path, What: "a worktree of another branch stands there"}
			}
			return nil
		}
		// What is in the way may be a worktree that another process has just added: git
		// registers it before it puts anything there.
		if err = free(t.Path); err == nil {
			return repo.CheckSparse(ctx)
		}
		if look == 2 {
			return err
		}
	}
}

// free reports whether a path is absent or an empty folder.
func free(path string) error {
	entries, err := os.ReadDir(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && exists(path):
		return &ForeignPathError{Path: path, What: "it is a link that leads nowhere"}
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
	for tries := 1; ; {
		res, again, err := provisionOnce(ctx, repo, t)
		var refused *refusedError
		switch {
		case errors.As(err, &refused) && tries < maxTries:
			tries++
			select {
			case <-ctx.Done():
				return Result{}, ctx.Err()
			case <-time.After(time.Duration(tries) * retryPause):
			}
		case err != nil || !again:
			return res, err
		}
	}
}

// A `git worktree add` fails where a `git gc` beside it prunes the administrative
// folder that it has just made: twice in 20,000 starts beside a gc in a loop. What it
// refuses for good it refuses again.
const (
	maxTries   = 3
	retryPause = 20 * time.Millisecond
)

// refusedError is git's refusal to add the worktree; nothing is left of the attempt.
type refusedError struct{ err error }

func (e *refusedError) Error() string { return e.err.Error() }

// Unwrap gives git's error.
func (e *refusedError) Unwrap() error { return e.err }

// provisionOnce works under the lock of the target's folder; again is true where
// a half-made worktree was removed, and its folder and lock with it.
func provisionOnce(ctx context.Context, repo *gitops.Repo, t Target) (res Result, again bool, err error) {
	if err := awaitGit(ctx, repo, t.Path); err != nil {
		return Result{}, false, err
	}
	unlock, err := enter(ctx, repo, t)
	if err != nil {
		return Result{}, false, err
	}
	defer unlock()
	wt, found, err := settle(ctx, repo, t)
	switch {
	case err != nil:
		return Result{}, false, err
	case found == whole:
		return Result{Path: t.Path, Existed: true}, false, nil
	case found == halfMade:
		return Result{}, true, discardHalfMade(ctx, repo, t, wt)
	}
	res, err = create(ctx, repo, t)
	return res, false, err
}

// aliveFor is how long a `git worktree add` is thought to be at work since it last
// changed anything. One whose parent was killed goes on, and when it fails it deletes
// the folder that it was to fill, whoever filled it since.
const aliveFor = time.Second

// awaitGit waits while a worktree at path is being made that may still be finished.
func awaitGit(ctx context.Context, repo *gitops.Repo, path string) error {
	for {
		wt, ok, err := repo.WorktreeAt(ctx, path)
		if err != nil || !ok || !wt.Unfinished {
			return err
		}
		if quiet := time.Since(wt.Touched()); quiet < 0 || quiet > aliveFor {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// enter makes the target's folder and locks it. Folders come and go under the
// lock of their parent, which is held for a moment only, so that nobody takes
// for missing what another process is about to make.
func enter(ctx context.Context, repo *gitops.Repo, t Target) (unlock func(), err error) {
	if err := repo.MakeFolders(filepath.Dir(t.Path)); err != nil {
		return nil, fmt.Errorf("make worktree folder: %w", err)
	}
	for {
		err := underParent(ctx, t.Path, func() error { return makeFolder(ctx, repo, t.Path) })
		if err != nil {
			return nil, err
		}
		if unlock, err = lockDir(ctx, t.Path); !errors.Is(err, errGone) {
			return unlock, err
		}
	}
}

// underParent does something under the lock of the folder that path lies in.
func underParent(ctx context.Context, path string, do func() error) error {
	unlock, err := lockDir(ctx, filepath.Dir(path))
	if err != nil {
		return err
	}
	defer unlock()
	return do()
}

// makeFolder makes the target's folder. Git must first forget a worktree there
// whose files are gone; a locked one it does not, and gives the lock's reason.
func makeFolder(ctx context.Context, repo *gitops.Repo, path string) error {
	if err := putBackAt(ctx, repo, path); err != nil {
		return err
	}
	_, registered, err := repo.WorktreeAt(ctx, path)
	if err != nil {
		return err
	}
	if registered && free(path) == nil {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("make worktree folder: %w", err)
		}
		if err := repo.RemoveWorktree(ctx, path); err != nil {
			return err
		}
	}
	err = repo.MakeFolder(path)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("make worktree folder: %w", err)
	}
	if _, gone := os.Stat(path); err != nil && gone != nil {
		return free(path)
	}
	return nil
}

// found is what stands at a target.
type found int

const (
	nothing  found = iota // an empty folder
	halfMade              // a worktree without the mark
	whole
)

// settle looks at what stands at the target. Anything that is not ours is an
// error.
func settle(ctx context.Context, repo *gitops.Repo, t Target) (gitops.Worktree, found, error) {
	wt, ok, err := repo.WorktreeAt(ctx, t.Path)
	if err != nil {
		return wt, nothing, err
	}
	if !ok {
		return wt, nothing, free(t.Path)
	}
	if wt.Unfinished {
		return wt, halfMade, nil
	}
	bound, err := repo.BoundRefs(ctx, wt, string(t.Bind))
	if err != nil {
		return wt, nothing, err
	}
	switch {
	case len(bound) > 0 && !exists(filepath.Join(t.Path, ".git")):
		return wt, nothing, &ForeignPathError{Path: t.Path, What: "the worktree there has lost its .git file (git worktree repair makes a new one)"}
	case len(bound) > 0:
		return wt, whole, nil
	case wt.Branch != t.Branch:
		return wt, nothing, &ForeignPathError{Path: t.Path, What: "a worktree of another branch stands there"}
	}
	return wt, halfMade, nil
}

// discardHalfMade removes a worktree that was never finished. Nobody was told of
// it, but a path that the tree does not hold would be somebody's all the same.
func discardHalfMade(ctx context.Context, repo *gitops.Repo, t Target, wt gitops.Worktree) error {
	entries, err := repo.FlattenTree(ctx, t.Head)
	if err != nil {
		return err
	}
	known := map[string]bool{".git": true}
	for _, e := range entries {
		known[e.Name] = true
	}
	brought, err := readProvided(wt)
	if err != nil {
		return err
	}
	ours := map[string]bool{}
	for _, p := range brought {
		ours[p.Path] = true
	}
	err = filepath.WalkDir(t.Path, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(t.Path, path)
		name := filepath.ToSlash(rel)
		switch {
		case err != nil:
		case d.IsDir() && ours[name]:
			err = fs.SkipDir // brought as a whole
		case !d.IsDir() && !known[name] && !ours[name]:
			err = &ForeignPathError{Path: path, What: "it lies in a half-made worktree and is not of its commit"}
		}
		return err
	})
	if err != nil {
		return err
	}
	if !wt.Unfinished {
		if err := wt.FinishAdding(); err != nil {
			return err
		}
	}
	return underParent(ctx, t.Path, func() error { return repo.RemoveWorktree(ctx, t.Path) })
}

// create makes the worktree: register, fill, bring along, hook, mark.
func create(ctx context.Context, repo *gitops.Repo, t Target) (Result, error) {
	said, err := keepOut(ctx, repo, t)
	if err != nil {
		return Result{}, errors.Join(err, removeIfEmpty(t.Path))
	}
	ahead := t.Ahead
	if !ahead.fits(t) {
		ahead = new(Ahead)
		ahead.Begin(ctx, repo, t)
	}
	defer ahead.Stop()
	wt, err := repo.AddWorktree(ctx, t.Path, t.Branch)
	if err != nil {
		return Result{}, &refusedError{errors.Join(err, removeIfEmpty(t.Path))}
	}
	res := Result{Path: t.Path}
	if said != "" {
		res.Warnings = append(res.Warnings, said)
	}
	from, err := ahead.found()
	if err == nil {
		err = fill(ctx, repo, wt, t, from, &res)
	}
	if err == nil {
		err = bring(ctx, repo, wt, t.Head, &res)
	}
	if err == nil {
		res.HookErr = repo.RunPostCheckout(ctx, wt.Path, t.Head)
		err = repo.BindWorktree(ctx, wt, t.Bind, t.Base)
	}
	if err == nil {
		return res, nil
	}
	undo := context.WithoutCancel(ctx)
	return Result{}, errors.Join(err, underParent(undo, t.Path, func() error { return repo.RemoveWorktree(undo, t.Path) }))
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
