package lifecycle

import "fmt"

// Kind says what sort of refusal it is, so that a caller can act on it.
type Kind int

// The kinds of refusal.
const (
	Usage        Kind = iota + 1 // the request makes no sense: unknown stage or task, nothing named
	Refused                      // it would break a rule: done already, dependencies missing, tree not clean
	Gate                         // a person must decide
	Taken                        // the stage is held by somebody else
	NothingReady                 // no stage can be started now
	AllDone                      // no stage is left
	Environment                  // the repository is not in a state to work in
)

// fetchRest is the hint where cut-off history proves nothing.
const fetchRest = "fetch the rest of the history with: git fetch --unshallow"

// Refusal is a request that was not carried out, and why. Nothing was changed.
type Refusal struct {
	Kind    Kind
	Message string
	Hints   []string
}

func (r *Refusal) Error() string { return r.Message }

func refuse(kind Kind, hint, format string, args ...any) *Refusal {
	r := &Refusal{Kind: kind, Message: fmt.Sprintf(format, args...)}
	if hint != "" {
		r.Hints = []string{hint}
	}
	return r
}
