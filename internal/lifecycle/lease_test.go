package lifecycle

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"git-okstra/gitops"
	"git-okstra/internal/testrepo"
	"git-okstra/notes"
)

// hourglass is a clock that only tests turn. It may be read by many at once.
type hourglass struct{ passed atomic.Int64 }

func (h *hourglass) now() time.Time       { return testrepo.Epoch().Add(time.Duration(h.passed.Load())) }
func (h *hourglass) turn(d time.Duration) { h.passed.Add(int64(d)) }

// leased is a fixture with a task of two stages, a lease and a clock.
type leased struct {
	*fixture
	clock *hourglass
}

const ttl = time.Minute

func newLeased(t *testing.T) *leased {
	t.Helper()
	f := &leased{newFixture(t), &hourglass{}}
	f.approve("1:\n2:\n")
	f.repo.Git("config", "okstra.lease", ttl.String())
	f.eng = f.of(f.repo, "holder")
	return f
}

// of is another process's engine on a repository, of a run of its own.
func (f *leased) of(r *testrepo.Repo, run string) *Engine {
	f.t.Helper()
	g, err := gitops.Open(f.t.Context(), gitops.Options{Dir: r.Dir, Env: r.Env})
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(g.Close)
	var ids atomic.Int64
	return &Engine{
		Repo: g, Now: f.clock.now, Caller: Caller{Actor: "me", Host: "here", Run: run, Pid: os.Getpid(), PidStart: gitops.ProcessStart(os.Getpid())},
		NewID: func() (string, error) { return fmt.Sprintf("%s-%03d", run, ids.Add(1)), nil },
		Parse: f.eng.Parse,
	}
}

// load reads the task as an engine sees it.
func (f *leased) load(e *Engine) *Task {
	f.t.Helper()
	t, err := e.Load(f.t.Context(), "")
	if err != nil {
		f.t.Fatal(err)
	}
	return t
}

// stale asks an engine about stage 1, and writes nothing.
func (f *leased) stale(e *Engine) string {
	f.t.Helper()
	t := f.load(e)
	r, held, err := e.Reservation(f.t.Context(), t, 1)
	if err != nil || !held {
		f.t.Fatalf("held %v: %v", held, err)
	}
	why, err := e.Stale(f.t.Context(), t, 1, r)
	if err != nil {
		f.t.Fatal(err)
	}
	return why
}

// take tries to take stage 1 over.
func (f *leased) take(e *Engine) error {
	f.t.Helper()
	req := f.request(1)
	req.Takeover = true
	_, err := e.Start(f.t.Context(), f.load(e), req)
	return err
}

func (f *leased) renew(e *Engine) error {
	f.t.Helper()
	_, err := e.Renew(f.t.Context(), f.load(e), 1)
	return err
}

// statuses lists the log of stage 1, in order.
func (f *leased) statuses() string {
	f.t.Helper()
	t := f.load(f.eng)
	lines, err := notes.Read(f.t.Context(), f.eng.Repo, t.NotesTip)
	if err != nil {
		f.t.Fatal(err)
	}
	var words []string
	for _, l := range lines {
		if l.Row.Stage == 1 {
			words = append(words, string(l.Row.Status))
		}
	}
	return strings.Join(words, " ")
}

// marks counts the marks that stand.
func (f *leased) marks() int {
	f.t.Helper()
	return len(strings.Fields(f.repo.Git("for-each-ref", "--format=%(refname)", seenPrefix)))
}

func isKind(err error, want Kind) bool {
	var r *Refusal
	return errors.As(err, &r) && r.Kind == want
}

