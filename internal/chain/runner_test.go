//go:build unix

package chain

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"git-okstra/gitops"
	"git-okstra/plan"
	"git-okstra/plan/stage"
)

// desk is a task in memory.
type desk struct {
	t    *testing.T
	mu   sync.Mutex
	plan *plan.Plan
	done map[plan.StageNumber]bool
	take map[plan.StageNumber]error // the answer to Take, nil for a job
	end  map[plan.StageNumber]error // the answer to Done
	// lease is of every stage; renewals counts, and after so many the lease is lost
	lease    time.Duration
	renewals int
	looked   int
	// heldFirst is the answer to Held before that
	heldFirst error
	loseAt    int
	taken     []plan.StageNumber
	passed    map[plan.StageNumber][]string
}

func newDesk(t *testing.T, deps map[int][]int, n int) *desk {
	t.Helper()
	return &desk{
		t: t, plan: numbered(deps, nil, n), done: map[plan.StageNumber]bool{}, take: map[plan.StageNumber]error{},
		end: map[plan.StageNumber]error{}, passed: map[plan.StageNumber][]string{},
	}
}

func (d *desk) Look(context.Context) (*plan.Plan, stage.Progress, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	p := stage.Progress{Done: map[plan.StageNumber]bool{}}
	for n := range d.done {
		p.Done[n] = true
	}
	return d.plan, p, nil
}

func (d *desk) Take(_ context.Context, n plan.StageNumber) (Job, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.taken = append(d.taken, n)
	if err := d.take[n]; err != nil {
		return Job{}, err
	}
	j := jobIn(d.t)
	st, _ := d.plan.Stage(n)
	j.Stage, j.Section, j.Lease = n, st, d.lease
	j.Env = append(j.Env, fmt.Sprintf("STAGE=%d", n))
	return *j, nil
}

func (d *desk) Done(_ context.Context, j *Job, passed []string) (gitops.Hash, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.end[j.Stage]; err != nil {
		return "", err
	}
	d.done[j.Stage], d.passed[j.Stage] = true, passed
	return "abcd", nil
}

func (d *desk) Held(context.Context, plan.StageNumber) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.looked++; d.loseAt > 0 && d.looked >= d.loseAt {
		return &Stop{State: Lost, Message: "somebody else has it"}
	}
	return d.heldFirst
}

func (d *desk) Renew(context.Context, plan.StageNumber) (time.Duration, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.renewals++
	switch {
	case d.renewals == 1:
		return 0, errors.New("cannot be reached")
	case d.loseAt > 0 && d.renewals >= d.loseAt:
		return 0, &Stop{State: Lost, Message: "somebody else has it"}
	}
	return d.lease, nil
}

// story is what a run told.
type story struct {
	mu     sync.Mutex
	events []Event
	lines  []string
}

func (s *story) String() string {
	var words []string
	for _, e := range s.events {
		words = append(words, fmt.Sprintf("%s %d", e.Event, e.Stage))
	}
	return strings.Join(words, ", ")
}

// runner is a run of a desk's whole plan.
func (d *desk) runner(s *story, script string) *Runner {
	r := &Runner{
		Desk: d, Queue: Queue{Plan: d.plan, Jobs: 1}, Argv: []string{"sh", "-c", script}, Grace: Grace{End: time.Second, Lock: time.Minute},
		Signal: func() os.Signal { return syscall.SIGTERM }, Now: time.Now,
		Tell: func(e Event) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.events = append(s.events, e)
		},
		Output: func(n plan.StageNumber, line []byte) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.lines = append(s.lines, fmt.Sprintf("%d %s", n, line))
		},
	}
	for _, st := range d.plan.Stages {
		r.Queue.Order = append(r.Queue.Order, st.Number)
	}
	return r
}

func left(r Report) string {
	var words []string
	for _, l := range r.Left {
		words = append(words, fmt.Sprintf("%d %s: %s", l.Stage, l.State, l.Why))
	}
	return strings.Join(words, "; ")
}

var diamond = map[int][]int{2: {1}, 3: {1}, 4: {2, 3}}

