package board

import (
	"fmt"
	"slices"
	"time"

	"git-okstra/plan"
)

// Sizes of the timeline.
const (
	lineHigh = 22
	lineLeft = 90
	lineWide = 900
	axisHigh = 24
	shortest = 3 // of a bar, so that it can be seen
)

// bar is the time from a stage's start until it ended some way.
type bar struct {
	X, Y, Wide int
	How        string // active, done, released or taken-over
	Tip        string
}

// line is one stage's line of the timeline.
type line struct {
	Stage plan.StageNumber
	Y     int
}

// timeline is drawn from the rows; times that cannot be read are left out.
type timeline struct {
	Lines      []line
	Bars       []bar
	From, To   string
	Wide, High int
}

// moment is an event whose time is known.
type moment struct {
	Event
	at time.Time
}

// timelineOf draws the events until now, the time when the board was made.
func timelineOf(events []Event, now time.Time) timeline {
	by := map[plan.StageNumber][]moment{}
	var first time.Time
	last := now
	var order []plan.StageNumber
	for _, e := range events {
		at, err := time.Parse(time.RFC3339Nano, e.At)
		if err != nil || e.Stage == 0 || !drawn(e.Status) {
			continue
		}
		if first.IsZero() || at.Before(first) {
			first = at
		}
		if at.After(last) {
			last = at
		}
		if by[e.Stage] == nil {
			order = append(order, e.Stage)
		}
		by[e.Stage] = append(by[e.Stage], moment{e, at})
	}
	slices.Sort(order)
	shown := "2006-01-02 15:04Z"
	if last.Sub(first) < 10*time.Minute {
		shown = "2006-01-02 15:04:05Z"
	}
	t := timeline{From: first.UTC().Format(shown), To: last.UTC().Format(shown), Wide: lineLeft + lineWide + 2*margin, High: axisHigh + len(order)*lineHigh + margin}
	span := max(last.Sub(first), 1)
	x := func(at time.Time) int { return lineLeft + int(float64(lineWide)*float64(at.Sub(first))/float64(span)) }
	for i, n := range order {
		y := axisHigh + i*lineHigh
		t.Lines = append(t.Lines, line{n, y})
		for _, s := range spans(by[n], last) {
			s.Y, s.X, s.Wide = y+4, x(s.from), max(shortest, x(s.to)-x(s.from))
			s.Tip = fmt.Sprintf("stage %d %s: %s to %s", n, s.How, s.from.UTC().Format(shown), s.to.UTC().Format(shown))
			t.Bars = append(t.Bars, s.bar)
		}
	}
	return t
}

// drawn reports whether a row begins or ends work on a stage.
func drawn(status string) bool {
	return slices.Contains([]string{"started", "taken-over", "done", "released"}, status)
}

// period is a bar between two times.
type period struct {
	bar
	from, to time.Time
}

// spans are the periods of one stage. What has begun and not ended is active until last; an end
// without a begin, as of an imported stage, is a point.
func spans(list []moment, last time.Time) []period {
	var out []period
	var open *moment
	for i, m := range list {
		begins := m.Status == "started" || m.Status == "taken-over"
		from := m.at
		if open != nil {
			from = open.at
		}
		if !begins || open != nil && m.Status == "taken-over" {
			out = append(out, period{bar{How: m.Status}, from, m.at})
		}
		open = nil
		if begins {
			open = &list[i]
		}
	}
	if open != nil {
		out = append(out, period{bar{How: "active"}, open.at, last})
	}
	return out
}
