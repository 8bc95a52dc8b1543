package main

import (
	"context"
	"errors"
	"fmt"

	"git-okstra/internal/lifecycle"
	"git-okstra/internal/workspace"
	"git-okstra/plan"
)

// stageEnv is what every command that works on a stage is told, as KEY=VALUE.
func stageEnv(s lifecycle.Started, worktree string) []string {
	return []string{
		fmt.Sprintf("OKSTRA_STAGE=%d", s.Stage),
		"OKSTRA_TASK=" + s.Key.String(),
		"OKSTRA_WORKTREE=" + worktree,
		"OKSTRA_BASE=" + string(s.Base),
		fmt.Sprintf("OKSTRA_PORT_BASE=%d", s.PortBase),
	}
}

// ready makes the worktree of a reserved stage and runs okstra.postProvision in it. A
// worktree that cannot be made gives back a stage that was reserved just now; a command
// that fails does not.
func (a *app) ready(e *lifecycle.Engine, t *lifecycle.Task, s lifecycle.Started, root string, f startFlags, ahead *workspace.Ahead) (workspace.PostOutcome, error) {
	if err := a.provision(e, t, s, root, f, ahead); err != nil {
		return workspace.PostNone, err
	}
	path := pathOf(s, root)
	outcome, err := workspace.PostProvision(a.ctx, a.repo, path, stageEnv(s, path), a.std.err)
	if errors.Is(err, context.Canceled) {
		return outcome, &commandError{
			code: exitInterrupted, message: fmt.Sprintf("interrupted; stage %d stays reserved", s.Stage),
			hints: []string{againHint(s)},
		}
	}
	return outcome, err
}

func againHint(s lifecycle.Started) string {
	return fmt.Sprintf("okstra.postProvision runs again with: git okstra stage start %d --resume", s.Stage)
}

// madeError is the end of a command that made its stage all the same, and has said what
// else went wrong: the receipt follows.
type madeError struct{ *commandError }

// Unwrap gives the exit code.
func (e *madeError) Unwrap() error { return e.commandError }

func isMade(err error) bool {
	var made *madeError
	return errors.As(err, &made)
}

// postFailed says that the command of a stage failed. It goes beside the receipt, which
// names the worktree.
func (a *app) postFailed(s lifecycle.Started, err error) error {
	_, _ = fmt.Fprintf(a.std.err, "error: stage %d stays reserved: %s\nhint: %s\n", s.Stage, plan.Printable(err.Error()), againHint(s))
	return &madeError{&commandError{code: exitFindings, silent: true}}
}

// sayProvisioned tells what making a worktree was like.
func (a *app) sayProvisioned(res workspace.Result) {
	if res.HookErr != nil {
		a.say("warning: %s", printableLines(res.HookErr.Error()))
	}
	const most = 10
	for i, w := range res.Warnings {
		if i == most && a.flags.Verbose == 0 {
			a.say("warning: and %d more, all with -v", len(res.Warnings)-most)
			break
		}
		a.say("warning: %s", printableLines(w))
	}
	if a.flags.Verbose == 0 || res.Existed {
		return
	}
	a.say("worktree: %d files copied, %d written by git", res.Copied, res.Written)
	switch {
	case res.NoMain:
		a.say("worktree: no ignored files brought along: there is no main worktree")
	case res.Brought > 0:
		a.say("worktree: %d ignored paths brought along, %d files copied", res.Brought, res.BroughtFiles)
	}
}
