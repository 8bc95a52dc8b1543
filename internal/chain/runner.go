package chain

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"git-okstra/plan"
	"git-okstra/plan/stage"
)

// Runner runs a queue.
type Runner struct {
	Desk      Desk
	Queue     Queue
	Argv      []string // the worker
	KeepGoing bool     // a failure stops only what depends on it
	Validate  bool     // run the stages' validation commands
	Timeout   time.Duration
	Grace     Grace
	Watch     time.Duration // so often it is looked at whether a stage is still this run's; 0: where its lease is renewed
	// Land brings a done stage into the integration branch, and says whether it was not
	// there before; nil leaves it.
	Land func(ctx context.Context, n plan.StageNumber) (fresh bool, err error)
	// Unlanded are stages that were done before and may not have landed: a run that was
	// killed in between has left them so.
	Unlanded []plan.StageNumber
	Signal   func() os.Signal // by which the run was interrupted
	Now      func() time.Time
	Tell     func(Event)
	Output   func(n plan.StageNumber, line []byte)

	states  map[plan.StageNumber]State
	whys    map[plan.StageNumber]string
	begun   map[plan.StageNumber]time.Time
	results chan result
	report  Report
	seen    stage.Progress // as of the last look
	halted  bool           // nothing more is started
	groups  groups         // of the workers
}

// result is how a stage's worker ended.
type result struct {
	job    Job
	err    error
	passed []string
	tail   [][]byte
	w      *worker // still has the worktree; nil where it never got it
	stop   func()  // ends the watch over the stage
}

// Run works the queue off. What ends the context ends the workers; what they have done
// so far stays where it is.
func (r *Runner) Run(ctx context.Context) (Report, error) {
	r.states, r.whys, r.begun = map[plan.StageNumber]State{}, map[plan.StageNumber]string{}, map[plan.StageNumber]time.Time{}
	r.results = make(chan result)
	from := r.Now()
	var failed error
	for _, n := range r.Unlanded {
		if err := r.land(ctx, n); err != nil {
			r.ended(n, err, nil, "")
		}
	}
	for {
		if !r.halted && ctx.Err() == nil {
			if err := r.startAll(ctx); err != nil {
				failed, r.halted = err, true
			}
		}
		if r.running() == 0 {
			break
		}
		r.finish(ctx, <-r.results)
	}
	r.report.Cut = ctx.Err() != nil
	p, err := r.look(context.WithoutCancel(ctx))
	r.sum(p)
	r.report.Seconds = r.Now().Sub(from).Seconds()
	if r.report.Cut {
		return r.report, err
	}
	return r.report, errors.Join(failed, err)
}

// look reads the task anew: the plan may have been revised, and others may have done
// stages meanwhile.
func (r *Runner) look(ctx context.Context) (stage.Progress, error) {
	pl, p, err := r.Desk.Look(ctx)
	if err == nil {
		r.Queue.Plan, r.seen = pl, p
	}
	return p, err
}

func (r *Runner) running() int {
	n := 0
	for _, s := range r.states {
		if s == Running {
			n++
		}
	}
	return n
}

// startAll starts whatever can be started now. A stage that another run has may be free
// by the next time.
func (r *Runner) startAll(ctx context.Context) error {
	for n, s := range r.states {
		if s == Occupied {
			delete(r.states, n)
		}
	}
	for r.running() < r.Queue.Jobs {
		p, err := r.look(ctx)
		if err != nil {
			return err
		}
		picked := r.Queue.Pick(p, r.states)
		if len(picked) == 0 || r.halted || ctx.Err() != nil {
			return nil
		}
		r.start(ctx, picked[0])
	}
	return nil
}

// start takes one stage and lets its worker loose.
func (r *Runner) start(ctx context.Context, n plan.StageNumber) {
	job, err := r.Desk.Take(ctx, n)
	if err != nil && ctx.Err() != nil {
		err = errInterrupted(r.Signal())
	}
	if err != nil {
		r.ended(n, err, nil, "")
		return
	}
	r.states[n], r.begun[n] = Running, r.Now()
	r.tell(Event{
		Event: EventStarted, Stage: n, Title: job.Title, Of: len(r.Queue.Plan.Stages), Worktree: job.Worktree,
		Branch: job.Branch, Log: job.Log, Resumed: job.Resumed,
	})
	go func() { r.results <- r.work(ctx, job) }()
}

