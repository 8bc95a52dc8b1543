package remote

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"git-okstra/gitops"
)

// Caller is who writes the rows about lost claims.
type Caller struct{ Actor, Host, Run string }

// Syncer exchanges the state with one remote.
type Syncer struct {
	Repo   *gitops.Repo
	Remote string // a configured remote's name
	Caller Caller
	Now    func() time.Time
	NewID  func() (string, error)

	seen map[loss]bool // losses that the remote was asked about once more
}

// How long lost races are tried again, and how often what the remote refuses although
// nothing moved there: a lock that another push holds looks like that, too.
const (
	raceBudget = 90 * time.Second
	refusals   = 4
)

// Sync fetches, merges and pushes until both sides agree on all they can agree on.
// dryRun fetches and tells what would be done. Errors: git's, where the remote cannot
// be reached; nothing of ours was changed then. What the remote refuses and what a
// person must decide is in the result.
func (s *Syncer) Sync(ctx context.Context, dryRun bool) (*Result, error) {
	t, err := under(s.Remote)
	if err != nil {
		return nil, err
	}
	first, err := look(ctx, s.Repo, t)
	if err != nil {
		return nil, err
	}
	s.seen = map[loss]bool{}
	x := &exchange{s: s, t: t, base: first.theirs, res: &Result{Remote: s.Remote}, stuck: map[gitops.RefChange]int{}}
	deadline := time.Now().Add(raceBudget)
	for pause := 10 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		over, err := x.round(ctx, dryRun)
		if over || err != nil {
			return x.res, err
		}
		if time.Now().After(deadline) {
			return x.res, fmt.Errorf("sync with %q: others were faster for %s", s.Remote, raceBudget)
		}
		select {
		case <-ctx.Done():
			return x.res, ctx.Err()
		case <-time.After(rand.N(2 * pause)):
		}
	}
}

// exchange is a sync under way.
type exchange struct {
	s     *Syncer
	t     tracking
	base  refs // what the remote had before we asked
	res   *Result
	stuck map[gitops.RefChange]int // refused although nothing moved, how often
	tried attempt
	asked []gitops.RefChange // what the last push asked for
	plain bool               // the server takes no atomic pushes
	mute  bool               // git's last pushes said nothing of any ref
}

// round is one look at the remote: what is to change, here and there.
type round struct {
	s         *Syncer
	snap      *snapshot
	objects   *gitops.ObjectWriter
	tx        gitops.Transaction
	gone      []gitops.RefChange // deletions here, which come last
	push      []pushed
	lost      []Lost
	conflicts []Conflict
	unsure    bool // a loss was seen for the first time: the remote is asked once more
}

