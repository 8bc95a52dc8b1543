package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"time"

	"git-okstra/gitops"
	"git-okstra/internal/chain"
	"git-okstra/internal/lifecycle"
	"git-okstra/internal/workspace"
	"git-okstra/notes"
	"git-okstra/plan"
	"git-okstra/plan/stage"
)

// chainDesk carries out a chain's transitions.
type chainDesk struct {
	a     *app
	e     *lifecycle.Engine
	task  *lifecycle.Task // as it was when the run began: its key counts
	flags startFlags
	// seen is the task as of the last look.
	seen *lifecycle.Task
	// validate: the plan's validation commands are going to run.
	validate bool
}

// Look reads the task anew.
func (d *chainDesk) Look(ctx context.Context) (*plan.Plan, stage.Progress, error) {
	t, err := d.e.Reload(ctx, d.task)
	if err != nil {
		return nil, stage.Progress{}, err
	}
	d.seen = t
	return t.Plan, t.Progress(), nil
}

// leftBehind reports whether a chain of the same actor on this host held a stage, and has
// ended.
func (d *chainDesk) leftBehind(r lifecycle.Reservation) bool {
	pid, err := strconv.Atoi(r.Pid)
	return err == nil && r.Broken == "" && r.Holder == "process" && r.Host == d.e.Caller.Host && r.By == d.e.Caller.Actor &&
		gitops.ProcessEnded(pid, r.PidStart)
}

// own reports whether a reservation is this very run's. Neither its run id nor the folder
// proves that: two chains can have both.
func (d *chainDesk) own(r lifecycle.Reservation) bool {
	return r.Broken == "" && r.Host == d.e.Caller.Host && r.Pid == strconv.Itoa(d.e.Caller.Pid) && r.PidStart == d.e.Caller.PidStart
}

// Take reserves a stage and makes its worktree, or takes it up where it was left.
func (d *chainDesk) Take(ctx context.Context, n plan.StageNumber) (chain.Job, error) {
	x, err := d.a.shared(d.flags.Local)
	defer x.end()
	if err != nil {
		return chain.Job{}, d.stop(err)
	}
	t := d.seen
	if t == nil || x != nil { // a sync may have brought something
		if t, err = d.e.Reload(ctx, d.task); err != nil {
			return chain.Job{}, err
		}
	}
	if t.Done[n] != "" {
		return chain.Job{}, doneElsewhere(n)
	}
	if err := d.trustRevision(ctx, t, n); err != nil {
		return chain.Job{}, err
	}
	how, err := d.how(ctx, t, n)
	if err != nil {
		return chain.Job{}, err
	}
	root, err := workspace.Root(d.a.repo)
	if err != nil {
		return chain.Job{}, err
	}
	var ahead workspace.Ahead
	defer ahead.Stop()
	s, t, err := x.take(d.a, d.e, t, d.a.lookAhead(d.a.startRequest(d.flags, n, how, root), &ahead, root))
	if err != nil {
		if fresh, lookErr := d.e.Reload(ctx, d.task); lookErr == nil && fresh.Done[n] != "" {
			return chain.Job{}, doneElsewhere(n)
		}
		return chain.Job{}, d.stop(err)
	}
	if t, err = d.e.Reload(ctx, t); err != nil {
		return chain.Job{}, err
	}
	if r, _, err := d.e.Reservation(ctx, t, n); err != nil || !d.own(r) {
		return chain.Job{}, errors.Join(err, occupied(n, r))
	}
	if err := d.trustRevision(ctx, t, n); err != nil { // it may have come in between
		return chain.Job{}, err
	}
	if _, err := d.a.ready(d.e, t, s, root, d.flags, &ahead); err != nil {
		return chain.Job{}, d.stop(err)
	}
	return d.job(ctx, t, s)
}

// doneElsewhere says that somebody else has finished a stage meanwhile.
func doneElsewhere(n plan.StageNumber) *chain.Stop {
	return &chain.Stop{State: chain.Finished, Message: fmt.Sprintf("stage %d is done", n)}
}

