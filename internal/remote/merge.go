package remote

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"git-okstra/gitops"
	"git-okstra/notes"
	"git-okstra/plan"
)

// knowledge is what the table asks beside the refs.
type knowledge interface {
	// ancestor reports whether a is b's ancestor, or b itself.
	ancestor(a, b gitops.Hash) (bool, error)
	// claim is the claim id in a reservation's tag; the tag's own id where it cannot be
	// read.
	claim(tag gitops.Hash) string
	// made reports whether the reservation was made in this clone.
	made(tag gitops.Hash) bool
	// rows are both logs as one.
	rows() (history, error)
}

// move is what one ref is to become on both sides. Where they cannot agree there is
// none, and each keeps its own.
type move struct {
	what         string           // the name below the task: plan, base, done/3, reserved/3
	stage        plan.StageNumber // 0 for plan and base
	ours, theirs gitops.Hash      // as found
	want         gitops.Hash      // "" that it goes
}

// Conflict is a ref about which both sides differ and a person must decide.
type Conflict struct {
	Task    string      `json:"task"`
	Ref     string      `json:"ref"`
	Here    gitops.Hash `json:"here"`
	There   gitops.Hash `json:"there"`
	Message string      `json:"message"`
	Hint    string      `json:"hint"`
	whole   bool        // nothing of the task is exchanged
}

// loss is a reservation of ours that stands no longer although no row says why.
type loss struct {
	stage  plan.StageNumber
	tag    gitops.Hash
	holder gitops.Hash // the reservation that stands instead, "" for none
	done   bool        // the stage is done elsewhere
	late   bool        // a takeover of ours that came too late: what it was to replace stands
	told   bool        // the log says already how it ended
}

// outcome is a task merged.
type outcome struct {
	moves     []move
	losses    []loss
	conflicts []Conflict
}

// merge is the table of storage.md §5 for one task, its log aside. base is what the
// remote had when it was last looked at.
func merge(ours, theirs, base *side, k knowledge) (outcome, error) {
	m := merger{ours: ours, theirs: theirs, base: base, knowledge: k}
	for _, step := range []func() error{m.plan, m.anchor, m.stages} {
		if err := step(); err != nil {
			return outcome{}, err
		}
		if slices.ContainsFunc(m.out.conflicts, func(c Conflict) bool { return c.whole }) {
			m.out.moves, m.out.losses = nil, nil
			break
		}
	}
	return m.out, nil
}

type merger struct {
	knowledge
	ours, theirs, base *side
	out                outcome
}

// agree records a ref that is to be the same on both sides, if that changes anything.
func (m *merger) agree(what string, n plan.StageNumber, ours, theirs, want gitops.Hash) {
	if ours != want || theirs != want {
		m.out.moves = append(m.out.moves, move{what: what, stage: n, ours: ours, theirs: theirs, want: want})
	}
}

// plan fast-forwards.
func (m *merger) plan() error {
	o, t := m.ours.plan, m.theirs.plan
	want := o
	switch {
	case o == t:
	case o == "":
		want = t
	case t == "":
	default:
		behind, err := m.ancestor(o, t)
		if err != nil {
			return err
		}
		ahead, err := m.ancestor(t, o)
		if err != nil {
			return err
		}
		switch {
		case behind:
			want = t
		case !ahead:
			m.out.conflicts = append(m.out.conflicts, Conflict{
				Ref: "plan", Here: o, There: t, whole: true,
				Message: fmt.Sprintf("the plan was revised on both sides: %s here, %s there", o.Short(), t.Short()),
				Hint:    fmt.Sprintf("compare them with git okstra plan diff %s; let the plan's ref have one of them and approve the other's change again on top", t.Short()),
			})
			return nil
		}
	}
	m.agree("plan", 0, o, t, want)
	return nil
}

// anchor is the base that the task's independent stages stand on.
func (m *merger) anchor() error {
	o, t := m.ours.base, m.theirs.base
	want := o
	switch {
	case o == "" || o != t && t != "" && !m.startedHere():
		want = t
	case t != "" && o != t:
		m.out.conflicts = append(m.out.conflicts, Conflict{
			Ref: "base", Here: o, There: t, whole: true,
			Message: fmt.Sprintf("the stages started here stand on %s, those at the remote on %s", o.Short(), t.Short()),
			Hint:    "give back what was started here (git okstra stage release N), then sync again: the remote's base holds",
		})
		return nil
	}
	m.agree("base", 0, o, t, want)
	return nil
}

// startedHere reports whether a stage is under way or done here that is not so there.
func (m *merger) startedHere() bool {
	for n, h := range m.ours.reserved {
		if m.theirs.reserved[n] != h {
			return true
		}
	}
	for n, h := range m.ours.done {
		if m.theirs.done[n] != h {
			return true
		}
	}
	return false
}

