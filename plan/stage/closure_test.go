package stage

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"git-okstra/plan"
)

// acyclic draws a situation whose dependencies form no circle but point in any
// direction of the map: each on a stage that is earlier in a drawn order.
func acyclic(size int) *rapid.Generator[situation] {
	return rapid.Custom(func(t *rapid.T) situation {
		s := situations(size).Draw(t, "any")
		order := make([]plan.StageNumber, len(s.plan.Stages))
		for i := range order {
			order[i] = plan.StageNumber(i + 1)
		}
		order = rapid.Permutation(order).Draw(t, "depth")
		for i := range s.plan.Stages {
			st := &s.plan.Stages[i]
			st.Steps = rapid.IntRange(0, 8).Draw(t, "steps")
			st.DependsOn = slices.DeleteFunc(st.DependsOn, func(d plan.StageNumber) bool {
				return int(d) <= len(order) && slices.Index(order, d) >= slices.Index(order, st.Number)
			})
		}
		return s
	})
}

// slowClosure grows the set until nothing is added, then takes the smallest number that
// waits for nothing in what is left, again and again.
func slowClosure(s situation, chosen []plan.StageNumber) []plan.StageNumber {
	in := map[plan.StageNumber]bool{}
	want := slices.Clone(chosen)
	for grown := true; grown; {
		grown = false
		for _, st := range s.plan.Stages {
			if slices.Contains(want, st.Number) && !s.progress.Done[st.Number] && !in[st.Number] {
				in[st.Number], grown = true, true
				want = append(want, st.DependsOn...)
			}
		}
	}
	out := []plan.StageNumber{}
	for len(in) > 0 {
		best := plan.StageNumber(0)
		for _, st := range s.plan.Stages {
			waits := slices.ContainsFunc(st.DependsOn, func(d plan.StageNumber) bool { return in[d] })
			if in[st.Number] && !waits && (best == 0 || st.Number < best) {
				best = st.Number
			}
		}
		if best == 0 {
			return nil
		}
		delete(in, best)
		out = append(out, best)
	}
	return out
}

func TestClosureAgainstTheObviousWay(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := acyclic(14).Draw(t, "situation")
		chosen := rapid.SliceOf(rapid.Map(rapid.IntRange(1, 16), func(n int) plan.StageNumber { return plan.StageNumber(n) })).Draw(t, "chosen")
		got, err := s.progress.Closure(s.plan, chosen)
		if want := slowClosure(s, chosen); err != nil || !slices.Equal(got, want) {
			t.Fatalf("closure %v, %v; want %v", got, err, want)
		}
		again, err := s.progress.Closure(s.plan, got)
		if err != nil || !slices.Equal(again, got) {
			t.Fatalf("the closure of %v is %v, %v", got, again, err)
		}
	})
}

// TestCircleHasNoOrder compares with the slow way on plans with circles in them.
func TestCircleHasNoOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := situations(8).Draw(t, "situation")
		var all []plan.StageNumber
		for _, st := range s.plan.Stages {
			all = append(all, st.Number)
		}
		got, err := s.progress.Closure(s.plan, all)
		want := slowClosure(s, all)
		if (want == nil) != errors.Is(err, ErrCircle) || !slices.Equal(got, want) {
			t.Fatalf("closure %v, %v; want %v", got, err, want)
		}
	})
	p := chain(4)
	p.Stages[0].DependsOn = []plan.StageNumber{2}
	if _, err := (Progress{}).Closure(p, []plan.StageNumber{4}); !errors.Is(err, ErrCircle) || !strings.HasSuffix(err.Error(), ": 1-4") {
		t.Errorf("circle: %v", err)
	}
}

func TestAllIsTheClosureOfWhatIsFree(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := acyclic(12).Draw(t, "situation")
		var free []plan.StageNumber
		for _, st := range s.plan.Stages {
			if !s.progress.Done[st.Number] && !s.progress.Reserved[st.Number] {
				free = append(free, st.Number)
			}
		}
		got, err := s.progress.All(s.plan)
		if want := slowClosure(s, free); err != nil || !slices.Equal(got, want) {
			t.Fatalf("all %v, %v; want %v", got, err, want)
		}
	})
}

func TestBatchAgainstTheObviousWay(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := acyclic(12).Draw(t, "situation")
		budget := rapid.IntRange(0, 30).Draw(t, "budget")
		var want []plan.StageNumber
		sum := 0
		for _, n := range s.progress.Ready(s.plan) {
			st, _ := s.plan.Stage(n)
			if sum += st.Steps; len(want) > 0 && sum > budget {
				break
			}
			want = append(want, n)
		}
		if got := s.progress.Batch(s.plan, budget); !slices.Equal(got, want) {
			t.Fatalf("batch within %d: %v, want %v", budget, got, want)
		}
	})
}

