package gitops

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// CheckoutIndex lets git write the given paths of a worktree's index to its
// files, attributes and filters applied, and complete the index, with one git
// process. Existing files are replaced.
func (r *Repo) CheckoutIndex(ctx context.Context, worktree string, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	in := strings.NewReader(strings.Join(paths, "\x00") + "\x00")
	_, err := r.run(ctx, r.at(worktree), in, "checkout-index", "--force", "-u", "-z", "--stdin")
	if err != nil {
		return fmt.Errorf("write files: %w", err)
	}
	return nil
}

// ResetHard makes a worktree's index and files those of its HEAD, as `git
// worktree add` does it: for new worktrees only, it overwrites.
func (r *Repo) ResetHard(ctx context.Context, worktree string, workers int) error {
	_, err := r.run(ctx, r.at(worktree), nil, "-c", fmt.Sprintf("checkout.workers=%d", workers),
		"reset", "--hard", "--quiet", "--no-recurse-submodules")
	if err != nil {
		return fmt.Errorf("write files: %w", err)
	}
	return nil
}

// RunPostCheckout runs the repository's post-checkout hook once for a new
// worktree, as `git worktree add` does: a relative core.hooksPath counts from
// where the caller's own worktree is. No hook: nothing happens. The hook's
// failure is the error, with what it printed.
func (r *Repo) RunPostCheckout(ctx context.Context, worktree string, head Hash) error {
	dir, err := r.config.Path("core.hooksPath")
	if err != nil {
		return err
	}
	if dir == "" {
		dir = filepath.Join(r.commonDir, "hooks")
	}
	base := r.workTree
	if base == "" {
		base = r.gitDir
	}
	hook := filepath.Join(absoluteFrom(base, dir), "post-checkout")
	info, err := os.Stat(hook)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode()&0o111 == 0 {
		return nil
	}
	out, err := r.runHook(ctx, worktree, hook, string(r.zero()), string(head), "1")
	if errors.Is(err, syscall.ENOEXEC) { // no "#!": a shell's, as git has it
		out, err = r.runHook(ctx, worktree, "sh", hook, string(r.zero()), string(head), "1")
	}
	if err != nil {
		return fmt.Errorf("run post-checkout hook: %w: %s", err, firstLine(string(out)))
	}
	return nil
}

func (r *Repo) runHook(ctx context.Context, dir, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	// Git gives every hook the prefix of where it was called, which at the top is none.
	cmd.Env = append(without(r.runner.env, bindingVars), "GIT_PREFIX=")
	return cmd.CombinedOutput()
}
