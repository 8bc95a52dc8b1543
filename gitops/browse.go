package gitops

import (
	"context"
	"fmt"
	"os/exec"
)

// Browse shows a file in the user's browser as git help -w does: web.browser, or the first
// that git knows. path must be absolute, so that it is never taken for an option; it goes to
// git as one word. The browser is the user's program: it gets his environment, not ours.
// Errors: git's own (*GitError).
func (r *Repo) Browse(ctx context.Context, path string) error {
	cmd := exec.CommandContext(ctx, "git", "web--browse", path)
	cmd.Dir, cmd.Env = r.dir, r.runner.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("open the browser: %w", &GitError{Args: cmd.Args[1:], ExitCode: cmd.ProcessState.ExitCode(), Stderr: Mask(string(out)), Err: err})
	}
	return nil
}
