package chain

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"git-okstra/plan"
)

// work runs a stage's worker and its validations. The stage is watched over until stop is
// called.
func (r *Runner) work(ctx context.Context, job Job) result {
	ctx, cancel := context.WithCancelCause(ctx)
	watching := make(chan struct{})
	go func() {
		defer close(watching)
		r.watch(ctx, &job, cancel)
	}()
	out := result{job: job, stop: func() { cancel(nil); <-watching }}
	w, err := newWorker(ctx, &job, r.Grace, func(line []byte) { r.Output(job.Stage, line) })
	if err != nil {
		out.err = err
		return out
	}
	out.w, w.groups = w, &r.groups
	if r.Timeout > 0 {
		go limit(ctx, r.Timeout, cancel)
	}
	out.err = w.run(r.causing(ctx), r.Argv)
	if out.err == nil && r.Validate {
		out.passed, out.err = r.validate(r.causing(ctx), w)
	}
	out.tail = w.out.tail
	return out
}

// validate runs what the plan says has to pass.
func (r *Runner) validate(ctx context.Context, w *worker) ([]string, error) {
	var passed []string
	for _, command := range Validations(w.job.Section) {
		if err := w.run(ctx, []string{"sh", "-c", command}); err != nil {
			var stop *Stop
			if errors.As(err, &stop) {
				stop.Message = fmt.Sprintf("validation %s: %s", plan.Printable(command), stop.Message)
			}
			return passed, err
		}
		passed = append(passed, command)
	}
	return passed, nil
}

// causing gives the plain end of a context the signal that the run got.
func (r *Runner) causing(ctx context.Context) context.Context {
	out, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	context.AfterFunc(ctx, func() {
		cause := context.Cause(ctx)
		var stop *stopped
		if !errors.As(cause, &stop) {
			cause = errInterrupted(r.Signal())
		}
		cancel(cause)
	})
	return out
}

// limit ends a worker once its time is over. It is counted in small pieces: while this
// process is suspended, its workers are as well, and that time is not theirs.
func limit(ctx context.Context, all time.Duration, cancel context.CancelCauseFunc) {
	for left := all; left > 0; {
		piece := min(left, time.Second)
		select {
		case <-ctx.Done():
			return
		case <-time.After(piece):
			left -= piece
		}
	}
	cancel(errTimeout(all))
}

// watch looks now and then whether a stage is still this run's, and lets its lease begin
// anew well before it is over, until the context ends. A stage that was lost ends the
// worker: somebody else may be about to work in its worktree.
func (r *Runner) watch(ctx context.Context, job *Job, cancel context.CancelCauseFunc) {
	const early = 3
	lease, said := job.Lease, ""
	for due := lease / early; ; {
		wait := r.Watch
		if lease > 0 && (wait == 0 || due < wait) {
			wait = due
		}
		if wait <= 0 {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		var err error
		if due -= wait; lease > 0 && due <= 0 {
			var next time.Duration
			if next, err = r.Desk.Renew(ctx, job.Stage); err == nil {
				lease = next
			}
			due = lease / early
		} else {
			err = r.Desk.Held(ctx, job.Stage)
		}
		var stop *Stop
		switch {
		case ctx.Err() != nil:
			return
		case errors.As(err, &stop):
			cancel(&stopped{os.Kill, stop.Message, Lost})
			return
		case err != nil && err.Error() != said:
			said = err.Error()
			r.tell(Event{Event: EventWarning, Stage: job.Stage, Why: "its reservation could not be looked at: " + plan.Printable(said)})
		}
	}
}
