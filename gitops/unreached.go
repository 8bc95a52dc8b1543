package gitops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// CommitLine is a commit as one line of a list.
type CommitLine struct {
	Hash    Hash
	Subject string // as its author wrote it
}

// unreachedCap bounds how many commits Unreached lists.
const unreachedCap = 1000

// Unreached lists the commits that the tips lead to and that no branch, tag,
// remote-tracking ref or ref below the given prefixes does, newest first, with two git
// processes. The ref except does not count, nor does a symbolic ref: it holds nothing
// of its own. Replacement objects have no say. What a cut-off history hides counts as
// not held.
func (r *Repo) Unreached(ctx context.Context, tips []Hash, except RefName, prefixes ...string) ([]CommitLine, error) {
	if len(tips) == 0 {
		return nil, nil
	}
	args := append([]string{"for-each-ref", "--format=%(objectname) %(refname) %(symref)", "--", "refs/heads", "refs/tags", "refs/remotes"}, prefixes...)
	out, warnings, err := r.runWarned(ctx, r.common(), nil, args...)
	if err == nil && len(warnings) > 0 {
		err = r.brokenRef(args[3:])
	}
	if err != nil {
		return nil, fmt.Errorf("list refs: %w", err)
	}
	var in bytes.Buffer
	for _, tip := range tips {
		if !tip.Valid() {
			return nil, fmt.Errorf("look for commits: bad id %q", tip)
		}
		in.WriteString(string(tip) + "\n")
	}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		if len(words) == 2 && RefName(words[1]) != except {
			in.WriteString("^" + words[0] + "\n")
		}
	}
	return r.listCommits(ctx, r.common(), &in, "--stdin")
}

// listCommits is rev-list with each commit's subject.
func (r *Repo) listCommits(ctx context.Context, p place, stdin *bytes.Buffer, args ...string) ([]CommitLine, error) {
	words := append([]string{
		"--no-replace-objects", "rev-list", fmt.Sprintf("--max-count=%d", unreachedCap), "--no-commit-header", "--format=%H %s",
	}, args...)
	if stdin == nil {
		stdin = &bytes.Buffer{}
	}
	out, err := r.run(ctx, p, stdin, words...)
	if err != nil {
		return nil, fmt.Errorf("look for commits: %w", err)
	}
	var list []CommitLine
	for line := range strings.Lines(string(out)) {
		hash, subject, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if Hash(hash).Valid() {
			list = append(list, CommitLine{Hash(hash), subject})
		}
	}
	return list, nil
}

// Unpushed lists the commits of another repository, such as a submodule's, that one of
// its refs leads to (its stash and HEAD among them) and no remote-tracking one does.
func (r *Repo) Unpushed(ctx context.Context, gitDir string) ([]CommitLine, error) {
	// a submodule says where its work tree was, which need not be there any more
	env := append(without(r.env, append([]string{"GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES"}, bindingVars...)),
		"GIT_DIR="+gitDir, "GIT_WORK_TREE="+gitDir)
	return r.listCommits(ctx, place{dir: gitDir, env: env}, nil, "--all", "--not", "--remotes")
}

// ModuleDirs lists the git directories of submodules that live inside a worktree's own
// git directory and so would go with it, whether or not they are checked out now.
func (w Worktree) ModuleDirs() ([]string, error) {
	top := filepath.Join(w.GitDir, "modules")
	var found []string
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil || !d.IsDir():
			return err
		case exists(path, "HEAD") && exists(path, "objects"):
			found = append(found, path)
			nested, err := Worktree{GitDir: path}.ModuleDirs()
			if err != nil {
				return err
			}
			found = append(found, nested...)
			return fs.SkipDir
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look for submodules: %w", err)
	}
	return found, nil
}

// FindMarked lists the worktrees that hold a refs/worktree/ ref, also those whose
// folder is gone or is something else by now.
func (r *Repo) FindMarked(ctx context.Context, name RefName) ([]Worktree, error) {
	all, err := r.Worktrees(ctx)
	if err != nil {
		return nil, err
	}
	var found []Worktree
	files := r.config.Get("extensions.refStorage") == ""
	for _, wt := range all {
		marks := r.WorktreeRefs(wt, string(name))
		if !files {
			if marks, err = r.BoundRefs(ctx, wt, string(name)); err != nil {
				return nil, err
			}
		}
		for _, m := range marks {
			if m.Name == name {
				found = append(found, wt)
			}
		}
	}
	return found, nil
}

// ownPrefixes are where each worktree has refs of its own (gitglossary(7), "per-worktree ref").
var ownPrefixes = []string{"refs/worktree", "refs/bisect", "refs/rewritten"}

// OwnRefs lists the refs that a worktree has for itself and that go with it.
func (r *Repo) OwnRefs(ctx context.Context, wt Worktree) ([]Ref, error) {
	files := r.config.Get("extensions.refStorage") == ""
	var all []Ref
	for _, prefix := range ownPrefixes {
		refs := r.WorktreeRefs(wt, prefix)
		if !files {
			var err error
			if refs, err = r.BoundRefs(ctx, wt, prefix); err != nil {
				return nil, err
			}
		}
		all = append(all, refs...)
	}
	return all, nil
}

// UsersOf lists the worktrees that stand on a branch, or are in the middle of an
// operation that will go back to it or move it. A branch that is another name of one (a
// symbolic ref) is that branch.
func (r *Repo) UsersOf(ctx context.Context, branch RefName) ([]Worktree, error) {
	all, err := r.Worktrees(ctx)
	if err != nil {
		return nil, err
	}
	target, err := r.target(ctx, branch)
	if err != nil {
		return nil, err
	}
	var users []Worktree
	for _, wt := range all {
		at, err := r.target(ctx, wt.Branch)
		if err != nil {
			return nil, err
		}
		if at == target || wt.returnsTo(branch) || wt.returnsTo(target) {
			users = append(users, wt)
		}
	}
	return users, nil
}

// target is the branch that a branch's name leads to: itself, but for a symbolic ref.
func (r *Repo) target(ctx context.Context, branch RefName) (RefName, error) {
	const deepest = 5 // as far as git goes
	for range deepest {
		if !ValidRefName(branch) {
			return branch, nil
		}
		if r.config.Get("extensions.refStorage") != "" {
			out, err := r.run(ctx, r.common(), nil, "symbolic-ref", "-q", string(branch))
			if err != nil && ExitCode(err) != 1 {
				return "", fmt.Errorf("read branch: %w", err)
			}
			if next := strings.TrimSpace(string(out)); next != "" {
				branch = RefName(next)
			}
			return branch, nil
		}
		data, err := os.ReadFile(filepath.Join(r.commonDir, filepath.FromSlash(string(branch))))
		next, symbolic := strings.CutPrefix(string(data), "ref:")
		if err != nil || !symbolic { // packed, gone or a commit: symbolic refs are never packed
			return branch, nil //nolint:nilerr // git reads what else is wrong with it
		}
		branch = RefName(strings.TrimSpace(next))
	}
	return branch, nil
}

// returnsTo reports whether a rebase or a bisection in the worktree began on a branch.
func (w Worktree) returnsTo(branch RefName) bool {
	short := strings.TrimPrefix(string(branch), "refs/heads/")
	for _, name := range []string{"rebase-merge/head-name", "rebase-apply/head-name", "rebase-merge/update-refs", "BISECT_START"} {
		data, err := os.ReadFile(filepath.Join(w.GitDir, filepath.FromSlash(name)))
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(data)) {
			if word := strings.TrimSpace(line); word == string(branch) || word == short {
				return true
			}
		}
	}
	return false
}
