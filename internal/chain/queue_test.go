package chain

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"git-okstra/plan"
	"git-okstra/plan/stage"
)

// situation is a plan whose stages depend on earlier ones and share some files, and how
// far a run has come.
type situation struct {
	q      Queue
	p      stage.Progress
	states map[plan.StageNumber]State
}

var situations = rapid.Custom(func(t *rapid.T) situation {
	s := situation{
		q: Queue{Plan: &plan.Plan{}, Jobs: rapid.IntRange(1, 4).Draw(t, "jobs"), Force: rapid.Bool().Draw(t, "force")},
		p: stage.Progress{Done: map[plan.StageNumber]bool{}}, states: map[plan.StageNumber]State{},
	}
	for i := range rapid.IntRange(1, 9).Draw(t, "stages") {
		st := plan.Stage{Number: plan.StageNumber(i + 1), Steps: rapid.IntRange(0, 4).Draw(t, "steps")}
		for d := range i {
			if rapid.IntRange(0, 3).Draw(t, "depends") == 0 {
				st.DependsOn = append(st.DependsOn, plan.StageNumber(d+1))
			}
		}
		for _, f := range []string{"a", "b", "c", "d"} {
			if rapid.IntRange(0, 4).Draw(t, "touches") == 0 {
				st.Files = append(st.Files, f)
			}
		}
		s.q.Plan.Stages = append(s.q.Plan.Stages, st)
		s.q.Order = append(s.q.Order, st.Number)
	}
	return s
})

// ready reports whether nothing but the number of workers and shared files is in the way.
func (s *situation) ready(n plan.StageNumber) bool {
	st, _ := s.q.Plan.Stage(n)
	for _, d := range st.DependsOn {
		if !s.p.Done[d] {
			return false
		}
	}
	return s.states[n] == Waiting && !s.p.Done[n]
}

// TestPickHolds plays random runs and checks each choice against what must hold of it.
func TestPickHolds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := situations.Draw(t, "situation")
		started := map[plan.StageNumber]int{}
		for round := 0; ; round++ {
			picked := s.q.Pick(s.p, s.states)
			running := s.running()
			if len(picked)+len(running) > s.q.Jobs {
				t.Fatalf("%d at once: %v beside %v", s.q.Jobs, picked, running)
			}
			for _, n := range picked {
				if !s.ready(n) {
					t.Fatalf("stage %d is not ready", n)
				}
				started[n]++
				s.states[n] = Running
			}
			s.apart(t)
			s.greedy(t)
			if running = s.running(); len(running) == 0 {
				break
			}
			n := rapid.SampledFrom(running).Draw(t, "ends")
			if rapid.IntRange(0, 9).Draw(t, "fails") == 0 {
				s.states[n] = rapid.SampledFrom([]State{Failed, Gated, Occupied, Lost}).Draw(t, "how")
				continue
			}
			s.states[n], s.p.Done[n] = Finished, true
		}
		s.through(t, started)
	})
}

func (s *situation) running() []plan.StageNumber {
	var out []plan.StageNumber
	for _, n := range s.q.Order {
		if s.states[n] == Running {
			out = append(out, n)
		}
	}
	return out
}

// apart: none of those that run shares a file with another, unless that was asked for.
func (s *situation) apart(t *rapid.T) {
	running := s.running()
	for i, a := range running {
		for _, b := range running[:i] {
			x, _ := s.q.Plan.Stage(a)
			y, _ := s.q.Plan.Stage(b)
			for _, f := range x.Files {
				if !s.q.Force && slices.Contains(y.Files, f) {
					t.Fatalf("stages %d and %d both touch %s", a, b, f)
				}
			}
		}
	}
}

// greedy: where a worker is free, every ready stage left shares a file with one that runs.
func (s *situation) greedy(t *rapid.T) {
	running := s.running()
	if len(running) == s.q.Jobs {
		return
	}
	for _, n := range s.q.Order {
		st, _ := s.q.Plan.Stage(n)
		blocked := slices.ContainsFunc(running, func(r plan.StageNumber) bool {
			other, _ := s.q.Plan.Stage(r)
			return slices.ContainsFunc(st.Files, func(f string) bool { return slices.Contains(other.Files, f) })
		})
		if s.ready(n) && (s.q.Force || !blocked) {
			t.Fatalf("stage %d could run beside %v", n, running)
		}
	}
}

