package main

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"syscall"

	"git-okstra/internal/chain"
	"git-okstra/internal/ui"
	"git-okstra/plan"
)

// chainSay tells a chain's story. Workers' output and events come from several
// goroutines.
type chainSay struct {
	a    *app
	of   int
	live *ui.Live // nil without a terminal
	gone func()   // told once nobody reads any more
	mu   sync.Mutex
}

// reads tells where nobody reads standard output any more. An output that was closed from
// the start is another matter: nobody ever meant to.
func (s *chainSay) reads() {
	if out, ok := s.a.std.out.(*checkedWriter); ok && s.gone != nil && errors.Is(out.err, syscall.EPIPE) {
		s.gone()
		s.gone = nil
	}
}

func (s *chainSay) close() {
	if s.live != nil {
		s.live.Close()
	}
}

// output passes on a line of a worker.
func (s *chainSay) output(n plan.StageNumber, line []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.reads()
	switch {
	case s.live != nil:
		s.live.Said(int(n), plan.Printable(string(line)))
	case !s.a.flags.JSON && !s.a.flags.Quiet:
		s.a.print("%d | %s\n", n, shown(line))
	}
}

// shown is a line of output that a terminal does not act on: it may come to one by way of
// a pipe. Tabs stay. The log has it as it was.
func shown(line []byte) string {
	words := strings.Split(string(line), "\t")
	for i, w := range words {
		words[i] = plan.Printable(w)
	}
	return strings.Join(words, "\t")
}

// tell passes on an event.
func (s *chainSay) tell(e chain.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.reads()
	if s.a.flags.JSON {
		writeJSON(s.a.std.out, e)
		return
	}
	if s.live != nil {
		if e.Event == chain.EventStarted {
			s.live.Begin(int(e.Stage), fmt.Sprintf("stage %d", e.Stage))
		} else if e.Stage != 0 && e.Event != chain.EventWarning {
			s.live.End(int(e.Stage))
		}
		s.live.Hide()
		defer s.live.Show()
	}
	s.text(e)
}

// text tells an event to a person.
func (s *chainSay) text(e chain.Event) {
	a := s.a
	switch e.Event {
	case chain.EventStarted:
		again := ""
		if e.Resumed {
			again = " (taken up again)"
		}
		a.tell("stage %d/%d started%s\n", e.Stage, s.of, again)
		if a.flags.Verbose > 0 {
			a.tell("  worktree  %s\n  output    %s\n", plan.Printable(e.Worktree), plan.Printable(e.Log))
		}
	case chain.EventDone:
		next := "nothing is next"
		if e.Next != 0 {
			next = fmt.Sprintf("next %d", e.Next)
		}
		a.tell("stage %d done → %s\n", e.Stage, next)
	case chain.EventLanded:
		a.tell("stage %d landed\n", e.Stage)
	case chain.EventOccupied:
		a.say("note: %s", printableLines(e.Why))
	case chain.EventWarning:
		a.say("warning: stage %d: %s", e.Stage, e.Why)
	case chain.EventFailed, chain.EventGate, chain.EventLost:
		s.failed(e)
	case chain.EventSummary:
		s.summary(e)
	}
}

// failed says why a stage stopped, with the end of its output.
func (s *chainSay) failed(e chain.Event) {
	for _, line := range e.Tail {
		_, _ = fmt.Fprintf(s.a.std.err, "  %s\n", shown([]byte(line)))
	}
	what := e.Event
	if what == chain.EventGate {
		what = "a person must decide"
	}
	_, _ = fmt.Fprintf(s.a.std.err, "error: stage %d: %s: %s\n", e.Stage, what, printableLines(e.Why))
	for _, h := range e.Hints {
		_, _ = fmt.Fprintf(s.a.std.err, "hint: %s\n", h)
	}
	if len(e.Tail) > 0 {
		_, _ = fmt.Fprintf(s.a.std.err, "hint: all of its output: %s\n", plan.Printable(e.Log))
	}
}

// summary says what was done, what is left and why, and what goes on.
func (s *chainSay) summary(e chain.Event) {
	a := s.a
	if len(e.Done) == 0 && len(e.Left) == 0 {
		a.tell("nothing to do: every stage that was asked for is done, or somebody has it\n")
		return
	}
	var done []string
	for _, d := range e.Done {
		done = append(done, fmt.Sprintf("%d (%s)", d.Stage, seconds(d.Seconds)))
	}
	if len(done) > 0 {
		a.tell("done in %s: stage %s\n", seconds(e.Seconds), strings.Join(done, ", "))
	}
	for _, l := range e.Left {
		a.tell("left: stage %d, %s: %s\n", l.Stage, l.State, firstLine(l.Why))
	}
	if e.Resume != "" {
		a.tell("go on with: %s\n", plan.Printable(e.Resume))
	}
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return plan.Printable(line)
}
