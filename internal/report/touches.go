package report

import (
	"fmt"
	"strings"

	"git-okstra/internal/conform"
	"git-okstra/plan"
)

// Touches is okstra.touches/v1.
type Touches struct {
	Schema  string            `json:"schema"`
	Touches []conform.Touch   `json:"touches"`
	Ignored []conform.Ignored `json:"ignored"`
}

// NewTouches is the report of what was found.
func NewTouches(f conform.Findings) Touches {
	out := Touches{Schema: "okstra.touches/v1", Touches: f.Touches, Ignored: f.Ignored}
	if out.Touches == nil {
		out.Touches = []conform.Touch{}
	}
	if out.Ignored == nil {
		out.Ignored = []conform.Ignored{}
	}
	return out
}

// Text lists the touches for a person, as compilers do, and behind them a line for each
// surface's number and for each file that was not judged; short leaves those out.
func (t Touches) Text(short bool) string {
	var b strings.Builder
	count := map[conform.Surface]int{}
	for _, touch := range t.Touches {
		count[touch.Surface]++
		sign := "+"
		if touch.Side == conform.Removed {
			sign = "-"
		}
		fmt.Fprintf(&b, "%s:%d: %s %s (%s)\n", plan.Printable(touch.Path), touch.Line, touch.Surface, sign+" "+plan.Printable(touch.Text), plan.Printable(touch.Rule))
	}
	if short {
		return b.String()
	}
	for _, i := range t.Ignored {
		fmt.Fprintf(&b, "%s: ignored: %s\n", plan.Printable(i.Path), plan.Printable(i.Why))
	}
	var sums []string
	for _, s := range conform.Surfaces() {
		if count[s] > 0 {
			sums = append(sums, fmt.Sprintf("%s %d", s, count[s]))
		}
	}
	if len(sums) == 0 {
		sums = []string{"nothing"}
	}
	fmt.Fprintf(&b, "touched: %s\n", strings.Join(sums, ", "))
	return b.String()
}