func TestBatch(t *testing.T) {
	t.Parallel()
	p := &plan.Plan{Stages: []plan.Stage{{Number: 1, Steps: 9}, {Number: 2, Steps: 4}, {Number: 3, Steps: 6}, {Number: 4, Steps: 4}}}
	for _, c := range []struct {
		done   plan.StageNumber
		budget int
		want   []plan.StageNumber
	}{
		{0, 8, []plan.StageNumber{1}},        // the first one comes whatever its size
		{1, 8, []plan.StageNumber{2}},        // 3 does not fit, and 4 is not looked at
		{1, 10, []plan.StageNumber{2, 3}},    // just fits
		{1, 14, []plan.StageNumber{2, 3, 4}}, // all
		{0, 0, []plan.StageNumber{1}},
	} {
		progress := Progress{Done: map[plan.StageNumber]bool{c.done: true}}
		if got := progress.Batch(p, c.budget); !slices.Equal(got, c.want) {
			t.Errorf("done %d, budget %d: %v, want %v", c.done, c.budget, got, c.want)
		}
	}
}

// chain is a plan in which each stage waits for the one before it.
func chain(n int) *plan.Plan {
	p := &plan.Plan{}
	for i := range n {
		st := plan.Stage{Number: plan.StageNumber(i + 1), Steps: 1}
		if i > 0 {
			st.DependsOn = []plan.StageNumber{plan.StageNumber(i)}
		}
		p.Stages = append(p.Stages, st)
	}
	return p
}

// TestLongChains has plans that a walk by recursion, or one that looks a stage up by
// going through the map, would not come through.
func TestLongChains(t *testing.T) {
	t.Parallel()
	const n = 50_000
	for name, p := range map[string]*plan.Plan{"chain": chain(n), "reversed": chain(n)} {
		if name == "reversed" {
			slices.Reverse(p.Stages)
		}
		got, err := (Progress{}).Closure(p, []plan.StageNumber{n})
		if err != nil || len(got) != n || !slices.IsSorted(got) {
			t.Errorf("%s: %d stages, %v", name, len(got), err)
		}
		done := map[plan.StageNumber]bool{n - 1: true}
		if got, err := (Progress{Done: done}).Closure(p, []plan.StageNumber{n}); err != nil || !slices.Equal(got, []plan.StageNumber{n}) {
			t.Errorf("%s: a done stage was walked through: %d stages, %v", name, len(got), err)
		}
	}
}

// TestThousandStagesClosure has each of 1,000 stages wait for up to 30 others, forwards
// and backwards in the map.
func TestThousandStagesClosure(t *testing.T) {
	t.Parallel()
	const n, step = 1000, 389
	depth := func(number int) int { return number * step % (n + 7) } // no circle: always on a smaller depth
	s := situation{&plan.Plan{}, Progress{Done: map[plan.StageNumber]bool{}, Reserved: map[plan.StageNumber]bool{}}}
	for number := 1; number <= n; number++ {
		st := plan.Stage{Number: plan.StageNumber(number)}
		for k := 1; k <= 30; k++ {
			if d := (number*k*7)%n + 1; depth(d) < depth(number) {
				st.DependsOn = append(st.DependsOn, plan.StageNumber(d))
			}
		}
		s.plan.Stages = append(s.plan.Stages, st)
	}
	got, err := s.progress.All(s.plan)
	if err != nil || len(got) != n {
		t.Fatalf("%d stages, %v", len(got), err)
	}
	at := map[plan.StageNumber]int{}
	for i, number := range got {
		at[number] = i
	}
	forward := 0
	for _, st := range s.plan.Stages {
		for _, d := range st.DependsOn {
			if at[d] >= at[st.Number] {
				t.Fatalf("stage %d comes before %d", st.Number, d)
			}
			if d > st.Number {
				forward++
			}
		}
	}
	if forward < n {
		t.Errorf("only %d forward references", forward)
	}
}

func BenchmarkClosure(b *testing.B) {
	for name, size := range map[string]int{"1k": 1000, "10k": 10_000, "100k": 100_000} {
		p := chain(size)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if got, err := (Progress{}).Closure(p, []plan.StageNumber{plan.StageNumber(size)}); err != nil || len(got) != size {
					b.Fatal(len(got), err)
				}
			}
		})
	}
}
