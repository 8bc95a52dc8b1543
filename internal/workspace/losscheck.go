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

// Removal says which worktree is to go, and what of it may.
type Removal struct {
	Worktree gitops.Worktree
	Bind     gitops.RefName // the mark that made it the stage's
	Dir      string         // where the stage's worktrees stand; the folder is put aside there
	Caller   string         // the caller's working folder, absolute; "" where there is none
	Ignored  bool           // ignored files may go
	Globs    []string       // as in .gitignore: ignored files that may go
	// Ours is asked anew at each look and gives what reports whether an ignored path, with
	// slashes, is what the tool put there and still is as it was; nil: none is.
	Ours func() func(path string) bool
	// Settle is asked when the folder is out of the way and nothing in it has changed
	// since it was looked at: an error of its puts the folder back. May be nil.
	Settle func(ctx context.Context) error
}

// Losses lists what the removal would cost and what forbids it. Nothing is written.
func Losses(ctx context.Context, repo *gitops.Repo, rm Removal) ([]Loss, error) {
	wt := rm.Worktree
	if reason, locked := wt.Lock(); locked {
		if reason == "" {
			reason = "no reason given"
		}
		return []Loss{{LossLocked, wt.Path, reason}}, nil
	}
	if l, ok := place(repo, rm); !ok {
		return []Loss{l}, nil
	}
	losses, err := surroundings(ctx, repo, rm)
	if err != nil {
		return nil, err
	}
	own, err := ownCommits(ctx, repo, rm)
	if err != nil {
		return nil, err
	}
	i := inspection{Removal: rm, repo: repo, seen: map[string]bool{wt.Path: true}}
	if rm.Ours != nil {
		i.ours = rm.Ours()
	}
	if err := i.tree(ctx, wt.Path, "", wt); err != nil {
		return nil, err
	}
	if err := i.nested(ctx); err != nil {
		return nil, err
	}
	if err := i.modules(ctx); err != nil {
		return nil, err
	}
	return append(append(losses, own...), i.losses...), nil
}

// place looks at what stands where the worktree is said to be.
func place(repo *gitops.Repo, rm Removal) (Loss, bool) {
	wt := rm.Worktree
	info, err := os.Lstat(wt.Path)
	foreign := func(what string) (Loss, bool) { return Loss{LossForeign, wt.Path, what}, false }
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Loss{LossGone, wt.Path, "the folder is not there, and git still lists it"}, false
	case err != nil:
		return foreign(err.Error())
	case wt.ID == "":
		return foreign("it is the main worktree")
	case info.Mode()&fs.ModeSymlink != 0:
		return foreign("it is a link")
	case !info.IsDir():
		return foreign("it is not a folder")
	}
	dir, err := gitops.GitDirOf(wt.Path)
	switch {
	case err != nil:
		return foreign(err.Error())
	case dir == "":
		return foreign("it has no .git file that leads to this repository")
	case !sameFile(dir, wt.GitDir):
		return foreign("it is another repository's, or another worktree's")
	case within(repo.CommonDir(), wt.Path):
		return foreign("the repository itself lies in it")
	}
	return Loss{}, true
}

func sameFile(a, b string) bool {
	sa, errA := os.Stat(a)
	sb, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(sa, sb)
}

