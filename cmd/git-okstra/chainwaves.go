package main

import (
	"fmt"
	"time"

	"git-okstra/internal/chain"
	"git-okstra/notes"
	"git-okstra/plan"
)

// chainPlanJSON is okstra.chain-plan/v1: what a chain would do.
type chainPlanJSON struct {
	Schema  string             `json:"schema"`
	Task    string             `json:"task"`
	Queue   []plan.StageNumber `json:"queue"`
	Waves   []waveJSON         `json:"waves"`
	Waiting []waitingJSON      `json:"waiting"`
	Shared  []chain.Blocked    `json:"shared_files"`
	Command []string           `json:"command"` // of the worker; empty for none
	Seconds float64            `json:"seconds"` // estimate; 0 where nothing is known
}

type waveJSON struct {
	Stages  []plan.StageNumber `json:"stages"`
	Seconds float64            `json:"seconds"`
}

type waitingJSON struct {
	Stage      plan.StageNumber   `json:"stage"`
	WaitingFor []plan.StageNumber `json:"waiting_for"`
	Holder     string             `json:"holder,omitempty"` // another run has it
}

// showWaves says what a chain would do.
func (a *app) showWaves(d *chainDesk, q chain.Queue, argv []string) error {
	p := d.task.Progress()
	rows, err := notes.Read(a.ctx, a.repo, d.task.NotesTip)
	if err != nil {
		return err
	}
	perStep := chain.PerStep(spans(d.task.Plan, d.task.Key, rows))
	out := chainPlanJSON{
		Schema: "okstra.chain-plan/v1", Task: d.task.Key.String(), Queue: orEmpty(q.Order), Waves: []waveJSON{}, Waiting: []waitingJSON{},
		Shared: orEmpty(q.Conflicts()), Command: append([]string{}, argv...),
	}
	for _, w := range q.Waves(p, perStep) {
		out.Waves = append(out.Waves, waveJSON{w.Stages, w.Takes.Seconds()})
		out.Seconds += w.Takes.Seconds()
	}
	for _, n := range q.Order {
		st, _ := q.Plan.Stage(n)
		one := waitingJSON{Stage: n, WaitingFor: orEmpty(p.WaitingFor(st))}
		r, held, err := d.e.Reservation(a.ctx, d.task, n)
		if err != nil {
			return err
		}
		if held && !d.leftBehind(r) {
			one.Holder = occupied(n, r).Message
		}
		if len(one.WaitingFor) > 0 || one.Holder != "" {
			out.Waiting = append(out.Waiting, one)
		}
	}
	if a.flags.JSON {
		writeJSON(a.std.out, out)
		return nil
	}
	a.printWaves(out)
	return nil
}

// printWaves is showWaves for a person.
func (a *app) printWaves(out chainPlanJSON) {
	if len(out.Queue) == 0 {
		a.print("nothing to do: every stage that was asked for is done, or somebody has it\n")
		return
	}
	a.print("queue: %s\n", joinStages(out.Queue))
	for i, w := range out.Waves {
		a.print("wave %d: %s%s\n", i+1, stageWords(w.Stages), about(w.Seconds))
	}
	for _, w := range out.Waiting {
		if w.Holder != "" {
			a.print("note: %s\n", w.Holder)
			continue
		}
		a.print("stage %d waits for %s\n", w.Stage, joinStages(w.WaitingFor))
	}
	for _, b := range out.Shared {
		a.print("stage %d not beside %s: %s\n", b.Stage, joinStages(b.By), plan.Printable(fmt.Sprint(b.Files)))
	}
	if out.Seconds > 0 {
		a.print("about %s in all, as past stages took\n", seconds(out.Seconds))
	}
	if len(out.Command) == 0 {
		a.print("no command: add -- COMMAND, or set okstra.executor\n")
	}
}

func about(s float64) string {
	if s == 0 {
		return ""
	}
	return " (about " + seconds(s) + ")"
}

func joinStages(list []plan.StageNumber) string {
	text := ""
	for i, n := range list {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprint(n)
	}
	return text
}

// spans says how long the stages took that the log has from start to end.
func spans(pl *plan.Plan, key plan.TaskKey, rows []notes.Line) []chain.Span {
	begun := map[plan.StageNumber]time.Time{}
	var out []chain.Span
	for _, l := range rows {
		at, err := time.Parse(time.RFC3339, l.Row.At)
		st, known := pl.Stage(l.Row.Stage)
		if err != nil || !known || ofAnother(key, l.Row) {
			continue
		}
		switch from, ok := begun[st.Number]; {
		case l.Row.Status == notes.Started:
			begun[st.Number] = at
		case l.Row.Status == notes.Done && ok && !at.Before(from):
			out = append(out, chain.Span{Took: at.Sub(from), Steps: st.Steps})
			delete(begun, st.Number)
		}
	}
	return out
}