func TestRunsAll(t *testing.T) {
	t.Parallel()
	d, s := newDesk(t, diamond, 4), &story{}
	report, err := d.runner(s, "echo $STAGE").Run(t.Context())
	if err != nil || report.State != Finished || len(report.Left) != 0 || len(report.Done) != 4 || report.Cut {
		t.Errorf("%+v, %v", report, err)
	}
	if got := s.String(); got != "started 1, done 1, started 2, done 2, started 3, done 3, started 4, done 4" {
		t.Error(got)
	}
	if !slices.Equal(s.lines, []string{"1 1", "2 2", "3 3", "4 4"}) {
		t.Error(s.lines)
	}
	if e := s.events[1]; e.Next != 2 || e.Head != "abcd" || e.Schema != Schema || e.At == "" {
		t.Errorf("%+v", e)
	}
}

func TestStopsAtAFailure(t *testing.T) {
	t.Parallel()
	for keep, want := range map[bool]string{
		false: "2 failed: the command ended with exit code 1; 3 waiting: not started; 4 waiting: waits for 2, 3; 5 waiting: not started",
		true:  "2 failed: the command ended with exit code 1; 4 waiting: waits for 2",
	} {
		d, s := newDesk(t, diamond, 5), &story{}
		r := d.runner(s, `echo at $STAGE; test $STAGE != 2`)
		r.KeepGoing = keep
		report, err := r.Run(t.Context())
		if err != nil || report.State != Failed || left(report) != want {
			t.Errorf("keep going %v: %v, %q, want %q", keep, err, left(report), want)
		}
		i := slices.IndexFunc(s.events, func(e Event) bool { return e.Event == EventFailed })
		if e := s.events[i]; e.Stage != 2 || !slices.Equal(e.Tail, []string{"at 2"}) || e.Log == "" {
			t.Errorf("%+v", e)
		}
	}
}

func TestGateAndOccupied(t *testing.T) {
	t.Parallel()
	d, s := newDesk(t, diamond, 5), &story{}
	d.take[2] = &Stop{State: Occupied, Message: "taken"}
	d.end[5] = &Stop{State: Gated, Message: "revised", Hints: []string{"look"}}
	report, err := d.runner(s, "true").Run(t.Context())
	if want := "2 occupied: taken; 4 waiting: waits for 2; 5 gate: revised"; err != nil || report.State != Gated || left(report) != want {
		t.Errorf("%v, %v: %q, want %q", err, report.State, left(report), want)
	}
	if got := s.String(); got != "started 1, done 1, occupied 2, started 3, done 3, started 5, gate 5" {
		t.Error(got) // a stage that stays occupied is told of once
	}
	delete(d.end, 5)
	d.done = map[plan.StageNumber]bool{1: true, 3: true, 5: true}
	if report, err := d.runner(&story{}, "true").Run(t.Context()); err != nil || report.State != Occupied {
		t.Errorf("%+v, %v", report, err)
	}
	d.take[2] = errors.New("no disk")
	if report, err := d.runner(&story{}, "true").Run(t.Context()); err != nil || report.State != Failed || left(report) != "2 failed: no disk; 4 waiting: waits for 2" {
		t.Errorf("%q, %v", left(report), err)
	}
}

// TestDoneElsewhere: what somebody else finishes between a look and the taking is no
// failure.
func TestDoneElsewhere(t *testing.T) {
	t.Parallel()
	d, s := newDesk(t, map[int][]int{2: {1}}, 2), &story{}
	d.take[1] = &Stop{State: Finished, Message: "done"}
	r := d.runner(s, "true")
	r.Queue.Order = []plan.StageNumber{1}
	report, err := r.Run(t.Context())
	if err != nil || report.State != Finished || len(s.events) != 0 || len(d.taken) != 1 {
		t.Errorf("%+v, %v: %s", report, err, s)
	}
}

// TestSideBySide: two workers wait for one another, so they must run at once.
func TestSideBySide(t *testing.T) {
	t.Parallel()
	d, s := newDesk(t, diamond, 4), &story{}
	meet := t.TempDir()
	r := d.runner(s, `touch "`+meet+`/$STAGE"; case $STAGE in 2) while ! test -e "`+meet+`/3"; do sleep 0.01; done;; 3) while ! test -e "`+meet+`/2"; do sleep 0.01; done;; esac`)
	r.Queue.Jobs = 2
	if report, err := r.Run(t.Context()); err != nil || report.State != Finished || len(report.Done) != 4 {
		t.Errorf("%+v, %v", report, err)
	}
}

