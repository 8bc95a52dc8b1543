package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"
	"golang.org/x/term"

	"git-okstra/gitops"
	"git-okstra/internal/lifecycle"
	"git-okstra/internal/workspace"
	"git-okstra/plan"
	"git-okstra/plan/rules"
)

// app is what a running command has at hand.
type app struct {
	ctx   context.Context
	std   streams
	flags globals
	code  int // the exit code where no error is to be said
	repo  *gitops.Repo
	args  []string // the words of the command line, without what follows "--" of a chain
	rest  []string // what follows it
	stdin []byte   // standard input, nil until it was read: it can be named twice

	pin    string // the plan that is pinned before the task is read, "" for none
	pinDry bool   // nothing may be
	pager  *pagerRun
	looks  bool // the command writes nothing, or what it writes can be left out
}

func (a *app) close() {
	if a.repo != nil {
		a.repo.Close()
	}
}

// open opens the repository around the working folder, once.
func (a *app) open() (*gitops.Repo, error) {
	if a.repo != nil {
		return a.repo, nil
	}
	repo, err := gitops.Open(a.ctx, gitops.Options{Trace: a.trace()})
	a.repo = repo
	return repo, err
}

// trace is where git calls are told of, nil for nowhere.
func (a *app) trace() func(gitops.Call) {
	if a.flags.Verbose > 1 {
		return a.traceGit
	}
	return nil
}

// traceGit prints one line for each git process: its words, masked and escaped, the time it
// took, and its exit code, -1 where a signal ended it.
func (a *app) traceGit(c gitops.Call) {
	_, _ = fmt.Fprintf(a.std.err, "git %s  [%s, exit %d]\n",
		plan.Printable(strings.Join(c.Args, " ")), c.Duration.Round(10*time.Microsecond), c.ExitCode)
}

// interactive reports whether a person can be asked something: standard input and
// standard error are terminals.
func (a *app) interactive() bool {
	for _, stream := range []any{a.std.in, a.std.err} {
		f, ok := stream.(*os.File)
		if !ok || !term.IsTerminal(int(f.Fd())) {
			return false
		}
	}
	return true
}

// say tells a person something on stderr.
func (a *app) say(format string, args ...any) {
	if !a.flags.Quiet {
		_, _ = fmt.Fprintln(a.std.err, gitops.Mask(fmt.Sprintf(format, args...)))
	}
}

// print writes data to stdout.
func (a *app) print(format string, args ...any) {
	_, _ = fmt.Fprintf(a.std.out, format, args...)
}

// tell prints a result that a script does not need: -q leaves it out.
func (a *app) tell(format string, args ...any) {
	if !a.flags.Quiet {
		a.print(format, args...)
	}
}

// engine opens the repository and says who is calling. run is the --run flag.
func (a *app) engine(run string) (*lifecycle.Engine, error) {
	e, err := a.reader()
	if err != nil {
		return nil, err
	}
	e.Caller.Actor, err = actorOf(a.ctx, a.repo)
	if err != nil && (!a.looks || gitops.ExitCode(err) != 128) {
		return nil, err
	}
	e.Caller.Run = oneLine(firstNonEmpty(run, a.repo.Env("OKSTRA_RUN")))
	e.Seek = a.seeker(e)
	e.Unrecorded = func(err error) {
		a.say("warning: what was found by content is not recorded: %s", printableLines(err.Error()))
	}
	return e, nil
}

// reader is an engine for what writes nothing: as with git log, nobody has to say who
// he is.
func (a *app) reader() (*lifecycle.Engine, error) {
	repo, err := a.open()
	if err != nil {
		return nil, err
	}
	return &lifecycle.Engine{
		Repo: repo, Now: time.Now, NewID: newID, Parse: parseApproved,
		Caller: lifecycle.Caller{Host: gitops.Host(), Pid: os.Getpid(), PidStart: gitops.ProcessStart(os.Getpid())},
		Folder: func(worktree string) string {
			root, err := workspace.Root(repo)
			if err != nil {
				return "" // no home folder: then nothing is known of worktrees
			}
			return workspace.Path(root, worktree)
		},
	}, nil
}

// loadTo is load for what may only look: then nobody has to say who he is.
func (a *app) loadTo(look bool, run string) (*lifecycle.Engine, *lifecycle.Task, error) {
	a.looks = look
	return a.load(run)
}

// load opens the repository and the task.
func (a *app) load(run string) (*lifecycle.Engine, *lifecycle.Task, error) {
	e, err := a.engine(run)
	if err != nil {
		return nil, nil, err
	}
	if err := a.pinPlan(e); err != nil {
		return nil, nil, err
	}
	t, err := e.Load(a.ctx, a.flags.Task)
	return e, t, err
}

// look opens the repository and the task to read them.
func (a *app) look() (*lifecycle.Engine, *lifecycle.Task, error) {
	if a.pin != "" {
		return a.load("")
	}
	e, err := a.reader()
	if err != nil {
		return nil, nil, err
	}
	t, err := e.Load(a.ctx, a.flags.Task)
	return e, t, err
}

// actorOf is OKSTRA_ACTOR, else git's committer identity.
func actorOf(ctx context.Context, repo *gitops.Repo) (string, error) {
	if actor := repo.Env("OKSTRA_ACTOR"); actor != "" {
		return oneLine(actor), nil
	}
	sig, err := repo.Committer(ctx, time.Now())
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s <%s>", sig.Name, sig.Email), nil
}

// oneLine folds control characters and line separators as the trailers of a
// reservation do: what goes into reservations and rows is kept in one form in
// both, so that it compares equal.
func oneLine(s string) string {
	breaks := func(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' }
	return strings.TrimSpace(strings.Join(strings.FieldsFunc(s, breaks), " "))
}

// newID makes a UUIDv7: unique, and in order of time within one host.
func newID() (string, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return "", fmt.Errorf("make id: %w", err)
	}
	return id.String(), nil
}

// parseApproved reads an approved plan under the ruleset of its approval.
func parseApproved(src []byte, ruleset string) (*plan.Plan, error) {
	res := rules.Check(plan.Parse(src), rules.Options{Ruleset: ruleset})
	if res.Plan == nil || len(res.Plan.Stages) == 0 {
		return nil, fmt.Errorf("no stages in the plan under ruleset %s", res.Ruleset)
	}
	return res.Plan, nil
}

// worktreePath gives the absolute path of a stage's worktree.
func (a *app) worktreePath() (func(plan.TaskKey, plan.StageNumber) string, error) {
	root, err := workspace.Root(a.repo)
	if err != nil {
		return nil, err
	}
	return func(key plan.TaskKey, n plan.StageNumber) string {
		return workspace.Path(root, workspace.Relative(key, n))
	}, nil
}