// finish takes up what became of a worker: done, landed, or why not.
func (r *Runner) finish(ctx context.Context, res result) {
	res.stop()
	n := res.job.Stage
	if res.w != nil {
		defer res.w.close()
	}
	err := res.err
	if err == nil && ctx.Err() != nil {
		err = errInterrupted(r.Signal())
	}
	if err == nil {
		err = stillThere(&res.job)
	}
	if err == nil {
		err = r.record(ctx, &res)
	}
	if err != nil {
		r.ended(n, err, res.tail, res.job.Log)
	}
}

// stillThere refuses a stage whose worktree its worker took away: what was not committed
// cannot be known.
func stillThere(j *Job) error {
	if _, err := os.Stat(j.Worktree); err != nil {
		return &Stop{
			State: Failed, Message: fmt.Sprintf("the worker removed its worktree %q", j.Worktree),
			Hints: []string{"the commits on the branch " + plan.Printable(j.Branch) + " are kept; the next run makes the worktree anew"},
		}
	}
	return nil
}

// record ends a stage, and lands it.
func (r *Runner) record(ctx context.Context, res *result) error {
	n := res.job.Stage
	head, err := r.Desk.Done(ctx, &res.job, res.passed)
	if err != nil {
		return err
	}
	r.states[n] = Finished
	took := r.Now().Sub(r.begun[n]).Seconds()
	r.report.Done = append(r.report.Done, Ended{n, head, took})
	r.tell(Event{Event: EventDone, Stage: n, Head: head, Seconds: took, Next: r.Queue.Next(r.seen, r.states)})
	return r.land(ctx, n)
}

// land brings a done stage into the integration branch, if that was asked for.
func (r *Runner) land(ctx context.Context, n plan.StageNumber) error {
	if r.Land == nil {
		return nil
	}
	fresh, err := r.Land(ctx, n)
	if fresh {
		r.tell(Event{Event: EventLanded, Stage: n})
	}
	return err
}

// ended notes a stage that did not get done, or did not land.
func (r *Runner) ended(n plan.StageNumber, err error, tail [][]byte, log string) {
	state, hints := Failed, []string(nil)
	var stop *Stop
	var cut *stopped
	switch {
	case errors.As(err, &stop):
		state, hints = stop.State, stop.Hints
	case errors.As(err, &cut):
		state = cut.state
	}
	if state == Finished { // somebody else did it meanwhile
		r.states[n] = state
		return
	}
	again := state == Occupied && r.whys[n] == err.Error() // it was tried once more
	r.states[n], r.whys[n] = state, err.Error()
	if again {
		return
	}
	e := Event{Event: string(state), Stage: n, Why: err.Error(), Hints: hints, Log: log}
	for _, line := range tail {
		e.Tail = append(e.Tail, string(line))
	}
	r.tell(e)
	if state != Occupied && !r.KeepGoing {
		r.halted = true
	}
}

func (r *Runner) tell(e Event) {
	e.Schema, e.At = Schema, r.Now().UTC().Format(time.RFC3339)
	r.Tell(e)
}

// sum says what is left of the queue, and why.
func (r *Runner) sum(p stage.Progress) {
	r.report.State = Finished
	rank := map[State]int{Finished: 0, Waiting: 1, Occupied: 1, Gated: 2, Lost: 3, Failed: 3}
	for _, n := range r.Unlanded {
		if state := r.states[n]; rank[state] > 1 {
			r.report.State = state
		}
		r.unlanded(n)
	}
	for _, n := range r.Queue.Order {
		state := r.states[n]
		done := p.Done[n] || state == Finished
		if done && state == Waiting {
			continue // others did it
		}
		if rank[state] > rank[r.report.State] {
			r.report.State = state
		}
		if done {
			r.unlanded(n)
			continue
		}
		st, _ := r.Queue.Plan.Stage(n)
		left := Left{Stage: n, State: state, Why: r.whys[n]}
		if state == Waiting {
			left.State, left.Why = "waiting", "not started"
			if waits := p.WaitingFor(st); len(waits) > 0 {
				left.Why = "waits for " + stage.Ranges(waits)
			}
		}
		r.report.Left = append(r.report.Left, left)
	}
	if r.report.State == Waiting {
		r.report.State = Occupied
	}
	if r.report.State == Lost {
		r.report.State = Failed
	}
}

// unlanded lists a stage that is done and could not land.
func (r *Runner) unlanded(n plan.StageNumber) {
	if why := r.whys[n]; why != "" {
		r.report.Left = append(r.report.Left, Left{Stage: n, State: r.states[n], Why: "done, but not landed: " + why})
	}
}