// round goes once through all of it; over says that there is nothing left to do.
func (x *exchange) round(ctx context.Context, dryRun bool) (over bool, err error) {
	x.res.Rounds++
	if err := x.fetch(ctx); err != nil {
		return false, err
	}
	r, err := x.settle(ctx, dryRun)
	if lostRace(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	slices.SortFunc(r.conflicts, func(a, b Conflict) int { return strings.Compare(a.Ref, b.Ref) })
	x.res.Conflicts = r.conflicts
	if r.unsure && !dryRun {
		return false, nil
	}
	if dryRun {
		x.res.Lost = r.lost
		for _, p := range r.push {
			x.res.Pushed = note(x.res.Pushed, p.RefChange)
		}
		return true, nil
	}
	return x.publish(ctx, r)
}

// fetch asks the remote. A ref here that another fetch has locked is tried again.
func (x *exchange) fetch(ctx context.Context) error {
	const tries = 5
	for i := 1; ; i++ {
		err := x.s.Repo.FetchRefs(ctx, x.s.Remote, x.t.refspecs()...)
		if err == nil || gitops.ExitCode(err) != 1 || i == tries || ctx.Err() != nil {
			return err
		}
		time.Sleep(time.Duration(i) * rand.N(50*time.Millisecond))
	}
}

// settle merges and writes what is to change here, in one transaction, as one of the
// clone's writers.
func (x *exchange) settle(ctx context.Context, dryRun bool) (*round, error) {
	leave, _ := x.s.Repo.Queue(ctx)
	defer leave()
	snap, err := look(ctx, x.s.Repo, x.t)
	if err != nil {
		return nil, err
	}
	r := &round{s: x.s, snap: snap, objects: x.s.Repo.NewObjects()}
	r.tx.Reason = "okstra: sync with " + x.s.Remote
	odd, err := r.odd(ctx)
	if err != nil {
		return nil, err
	}
	ours, theirs, base := snap.ours.tasks(), snap.theirs.tasks(), x.base.tasks()
	for _, key := range keys(ours, theirs) {
		if odd[key] {
			continue
		}
		if err := r.task(ctx, key, of(ours, key), of(theirs, key), of(base, key)); err != nil {
			return nil, err
		}
	}
	if err := r.others(ctx, odd); err != nil {
		return nil, err
	}
	slices.SortStableFunc(r.tx.Changes, func(a, b gitops.RefChange) int { return rank(a.Name) - rank(b.Name) })
	r.tx.Changes = append(r.tx.Changes, r.gone...)
	if dryRun {
		x.res.Fetched = note(nil, slices.DeleteFunc(r.tx.Changes, func(c gitops.RefChange) bool { return isLocal(c.Name) })...)
		return r, nil
	}
	x.res.there = snap.theirs
	r.keep()
	if r.unsure || len(r.tx.Changes) == 0 {
		return r, nil
	}
	if err := x.s.Repo.ApplyObjects(ctx, r.objects, r.tx); err != nil {
		return nil, err
	}
	x.res.Lost = append(x.res.Lost, r.lost...)
	for _, c := range r.tx.Changes {
		if !isLocal(c.Name) {
			x.res.Fetched = note(x.res.Fetched, c)
		}
	}
	return r, nil
}

// isLocal reports whether a ref is no part of the state, but what a clone has for itself.
func isLocal(name gitops.RefName) bool { return strings.HasPrefix(string(name), "refs/okstra-local/") }

// rank is a ref's place in the transaction: a killed one leaves a beginning of it, which
// must be a valid state (storage.md §4). What goes comes behind all of these.
func rank(name gitops.RefName) int {
	_, what, _ := splitKey(strings.TrimPrefix(string(name), statePrefix))
	switch {
	case strings.HasPrefix(string(name), "refs/notes/"):
		return 3
	case what == "plan":
		return 0
	case what == "base":
		return 2
	case strings.HasPrefix(what, "done/"):
		return 4
	}
	return 1
}

// others merges the notes that are no task's log, such as results of checks.
func (r *round) others(ctx context.Context, odd map[string]bool) error {
	all := map[gitops.RefName]bool{}
	for _, side := range []refs{r.snap.ours, r.snap.theirs} {
		for name := range side {
			all[name] = strings.HasPrefix(string(name), qaPrefix)
		}
	}
	for name, qa := range all {
		if !qa || odd[string(name)] {
			continue
		}
		ours, theirs := r.snap.ours[name], r.snap.theirs[name]
		tip, err := r.log(ctx, ours, theirs, nil)
		if err != nil {
			return fmt.Errorf("merge %s: %w", name, err)
		}
		r.change("", name, ours, theirs, tip, phaseLog)
	}
	return nil
}

// want takes one decision of the table.
func (r *round) want(key string, m move) {
	r.tx.Tags = r.tx.Tags || strings.HasPrefix(m.what, "reserved/") && m.want != ""
	r.change(key, gitops.RefName(statePrefix+key+"/"+m.what), m.ours, m.theirs, m.want, phaseOf(m))
}

// phaseOf says when a ref goes to the remote.
func phaseOf(m move) int {
	switch {
	case m.stage == 0:
		return phaseTask
	case m.want == "":
		return phaseGone
	case strings.HasPrefix(m.what, "reserved/"), strings.HasPrefix(m.what, "reopened/"):
		return phaseLog
	}
	return phaseDone
}

// change moves one ref on the sides where it is not as wanted.
func (r *round) change(key string, name gitops.RefName, ours, theirs, want gitops.Hash, phase int) {
	switch {
	case ours == want:
	case want == "":
		r.gone = append(r.gone, gitops.RefChange{Name: name, Old: ours})
	default:
		r.tx.Update(name, ours, want)
	}
	if theirs != want {
		r.push = append(r.push, pushed{RefChange: gitops.RefChange{Name: name, Old: theirs, New: want}, task: key, phase: phase})
	}
}

// keep holds the tags that came from elsewhere, in the transaction: once ended, git
// fsck would find them dangling.
func (r *round) keep() {
	for name, h := range r.snap.theirs {
		key, what, ok := splitKey(strings.TrimPrefix(string(name), statePrefix))
		if ok && strings.HasPrefix(what, "reserved/") && !r.snap.made[h] && !r.snap.kept[h] {
			r.tx.Tags = true
			r.tx.Create(gitops.RefName(keptPrefix+key+"/"+string(h)), h)
			r.snap.kept[h] = true
		}
	}
}

func splitKey(s string) (key, rest string, ok bool) {
	parts := strings.SplitN(s, "/", 4)
	if len(parts) < 4 {
		return "", "", false
	}
	return strings.Join(parts[:3], "/"), parts[3], true
}

// lostRace reports whether others of this clone moved a ref meanwhile.
func lostRace(err error) bool { return errors.Is(err, gitops.ErrRefChanged) }