// TestHeartbeatKeepsTheStage is field reports A8 and A9: a holder that renews each third
// of its lease keeps the stage for ten leases, whatever a reaper beside it tries without
// a pause; and the first lease that is not renewed ends with a takeover, so this fails if
// renewing does nothing.
func TestHeartbeatKeepsTheStage(t *testing.T) {
	f := newLeased(t)
	if _, err := f.start(1); err != nil {
		t.Fatal(err)
	}
	reaper := f.of(f.repo, "reaper")
	stop := make(chan struct{})
	var tries atomic.Int64
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			task, err := reaper.Load(t.Context(), "")
			if err != nil {
				t.Error(err)
				return
			}
			if _, err := reaper.ReleaseStale(t.Context(), task, 1, "reaped"); !isKind(err, Taken) {
				t.Errorf("release --stale: %v", err)
			}
			req := f.request(1)
			req.Takeover = true
			if _, err := reaper.Start(t.Context(), task, req); !isKind(err, Taken) {
				t.Errorf("takeover: %v", err)
			}
			tries.Add(1)
		}
	})
	for range 3 * 10 {
		f.clock.turn(ttl / 3)
		if err := f.renew(f.eng); err != nil {
			t.Errorf("renew: %v", err)
		}
	}
	for before := tries.Load(); tries.Load() < before+2 && !t.Failed(); { // the last one has seen the last renewal
		time.Sleep(time.Millisecond)
	}
	close(stop)
	wg.Wait()
	if got := f.statuses(); got != "started" {
		t.Errorf("log: %s", got)
	}
	f.clock.turn(ttl - 1)
	if why := f.stale(reaper); why != "" {
		t.Errorf("stale before its time: %s", why)
	}
	f.clock.turn(1)
	if err := f.take(reaper); err != nil {
		t.Errorf("takeover of a lease that is over: %v", err)
	}
	if got := f.statuses(); got != "started taken-over" {
		t.Errorf("log: %s", got)
	}
	if out := f.repo.Git("fsck"); out != "" {
		t.Errorf("git fsck: %s", out)
	}
	if n := f.marks(); n != 1 {
		t.Errorf("%d marks", n)
	}
	f.repo.Git("pack-refs", "--all", "--prune")
	f.repo.Git("gc", "-q", "--prune=now")
	if why := f.stale(f.eng); why != "" {
		t.Errorf("after gc: %s", why)
	}
	f.clock.turn(ttl)
	if why := f.stale(f.eng); why != "its lease of 1m is over" {
		t.Errorf("after gc and a lease: %q", why)
	}
}

