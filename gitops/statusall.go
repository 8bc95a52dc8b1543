package gitops

import (
	"context"
	"fmt"
	"os"
	"strings"
)

// StatusAll is Status with every untracked file named, and not the folder alone that
// they are in; a repository or worktree in there is one line, ending in a slash.
func (r *Repo) StatusAll(ctx context.Context, worktree string) ([]string, error) {
	out, err := r.run(ctx, r.at(worktree), nil,
		"status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=none")
	if err != nil {
		return nil, fmt.Errorf("read status: %w", err)
	}
	var lines []string
	for line := range strings.SplitSeq(string(out), "\x00") {
		if line != "" {
			lines = append(lines, line)
		}
	}
	return lines, nil
}

// BoundBelow lists the worktrees that hold a refs/worktree/ ref below prefix and whose
// folder is there. With git's usual ref files it starts no process.
func (r *Repo) BoundBelow(ctx context.Context, prefix string) ([]Worktree, error) {
	all, err := r.Worktrees(ctx)
	if err != nil {
		return nil, err
	}
	files := r.config.Get("extensions.refStorage") == ""
	var out []Worktree
	for _, wt := range all {
		if _, err := os.Stat(wt.Path); err != nil {
			continue
		}
		refs := r.WorktreeRefs(wt, prefix)
		if !files {
			if refs, err = r.BoundRefs(ctx, wt, prefix); err != nil {
				return nil, err
			}
		}
		if len(refs) > 0 {
			out = append(out, wt)
		}
	}
	return out, nil
}