// how decides what may be done with a stage that is held: only what a chain has left
// behind is taken up.
func (d *chainDesk) how(ctx context.Context, t *lifecycle.Task, n plan.StageNumber) (taking, error) {
	r, held, err := d.e.Reservation(ctx, t, n)
	switch {
	case err != nil || !held:
		return taking{}, err
	case !d.leftBehind(r):
		return taking{}, occupied(n, r)
	}
	return taking{takeover: true, why: "taken up by a chain"}, d.revised(ctx, t, n)
}

func occupied(n plan.StageNumber, r lifecycle.Reservation) *chain.Stop {
	message := fmt.Sprintf("stage %d is taken by %s on host %s", n, plan.Printable(r.By), plan.Printable(r.Host))
	if r.Run != "" {
		message += fmt.Sprintf(" (run %s)", plan.Printable(r.Run))
	}
	return &chain.Stop{State: chain.Occupied, Message: message}
}

// revised stops at a stage that a revision of the plan has changed since it was started.
func (d *chainDesk) revised(ctx context.Context, t *lifecycle.Task, n plan.StageNumber) error {
	rows, err := notes.ReadStages(ctx, d.a.repo, t.NotesTip, []plan.StageNumber{n})
	if err != nil {
		return err
	}
	changed := false
	for _, l := range notes.Sort(rows) {
		switch {
		case l.Row.Stage != n || ofAnother(t.Key, l.Row):
		case l.Row.Status == notes.Revised:
			changed = true
		case l.Row.Status == notes.Started:
			changed = false
		}
	}
	if !changed {
		return nil
	}
	return &chain.Stop{
		State: chain.Gated, Message: fmt.Sprintf("the plan of stage %d was revised after it was started", n),
		Hints: []string{
			"look at the change with: git okstra plan diff",
			fmt.Sprintf("to go on under the new plan with the commits that are there: git okstra stage release %d", n),
		},
	}
}

// stop says in a chain's words what a transition answered.
func (d *chainDesk) stop(err error) error {
	if d.a.ctx.Err() != nil {
		return err
	}
	c := classify(err)
	out := &chain.Stop{State: chain.Failed, Message: c.message, Hints: c.hints}
	var post *workspace.PostError
	switch {
	case errors.As(err, &post):
		out.Message = post.Error()
	case c.code == exitGate:
		out.State = chain.Gated
	case c.code == exitNothing:
		out.State = chain.Occupied
	}
	return out
}

// job puts together what a worker needs.
func (d *chainDesk) job(ctx context.Context, t *lifecycle.Task, s lifecycle.Started) (chain.Job, error) {
	st, _ := t.Plan.Stage(s.Stage)
	wt, found, err := d.a.repo.FindBound(ctx, s.Bind)
	if err == nil && !found {
		err = fmt.Errorf("the worktree of stage %d is gone", s.Stage)
	}
	if err != nil {
		return chain.Job{}, err
	}
	r, _, err := d.e.Reservation(ctx, t, s.Stage)
	if err != nil {
		return chain.Job{}, err
	}
	lease, _ := time.ParseDuration(r.Lease) // what is no duration is no expiry
	j := chain.Job{
		Stage: s.Stage, Title: s.Title, Section: st, Worktree: wt.Path, GitDir: wt.GitDir, Branch: shortName(s.Branch), Base: s.Base,
		Resumed: s.TakenOver, Lease: lease,
		Log: filepath.Join(d.a.repo.CommonDir(), "okstra", "chain", filepath.FromSlash(t.Key.Ref()), fmt.Sprintf("stage-%d.log", s.Stage)),
	}
	carried, err := d.carried(ctx, t, st)
	if err != nil {
		return j, err
	}
	j.Brief = chain.Brief(chain.BriefFor{
		Task: t.Key.String(), Stage: st, Of: len(t.Plan.Stages), Branch: j.Branch, Base: s.Base, Resumed: j.Resumed, Carried: carried,
	})
	resumed := "0"
	if j.Resumed {
		resumed = "1"
	}
	j.Env = append(d.a.repo.EnvOutside(), stageEnv(s, wt.Path)...)
	j.Env = append(j.Env,
		fmt.Sprintf("OKSTRA_CONCURRENT=%d", len(t.Reserved)-1), "OKSTRA_BRIEF="+filepath.Join(wt.GitDir, "okstra-brief.md"),
		"OKSTRA_RESUMED="+resumed, "OKSTRA_RUN="+d.e.Caller.Run, "PWD="+wt.Path)
	return j, nil
}