// TestRenewalOrTakeover: the lease is over, and its holder and another one move at the
// same time. One of them gets the stage, and the other is told so.
func TestRenewalOrTakeover(t *testing.T) {
	f := newLeased(t)
	won := map[string]int{}
	for round := range 8 {
		holder, other := f.of(f.repo, fmt.Sprint("h", round)), f.of(f.repo, fmt.Sprint("o", round))
		if _, err := holder.Start(t.Context(), f.load(holder), f.request(1)); err != nil {
			t.Fatal(err)
		}
		f.clock.turn(ttl)
		was, is := f.load(holder), f.load(other)
		var renewed, taken error
		var wg sync.WaitGroup
		both := []func(){
			func() { _, renewed = holder.Renew(t.Context(), was, 1) },
			func() {
				req := f.request(1)
				req.Takeover = true
				_, taken = other.Start(t.Context(), is, req)
			},
		}
		wg.Go(both[round%2]) // so that either of them is the first now and then
		wg.Go(both[1-round%2])
		wg.Wait()
		run := other.Caller.Run
		switch {
		case renewed == nil && isKind(taken, Taken):
			run = holder.Caller.Run
			won["renewal"]++
		case taken == nil && isKind(renewed, Taken):
			won["takeover"]++
		default:
			t.Errorf("round %d: renewal %v, takeover %v", round, renewed, taken)
		}
		r, _, err := holder.Reservation(t.Context(), f.load(holder), 1)
		if err != nil || r.Run != run {
			t.Errorf("round %d: held by %+v, want %s: %v", round, r, run, err)
		}
		if _, err := other.Release(t.Context(), f.load(other), 1, ""); err != nil && run == other.Caller.Run {
			t.Fatal(err)
		}
		if _, held := f.load(holder).Reserved[1]; held {
			if _, err := holder.Release(t.Context(), f.load(holder), 1, ""); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Logf("won: %v", won)
	if n := f.marks(); n != 0 {
		t.Errorf("%d marks are left", n)
	}
}

// TestOnlyTheHolderRenews: by the rules of a resume, but another run is another holder.
func TestOnlyTheHolderRenews(t *testing.T) {
	f := newLeased(t)
	if _, err := f.start(1); err != nil {
		t.Fatal(err)
	}
	r := func() Reservation {
		r, _, err := f.eng.Reservation(t.Context(), f.load(f.eng), 1)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	first := r()
	for name, c := range map[string]struct {
		caller Caller
		want   bool
	}{
		"the same run, elsewhere":  {Caller{Actor: "x", Host: "y", Run: "holder"}, true},
		"the same actor and host":  {Caller{Actor: "me", Host: "here"}, true},
		"another actor":            {Caller{Actor: "you", Host: "here"}, false},
		"another host":             {Caller{Actor: "me", Host: "there"}, false},
		"another run of the actor": {Caller{Actor: "me", Host: "here", Run: "other"}, false},
	} {
		e := *f.eng
		e.Caller = c.caller
		f.clock.turn(time.Second)
		before := r()
		err := f.renew(&e)
		if (err == nil) != c.want || err != nil && !isKind(err, Taken) {
			t.Errorf("%s: %v", name, err)
		}
		if moved := before.Tag != r().Tag; moved != c.want {
			t.Errorf("%s: the reservation moved: %v", name, moved)
		}
	}
	last := r()
	if last.Claim != first.Claim || last.At != first.At || last.By != "me" || last.Run != "holder" || last.Renewed == "" || last.Pid != first.Pid {
		t.Errorf("renewed: %+v\nwas %+v", last, first)
	}
	e := *f.eng
	e.Caller = Caller{Actor: "x", Host: "y", Run: "other"}
	inside := f.load(f.eng)
	inside.Here = 1
	if err := e.renewable(t.Context(), inside, 1, last, true); !isKind(err, Taken) {
		t.Errorf("another run inside the worktree: %v", err)
	}
	e.Caller.Run = ""
	if err := e.renewable(t.Context(), inside, 1, last, true); err != nil {
		t.Errorf("inside the worktree: %v", err)
	}
	if _, err := f.eng.Renew(t.Context(), f.load(f.eng), 2); !isKind(err, Refused) {
		t.Errorf("a free stage: %v", err)
	}
	if _, err := f.eng.Renew(t.Context(), f.load(f.eng), 9); !isKind(err, Usage) {
		t.Errorf("no stage: %v", err)
	}
	if _, err := f.eng.Renew(t.Context(), f.load(f.eng), 0); !isKind(err, Usage) {
		t.Errorf("nothing named: %v", err)
	}
	if got := f.statuses(); got != "started" {
		t.Errorf("log: %s", got)
	}
	if err := f.renew(f.eng); err != nil || f.marks() != 1 {
		t.Errorf("%d marks: %v", f.marks(), err)
	}
	f.clock.turn(ttl)
	if f.stale(f.eng) == "" { // counted from the renewal, which nobody else has seen yet
		t.Error("a renewed lease has no end")
	}
}

// TestRenewalKeepsWhatItDoesNotKnow: trailers of a later version stay in the tag.
func TestRenewalKeepsWhatItDoesNotKnow(t *testing.T) {
	f := newLeased(t)
	s, err := f.start(1)
	if err != nil {
		t.Fatal(err)
	}
	r, _, err := f.eng.Reservation(t.Context(), f.load(f.eng), 1)
	if err != nil {
		t.Fatal(err)
	}
	r.others = "Port: 3000\nShape: a: b\n"
	if got := f.throughTag(&r); got.others != r.others {
		t.Fatalf("read back %q", got.others)
	}
	f.clock.turn(time.Second)
	if err := f.renew(f.eng); err != nil {
		t.Fatal(err)
	}
	got, _, err := f.eng.Reservation(t.Context(), f.load(f.eng), 1)
	if err != nil || got.others != r.others || got.Claim != s.claim || got.Renewed == "" {
		t.Errorf("%+v %v", got, err)
	}
}

// TestWhoLostTheStageKnows: a run whose stage was taken over, or given back and started
// anew, can neither renew, resume, release nor finish it, from wherever it asks; its
// commits are the new holder's.
func TestWhoLostTheStageKnows(t *testing.T) {
	for name, lose := range map[string]func(f *leased, next *Engine) error{
		"taken over": func(f *leased, next *Engine) error { return f.take(next) },
		"released and started": func(f *leased, next *Engine) error {
			if _, err := next.ReleaseStale(f.t.Context(), f.load(next), 1, ""); err != nil {
				return err
			}
			_, err := next.Start(f.t.Context(), f.load(next), f.request(1))
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newLeased(t)
			f.t = t
			s, err := f.start(1)
			if err != nil {
				t.Fatal(err)
			}
			work := f.repo.Git("commit-tree", string(s.Branch)+"^{tree}", "-p", string(s.Branch), "-m", "half")
			f.repo.Git("update-ref", string(s.Branch), work)
			f.clock.turn(ttl)
			next := f.of(f.repo, "next")
			if err := lose(f, next); err != nil {
				t.Fatal(err)
			}
			for _, here := range []bool{false, true} {
				old := f.load(f.eng)
				if here {
					old.Here = 1
				}
				req := f.request(1)
				req.Resume = true
				_, renewed := f.eng.Renew(t.Context(), old, 1)
				_, resumed := f.eng.startOnce(t.Context(), old, req)
				_, released := f.eng.Release(t.Context(), old, 1, "")
				_, done := f.eng.finishOnce(t.Context(), old, DoneRequest{Stage: 1})
				for what, err := range map[string]error{"renew": renewed, "resume": resumed, "release": released, "done": done} {
					if !isKind(err, Taken) || !strings.Contains(err.Error(), "taken by me") || !strings.Contains(err.Error(), "run next") {
						t.Errorf("%s, inside the worktree %v: %v", what, here, err)
					}
				}
			}
			if done, err := next.Finish(t.Context(), f.load(next), DoneRequest{Stage: 1}); err != nil || string(done.Head) != work {
				t.Errorf("the new holder's done: %+v %v", done, err)
			}
			if n := f.marks(); n != 0 {
				t.Errorf("%d marks are left", n)
			}
		})
	}
}

// TestNoHostsClockCounts is the clock skew of section H: a reservation comes from a host
// whose clock is a day off. Neither the order of the log nor its end depends on that.
func TestNoHostsClockCounts(t *testing.T) {
	for _, skew := range []time.Duration{-24 * time.Hour, 0, 24 * time.Hour} {
		f := newLeased(t)
		there := f.of(f.repo, "there")
		there.Now = func() time.Time { return f.clock.now().Add(skew) }
		there.Caller.Host = "there"
		if _, err := there.Start(t.Context(), f.load(there), f.request(1)); err != nil {
			t.Fatal(err)
		}
		copied := &testrepo.Repo{Dir: t.TempDir(), Env: f.repo.Env}
		f.repo.Git("clone", "-q", "--mirror", f.repo.Dir, copied.Dir+"/c") // its marks are another clone's
		copied.Dir += "/c"
		here := f.of(copied, "here")
		here.Caller.Host = "here"
		f.clock.turn(10 * ttl)
		if why := f.stale(here); why != "" {
			t.Errorf("skew %v: stale at first sight: %s", skew, why)
		}
		if err := f.take(here); !isKind(err, Taken) { // a command that writes, so it has seen it now
			t.Errorf("skew %v: %v", skew, err)
		}
		f.clock.turn(ttl - 1)
		if why := f.stale(here); why != "" {
			t.Errorf("skew %v: stale before its time: %s", skew, why)
		}
		f.clock.turn(1)
		if why := f.stale(here); why == "" {
			t.Errorf("skew %v: not stale after its time", skew)
		}
		if err := f.take(here); err != nil {
			t.Errorf("skew %v: %v", skew, err)
		}
		f.eng = here
		if got := f.statuses(); got != "started taken-over" {
			t.Errorf("skew %v: log %s", skew, got)
		}
	}
}

// TestNeverOfferedAgain is field report A5 by a clock: over fifty hours a stage that is
// held is never offered, not even once its lease is over, and it can be told that it is.
func TestNeverOfferedAgain(t *testing.T) {
	f := newLeased(t)
	if _, err := f.start(1); err != nil {
		t.Fatal(err)
	}
	next := f.of(f.repo, "next")
	req := f.request(0)
	req.DryRun = true
	for hour := range 50 {
		task := f.load(next)
		if s, err := next.Start(t.Context(), task, req); err != nil || s.Stage != 2 {
			t.Errorf("hour %d: stage %d: %v", hour, s.Stage, err)
		}
		if st, _ := task.Plan.Stage(1); task.Progress().Of(st) != "active" || (f.stale(next) != "") != (hour > 0) {
			t.Errorf("hour %d: %s, stale %q", hour, task.Progress().Of(st), f.stale(next))
		}
		f.clock.turn(time.Hour)
	}
}

// TestNoLeaseNoMark: a start without a lease writes what it always wrote, and never ends.
func TestNoLeaseNoMark(t *testing.T) {
	f := newLeased(t)
	for i, value := range []string{"", "0", "0s", " "} {
		f.repo.Git("config", "okstra.lease", value)
		e := f.of(f.repo, fmt.Sprint("r", i))
		if _, err := e.Start(t.Context(), f.load(e), f.request(1)); err != nil {
			t.Fatalf("%q: %v", value, err)
		}
		f.clock.turn(1000 * time.Hour)
		if why := f.stale(e); why != "" || f.marks() != 0 {
			t.Errorf("%q: %s, %d marks", value, why, f.marks())
		}
		if r, err := e.Renew(t.Context(), f.load(e), 1); err != nil || r.Lease != 0 {
			t.Errorf("%q: renew %+v %v", value, r, err)
		}
		if _, err := e.Release(t.Context(), f.load(e), 1, ""); err != nil {
			t.Fatal(err)
		}
	}
	for _, value := range []string{"2", "-1h", "two hours", "1d", "1e9h", "true"} {
		f.repo.Git("config", "okstra.lease", value)
		e := f.of(f.repo, "r")
		if _, err := e.Start(t.Context(), f.load(e), f.request(2)); !isKind(err, Environment) || !strings.Contains(err.Error(), "okstra.lease") {
			t.Errorf("%q: %v", value, err)
		}
	}
}

// TestMarksThatSayNothing: a mark that is missing, damaged or another reservation's
// keeps the stage held; a tag's odd lease is none.
func TestMarksThatSayNothing(t *testing.T) {
	f := newLeased(t)
	if _, err := f.start(1); err != nil {
		t.Fatal(err)
	}
	f.clock.turn(ttl)
	if f.stale(f.eng) == "" {
		t.Fatal("not stale")
	}
	name := f.repo.Git("for-each-ref", "--format=%(refname)", seenPrefix)
	head := f.repo.Git("rev-parse", "HEAD")
	f.repo.Git("update-ref", "-d", name)
	at := strings.LastIndexByte(name, '/')
	clone := strings.LastIndexByte(name[:at], '/')
	tag := strings.LastIndexByte(name[:clone], '/')
	for _, odd := range []string{
		name[:at] + "/yesterday", name[:at] + name[at:] + "/x", name[:clone] + "/0123456789abcdef" + name[at:],
		name[:tag+1] + head + name[clone:], strings.Replace(name, "/1/", "/2/", 1), strings.Replace(name, "/1/", "/01/", 1),
	} {
		f.repo.Git("update-ref", odd, head)
		if why := f.stale(f.eng); why != "" {
			t.Errorf("%s: %s", odd, why)
		}
		f.repo.Git("update-ref", "-d", odd)
	}
	f.repo.Git("update-ref", name, head)
	f.repo.Git("update-ref", name[:at]+"/20990101T000000.000000000Z", head)
	if why := f.stale(f.eng); why == "" {
		t.Error("of two marks the earlier counts")
	}
	for _, odd := range []string{"", "-1h", "x", "0s", "9999999999h"} {
		if d := (Reservation{Lease: odd}).leaseOf(); d != 0 {
			t.Errorf("a lease of %q is %v", odd, d)
		}
	}
}