// within reports whether a path is a folder or lies in it, links on the way resolved.
func within(path, dir string) bool {
	path, dir = resolve(path), resolve(dir)
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// resolve follows the links of a path as far as it exists.
func resolve(path string) string {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	if parent := filepath.Dir(path); parent != path {
		return filepath.Join(resolve(parent), filepath.Base(path))
	}
	return path
}

// surroundings looks at what else is at the folder: callers, worktrees, file systems.
func surroundings(ctx context.Context, repo *gitops.Repo, rm Removal) ([]Loss, error) {
	var losses []Loss
	if rm.Caller != "" && within(rm.Caller, rm.Worktree.Path) {
		losses = append(losses, Loss{LossCaller, rm.Worktree.Path, "you are standing in it"})
	}
	all, err := repo.Worktrees(ctx)
	if err != nil {
		return nil, err
	}
	for _, other := range all {
		if other.GitDir != rm.Worktree.GitDir && within(other.Path, rm.Worktree.Path) {
			losses = append(losses, Loss{LossWorktree, other.Path, "another worktree lies in it"})
		}
	}
	points, err := mountsBelow(resolve(rm.Worktree.Path))
	if err != nil {
		return nil, err
	}
	for _, p := range points {
		losses = append(losses, Loss{LossMount, p, "a file system is mounted there"})
	}
	return losses, nil
}

// ownCommits lists what only the worktree's own HEAD and refs lead to.
func ownCommits(ctx context.Context, repo *gitops.Repo, rm Removal) ([]Loss, error) {
	var losses []Loss
	var tips []gitops.Hash
	if rm.Worktree.Head != "" {
		tips = append(tips, rm.Worktree.Head)
	}
	refs, err := repo.OwnRefs(ctx, rm.Worktree)
	if err != nil {
		return nil, err
	}
	for _, ref := range refs {
		if ref.Name == rm.Bind {
			continue
		}
		if strings.HasPrefix(string(ref.Name), "refs/worktree/okstra/") {
			losses = append(losses, Loss{LossRef, string(ref.Name), "it is another stage's worktree as well"})
			continue
		}
		lost, err := repo.Unreached(ctx, []gitops.Hash{ref.Hash}, "", "refs/okstra")
		if err != nil || len(lost) > 0 {
			losses = append(losses, Loss{LossRef, string(ref.Name), "it alone holds what it points to"})
		}
	}
	lost, err := repo.Unreached(ctx, tips, "", "refs/okstra")
	if err != nil {
		return nil, err
	}
	return append(losses, CommitLosses(lost, "on no branch")...), nil
}

// CommitLosses are commits as losses, with where they are missing.
func CommitLosses(commits []gitops.CommitLine, where string) []Loss {
	var losses []Loss
	for _, c := range commits {
		losses = append(losses, Loss{LossCommit, c.Hash.Short(), fmt.Sprintf("%s (%s)", c.Subject, where)})
	}
	return losses
}

// inspection looks at a work tree and at those of the submodules in it.
type inspection struct {
	Removal
	repo   *gitops.Repo
	ours   func(path string) bool
	seen   map[string]bool // the work trees that were looked at
	losses []Loss
}

func (i *inspection) add(kind LossKind, path, what string) {
	i.losses = append(i.losses, Loss{kind, path, what})
}

// tree looks at one work tree; prefix is where it lies below the worktree, "" for
// itself, else with a slash at its end.
func (i *inspection) tree(ctx context.Context, dir, prefix string, wt gitops.Worktree) error {
	if op := wt.Operation(); op != "" {
		i.add(LossOperation, strings.TrimSuffix(prefix, "/"), "a "+op+" is under way")
	}
	if exists(filepath.Join(wt.GitDir, "index.lock")) {
		i.add(LossBusy, strings.TrimSuffix(prefix, "/"), "git is at work there (index.lock)")
	}
	inv, err := i.repo.Inventory(ctx, dir)
	if err != nil {
		return err
	}
	links := map[string]bool{}
	for _, sub := range inv.Gitlinks {
		links[sub] = true
	}
	for _, c := range inv.Changes {
		switch {
		case c.Kind == gitops.Ignored:
			if err := i.ignored(ctx, dir, prefix, c.Path); err != nil {
				return err
			}
		case links[c.Path]:
			i.add(LossKind(c.Kind), prefix+c.Path, "the submodule is at another commit or has changes")
		default:
			i.add(LossKind(c.Kind), prefix+c.Path, "")
		}
	}
	for _, sub := range inv.Gitlinks {
		if err := i.submodule(ctx, filepath.Join(dir, filepath.FromSlash(sub)), prefix+sub); err != nil {
			return err
		}
	}
	return nil
}

// submodule looks at a submodule that is initialised. One that git cannot read is named,
// and is no error: it may be what a person has to see.
func (i *inspection) submodule(ctx context.Context, dir, prefix string) error {
	i.seen[dir] = true
	gitDir, err := gitops.GitDirOf(dir)
	if err == nil && gitDir == "" {
		return nil
	}
	if err == nil {
		err = i.tree(ctx, dir, prefix+"/", gitops.Worktree{GitDir: gitDir, Path: dir})
	}
	if err == nil && within(gitDir, i.Worktree.Path) { // those inside the git directory come later
		err = i.unpushed(ctx, gitDir, prefix)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		i.add(LossSubmodule, prefix, err.Error())
	}
	return nil
}

// nested looks for repositories that are no submodules: git tells nothing of one in an
// ignored folder, nor of one that was made in a folder with tracked files. Its commits
// can be had again as little as others, whatever became of the files around it.
func (i *inspection) nested(ctx context.Context) error {
	top := i.Worktree.Path
	return filepath.WalkDir(top, func(p string, d fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		dir := filepath.Dir(p)
		if err != nil || p == top || !strings.EqualFold(d.Name(), ".git") {
			return err
		}
		if !i.seen[dir] {
			rel, err := filepath.Rel(top, dir)
			if err == nil {
				err = i.submodule(ctx, dir, filepath.ToSlash(rel))
			}
			if err != nil {
				return err
			}
		}
		if d.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
}

// modules looks for commits in the repositories of submodules that go with the worktree.
func (i *inspection) modules(ctx context.Context) error {
	dirs, err := i.Worktree.ModuleDirs()
	if err != nil {
		return err
	}
	for _, dir := range dirs {
		name, err := filepath.Rel(filepath.Join(i.Worktree.GitDir, "modules"), dir)
		if err == nil {
			err = i.unpushed(ctx, dir, filepath.ToSlash(name))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (i *inspection) unpushed(ctx context.Context, gitDir, name string) error {
	commits, err := i.repo.Unpushed(ctx, gitDir)
	if err != nil {
		return err
	}
	i.losses = append(i.losses, CommitLosses(commits, "in the repository at "+name+", on no remote")...)
	return nil
}
