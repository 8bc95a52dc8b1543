package gitops

import (
	"context"
	"errors"
	"fmt"
)

// ErrSparse is the sentinel for a sparse checkout whose patterns this git would not give
// to a new worktree.
var ErrSparse = errors.New("the checkout is sparse, and this git makes worktrees that are not: git 2.36 or newer is needed")

// CheckSparse reports whether a new worktree would be as sparse as the main one is. It
// changes nothing, and costs no process where nothing is sparse. Errors: ErrSparse, or
// git's own.
func (r *Repo) CheckSparse(ctx context.Context) error {
	config := r.config
	if own, err := config.Bool("extensions.worktreeConfig", false); err != nil || own && r.Linked() {
		if config, err = r.readConfig(ctx, r.common()); err != nil { // git copies what is on there
			return err
		}
	}
	if sparse, err := config.Bool("core.sparseCheckout", false); err != nil || !sparse {
		return nil // what is no boolean git refuses itself, when it makes the worktree
	}
	// The release that copies the patterns is the first that knows this option.
	_, err := r.run(ctx, r.common(), nil, "worktree", "list", "--porcelain", "-z")
	if ExitCode(err) == 129 {
		return ErrSparse
	}
	if err != nil {
		return fmt.Errorf("list worktrees: %w", err)
	}
	return nil
}
