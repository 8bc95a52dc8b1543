package remote

import (
	"context"
	"slices"

	"git-okstra/gitops"
)

// The order in which refs go to a server that cannot do all at once: each beginning of
// it is a valid state, as with a killed transaction here.
const (
	phaseTask = iota // plan and base
	phaseLog         // reservations and rows
	phaseDone        // done commits, whose rows are there
	phaseGone        // reservations that ended, and the row says so
	phases
)

// maxPush is how many refs go in one push: the command line is finite.
const maxPush = 400

// pushed is a ref for the remote.
type pushed struct {
	gitops.RefChange
	task  string
	phase int
}

// attempt is a push whose outcome the next look at the remote explains.
type attempt struct {
	left   []gitops.RefChange // what was asked for and not taken
	atomic bool               // one refusal was that of all
	mute   bool               // git said nothing of any ref: it hardly came to that
}

// publish pushes. What was refused is left to the next round, which tells a lost race
// from a remote that does not want it. over says that nothing is left to be done.
func (x *exchange) publish(ctx context.Context, r *round) (over bool, err error) {
	x.judge(r.snap.theirs)
	list := x.hopeful(r.push)
	if len(list) == 0 {
		for _, p := range r.push {
			x.res.Refused = note(x.res.Refused, p.RefChange)
		}
		return true, nil
	}
	slices.SortStableFunc(list, func(a, b pushed) int { return a.phase - b.phase })
	atomic := !x.plain && len(list) > 1 && len(list) <= maxPush && len(x.stuck) == 0
	taken, err := x.send(ctx, list, atomic)
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	x.accept(ctx, r, taken)
	x.tried = attempt{atomic: atomic && !x.plain, mute: len(taken) == 0 && x.mute}
	for _, c := range x.asked {
		if !slices.Contains(taken, c) {
			x.tried.left = append(x.tried.left, c)
		}
	}
	if err != nil {
		x.res.Why = err
	}
	return len(taken) == len(r.push), nil
}

// judge counts what the last push was refused although nothing had moved there. Of an
// atomic push one ref that moved is the reason for all.
func (x *exchange) judge(theirs refs) {
	moved := func(c gitops.RefChange) bool { return theirs[c.Name] != c.Old }
	if x.tried.atomic && slices.ContainsFunc(x.tried.left, moved) {
		x.tried.left = nil
	}
	for _, c := range x.tried.left {
		if moved(c) {
			continue
		}
		x.stuck[c]++
		if x.tried.mute {
			x.stuck[c] += 2
		}
	}
	x.tried = attempt{}
}

// hopeful leaves out what was refused too often, and of the same task what is to come
// behind it.
func (x *exchange) hopeful(all []pushed) []pushed {
	limit := map[string]int{}
	for _, p := range all {
		if at, ok := limit[p.task]; x.stuck[p.RefChange] >= refusals && (!ok || p.phase < at) {
			limit[p.task] = p.phase
		}
	}
	var out []pushed
	for _, p := range all {
		at, limited := limit[p.task]
		if x.stuck[p.RefChange] < refusals && (!limited || p.phase <= at) {
			out = append(out, p)
		}
	}
	return out
}

// send pushes in as few calls as the server allows, and returns what it took for
// certain.
func (x *exchange) send(ctx context.Context, list []pushed, atomic bool) (taken []gitops.RefChange, err error) {
	x.asked = nil
	if atomic {
		x.asked = changes(list)
		marks, err := x.s.Repo.PushRefs(ctx, x.s.Remote, changes(list), true)
		x.mute = len(marks) == 0
		if len(marks) > 0 || err == nil || ctx.Err() != nil {
			return accepted(list, marks), err
		}
		x.plain = true // perhaps it is only that
	}
	x.mute, x.asked = true, nil
	failed := map[string]bool{}
	var why error
	for phase := range phases {
		var now []pushed
		for _, p := range list {
			if p.phase == phase && !failed[p.task] {
				now = append(now, p)
			}
		}
		for part := range slices.Chunk(now, maxPush) {
			marks, err := x.s.Repo.PushRefs(ctx, x.s.Remote, changes(part), false)
			if err != nil {
				why = err
			}
			x.mute = x.mute && len(marks) == 0
			x.asked = append(x.asked, changes(part)...)
			taken = append(taken, accepted(part, marks)...)
			for _, p := range part {
				if !marks[p.Name].Taken() {
					failed[p.task] = true
				}
			}
		}
	}
	return taken, why
}

func changes(list []pushed) []gitops.RefChange {
	out := make([]gitops.RefChange, len(list))
	for i, p := range list {
		out[i] = p.RefChange
	}
	return out
}

func accepted(list []pushed, marks map[gitops.RefName]gitops.PushMark) []gitops.RefChange {
	var out []gitops.RefChange
	for _, p := range list {
		if marks[p.Name].Taken() {
			out = append(out, p.RefChange)
		}
	}
	return out
}

// accept notes what the remote has now. The refs that track it are only a memory of
// it, and another fetch may be writing them: what cannot be written is left.
func (x *exchange) accept(ctx context.Context, r *round, taken []gitops.RefChange) {
	tx := gitops.Transaction{Reason: r.tx.Reason, Tags: true}
	for _, c := range taken {
		x.res.Pushed = note(x.res.Pushed, c)
		x.base[c.Name] = c.New
		x.res.there[c.Name] = c.New
		if c.New == "" {
			delete(x.base, c.Name)
			delete(x.res.there, c.Name)
		}
		tx.Update(x.t.here(c.Name), c.Old, c.New)
	}
	if len(tx.Changes) > 0 {
		_ = x.s.Repo.Apply(ctx, tx)
	}
}
