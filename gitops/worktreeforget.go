package gitops

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// ForgetWorktree ends git's registration of a worktree whose folder is not at its path
// any more. It is not cut short. Errors are git's refusal, such as for a lock, with the
// registration as it was. What a git that was killed leaves of it is taken away as well:
// half of one is of no use to anybody.
func (r *Repo) ForgetWorktree(ctx context.Context, wt Worktree) error {
	if wt.ID == "" || exists(wt.Path) {
		return fmt.Errorf("forget worktree: %q is there", wt.Path)
	}
	err := r.RemoveWorktree(context.WithoutCancel(ctx), wt.Path)
	if err == nil || ExitCode(err) == 128 {
		return err
	}
	if gone := os.RemoveAll(wt.GitDir); gone != nil {
		return errors.Join(err, fmt.Errorf("forget worktree: %w", gone))
	}
	return nil
}
