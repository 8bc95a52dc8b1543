package stage

import "git-okstra/plan"

// Free is the state of a stage in its history where nobody holds it and it is not done:
// whether it is ready or blocked depends on other stages.
const Free State = "free"

// Event is what one row of the log says of its stage. The kinds that change a state are
// started, taken-over, done, released and reopened; any other is only remembered.
type Event struct {
	Stage plan.StageNumber
	Kind  string
	Claim string // of a reservation: started, taken-over, released
	Head  string // the commit of a done row
}

// Moment is where a stage stood after one of its events.
type Moment struct {
	Event int // index in the events that were folded
	State State
	Claim string // who holds it, where it is active
	Head  string // the done commit, where it is done
}

// Fold replays the events of a log, in the log's order, into the history of each stage:
// one moment for each of its events. The refs decide what holds now; this is what the
// log says of how it came about. Done beats a reservation, a later done replaces an
// earlier one, and only the release of the standing claim gives a stage back.
func Fold(events []Event) map[plan.StageNumber][]Moment {
	out := map[plan.StageNumber][]Moment{}
	for i, e := range events {
		m := Moment{State: Free}
		if past := out[e.Stage]; len(past) > 0 {
			m = past[len(past)-1]
		}
		m.Event = i
		m.apply(e)
		out[e.Stage] = append(out[e.Stage], m)
	}
	return out
}

// apply moves a stage on by one event.
func (m *Moment) apply(e Event) {
	switch e.Kind {
	case "started", "taken-over":
		if m.State != Done {
			m.State, m.Claim = Active, e.Claim
		}
	case "done":
		m.State, m.Claim, m.Head = Done, "", e.Head
	case "released":
		if m.State == Active && m.Claim == e.Claim {
			m.State, m.Claim = Free, ""
		}
	case "reopened":
		if m.State == Done {
			m.State, m.Head = Free, ""
		}
	}
}