func TestValidates(t *testing.T) {
	t.Parallel()
	d, s := newDesk(t, nil, 2), &story{}
	d.plan.Stages[0].Section = "### Stage Validation\n\n- post: `test -e made`\n- post: `echo fine`\n"
	d.plan.Stages[1].Section = "### Stage Validation\n\n- post: `echo no; exit 4`\n- post: `echo never`\n"
	r := d.runner(s, "touch made")
	r.Validate = true
	report, err := r.Run(t.Context())
	if want := "2 failed: validation echo no; exit 4: the command ended with exit code 4"; err != nil || left(report) != want {
		t.Errorf("%v, %q, want %q", err, left(report), want)
	}
	if !slices.Equal(d.passed[1], []string{"test -e made", "echo fine"}) || slices.Contains(s.lines, "2 never") {
		t.Errorf("%q passed, lines %q", d.passed[1], s.lines)
	}
}

func TestLands(t *testing.T) {
	t.Parallel()
	d, s := newDesk(t, diamond, 5), &story{}
	d.done[1] = true
	var landed []plan.StageNumber
	r := d.runner(s, "true")
	r.Unlanded, r.KeepGoing = []plan.StageNumber{1}, true
	r.Land = func(_ context.Context, n plan.StageNumber) (bool, error) {
		landed = append(landed, n)
		if n == 3 {
			return false, &Stop{State: Gated, Message: "conflict"}
		}
		return n != 5, nil
	}
	report, err := r.Run(t.Context())
	if want := "3 gate: done, but not landed: conflict"; err != nil || report.State != Gated || left(report) != want {
		t.Errorf("%v, %q, want %q", err, left(report), want)
	}
	if !slices.Equal(landed, []plan.StageNumber{1, 2, 3, 4, 5}) ||
		!strings.HasPrefix(s.String(), "landed 1, started 2, done 2, landed 2") || strings.Contains(s.String(), "landed 5") {
		t.Errorf("%v: %s", landed, s)
	}
}

func TestLeases(t *testing.T) {
	t.Parallel()
	d, s := newDesk(t, nil, 1), &story{}
	d.lease = 30 * time.Millisecond
	stop := filepath.Join(t.TempDir(), "stop")
	go func() {
		for renewed := 0; renewed < 4; time.Sleep(time.Millisecond) {
			d.mu.Lock()
			renewed = d.renewals
			d.mu.Unlock()
		}
		if err := os.WriteFile(stop, nil, 0o666); err != nil {
			t.Error(err)
		}
	}()
	if report, err := d.runner(s, `while ! test -e "`+stop+`"; do sleep 0.01; done`).Run(t.Context()); err != nil || report.State != Finished {
		t.Errorf("%+v, %v", report, err)
	}
	if !strings.Contains(s.String(), "warning 1") {
		t.Errorf("a renewal that failed was not told: %s", s)
	}
	d, s = newDesk(t, nil, 1), &story{}
	d.lease, d.loseAt = 30*time.Millisecond, 3
	report, err := d.runner(s, "sleep 60").Run(t.Context())
	if err != nil || report.State != Failed || left(report) != "1 lost: somebody else has it" {
		t.Errorf("%q, %v", left(report), err)
	}
}

func TestTimeLimitAndInterrupt(t *testing.T) {
	t.Parallel()
	d, s := newDesk(t, nil, 2), &story{}
	r := d.runner(s, "sleep 60")
	r.Timeout = 50 * time.Millisecond
	report, err := r.Run(t.Context())
	if want := "1 failed: it was stopped after its time limit of 50ms; 2 waiting: not started"; err != nil || left(report) != want {
		t.Errorf("%v, %q", err, left(report))
	}
	ctx, cancel := context.WithCancel(t.Context())
	d, s = newDesk(t, nil, 2), &story{}
	r = d.runner(s, `trap "echo told; exit 0" TERM; echo ready; while :; do sleep 0.01; done`)
	output := r.Output
	r.Output = func(n plan.StageNumber, line []byte) { output(n, line); cancel() }
	report, err = r.Run(ctx)
	if want := "1 failed: interrupted (terminated); 2 waiting: not started"; err != nil || !report.Cut || left(report) != want || d.done[1] {
		t.Errorf("%v, %q, %+v", err, left(report), report)
	}
	if s.lines[0] != "1 ready" || !slices.Contains(s.lines, "1 told") {
		t.Error(s.lines)
	}
}

func TestWorktreeTakenAway(t *testing.T) {
	t.Parallel()
	d, s := newDesk(t, nil, 1), &story{}
	report, err := d.runner(s, `rm -rf "$DIR/work"`).Run(t.Context())
	if err != nil || !strings.HasPrefix(left(report), "1 failed: the worker removed its worktree") || d.done[1] {
		t.Errorf("%v, %q", err, left(report))
	}
}
