package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"git-okstra/internal/lifecycle"
	"git-okstra/internal/remote"
	"git-okstra/plan"
)

// shared is the remote where stages are reserved in the same breath as here. A nil one
// does nothing.
type shared struct {
	a     *app
	s     *remote.Syncer
	leave func()         // ends our turn with the remote; nil: it is not our turn
	res   *remote.Result // of the sync that our turn began with
}

// shared gets the state of the remote that okstra.remote names before anything is
// chosen, unless local is set.
func (a *app) shared(local bool) (*shared, error) {
	repo, err := a.open()
	if err != nil || local || repo.Config().Get("okstra.remote") == "" {
		return nil, err
	}
	s, err := a.syncer("")
	if err != nil {
		return nil, err
	}
	x := &shared{a: a, s: s}
	err = x.begin()
	return x, err
}

// begin takes our turn and syncs, if it is not our turn already.
func (x *shared) begin() (err error) {
	if x == nil || x.leave != nil {
		return nil
	}
	x.leave, _ = x.a.repo.QueueRemote(x.a.ctx)
	x.res, err = x.a.sync(x.s, false)
	return x.hinted(err)
}

func (x *shared) end() {
	if x != nil && x.leave != nil {
		x.leave()
		x.leave = nil
	}
}

// hinted adds the way out of a remote that cannot be had.
func (x *shared) hinted(err error) error {
	if err == nil || x.a.ctx.Err() != nil {
		return err
	}
	e := *classify(err)
	e.message = fmt.Sprintf("no stage was taken, for it could not be reserved at %s: %s", plan.Printable(x.s.Remote), e.message)
	if e.code == exitEnvironment {
		e.hints = append(e.hints, "to take it in this clone alone, add --local; the next sync settles who has it")
	}
	return &e
}

// maxTries bounds how often others may be faster.
const maxTries = 50

// take reserves a stage: here, and at the remote if there is one. A claim that the
// remote did not take is given back, and the choice is made anew: next goes on to another
// stage, and start says who has it.
func (x *shared) take(a *app, e *lifecycle.Engine, t *lifecycle.Task, req lifecycle.StartRequest) (lifecycle.Started, *lifecycle.Task, error) {
	if x == nil {
		s, err := e.Start(a.ctx, t, req)
		return s, t, err
	}
	defer x.end()
	for range maxTries {
		if err := x.begin(); err != nil {
			return lifecycle.Started{}, t, err
		}
		if stop := x.res.Stopped(t.Key.Ref()); stop != nil {
			e := refusedBy(stop)
			e.code = exitGate
			return lifecycle.Started{}, t, x.hinted(e)
		}
		fresh, err := e.Reload(a.ctx, t)
		if err != nil {
			return lifecycle.Started{}, t, err
		}
		t = fresh
		s, err := e.Start(a.ctx, t, req)
		if err != nil {
			return s, t, err
		}
		won, err := x.reserved(t, s)
		if won {
			return s, t, nil
		}
		if !s.Already {
			err = errors.Join(err, e.Undo(context.WithoutCancel(a.ctx), t, s, "not reserved at "+x.s.Remote))
		}
		if err != nil {
			return s, t, x.hinted(err)
		}
		x.end() // the next try looks anew
	}
	return lifecycle.Started{}, t, x.hinted(fmt.Errorf("others were faster %d times", maxTries))
}

// reserved publishes a reservation and reports whether the remote has it now. An error
// says that the remote cannot be had, or does not take it.
func (x *shared) reserved(t *lifecycle.Task, s lifecycle.Started) (bool, error) {
	res, err := x.a.sync(x.s, false)
	if err != nil {
		return false, err
	}
	ref := t.Ref(fmt.Sprintf("reserved/%d", s.Stage))
	if res.Published(ref, s.Reservation()) {
		if res.Unpublished() {
			x.a.say("warning: %s", refusedBy(res).message)
		}
		return true, nil
	}
	for _, c := range res.Refused {
		if c.Ref == ref {
			return false, refusedBy(res)
		}
	}
	return false, nil
}

// publish lets the remote that okstra.remote names know of a transition that is done
// here. That it cannot be reached now is no failure of the transition.
func (a *app) publish(local bool) {
	if local || a.repo.Config().Get("okstra.remote") == "" {
		return
	}
	s, err := a.syncer("")
	var res *remote.Result
	if err == nil {
		leave, _ := a.repo.QueueRemote(a.ctx)
		defer leave()
		if res, err = a.sync(s, false); err == nil {
			err = a.syncVerdict(res)
		}
	}
	if err != nil {
		a.say("warning: this is unpublished: %s", classify(err).message)
		a.say("hint: it is recorded here; publish it later with: git okstra sync")
	}
}

// sayView says how old the view of what others do is, in a clone that exchanges its
// state with a remote. It asks nobody.
func (a *app) sayView() {
	if a.flags.Quiet {
		return
	}
	own := a.repo.Config().Get("okstra.remote")
	var last time.Time
	var with string
	for _, name := range a.repo.Config().Subsections("remote.", ".url") {
		if at, ok := a.repo.Stamped(stampOf(name)); ok && at.After(last) && (own == "" || own == name) {
			last, with = at, name
		}
	}
	switch {
	case with != "":
		a.say("note: what other clones do is known as of the last sync with %s, %s ago", plan.Printable(with), age(time.Since(last)))
	case own != "":
		a.say("note: never synced with %s: what other clones do is not known here; run git okstra sync", plan.Printable(own))
	}
}

// age is a duration in its largest unit.
func age(d time.Duration) string {
	for _, unit := range []struct {
		size time.Duration
		name string
	}{{24 * time.Hour, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}} {
		if n := int(d / unit.size); n > 0 {
			return fmt.Sprintf("%d %s", n, unit.name+strings.Repeat("s", min(1, n-1)))
		}
	}
	return fmt.Sprintf("%d s", max(0, int(d/time.Second)))
}
