package gitops

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"time"
)

// FetchRefs brings refs of a configured remote as the refspecs say, and prunes what
// went there below their right sides. Nothing else moves: no tags, no FETCH_HEAD,
// no tracking branches, no maintenance, no submodules; and what comes is whole in a
// partial clone too. Errors: *GitError; its exit code is 1 where only a ref here could
// not be written.
func (r *Repo) FetchRefs(ctx context.Context, remote string, refspecs ...string) error {
	args := append(r.exchange(remote), "fetch", "--quiet", "--no-progress", "--prune", "--no-tags", "--no-write-fetch-head",
		"--no-recurse-submodules", "--no-filter", "--no-show-forced-updates", "--refmap=", "--", remote)
	if _, err := r.runOutside(ctx, append(args, refspecs...)...); err != nil {
		return fmt.Errorf("fetch from %q: %w", remote, err)
	}
	return nil
}

// PushMark is what git's porcelain says of one ref that was pushed.
type PushMark byte

// Taken reports whether the remote now has the value that was pushed.
func (m PushMark) Taken() bool { return m != 0 && strings.IndexByte(" +-*=", byte(m)) >= 0 }

// PushRefs pushes changes, each only where the remote still has its old value, past
// the pre-push hook; atomic asks for all or nothing, which some servers cannot. It
// returns git's mark for each ref that git speaks of, beside its error where something
// was refused: a ref without a mark may have been written or not.
func (r *Repo) PushRefs(ctx context.Context, remote string, changes []RefChange, atomic bool) (map[RefName]PushMark, error) {
	args := append(r.exchange(remote), "push", "--porcelain", "--no-verify", "--no-progress", "--no-follow-tags",
		"--recurse-submodules=no", "--no-force-if-includes")
	if atomic {
		args = append(args, "--atomic")
	}
	var specs []string
	for _, c := range changes {
		if err := c.check(); err != nil {
			return nil, err
		}
		args = append(args, fmt.Sprintf("--force-with-lease=%s:%s", c.Name, c.Old))
		specs = append(specs, string(c.New)+":"+string(c.Name))
	}
	out, err := r.runOutside(ctx, append(append(args, "--", remote), specs...)...)
	marks := map[RefName]PushMark{}
	for line := range bytes.Lines(out) {
		fields := strings.Split(strings.TrimSuffix(string(line), "\n"), "\t")
		if len(fields) < 3 || len(fields[0]) != 1 {
			continue
		}
		if _, to, ok := strings.Cut(fields[1], ":"); ok {
			marks[RefName(to)] = PushMark(fields[0][0])
		}
	}
	if err != nil {
		err = fmt.Errorf("push to %q: %w", remote, err)
	}
	return marks, err
}

// exchange are the settings for talking to a remote: what comes stays in a pack that git
// keeps until refs lead to it, for a gc takes loose objects; no reflog on refs that hold tags,
// no maintenance, and a remote that is set up as a mirror takes single refs.
func (r *Repo) exchange(remote string) []string {
	args := []string{"-c", "core.logAllRefUpdates=true", "-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "fetch.unpackLimit=1"}
	if mirror := "remote." + remote + ".mirror"; r.config.Get(mirror) != "" && !strings.Contains(remote, "=") {
		args = append(args, "-c", mirror+"=false")
	}
	return args
}

// runOutside runs git in the main worktree, so that a relative URL means the same from
// every worktree, and in the caller's process group, where it and ssh may ask for a
// password.
func (r *Repo) runOutside(ctx context.Context, args ...string) ([]byte, error) {
	cmd := r.command(ctx, place{dir: r.MainDir(), env: r.common().env}, args...)
	cmd.SysProcAttr = nil
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	start := time.Now()
	err := cmd.Run()
	r.note(cmd, start)
	if err == nil {
		return stdout.Bytes(), nil
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return stdout.Bytes(), &GitError{Args: maskAll(args), ExitCode: exitCode(cmd), Stderr: Mask(stderr.String()), Err: err}
}
