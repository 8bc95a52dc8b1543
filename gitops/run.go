package gitops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Call is one finished git process, as Options.Trace sees it; its words are masked (Mask).
type Call struct {
	Args     []string
	Dir      string
	Duration time.Duration
	ExitCode int
}

// GitError is a git process that could not be started or ended with a failure.
// Stderr holds what git said, masked (Mask), for a person; no decision is taken on its text but whether
// something is tried again.
type GitError struct {
	Args     []string
	ExitCode int // -1 where git was not started or ended by a signal
	Stderr   string
	Err      error
}

func (e *GitError) Error() string {
	name := "git"
	if len(e.Args) > 0 {
		name = "git " + e.subcommand()
	}
	if msg := firstLine(e.Stderr); msg != "" {
		return name + ": " + msg
	}
	return fmt.Sprintf("%s: %v", name, e.Err)
}

// Unwrap gives the error of the process.
func (e *GitError) Unwrap() error { return e.Err }

// Interrupted reports whether Ctrl-C or SIGTERM ended git itself: in its very first moment
// it still is in our process group.
func (e *GitError) Interrupted() bool {
	var exit *exec.ExitError
	if !errors.As(e.Err, &exit) {
		return false
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && (status.Signal() == syscall.SIGINT || status.Signal() == syscall.SIGTERM)
}

// subcommand is the first word that is not one of git's own options.
func (e *GitError) subcommand() string {
	for i := 0; i < len(e.Args); i++ {
		switch a := e.Args[i]; {
		case a == "-c" || a == "-C":
			i++
		case !strings.HasPrefix(a, "-"):
			return a
		}
	}
	return ""
}

// firstLine is git's first complaint without its "fatal: " or "error: ".
func firstLine(stderr string) string {
	for line := range strings.Lines(stderr) {
		line = strings.TrimSpace(line)
		for _, p := range []string{"fatal: ", "error: "} {
			line = strings.TrimPrefix(line, p)
		}
		if line != "" && !strings.HasPrefix(line, "hint:") && !strings.HasPrefix(line, "warning:") {
			return line
		}
	}
	return ""
}

// ExitCode returns the exit status of the git process behind err, or -1.
func ExitCode(err error) int {
	var ge *GitError
	if errors.As(err, &ge) {
		return ge.ExitCode
	}
	return -1
}

// place is where a git process runs: its folder and the environment that binds
// it to a repository.
type place struct {
	dir string
	env []string
}

// runner starts git processes and keeps the trace.
type runner struct {
	env   []string // the caller's environment, prepared by baseEnv
	trace func(Call)
}

// bindingVars are the variables that tie a git process to one repository or
// worktree (git rev-parse --local-env-vars, less configuration and object
// directories, which stay good elsewhere in the same repository).
var bindingVars = []string{
	"GIT_DIR", "GIT_WORK_TREE", "GIT_IMPLICIT_WORK_TREE", "GIT_INDEX_FILE",
	"GIT_PREFIX", "GIT_INTERNAL_SUPER_PREFIX", "GIT_COMMON_DIR", "GIT_NAMESPACE",
}

// baseEnv makes the environment for git out of the caller's: the C locale, so
// that messages have one form, and no optional locks.
func baseEnv(env []string) []string {
	out := without(env, []string{"LC_ALL", "LANGUAGE", "GIT_OPTIONAL_LOCKS", "GIT_PREFIX"})
	return append(out, "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0")
}

// without returns env less the named variables.
func without(env, names []string) []string {
	out := make([]string, 0, len(env)+4)
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		if !slices.Contains(names, name) {
			out = append(out, kv)
		}
	}
	return out
}

// command prepares a git process. Terminal signals do not reach it: what has to
// stop is stopped through ctx, so that Ctrl-C never cuts a git process in half.
func (r *runner) command(ctx context.Context, p place, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = p.dir
	cmd.Env = p.env
	ownGroup(cmd)
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// run runs git and returns its standard output. Where git fails, the output so
// far comes back beside a *GitError.
func (r *runner) run(ctx context.Context, p place, stdin io.Reader, args ...string) ([]byte, error) {
	out, _, err := r.runWarned(ctx, p, stdin, args...)
	return out, err
}

// runWarned is run that also returns what git said on standard error although it
// did not fail.
func (r *runner) runWarned(ctx context.Context, p place, stdin io.Reader, args ...string) (out, warnings []byte, err error) {
	cmd := r.command(ctx, p, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, &stdout, &stderr
	start := time.Now()
	err = cmd.Run()
	r.note(cmd, start)
	if err == nil {
		return stdout.Bytes(), stderr.Bytes(), nil
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return stdout.Bytes(), stderr.Bytes(), &GitError{Args: maskAll(args), ExitCode: exitCode(cmd), Stderr: Mask(stderr.String()), Err: err}
}

func exitCode(cmd *exec.Cmd) int {
	if cmd.ProcessState == nil {
		return -1
	}
	return cmd.ProcessState.ExitCode()
}

// note tells the trace of one finished process.
func (r *runner) note(cmd *exec.Cmd, start time.Time) {
	if r.trace == nil {
		return
	}
	r.trace(Call{Args: maskAll(cmd.Args[1:]), Dir: cmd.Dir, Duration: time.Since(start), ExitCode: exitCode(cmd)})
}
