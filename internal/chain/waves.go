package chain

import (
	"maps"
	"time"

	"git-okstra/plan"
	"git-okstra/plan/stage"
)

// Wave is what would run side by side, if all that runs at once took equally long.
type Wave struct {
	Stages []plan.StageNumber
	Takes  time.Duration // of its longest stage; 0 where nothing is known
}

// Waves plays a queue through. Per step is how long a step takes, as past stages tell.
func (q *Queue) Waves(p stage.Progress, perStep time.Duration) []Wave {
	played := stage.Progress{Done: maps.Clone(p.Done), Reserved: p.Reserved}
	if played.Done == nil {
		played.Done = map[plan.StageNumber]bool{}
	}
	var out []Wave
	for {
		w := Wave{Stages: q.Pick(played, nil)}
		if len(w.Stages) == 0 {
			return out
		}
		for _, n := range w.Stages {
			st, _ := q.Plan.Stage(n)
			w.Takes = max(w.Takes, time.Duration(max(1, st.Steps))*perStep)
			played.Done[n] = true
		}
		out = append(out, w)
	}
}

// Blocked is a pair of stages that wait for one another's files.
type Blocked struct {
	Stage plan.StageNumber   `json:"stage"`
	By    []plan.StageNumber `json:"by"`
	Files []string           `json:"files"`
}

// Conflicts lists for each stage of the queue which earlier ones it could run beside, but
// for files that both are predicted to touch.
func (q *Queue) Conflicts() []Blocked {
	var out []Blocked
	before := map[plan.StageNumber]map[plan.StageNumber]bool{} // all that a stage comes after
	for i, n := range q.Order {
		st, _ := q.Plan.Stage(n)
		before[n] = map[plan.StageNumber]bool{}
		for _, d := range st.DependsOn {
			before[n][d] = true
			maps.Copy(before[n], before[d])
		}
		b := Blocked{Stage: n}
		for _, m := range q.Order[:i] {
			other, _ := q.Plan.Stage(m)
			if files := Shared(st, other); len(files) > 0 && !before[n][m] {
				b.By, b.Files = append(b.By, m), append(b.Files, files...)
			}
		}
		if len(b.By) > 0 {
			out = append(out, b)
		}
	}
	return out
}

// Span is how long a done stage took, and how many steps it has.
type Span struct {
	Took  time.Duration
	Steps int
}

// PerStep is how long a step took on average, 0 where nothing is known.
func PerStep(spans []Span) time.Duration {
	var sum time.Duration
	steps := 0
	for _, s := range spans {
		sum += s.Took
		steps += max(1, s.Steps)
	}
	if steps == 0 {
		return 0
	}
	return sum / time.Duration(steps)
}
