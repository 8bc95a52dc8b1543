package gitops

import (
	"context"
	"fmt"
	"strings"
)

// IgnoredPaths lists what is ignored in a worktree, with one git process: files and
// links by path, a folder that is ignored as a whole as one path with a slash at its
// end. Repositories that lie in the worktree are looked into as little as git does.
func (r *Repo) IgnoredPaths(ctx context.Context, wt Worktree) ([]string, error) {
	return r.listOthers(ctx, wt, "--exclude-standard")
}

// ListedPaths lists what is untracked in a worktree and fits the patterns, written as in
// .gitignore; file, if it is not "", has more of them. The form is that of
// IgnoredPaths; what git ignores plays no part.
func (r *Repo) ListedPaths(ctx context.Context, wt Worktree, patterns []string, file string) ([]string, error) {
	var args []string
	if file != "" {
		args = append(args, "--exclude-from="+file)
	}
	for _, p := range patterns {
		args = append(args, "--exclude="+p)
	}
	return r.listOthers(ctx, wt, args...)
}

// in is a worktree, named to git outright: the main one may have no .git of its own,
// where GIT_DIR and GIT_WORK_TREE or core.worktree say which it is.
func (r *Repo) in(wt Worktree) place {
	return place{dir: wt.Path, env: append(without(r.env, bindingVars), "GIT_DIR="+wt.GitDir, "GIT_WORK_TREE="+wt.Path)}
}

// listOthers runs git ls-files. With --directory git also names folders that are not
// matched themselves but have nothing else in them; it names what is in those too, so
// they are known by that and left out.
func (r *Repo) listOthers(ctx context.Context, wt Worktree, args ...string) ([]string, error) {
	out, err := r.run(ctx, r.in(wt), nil,
		append([]string{"ls-files", "--others", "--ignored", "--directory", "-z"}, args...)...)
	if err != nil {
		return nil, fmt.Errorf("list ignored files: %w", err)
	}
	all := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	partly := map[string]bool{}
	for _, p := range all {
		for dir := parent(p); dir != "" && !partly[dir]; dir = parent(dir) {
			partly[dir] = true
		}
	}
	var paths []string
	for _, p := range all {
		if p != "" && !partly[p] {
			paths = append(paths, p)
		}
	}
	return paths, nil
}

// parent is the folder of a path, with a slash at its end; "" at the top.
func parent(path string) string {
	return path[:strings.LastIndexByte(strings.TrimSuffix(path, "/"), '/')+1]
}

// WouldIgnore tells which of the paths a worktree ignores, with one git process. What
// is tracked there is never ignored; whether a path that only a folder can fit does,
// git decides by what stands there now.
func (r *Repo) WouldIgnore(ctx context.Context, wt Worktree, paths []string) (map[string]bool, error) {
	ignored := map[string]bool{}
	if len(paths) == 0 {
		return ignored, nil
	}
	const here = "./" // what a path begins with is no pathspec magic then, and the command knows no literal ones
	in := strings.NewReader(here + strings.Join(paths, "\x00"+here) + "\x00")
	out, err := r.run(ctx, r.in(wt), in, "check-ignore", "-z", "--stdin")
	const noneIs = 1
	if err != nil && ExitCode(err) != noneIs {
		return nil, fmt.Errorf("ask what is ignored: %w", err)
	}
	for p := range strings.SplitSeq(string(out), "\x00") {
		if p != "" {
			ignored[strings.TrimPrefix(p, here)] = true
		}
	}
	return ignored, nil
}
