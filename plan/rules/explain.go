package rules

import (
	_ "embed" // for the texts
	"strings"
)

//go:embed texts/example.md
var example string

// Explanation says what a rule is for and shows it broken and kept.
type Explanation struct {
	Code, Why        string
	Failing, Passing Example
}

// Example is a plan that shows a rule.
type Example struct {
	Excerpt string // the lines that matter
	Plan    string // all of it; Excerpt's lines stand in it unless they only describe it
	Options Options
}

// Explain gives the explanation of a code, in any case; ok: there is such a rule.
func Explain(code string) (e Explanation, ok bool) {
	for _, l := range lessons {
		if strings.EqualFold(l.code, code) {
			return l.explanation(), true
		}
	}
	return Explanation{}, false
}

// lesson is an explanation as a change to the plan of texts/example.md: old is
// kept, new is broken.
type lesson struct {
	code, why string
	changes   [][2]string // old, new
	shown     string      // instead of new, where that cannot be shown
	opts      Options
}

func (l lesson) explanation() Explanation {
	broken := example
	var good, bad []string
	for _, c := range l.changes {
		broken = strings.Replace(broken, c[0], c[1], 1)
		good, bad = append(good, strings.TrimSpace(c[0])), append(bad, strings.TrimSpace(c[1]))
	}
	e := Explanation{
		Code: l.code, Why: l.why,
		Failing: Example{strings.Join(bad, "\n…\n"), broken, l.opts},
		Passing: Example{strings.Join(good, "\n…\n"), example, l.opts},
	}
	if l.shown != "" {
		e.Failing.Excerpt = l.shown
	}
	return e
}

// change is the list of one change.
func change(from, to string) [][2]string { return [][2]string{{from, to}} }
