package stage

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"git-okstra/plan"
)

// slowReason says, in the words of the specification, why one stage cannot be started.
func slowReason(s situation, n plan.StageNumber, mine bool) Reason {
	st, inMap := s.plan.Stage(n)
	if !inMap {
		return NotInMap
	}
	switch slowState(s, st) {
	case Done:
		return AlreadyDone
	case Active:
		if !mine {
			return TakenAlready
		}
	case Blocked:
		return NotReady
	case Ready:
	}
	return 0
}

func TestRejectAgainstTheObviousWay(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := situations(8).Draw(t, "situation")
		chosen := rapid.SliceOfDistinct(rapid.Map(rapid.IntRange(1, 10), func(n int) plan.StageNumber { return plan.StageNumber(n) }),
			func(n plan.StageNumber) plan.StageNumber { return n }).Draw(t, "chosen")
		own := rapid.IntRange(0, 8).Draw(t, "own")
		mine := func(n plan.StageNumber) bool { return int(n) == own }
		first := Reason(0)
		for _, n := range chosen {
			if r := slowReason(s, n, mine(n)); r != 0 && (first == 0 || r < first) {
				first = r
			}
		}
		var want *Rejection
		if first != 0 {
			want = &Rejection{Reason: first}
			for _, n := range chosen {
				if slowReason(s, n, mine(n)) == first {
					want.Stages = append(want.Stages, n)
				}
			}
		}
		if got := s.progress.Reject(s.plan, chosen, mine); !reflect.DeepEqual(got, want) {
			t.Fatalf("%v: %+v, want %+v", chosen, got, want)
		}
	})
}

func TestRanges(t *testing.T) {
	t.Parallel()
	long := []plan.StageNumber{}
	for n := range 50 {
		long = append(long, plan.StageNumber(2*n+1))
	}
	for want, list := range map[string][]plan.StageNumber{
		"":              nil,
		"3":             {3},
		"1, 2":          {1, 2},
		"1-3":           {1, 2, 3},
		"1-3, 7, 9, 10": {1, 2, 3, 7, 9, 10},
		"5, 4, 3":       {5, 4, 3}, // in the order given
		"1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31, 33, 35, 37, 39, and 30 more": long,
	} {
		if got := Ranges(slices.Clone(list)); got != want {
			t.Errorf("%v: %q, want %q", list, got, want)
		}
	}
}
