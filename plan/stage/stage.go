package stage

import (
	"slices"

	"git-okstra/plan"
)

// State is where a stage stands. It follows from the plan and the refs alone.
type State string

// The four states, in the order in which they are decided.
const (
	Done    State = "done"    // a done ref stands
	Active  State = "active"  // reserved, not done
	Ready   State = "ready"   // free, and all dependencies done
	Blocked State = "blocked" // free, but a dependency is not done
)

// Progress says which stages are done and which are reserved.
type Progress struct {
	Done     map[plan.StageNumber]bool
	Reserved map[plan.StageNumber]bool
}

// Occupied reports whether a stage is done or reserved.
func (p Progress) Occupied(n plan.StageNumber) bool { return p.Done[n] || p.Reserved[n] }

// Of returns the state of one stage of the plan.
func (p Progress) Of(s plan.Stage) State {
	switch {
	case p.Done[s.Number]:
		return Done
	case p.Reserved[s.Number]:
		return Active
	case len(p.WaitingFor(s)) > 0:
		return Blocked
	}
	return Ready
}

// WaitingFor lists the dependencies of a stage that are not done, as the plan
// names them.
func (p Progress) WaitingFor(s plan.Stage) []plan.StageNumber {
	var out []plan.StageNumber
	for _, d := range s.DependsOn {
		if !p.Done[d] && !slices.Contains(out, d) {
			out = append(out, d)
		}
	}
	return out
}

// Ready lists the ready stages in map order.
func (p Progress) Ready(pl *plan.Plan) []plan.StageNumber { return p.in(pl, Ready) }

// in lists the stages of one state in map order.
func (p Progress) in(pl *plan.Plan, want State) []plan.StageNumber {
	var out []plan.StageNumber
	for _, s := range pl.Stages {
		if p.Of(s) == want {
			out = append(out, s.Number)
		}
	}
	return out
}

// Next returns the first ready stage in map order; false where none is, and
// Why says why.
func (p Progress) Next(pl *plan.Plan) (plan.StageNumber, bool) {
	for _, s := range pl.Stages {
		if p.Of(s) == Ready {
			return s.Number, true
		}
	}
	return 0, false
}

// Nothing says why no stage is ready.
type Nothing struct {
	Total   int
	Done    int
	Active  []plan.StageNumber
	Blocked []Blocker // in map order
}

// Blocker is a blocked stage and what it waits for.
type Blocker struct {
	Stage      plan.StageNumber
	WaitingFor []plan.StageNumber
}

// AllDone reports whether nothing is left to do.
func (n Nothing) AllDone() bool { return n.Done == n.Total }

// Why explains an empty answer of Next.
func (p Progress) Why(pl *plan.Plan) Nothing {
	out := Nothing{Total: len(pl.Stages)}
	for _, s := range pl.Stages {
		switch p.Of(s) {
		case Done:
			out.Done++
		case Active:
			out.Active = append(out.Active, s.Number)
		case Blocked:
			out.Blocked = append(out.Blocked, Blocker{s.Number, p.WaitingFor(s)})
		case Ready:
		}
	}
	return out
}

// NewlyReady lists the stages that become ready when n is done, in map order.
func (p Progress) NewlyReady(pl *plan.Plan, n plan.StageNumber) []plan.StageNumber {
	var out []plan.StageNumber
	for _, s := range pl.Stages {
		if slices.Contains(s.DependsOn, n) && p.Of(s) == Ready {
			out = append(out, s.Number)
		}
	}
	return out
}
