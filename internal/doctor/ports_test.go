package doctor

import (
	"testing"

	"git-okstra/gitops"
	"git-okstra/notes"
	"git-okstra/plan"
)

// port gives a slot to a stage.
func (w *world) port(key string, n plan.StageNumber) *world {
	w.slots = append(w.slots, slot{ref: gitops.Ref{Name: "refs/okstra-local/port/3", Hash: id(9)}, key: key, stage: n})
	return w
}

// ownClaim says that the stage's reservation was made in this clone.
func (w *world) ownClaim(n plan.StageNumber) *world {
	w.own = map[gitops.Hash]bool{w.t.reserved[n]: true}
	return w
}

// TestPorts: a slot without a stage, and a stage without a slot.
func TestPorts(t *testing.T) {
	t.Parallel()
	held := func() *world {
		return newWorld().row(notes.Started, 1, id(1), "c1").reserve(1, "c1", id(1)).ownClaim(1)
	}
	done := func() *world {
		return newWorld().row(notes.Started, 1, id(1), "c1").row(notes.Done, 1, id(7), "c1").done(1, id(7))
	}
	for name, c := range map[string]struct {
		w    *world
		want []string
	}{
		"held":                          {held().port("p/g/t", 1), nil},
		"held, with another's slot":     {held().port("p/g/t", 2), []string{"+warning reservation-without-port 1"}},
		"held, with another task's":     {held().port("p/g/other", 1), []string{"+warning reservation-without-port 1"}},
		"held in another clone":         {newWorld().row(notes.Started, 1, id(1), "c1").reserve(1, "c1", id(1)), nil},
		"released":                      {newWorld().port("p/g/t", 1), nil},
		"done":                          {done().port("p/g/t", 1), []string{"+info port-left-over 1 stage 1 is done"}},
		"of no stage":                   {newWorld().port("", 0), []string{"+info port-left-over 0 refs/okstra-local/port/3"}},
		"of a task that is not here":    {newWorld().port("p/g/gone", 1), nil},
		"of the same number, elsewhere": {done().port("p/g/other", 1), nil},
	} {
		t.Run(name, func(t *testing.T) { t.Parallel(); c.w.expect(t, c.want...) })
	}
}