// through: at the end every stage was started once, or waits for one that did not get
// done.
func (s *situation) through(t *rapid.T, started map[plan.StageNumber]int) {
	for _, n := range s.q.Order {
		if started[n] > 1 || started[n] == 0 && s.ready(n) {
			t.Fatalf("stage %d was started %d times", n, started[n])
		}
	}
}

func numbered(deps map[int][]int, files map[int]string, n int) *plan.Plan {
	p := &plan.Plan{}
	for i := 1; i <= n; i++ {
		st := plan.Stage{Number: plan.StageNumber(i), Steps: i}
		for _, d := range deps[i] {
			st.DependsOn = append(st.DependsOn, plan.StageNumber(d))
		}
		if files[i] != "" {
			st.Files = []string{files[i]}
		}
		p.Stages = append(p.Stages, st)
	}
	return p
}

func TestWaves(t *testing.T) {
	t.Parallel()
	p := numbered(map[int][]int{2: {1}, 3: {1}, 4: {2}, 5: {2, 3}}, map[int]string{2: "x", 3: "x"}, 5)
	order := []plan.StageNumber{1, 2, 3, 4, 5}
	for _, c := range []struct {
		jobs  int
		force bool
		done  []plan.StageNumber
		want  string
	}{
		{1, false, nil, "[{[1] 1m0s} {[2] 2m0s} {[3] 3m0s} {[4] 4m0s} {[5] 5m0s}]"},
		{2, false, nil, "[{[1] 1m0s} {[2] 2m0s} {[3 4] 4m0s} {[5] 5m0s}]"},
		{2, true, nil, "[{[1] 1m0s} {[2 3] 3m0s} {[4 5] 5m0s}]"},
		{9, false, []plan.StageNumber{1, 2}, "[{[3 4] 4m0s} {[5] 5m0s}]"},
		{9, false, order, "[]"},
	} {
		done := map[plan.StageNumber]bool{}
		for _, n := range c.done {
			done[n] = true
		}
		q := Queue{Plan: p, Order: order, Jobs: c.jobs, Force: c.force}
		if got := fmt.Sprint(q.Waves(stage.Progress{Done: done}, time.Minute)); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
		if len(done) != len(c.done) {
			t.Errorf("%+v: the progress was changed", c)
		}
	}
	// a stage that waits for one outside of the queue is in no wave
	q := Queue{Plan: p, Order: []plan.StageNumber{4}, Jobs: 1}
	if got := q.Waves(stage.Progress{}, 0); len(got) != 0 {
		t.Errorf("waves of a blocked stage: %v", got)
	}
}

func TestConflicts(t *testing.T) {
	t.Parallel()
	// 2 and 3 are independent; 4 comes after 2, 1 before all
	p := numbered(map[int][]int{2: {1}, 3: {1}, 4: {2}}, map[int]string{1: "x", 2: "x", 3: "x", 4: "x"}, 4)
	q := Queue{Plan: p, Order: []plan.StageNumber{1, 2, 3, 4}}
	if got, want := fmt.Sprint(q.Conflicts()), "[{3 [2] [x]} {4 [3] [x]}]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestNext(t *testing.T) {
	t.Parallel()
	q := Queue{Plan: numbered(nil, nil, 3), Order: []plan.StageNumber{1, 2, 3}}
	p := stage.Progress{Done: map[plan.StageNumber]bool{1: true}}
	if got := q.Next(p, map[plan.StageNumber]State{2: Running}); got != 3 {
		t.Errorf("next is %d", got)
	}
	if got := q.Next(p, map[plan.StageNumber]State{2: Failed, 3: Occupied}); got != 0 {
		t.Errorf("next is %d", got)
	}
}

func TestPerStep(t *testing.T) {
	t.Parallel()
	if got := PerStep(nil); got != 0 {
		t.Errorf("of nothing: %s", got)
	}
	if got := PerStep([]Span{{6 * time.Minute, 2}, {3 * time.Minute, 0}}); got != 3*time.Minute {
		t.Errorf("%s a step", got)
	}
}