// stages merges done and reserved of each stage.
func (m *merger) stages() error {
	all := map[plan.StageNumber]bool{}
	for _, s := range []*side{m.ours, m.theirs} {
		for n := range s.done {
			all[n] = true
		}
		for n := range s.reserved {
			all[n] = true
		}
		for n := range s.reopened {
			all[n] = true
		}
	}
	for _, n := range slices.Sorted(maps.Keys(all)) {
		done, err := m.done(n)
		if err == nil {
			err = m.reserved(n, done)
		}
		if err == nil {
			err = m.reopened(n, done)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// done reports whether the stage is done in the end.
func (m *merger) done(n plan.StageNumber) (bool, error) {
	o, t := m.ours.done[n], m.theirs.done[n]
	if o == t {
		return o != "", nil
	}
	rows, err := m.rows()
	if err != nil {
		return false, err
	}
	what, want := fmt.Sprintf("done/%d", n), o
	switch {
	case o != "" && t != "":
		winner, ok := rows.newer(n, o, t)
		if !ok {
			m.out.conflicts = append(m.out.conflicts, Conflict{
				Ref: what, Here: o, There: t,
				Message: fmt.Sprintf("stage %d is done at %s here and at %s there, and no row says that one replaces the other", n, o.Short(), t.Short()),
				Hint:    fmt.Sprintf("compare them with git diff %s %s; if the remote's counts, say so with git okstra reconcile --stage %d --to %s, else say yours where the other was recorded; then sync again", o.Short(), t.Short(), n, t.Short()),
			})
			return true, nil
		}
		want = winner
	case rows.reopened(n):
		want = ""
	case o == "":
		want = t
	}
	m.agree(what, n, o, t, want)
	return want != "", nil
}

// reopened keeps what the next start of a reopened stage goes on from, until it is done
// again. Where both sides have one, the log's last word counts, else the remote's.
func (m *merger) reopened(n plan.StageNumber, done bool) error {
	o, t := m.ours.reopened[n], m.theirs.reopened[n]
	if o == t && !done || o == "" && t == "" {
		return nil
	}
	rows, err := m.rows()
	if err != nil {
		return err
	}
	want := cmp.Or(t, o)
	switch last := rows.reopenedFrom(n); {
	case done:
		want = ""
	case o != "" && o == last:
		want = o
	}
	m.agree(fmt.Sprintf("reopened/%d", n), n, o, t, want)
	return nil
}

// reserved decides who holds a stage: the remote is the arbiter.
func (m *merger) reserved(n plan.StageNumber, done bool) error {
	o, t := m.ours.reserved[n], m.theirs.reserved[n]
	if o == t && !done { // where it is over, the next command of its holder ends it
		return nil
	}
	rows, err := m.rows()
	if err != nil {
		return err
	}
	// A claim whose done row came without done/N is on its way to be done: it holds.
	ended := func(tag gitops.Hash) bool {
		if tag == "" {
			return false
		}
		how := rows.end(n, m.claim(tag))
		return how != "" && (how != notes.Done || rows.reopened(n))
	}
	late := m.late(n, rows)
	want := gitops.Hash("")
	switch {
	case done || ended(o) && ended(t):
	case late:
		want = t
	case t == "" && !ended(o) && !m.goneThere(n), ended(t) && o != "":
		want = o
	case t != "" && !ended(t) && !m.renewed(n):
		want = t
	case t != "" && !ended(t):
		want = o
	}
	if want != o && o != "" && (want == "" || m.claim(want) != m.claim(o)) {
		switch how := rows.end(n, m.claim(o)); {
		case how == "":
			m.out.losses = append(m.out.losses, loss{stage: n, tag: o, holder: want, done: done, late: late})
		case how == takenOver && want != "":
			m.out.losses = append(m.out.losses, loss{stage: n, tag: o, holder: want, told: true})
		}
	}
	m.agree(fmt.Sprintf("reserved/%d", n), n, o, t, want)
	return nil
}

// goneThere reports whether the remote had our reservation and has it no longer. A
// remote that does not know the task at all is another, or a new one.
func (m *merger) goneThere(n plan.StageNumber) bool {
	return m.base.reserved[n] == m.ours.reserved[n] && m.theirs.known()
}

// late reports whether ours is a takeover that the remote does not have, and what the
// remote has is not the reservation that it was to replace: that was renewed meanwhile,
// or somebody else took it over. Who takes a stage over keeps the tag that he replaces
// among his own, so that he can tell.
func (m *merger) late(n plan.StageNumber, rows history) bool {
	o, t := m.ours.reserved[n], m.theirs.reserved[n]
	return o != "" && t != "" && m.made(o) && !m.made(t) && m.base.reserved[n] != o && m.claim(o) != m.claim(t) &&
		rows.end(n, m.claim(t)) == takenOver && rows.end(n, m.claim(o)) == ""
}

// renewed reports whether ours is a newer tag of the very claim that the remote has.
func (m *merger) renewed(n plan.StageNumber) bool {
	o, t := m.ours.reserved[n], m.theirs.reserved[n]
	return o != "" && m.claim(o) == m.claim(t) && m.made(o) && (m.base.reserved[n] == t || m.made(t))
}
