package remote

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"git-okstra/gitops"
	"git-okstra/notes"
	"git-okstra/plan"
)

// clone is a model of a repository: its refs, its log as a set, what it last saw at the
// remote, and the tags that were made in it.
type clone struct {
	name  string
	state *side
	rows  map[string]notes.Line
	seen  *side
	tags  map[gitops.Hash]bool
}

// world is some clones around one remote.
type world struct {
	hub    *clone
	clones []*clone
	n      int // of ids
}

func newWorld(n int) *world {
	w := &world{hub: newClone("hub")}
	for i := range n {
		w.clones = append(w.clones, newClone(string(rune('a'+i))))
	}
	return w
}

func newClone(name string) *clone {
	return &clone{name: name, state: newSide(), seen: newSide(), rows: map[string]notes.Line{}, tags: map[gitops.Hash]bool{}}
}

// write adds a row as a transition does: behind all that the clone knows.
func (w *world) write(c *clone, row notes.Row) {
	for _, l := range c.rows {
		row.Seq = max(row.Seq, l.Row.Seq)
	}
	row.Seq++
	w.n++
	row.ID = fmt.Sprintf("%s%d", c.name, w.n)
	c.rows[row.ID] = notes.Line{Row: row}
	c.state.notes = "n"
}

// transition lets a clone do something with a stage, if it can.
func (w *world) transition(c *clone, what string, n plan.StageNumber) {
	tag, held := c.state.reserved[n]
	_, done := c.state.done[n]
	claim := claimOf(tag)
	switch {
	case what == "renew" && held && c.tags[tag] && !done:
		w.n++
		tag = gitops.Hash(fmt.Sprintf("%s.%s%d", claim, c.name, w.n))
		c.state.reserved[n], c.tags[tag] = tag, true
	case what == "take over" && held && !done:
		w.n++
		c.tags[tag] = true
		tag = gitops.Hash(fmt.Sprintf("%s%d", c.name, w.n))
		c.state.reserved[n], c.tags[tag] = tag, true
		w.write(c, notes.Row{Stage: n, Status: notes.TakenOver, Claim: string(tag)})
	case what == "start" && !held && !done:
		w.n++
		tag = gitops.Hash(fmt.Sprintf("%s%d", c.name, w.n))
		c.state.reserved[n], c.tags[tag] = tag, true
		w.write(c, notes.Row{Stage: n, Status: notes.Started, Claim: string(tag)})
	case what == "done" && c.tags[tag] && !done:
		head := gitops.Hash("commit-" + claim)
		w.write(c, notes.Row{Stage: n, Status: notes.Done, Claim: claim, Head: head})
		c.state.done[n] = head
		delete(c.state.reserved, n)
	case what == "half a done" && c.tags[tag] && !done: // killed before its last ref
		head := gitops.Hash("commit-" + claim)
		w.write(c, notes.Row{Stage: n, Status: notes.Done, Claim: claim, Head: head})
		c.state.done[n] = head
	case what == "release" && held:
		w.write(c, notes.Row{Stage: n, Status: notes.Released, Claim: claim})
		delete(c.state.reserved, n)
	}
}

// union is what merge asks, of a clone and the remote.
type union struct {
	facts
	c, hub *clone
}

func (u union) claim(tag gitops.Hash) string { return claimOf(tag) }

// claimOf is what a tag and its renewals have in common.
func claimOf(tag gitops.Hash) string {
	claim, _, _ := strings.Cut(string(tag), ".")
	return claim
}

func (u union) made(tag gitops.Hash) bool { return u.c.tags[tag] }

func (u union) rows() (history, error) {
	all := maps.Clone(u.c.rows)
	maps.Copy(all, u.hub.rows)
	return slices.SortedFunc(maps.Values(all), func(a, b notes.Line) int {
		return cmp.Or(cmp.Compare(a.Row.Seq, b.Row.Seq), cmp.Compare(a.Row.ID, b.Row.ID))
	}), nil
}

