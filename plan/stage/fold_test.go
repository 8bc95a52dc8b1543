package stage

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"git-okstra/plan"
)

var events = rapid.SliceOf(rapid.Custom(func(t *rapid.T) Event {
	return Event{
		Stage: plan.StageNumber(rapid.IntRange(1, 3).Draw(t, "stage")),
		Kind:  rapid.SampledFrom([]string{"started", "taken-over", "done", "released", "reopened", "revised", "of later times"}).Draw(t, "kind"),
		Claim: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "claim"),
		Head:  rapid.SampledFrom([]string{"c1", "c2"}).Draw(t, "head"),
	}
}))

// slowMoment finds where a stage stands after its events by looking back for the one
// that decided it.
func slowMoment(list []Event) (state State, claim, head string) {
	last := func(match func(i int, e Event) bool) int {
		for i, e := range slices.Backward(list) {
			if match(i, e) {
				return i
			}
		}
		return -1
	}
	kind := func(kinds ...string) func(int, Event) bool {
		return func(_ int, e Event) bool { return slices.Contains(kinds, e.Kind) }
	}
	done := last(kind("done"))
	end := last(kind("reopened"))
	if done > end {
		return Done, "", list[done].Head
	}
	// Between the first done and the reopening that ended it nothing could be taken.
	from := 0
	for i, e := range list {
		if e.Kind == "reopened" && done >= 0 && slices.ContainsFunc(list[from:i], func(e Event) bool { return e.Kind == "done" }) {
			from = i
		}
	}
	if taken := last(func(i int, e Event) bool { return i >= from && (e.Kind == "started" || e.Kind == "taken-over") }); taken >= 0 {
		claim := list[taken].Claim
		if last(func(i int, e Event) bool { return i > taken && e.Kind == "released" && e.Claim == claim }) < 0 {
			return Active, claim, ""
		}
	}
	return Free, "", ""
}

func TestFoldAgainstTheObviousWay(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		list := events.Draw(t, "events")
		got := Fold(list)
		seen := map[plan.StageNumber][]Event{}
		at := map[plan.StageNumber]int{}
		for i, e := range list {
			seen[e.Stage] = append(seen[e.Stage], e)
			m := got[e.Stage][at[e.Stage]]
			at[e.Stage]++
			state, claim, head := slowMoment(seen[e.Stage])
			if want := (Moment{i, state, claim, head}); m != want {
				t.Fatalf("after %+v: %+v, want %+v", seen[e.Stage], m, want)
			}
		}
		for n, moments := range got {
			if len(moments) != at[n] {
				t.Fatalf("stage %d has %d moments, want %d", n, len(moments), at[n])
			}
		}
	})
}

// TestFoldKeepsStagesApart: what is said of other stages changes nothing, and a longer
// log only adds.
func TestFoldKeepsStagesApart(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		list := events.Draw(t, "events")
		whole := Fold(list)
		var own []Event
		for _, e := range list {
			if e.Stage == 1 {
				own = append(own, e)
			}
		}
		alone := Fold(own)[1]
		for i := range alone {
			alone[i].Event = whole[1][i].Event
		}
		if !reflect.DeepEqual(alone, whole[1]) {
			t.Fatalf("alone %+v, among others %+v", alone, whole[1])
		}
		cut := rapid.IntRange(0, len(list)).Draw(t, "cut")
		for n, moments := range Fold(list[:cut]) {
			if !reflect.DeepEqual(moments, whole[n][:len(moments)]) {
				t.Fatalf("stage %d: the first %d rows fold to %+v, the whole log to %+v", n, cut, moments, whole[n])
			}
		}
	})
}