// carried gathers what a stage's predecessors left.
func (d *chainDesk) carried(ctx context.Context, t *lifecycle.Task, st plan.Stage) ([]chain.Carried, error) {
	if len(st.DependsOn) == 0 {
		return nil, nil
	}
	rows, err := notes.ReadStages(ctx, d.a.repo, t.NotesTip, st.DependsOn)
	if err != nil {
		return nil, err
	}
	var out []chain.Carried
	for _, n := range st.DependsOn {
		before, _ := t.Plan.Stage(n)
		c := chain.Carried{Stage: n, Title: before.Title, Head: t.Done[n]}
		for _, l := range notes.Sort(rows) {
			if l.Row.Stage == n && l.Row.Status == notes.Done && l.Row.Head == c.Head && !ofAnother(t.Key, l.Row) {
				c.Carry, c.Report = l.Row.Carry, l.Row.ReportPath
			}
		}
		out = append(out, c)
	}
	return out, nil
}

// Done records a stage as done, if this run still has it.
func (d *chainDesk) Done(ctx context.Context, j *chain.Job, passed []string) (gitops.Hash, error) {
	t, err := d.e.Reload(ctx, d.task)
	if err != nil {
		return "", err
	}
	if t.Done[j.Stage] != "" { // its worker said so already
		return t.Done[j.Stage], nil
	}
	if err := d.held(ctx, t, j.Stage); err != nil {
		return "", err
	}
	if err := d.revised(ctx, t, j.Stage); err != nil {
		return "", err
	}
	if err := d.proves(ctx, t, j); err != nil {
		return "", d.stop(err)
	}
	var verdict *judged
	req := lifecycle.DoneRequest{Stage: j.Stage, Conforms: d.a.conforms(d.e, &verdict)}
	if len(passed) > 0 {
		req.Evidence = &notes.Carry{ValidationsPassed: passed}
	}
	f, err := d.e.Finish(ctx, t, req)
	if err != nil {
		return "", d.stop(err)
	}
	d.a.publish(d.flags.Local)
	return f.Head, nil
}

// held refuses a stage that this run has lost.
func (d *chainDesk) held(ctx context.Context, t *lifecycle.Task, n plan.StageNumber) error {
	r, held, err := d.e.Reservation(ctx, t, n)
	switch {
	case err != nil:
		return err
	case !held:
		return &chain.Stop{State: chain.Lost, Message: fmt.Sprintf("stage %d was given back while its worker ran", n)}
	case !d.own(r):
		return &chain.Stop{State: chain.Lost, Message: occupied(n, r).Message}
	}
	return nil
}

// Held says whether this run still has a stage. One that is done is nobody's any more, and
// its worker may end in peace.
func (d *chainDesk) Held(ctx context.Context, n plan.StageNumber) error {
	t, err := d.e.Reload(ctx, d.task)
	if err != nil || t.Done[n] != "" {
		return err
	}
	return d.held(ctx, t, n)
}

// Renew lets a lease begin anew.
func (d *chainDesk) Renew(ctx context.Context, n plan.StageNumber) (time.Duration, error) {
	t, err := d.e.Reload(ctx, d.task)
	if err != nil {
		return 0, err
	}
	if t.Done[n] != "" {
		return 0, nil
	}
	if err := d.held(ctx, t, n); err != nil {
		return 0, err
	}
	renewed, err := d.e.Renew(ctx, t, n)
	if err == nil {
		err = d.a.publishRenewal(d.e, t, renewed, d.flags.Local)
	}
	var refusal *lifecycle.Refusal
	if errors.As(err, &refusal) && (refusal.Kind == lifecycle.Taken || refusal.Kind == lifecycle.Refused) {
		return 0, &chain.Stop{State: chain.Lost, Message: refusal.Message}
	}
	return renewed.Lease, err
}
