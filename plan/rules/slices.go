package rules

import (
	"fmt"
	"strings"

	"git-okstra/plan"
)

// demand asks each stage for a token line that says something (S10a, S10b, S10d).
func (c *checker) demand(code string, key plan.TokenKey) {
	c.each(func(r *mapRow, s *section) { c.demandOf(code, key, r, s) })
}

func (c *checker) demandOf(code string, key plan.TokenKey, r *mapRow, s *section) {
	tokens := s.of(key)
	for _, t := range tokens {
		if !t.Empty() {
			return
		}
	}
	pos, wrong := c.doc.Headings[s.heading].Pos, "is missing"
	if len(tokens) > 0 {
		pos, wrong = tokens[0].Pos, "says nothing: "+plan.Quote(tokens[0].Value)
	}
	c.add(Finding{
		Code: code, Severity: Error, Stage: r.number, Pos: pos,
		Message: fmt.Sprintf("in stage %d the line %s: %s", r.number, key, wrong),
		Hint:    "write " + string(key) + ": and what it is, on a line of its own",
	})
}

// of gives the stage's token lines of a key.
func (s *section) of(key plan.TokenKey) []plan.Token {
	var out []plan.Token
	for _, t := range s.tokens {
		if t.Key == key {
			out = append(out, t)
		}
	}
	return out
}

// exempt reports whether a stage says why it is not built test first.
func (s *section) exempt() bool {
	for _, t := range s.of(plan.TDDExemption) {
		if !t.Empty() {
			return true
		}
	}
	return false
}

// checkRedGreen is S10c.
func checkRedGreen(c *checker) {
	const hint = "begin the first step's action with RED: and a later one's with GREEN:, or write TDD exemption: and a reason"
	c.each(func(r *mapRow, s *section) {
		red := strings.HasPrefix(s.first.text, "RED:")
		if red && s.green || s.exempt() {
			return
		}
		message := fmt.Sprintf("in stage %d no step after the first begins with GREEN:", r.number)
		switch {
		case s.steps == 0:
			message = fmt.Sprintf("stage %d has no step that begins with RED: or GREEN:", r.number)
		case !red:
			message = fmt.Sprintf("the first step of stage %d is %s and does not begin with RED:", r.number, plan.Quote(s.first.text))
		}
		c.report("S10c", r.number, c.stepsAt(s), message, hint)
	})
}

// stepsAt is where a finding about a stage's steps stands: at the first one's
// action, else at the heading that is nearest.
func (c *checker) stepsAt(s *section) int {
	if s.steps > 0 {
		return s.first.start
	}
	if i, ok := s.parts[partSteps]; ok {
		return c.doc.Headings[i].Offset
	}
	return c.doc.Headings[s.heading].Offset
}

// checkCases is S10d.
func checkCases(c *checker) {
	c.each(func(r *mapRow, s *section) {
		if s.exempt() {
			return
		}
		for _, key := range []plan.TokenKey{plan.TestSuccess, plan.TestBoundary, plan.TestFailure} {
			c.demandOf("S10d", key, r, s)
		}
	})
}
