package stage

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"git-okstra/plan"
)

// situation is a plan and how far it has come.
type situation struct {
	plan     *plan.Plan
	progress Progress
}

// situations draws plans of up to size stages, numbered in any order, that may depend
// on earlier and later rows, on themselves, and on stages that are not there.
func situations(size int) *rapid.Generator[situation] {
	return rapid.Custom(func(t *rapid.T) situation {
		n := rapid.IntRange(0, size).Draw(t, "stages")
		numbers := make([]plan.StageNumber, n)
		for i := range numbers {
			numbers[i] = plan.StageNumber(i + 1)
		}
		numbers = rapid.Permutation(numbers).Draw(t, "order")
		s := situation{&plan.Plan{}, Progress{Done: map[plan.StageNumber]bool{}, Reserved: map[plan.StageNumber]bool{}}}
		deps := rapid.SliceOfN(rapid.IntRange(1, n+1), 0, 4)
		for _, number := range numbers {
			st := plan.Stage{Number: number}
			for _, d := range deps.Draw(t, "deps") {
				st.DependsOn = append(st.DependsOn, plan.StageNumber(d))
			}
			s.plan.Stages = append(s.plan.Stages, st)
			switch rapid.IntRange(0, 5).Draw(t, "state") {
			case 0, 1, 2:
				s.progress.Done[number] = true
			case 3:
				s.progress.Reserved[number] = true
			case 4: // done beats reserved
				s.progress.Done[number], s.progress.Reserved[number] = true, true
			}
		}
		return s
	})
}

// slowState says the state in the words of the specification.
func slowState(s situation, st plan.Stage) State {
	if s.progress.Done[st.Number] {
		return Done
	}
	if s.progress.Reserved[st.Number] {
		return Active
	}
	for _, d := range st.DependsOn {
		if !s.progress.Done[d] {
			return Blocked
		}
	}
	return Ready
}

func TestSelectionAgainstTheObviousWay(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) { checkSelection(t, situations(12).Draw(t, "situation")) })
}

// failer is what both kinds of test can do.
type failer interface {
	Fatalf(format string, args ...any)
}

func checkSelection(t failer, s situation) {
	var ready, active []plan.StageNumber
	done, blocked := 0, 0
	for _, st := range s.plan.Stages {
		state := slowState(s, st)
		if got := s.progress.Of(st); got != state {
			t.Fatalf("stage %d is %s, want %s", st.Number, got, state)
		}
		if got := s.progress.Occupied(st.Number); got != (state == Done || state == Active) {
			t.Fatalf("stage %d, %s: occupied %v", st.Number, state, got)
		}
		switch state {
		case Ready:
			ready = append(ready, st.Number)
		case Active:
			active = append(active, st.Number)
		case Done:
			done++
		case Blocked:
			blocked++
		}
	}
	if got := s.progress.Ready(s.plan); !slices.Equal(got, ready) {
		t.Fatalf("ready %v, want %v", got, ready)
	}
	next, ok := s.progress.Next(s.plan)
	if ok != (len(ready) > 0) || ok && next != ready[0] {
		t.Fatalf("next %d, %v; ready are %v", next, ok, ready)
	}
	why := s.progress.Why(s.plan)
	if why.Total != len(s.plan.Stages) || why.Done != done || !slices.Equal(why.Active, active) || len(why.Blocked) != blocked {
		t.Fatalf("why %+v", why)
	}
	if why.AllDone() != (done == len(s.plan.Stages)) {
		t.Fatalf("all done: %v", why.AllDone())
	}
	checkBlockers(t, s, why.Blocked)
}

// checkBlockers holds that each blocked stage names what it waits for, once each, in
// the plan's order.
func checkBlockers(t failer, s situation, blocked []Blocker) {
	at := 0
	for _, st := range s.plan.Stages {
		var want []plan.StageNumber
		for _, d := range st.DependsOn {
			if !s.progress.Done[d] && !slices.Contains(want, d) {
				want = append(want, d)
			}
		}
		if got := s.progress.WaitingFor(st); !slices.Equal(got, want) {
			t.Fatalf("stage %d waits for %v, want %v", st.Number, got, want)
		}
		if slowState(s, st) != Blocked {
			continue
		}
		if blocked[at].Stage != st.Number || !slices.Equal(blocked[at].WaitingFor, want) {
			t.Fatalf("blocker %+v, want stage %d on %v", blocked[at], st.Number, want)
		}
		at++
	}
}

// TestNewlyReadyIsTheDifference compares with what is ready before and after.
func TestNewlyReadyIsTheDifference(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := situations(12).Draw(t, "situation")
		for _, st := range s.plan.Stages {
			if s.progress.Done[st.Number] {
				continue
			}
			before := s.progress.Ready(s.plan)
			s.progress.Done[st.Number] = true
			want := slices.DeleteFunc(s.progress.Ready(s.plan), func(n plan.StageNumber) bool { return slices.Contains(before, n) })
			if got := s.progress.NewlyReady(s.plan, st.Number); !slices.Equal(got, want) {
				t.Fatalf("after %d: %v, want %v", st.Number, got, want)
			}
			delete(s.progress.Done, st.Number)
		}
	})
}

// TestThousandStages runs plans of the greatest size to their end, by taking what is
// next. An acyclic plan always gets there, each stage after its dependencies.
func TestThousandStages(t *testing.T) {
	t.Parallel()
	const n = 1000
	for _, step := range []int{1, 7, 389, 999} { // each visits all residues of 1000 in another order, or a part
		p := &plan.Plan{}
		for i := range n {
			st := plan.Stage{Number: plan.StageNumber((i*step)%n + 1)}
			for _, d := range []int{1, 2, 37} {
				if int(st.Number) > d { // always on a smaller number: no cycle, but any direction in the map
					st.DependsOn = append(st.DependsOn, st.Number-plan.StageNumber(d))
				}
			}
			p.Stages = append(p.Stages, st)
		}
		progress := Progress{Done: map[plan.StageNumber]bool{}}
		checkSelection(t, situation{p, progress})
		for range n {
			next, ok := progress.Next(p)
			if !ok {
				t.Fatalf("step %d: stuck with %d done: %+v", step, len(progress.Done), progress.Why(p))
			}
			progress.Done[next] = true
		}
		if !progress.Why(p).AllDone() {
			t.Errorf("step %d: not all done", step)
		}
	}
}

func TestCycleIsBlocked(t *testing.T) {
	t.Parallel()
	p := &plan.Plan{Stages: []plan.Stage{{Number: 1, DependsOn: []plan.StageNumber{2}}, {Number: 2, DependsOn: []plan.StageNumber{1, 2}}}}
	if n, ok := (Progress{}).Next(p); ok {
		t.Errorf("next %d", n)
	}
	if got := (Progress{}).Why(p); len(got.Blocked) != 2 || got.AllDone() {
		t.Errorf("why %+v", got)
	}
}
