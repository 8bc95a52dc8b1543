package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"git-okstra/gitops"
)

// Leftover is a worktree whose removal was cut short.
type Leftover struct {
	Path     string // where its files are now
	Worktree string // where it stood, "" where nothing tells
	Decided  bool   // nothing was to be lost; else it is put back
	Why      string // why it cannot be settled, "" where it can
	gitDir   string
}

// Leftovers lists what removals have left in a folder of worktrees. One that is under
// way, or that another process settles, is none.
func Leftovers(ctx context.Context, repo *gitops.Repo, dir string) ([]Leftover, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for half-removed worktrees: %w", err)
	}
	var list []Leftover
	for _, e := range entries {
		m := asideName().FindStringSubmatch(e.Name())
		path := filepath.Join(dir, e.Name())
		if m == nil || !e.IsDir() {
			continue
		}
		unlock, free := tryLockDir(path)
		if !free {
			continue
		}
		l, err := leftover(ctx, repo, path, m[1], m[2])
		unlock()
		if err != nil {
			return nil, err
		}
		list = append(list, l)
	}
	return list, nil
}

// leftover looks at one of them.
func leftover(ctx context.Context, repo *gitops.Repo, path, base, word string) (Leftover, error) {
	l := Leftover{Path: path, Decided: word == wordDecided}
	gitDir, err := gitops.GitDirOf(path)
	if err != nil {
		return l, err
	}
	all, err := repo.Worktrees(ctx)
	if err != nil {
		return l, err
	}
	for _, wt := range all {
		if gitDir != "" && wt.ID != "" && filepath.Base(wt.Path) == base && sameFile(wt.GitDir, gitDir) {
			l.Worktree, l.gitDir = wt.Path, wt.GitDir
		}
	}
	switch {
	case l.Decided:
	case l.Worktree == "":
		l.Why = "git does not know it any more: look what is in it, and delete it yourself"
	case exists(l.Worktree):
		l.Why = fmt.Sprintf("something else stands at %q by now: look what is in it", l.Worktree)
	}
	return l, nil
}

// Settle ends a removal that was cut short: what was decided is finished, everything
// else put back. It does nothing where somebody else did so meanwhile.
func (l Leftover) Settle(ctx context.Context, repo *gitops.Repo) error {
	if l.Why != "" {
		return errors.New(l.Why)
	}
	unlock, free := tryLockDir(l.Path)
	if !free {
		return nil
	}
	defer unlock()
	if l.Worktree != "" {
		if err := underParent(ctx, l.Worktree, func() error { return l.settleName(ctx, repo) }); err != nil {
			return err
		}
	}
	if !l.Decided {
		return nil
	}
	return deleteAll(l.Path)
}

// settleName puts the folder back, or ends git's registration of it, if its name is
// still free.
func (l Leftover) settleName(ctx context.Context, repo *gitops.Repo) error {
	if exists(l.Worktree) {
		if l.Decided {
			return nil // a new one stands there, and has taken the registration over
		}
		return fmt.Errorf("put worktree back: something else stands at %q by now", l.Worktree)
	}
	wt, ok, err := repo.WorktreeAt(ctx, l.Worktree)
	switch {
	case err != nil:
		return err
	case l.Decided && ok && wt.GitDir == l.gitDir:
		return repo.ForgetWorktree(ctx, wt)
	case l.Decided:
		return nil
	}
	return os.Rename(l.Path, l.Worktree)
}

// putBackAt settles what a removal that was killed left of the worktree at path: before
// anything is made there it is put back, if it was not decided yet. The caller holds the
// lock of the folder that path lies in.
func putBackAt(ctx context.Context, repo *gitops.Repo, path string) error {
	if exists(path) {
		return nil
	}
	dir := filepath.Dir(path)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("look for half-removed worktrees: %w", err)
	}
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), "."+filepath.Base(path)+"."+wordAside+"-") || !asideName().MatchString(e.Name()) {
			continue
		}
		l, err := leftover(ctx, repo, filepath.Join(dir, e.Name()), filepath.Base(path), wordAside)
		if err != nil {
			return err
		}
		if l.Why == "" && samePlace(l.Worktree, path) {
			return l.settleName(ctx, repo)
		}
	}
	return nil
}

// samePlace compares the paths of two folders that need not be there.
func samePlace(a, b string) bool { return resolve(a) == resolve(b) }
