package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"git-okstra/gitops"
)

// postFile, in a worktree's administrative folder, says that okstra.postProvision has
// once succeeded there.
const postFile = "okstra-post-provision"

// PostOutcome is what became of okstra.postProvision.
type PostOutcome string

// The outcomes. PostNone is for no command.
const (
	PostNone    PostOutcome = ""
	PostDone    PostOutcome = "done"
	PostAlready PostOutcome = "already"
	PostFailed  PostOutcome = "failed"
)

// PostError is a command that ended with a failure.
type PostError struct{ Err error }

func (e *PostError) Error() string { return "okstra.postProvision: " + e.Err.Error() }

// Unwrap gives the error of the process.
func (e *PostError) Unwrap() error { return e.Err }

// PostProvision runs the command of okstra.postProvision in a stage's worktree, unless it
// has succeeded there before; of several processes one runs it and the others wait. env is
// what the command gets beside the caller's environment, of which git's own variables are
// left out: another worktree's repository must not come along. All that the command prints
// goes to out. Errors: a *PostError, the context's, or that of the mark.
func PostProvision(ctx context.Context, repo *gitops.Repo, path string, env []string, out io.Writer) (PostOutcome, error) {
	command := repo.Config().Get("okstra.postProvision")
	if strings.TrimSpace(command) == "" {
		return PostNone, nil
	}
	wt, ok, err := repo.WorktreeAt(ctx, path)
	if err == nil && !ok {
		err = fmt.Errorf("okstra.postProvision: %q is no worktree", path)
	}
	if err != nil {
		return PostFailed, err
	}
	unlock, err := lockDir(ctx, wt.GitDir)
	if err != nil {
		return PostFailed, err
	}
	defer unlock()
	mark := filepath.Join(wt.GitDir, postFile)
	if _, err := os.Lstat(mark); !errors.Is(err, fs.ErrNotExist) {
		return PostAlready, err
	}
	cmd := exec.CommandContext(ctx, "sh", "-c", command)
	cmd.Dir, cmd.Env = path, append(repo.EnvOutside(), env...)
	cmd.Stdout, cmd.Stderr = out, out
	if err := runGroup(cmd); err != nil {
		if ctx.Err() != nil {
			return PostFailed, ctx.Err()
		}
		return PostFailed, &PostError{err}
	}
	if err := os.WriteFile(mark, nil, 0o666); err != nil {
		return PostFailed, fmt.Errorf("okstra.postProvision: note that it succeeded: %w", err)
	}
	return PostDone, nil
}

// postGrace is how long a command that was told to end may take for it.
const postGrace = 5 * time.Second
