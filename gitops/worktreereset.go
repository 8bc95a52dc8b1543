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
	// In the worktree itself: seen from a bare repository git would keep no log of its HEAD.
	_, err := r.run(ctx, r.at(wt.Path), strings.NewReader(in), "update-ref", "-m", "reset: moving to HEAD", "--stdin")
	if err != nil {
		return fmt.Errorf("record reset: %w", err)
	}
	return nil
}
