package chain

import (
	"slices"

	"git-okstra/plan"
	"git-okstra/plan/stage"
)

// State is where a stage of the queue stands in this run.
type State string

// The states. Waiting is the zero one: it may be picked once nothing is in its way.
const (
	Waiting  State = ""
	Running  State = "running"
	Finished State = "done"
	Failed   State = "failed"
	Gated    State = "gate"     // a person must decide
	Occupied State = "occupied" // another run has it
	Lost     State = "lost"     // its lease went to somebody else
)

// Queue is the closure that a chain works off.
type Queue struct {
	Plan  *plan.Plan
	Order []plan.StageNumber // every stage after what it depends on
	Jobs  int                // so many workers at once
	Force bool               // side by side even where a predicted file is shared
}

// Pick gives the stages that may start now, in the queue's order: what they depend on is
// done, nobody has them, there is a worker free, and no stage that runs beside them is
// predicted to touch one of their files. States has what this run knows of its stages.
func (q *Queue) Pick(p stage.Progress, states map[plan.StageNumber]State) []plan.StageNumber {
	var beside []plan.Stage
	for _, n := range q.Order {
		if st, ok := q.Plan.Stage(n); ok && states[n] == Running {
			beside = append(beside, st)
		}
	}
	var out []plan.StageNumber
	for _, n := range q.Order {
		if len(beside) >= q.Jobs {
			break
		}
		st, ok := q.Plan.Stage(n)
		if !ok || states[n] != Waiting || p.Done[n] || len(p.WaitingFor(st)) > 0 || !q.apart(st, beside) {
			continue
		}
		out = append(out, n)
		beside = append(beside, st)
	}
	return out
}

// apart reports whether a stage may run beside others.
func (q *Queue) apart(st plan.Stage, beside []plan.Stage) bool {
	return q.Force || !slices.ContainsFunc(beside, func(other plan.Stage) bool {
		return len(Shared(st, other)) > 0
	})
}

// Shared lists the predicted files that two stages have in common.
func Shared(a, b plan.Stage) []string {
	other := Predicted(b)
	return slices.DeleteFunc(Predicted(a), func(file string) bool { return !slices.Contains(other, file) })
}

// Next is the first stage of the queue that is still to be run, 0 for none.
func (q *Queue) Next(p stage.Progress, states map[plan.StageNumber]State) plan.StageNumber {
	for _, n := range q.Order {
		if states[n] == Waiting && !p.Done[n] {
			return n
		}
	}
	return 0
}