// sync is a sync that dies after so many of its steps.
func (w *world) sync(t *rapid.T, c *clone, steps int) (conflicts []Conflict) {
	base := c.seen
	if steps < 1 {
		return nil
	}
	c.seen = w.hub.state.copy()
	out, err := merge(c.state, w.hub.state, base, union{c: c, hub: w.hub})
	if err != nil {
		t.Fatal(err)
	}
	if steps < 2 {
		return nil
	}
	maps.Copy(c.rows, w.hub.rows)
	if len(c.rows) > 0 {
		c.state.notes = "n"
	}
	for _, l := range out.losses {
		switch {
		case !c.tags[l.tag] || l.told:
		case l.late:
			w.write(c, notes.Row{Stage: l.stage, Status: notes.TakenOver, Claim: claimOf(l.holder), Reason: "late"})
		default:
			w.write(c, notes.Row{Stage: l.stage, Status: notes.Released, Claim: claimOf(l.tag), Reason: "lost"})
		}
	}
	apply(c.state, out)
	for phase := phaseTask; phase < phases && phase < steps-2; phase++ {
		if phase == phaseLog {
			maps.Copy(w.hub.rows, c.rows)
			w.hub.state.notes = c.state.notes
		}
		apply(w.hub.state, only(out, phase))
	}
	return out.conflicts
}

// only is what is pushed in one phase.
func only(out outcome, phase int) (part outcome) {
	for _, m := range out.moves {
		if phaseOf(m) == phase {
			part.moves = append(part.moves, m)
		}
	}
	return part
}

func (s *side) copy() *side {
	c := *s
	c.done, c.reserved = maps.Clone(s.done), maps.Clone(s.reserved)
	return &c
}

// TestConverges: clones that do anything in any order, with syncs that die anywhere,
// agree once each has synced to the end: no row is lost, a stage has one holder, and
// what was done stays done.
func TestConverges(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(rapid.IntRange(2, 3).Draw(t, "clones"))
		written := map[string]bool{}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			c := rapid.SampledFrom(w.clones).Draw(t, "clone")
			what := rapid.SampledFrom([]string{"start", "start", "done", "half a done", "release", "renew", "take over", "sync", "sync"}).Draw(t, "what")
			if what == "sync" {
				w.sync(t, c, rapid.IntRange(0, phases+2).Draw(t, "dies after"))
			} else {
				w.transition(c, what, plan.StageNumber(rapid.IntRange(1, 3).Draw(t, "stage")))
			}
			for id := range c.rows {
				written[id] = true
			}
		}
		open := map[string]bool{}
		for range 3 {
			for _, c := range w.clones {
				for _, x := range w.sync(t, c, phases+2) {
					open[x.Ref] = true
				}
			}
		}
		for _, c := range w.clones {
			w.agrees(t, c, written, open)
		}
	})
}

// agrees compares a clone with the remote.
func (w *world) agrees(t *rapid.T, c *clone, written, open map[string]bool) {
	for id := range written {
		if _, ok := c.rows[id]; !ok {
			t.Errorf("%s: row %s is lost", c.name, id)
		}
	}
	if len(c.rows) != len(w.hub.rows) {
		t.Errorf("%s has %d rows, the remote %d", c.name, len(c.rows), len(w.hub.rows))
	}
	for n := plan.StageNumber(1); n <= 3; n++ {
		if open[fmt.Sprintf("done/%d", n)] {
			continue // done twice, and a person must decide
		}
		if c.state.done[n] != w.hub.state.done[n] || c.state.reserved[n] != w.hub.state.reserved[n] {
			t.Errorf("%s: stage %d: done %q, reserved %q; the remote: done %q, reserved %q", c.name, n,
				c.state.done[n], c.state.reserved[n], w.hub.state.done[n], w.hub.state.reserved[n])
		}
		if c.state.done[n] != "" && c.state.reserved[n] != "" {
			t.Errorf("%s: stage %d is done and held", c.name, n)
		}
		for _, l := range c.rows {
			if l.Row.Stage == n && l.Row.Status == notes.Done && c.state.done[n] == "" {
				t.Errorf("%s: stage %d was done and is not", c.name, n)
			}
		}
	}
}
