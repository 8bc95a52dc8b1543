package chain

import (
	"context"
	"time"

	"git-okstra/gitops"
	"git-okstra/plan"
	"git-okstra/plan/stage"
)

// Desk carries out the transitions for a chain. Errors that say more than that something
// went wrong are a *[Stop].
type Desk interface {
	// Look reads the task anew.
	Look(ctx context.Context) (*plan.Plan, stage.Progress, error)
	// Take reserves a stage and makes its worktree, or takes it up where a chain that has
	// ended left it.
	Take(ctx context.Context, n plan.StageNumber) (Job, error)
	// Done records a stage as done, with the validations that passed.
	Done(ctx context.Context, j *Job, passed []string) (gitops.Hash, error)
	// Held says whether this run still has a stage: nil, or a *[Stop].
	Held(ctx context.Context, n plan.StageNumber) error
	// Renew lets a lease begin anew, and says how long it is.
	Renew(ctx context.Context, n plan.StageNumber) (time.Duration, error)
}

// Stop says what became of a stage that did not get done.
type Stop struct {
	State   State
	Message string
	Hints   []string
}

func (s *Stop) Error() string { return s.Message }

// Job is a stage that was taken.
type Job struct {
	Stage    plan.StageNumber
	Title    string
	Section  plan.Stage
	Worktree string // absolute
	GitDir   string // the worktree's administrative folder
	Branch   string
	Base     gitops.Hash
	Brief    string
	Env      []string      // KEY=VALUE, for the worker
	Log      string        // the file that keeps its output
	Resumed  bool          // a worker was at it before
	Lease    time.Duration // 0: it needs no renewal
}
