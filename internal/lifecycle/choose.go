package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"git-okstra/plan"
	"git-okstra/plan/stage"
)

// ErrNoFit says that the next ready stage is not what was asked for; see
// StartRequest.Fits.
var ErrNoFit = errors.New("the next ready stage does not fit")

// mostNamed bounds how many stages a refusal speaks of one by one.
const mostNamed = 10

// Choose checks a set of stages before the first of them is taken. Errors: *Refusal in
// the order of lifecycle.md §1, about all stages that the reason holds for. Of the request
// only Resume and Takeover count.
func (e *Engine) Choose(ctx context.Context, t *Task, chosen []plan.StageNumber, req StartRequest) error {
	holders := map[plan.StageNumber]Reservation{}
	var failed error
	mine := func(n plan.StageNumber) bool {
		r, held, err := e.Reservation(ctx, t, n)
		failed = errors.Join(failed, err)
		holders[n] = r
		return err == nil && held && (req.Takeover || r.Broken == "" && e.mine(t, n, r, req.Resume))
	}
	no := t.Progress().Reject(t.Plan, chosen, mine)
	switch {
	case failed != nil:
		return failed
	case no == nil:
		return nil
	}
	switch no.Reason {
	case stage.NotInMap:
		return notInMap(t, no.Stages...)
	case stage.AlreadyDone:
		return alreadyDone(t, no.Stages)
	case stage.TakenAlready:
		return e.allTaken(ctx, t, no.Stages, holders)
	case stage.NotReady:
	}
	return waiting(t, no.Stages)
}

// notInMap lists what the map has.
func notInMap(t *Task, list ...plan.StageNumber) *Refusal {
	have := make([]plan.StageNumber, 0, len(t.Plan.Stages))
	for _, st := range t.Plan.Stages {
		have = append(have, st.Number)
	}
	slices.Sort(have)
	hint := "the plan has stages " + stage.Ranges(have)
	if last := len(have); last > 0 && have[0] == 1 && int(have[last-1]) == last {
		hint = fmt.Sprintf("the plan has stages 1 to %d", last)
	}
	if len(list) == 1 {
		return refuse(Usage, hint, "stage %d is not in the plan's Stage Map", list[0])
	}
	return refuse(Usage, hint, "stages %s are not in the plan's Stage Map", stage.Ranges(list))
}

// alreadyDone names where each stage was ended.
func alreadyDone(t *Task, list []plan.StageNumber) *Refusal {
	return refuse(Refused, "", "%s", oneByOne(list, func(n plan.StageNumber) string {
		return fmt.Sprintf("stage %d is already done at %s", n, t.Done[n].Short())
	}))
}

// waiting names what each stage waits for.
func waiting(t *Task, list []plan.StageNumber) *Refusal {
	progress := t.Progress()
	return refuse(Refused, "see what is ready with: git okstra stage list", "%s", oneByOne(list, func(n plan.StageNumber) string {
		st, _ := t.Plan.Stage(n)
		return fmt.Sprintf("stage %d depends on %s, not done yet", n, Numbers(progress.WaitingFor(st)))
	}))
}

// allTaken names the holder of each stage, with the hints of the first.
func (e *Engine) allTaken(ctx context.Context, t *Task, list []plan.StageNumber, holders map[plan.StageNumber]Reservation) error {
	var failed error
	out := &Refusal{Kind: Taken}
	out.Message = oneByOne(list, func(n plan.StageNumber) string {
		r, err := e.takenBy(ctx, t, n, holders[n])
		if err != nil {
			failed = errors.Join(failed, err)
			return ""
		}
		if n == list[0] {
			out.Hints = r.Hints
		}
		return r.Message
	})
	if failed != nil {
		return failed
	}
	return out
}

// oneByOne says something of each stage, within bounds.
func oneByOne(list []plan.StageNumber, say func(plan.StageNumber) string) string {
	var words []string
	for _, n := range list[:min(mostNamed, len(list))] {
		words = append(words, say(n))
	}
	if more := len(list) - mostNamed; more > 0 {
		words = append(words, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(words, "; ")
}

// Known refuses a stage that the plan has not.
func (*Engine) Known(t *Task, n plan.StageNumber) error {
	if _, ok := t.Plan.Stage(n); !ok {
		return notInMap(t, n)
	}
	return nil
}
