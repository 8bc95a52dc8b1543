package gitops

import (
	"context"
	"fmt"
	"strings"
)

// RecordReset leaves in a new worktree what the reset inside `git worktree add` would
// have left beside files and index: ORIG_HEAD and a line in HEAD's log. For a worktree
// that is filled without git; head is its commit. One git process.
func (r *Repo) RecordReset(ctx context.Context, wt Worktree, head Hash) error {
	if !head.Valid() {
		return fmt.Errorf("record reset: bad id %q", head)
	}
	in := fmt.Sprintf("update ORIG_HEAD %s\nupdate HEAD %s %s\n", head, head, head)
	// With a worktree: seen from a bare repository git would keep no log of its HEAD. Both are
	// named, or git would ask whether this folder may be trusted as well.
	p := place{dir: wt.Path, env: append(without(r.env, bindingVars), "GIT_DIR="+wt.GitDir, "GIT_WORK_TREE="+wt.Path)}
	_, err := r.run(ctx, p, strings.NewReader(in), "update-ref", "-m", "reset: moving to HEAD", "--stdin")
	if err != nil {
		return fmt.Errorf("record reset: %w", err)
	}
	return nil
}
