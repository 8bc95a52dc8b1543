package verdict

import (
	"fmt"
	"time"

	"git-okstra/internal/conform"
	"git-okstra/plan"
)

// Source is where a waiver stands.
type Source string

// The sources: a row of the log, or the manifest that is pinned with the plan.
const (
	FromRow      Source = "row"
	FromManifest Source = "manifest"
)

// Waiver takes a surface out of the judgement.
type Waiver struct {
	Surface conform.Surface
	Why     string
	By, At  string // who wrote it and when, as the row says
	Until   string // a day (to its end, UTC) or an RFC 3339 time; "" for no end
	From    Source
}

// ParseUntil reads the end of a waiver: an RFC 3339 time, or a day, which counts to its
// end in UTC. The zero time is no end.
func ParseUntil(s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	if day, err := time.Parse(time.DateOnly, s); err == nil {
		return day.AddDate(0, 0, 1), nil
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return time.Time{}, fmt.Errorf("%s is no day such as 2030-12-31 and no RFC 3339 time", plan.Quote(s))
	}
	return t.UTC(), nil
}

// Live reports whether a waiver counts at a moment. One whose end cannot be read counts
// for nothing, as does one without a reason.
func (w Waiver) Live(now time.Time) bool {
	end, err := ParseUntil(w.Until)
	return err == nil && w.Why != "" && (end.IsZero() || now.Before(end))
}

// String says what is waived, for people.
func (w Waiver) String() string {
	out := fmt.Sprintf("%s is waived: %s (", w.Surface, plan.Printable(w.Why))
	if w.From == FromManifest {
		out += "in the manifest"
	} else {
		out += "by " + plan.Printable(w.By)
	}
	if w.Until != "" {
		out += ", until " + plan.Printable(w.Until)
	}
	return out + ")"
}
