package rules

import (
	"slices"
	"strings"
	"unicode/utf8"

	"git-okstra/plan"
)

// verification is what the chapters of Plan Body Verification say.
type verification struct {
	headings []int
	dissents []dissent
}

// dissent is a verdict of the class majority-disagree.
type dissent struct {
	text  string
	start int
	ids   []string // the clarification rows that it names
}

const (
	partVerification = "Plan Body Verification"
	majorityDisagree = "majority-disagree"
)

// readVerification finds the level-3 headings "<number>.9 Plan Body
// Verification". A second one counts too: no passing copy hides a blocked one.
func (c *checker) readVerification() {
	title := c.rules.number + ".9 " + partVerification
	for i, h := range c.doc.Headings {
		if h.Level != 3 || !titled(h.Text, title) {
			continue
		}
		c.verification.headings = append(c.verification.headings, i)
		c.readVerdicts(c.doc.Section(i))
	}
}

func (c *checker) readVerdicts(span plan.Span) {
	t, ok := c.firstTable(span)
	if !ok {
		return
	}
	column := c.column(t, "Classification")
	if column < 0 {
		return
	}
	for _, r := range t.Rows {
		more := min(c.doc.CellCount(r)-c.doc.CellCount(t.Header), maxMoved)
		cell, _ := c.movedCell(r, column, more, func(s string) bool { return titled(s, majorityDisagree) })
		if rest, ok := strings.CutPrefix(cell.Text, majorityDisagree); ok && titled(cell.Text, majorityDisagree) {
			d := dissent{text: cell.Text, start: cell.Start, ids: namedQuestions(rest)}
			c.verification.dissents = append(c.verification.dissents, d)
		}
	}
}

var arrows = strings.NewReplacer("→", " ", "->", " ", "=>", " ", ",", " ")

// namedQuestions reads "→ C-1, C-2". What else stands there, such as a remark
// in parentheses or a full stop, is a name only where no C-<N> is.
func namedQuestions(s string) []string {
	words := strings.FieldsFunc(s, func(r rune) bool { return r != '-' && (r >= utf8.RuneSelf || !alnum(byte(r))) })
	ids := slices.DeleteFunc(words, func(w string) bool { return !questionID(w) })
	if len(ids) > 0 {
		return ids
	}
	return strings.Fields(arrows.Replace(s))
}

// questionID reports whether s has the form C-<N>.
func questionID(s string) bool {
	number, ok := strings.CutPrefix(s, "C-")
	return ok && number != "" && strings.Trim(number, "0123456789") == ""
}

// gates are the results that let a plan pass, and those that do not.
var gates = map[string]bool{
	"passed": true, "passed-with-dissent": true,
	"blocked-by-disagreement": false, "aborted-non-result": false,
}

// checkGate is P5, its error.
func checkGate(c *checker) {
	const hint = "a plan passes with Gate result: passed or passed-with-dissent"
	for _, i := range c.verification.headings {
		h, found := c.doc.Headings[i], false
		for _, t := range c.doc.TokensIn(c.doc.Section(i)) {
			if t.Key != plan.GateResult || c.capped("P5") {
				continue
			}
			found = true
			passes, known := gates[t.Value]
			switch {
			case !known:
				c.add(Finding{Code: "P5", Severity: Error, Pos: t.Pos, Message: "the gate result " + plan.Quote(t.Value) + " is none that is known", Hint: hint})
			case !passes:
				c.add(Finding{Code: "P5", Severity: Error, Pos: t.Pos, Message: "the gate result is " + plan.Quote(t.Value), Hint: "mend what the verdicts object to and verify again"})
			}
		}
		if !found {
			c.fail("P5", h.Offset, plan.Quote(h.Text)+" has no line Gate result:", hint)
		}
	}
}

// checkVerified is P5, its warning.
func checkVerified(c *checker) {
	if len(c.verification.headings) > 0 {
		return
	}
	want := c.rules.number + ".9 " + partVerification
	offset, hint := 0, "add ### "+want+" with its verdicts and gate result"
	if i := c.chapter(partVerification); i >= 0 {
		h := c.doc.Headings[i]
		offset, hint = h.Offset, "write "+plan.Quote(h.Text)+" as ### "+want
	}
	c.warn("P5", offset, "there is no level-3 heading "+plan.Quote(want), hint)
}

// checkDissent is P6, its error.
func checkDissent(c *checker) {
	blocking := map[string]bool{}
	for _, q := range c.questions {
		if q.blocks() {
			blocking[q.id] = true
		}
	}
	for _, d := range c.verification.dissents {
		if len(d.ids) == 0 {
			c.fail("P6", d.start, "the verdict "+plan.Quote(d.text)+" names no clarification row",
				"write "+majorityDisagree+" → C-<N> and add the row C-<N>")
		}
		for _, id := range d.ids {
			if !blocking[id] {
				c.fail("P6", d.start, "the verdict "+plan.Quote(d.text)+" names "+plan.Quote(id)+", which is no clarification row that blocks approval",
					"add the row under Clarification Items, with approval in the column Blocks")
			}
		}
	}
}

// checkUnnamed is P6, its warning.
func checkUnnamed(c *checker) {
	named := map[string]bool{}
	for _, d := range c.verification.dissents {
		for _, id := range d.ids {
			named[id] = true
		}
	}
	for _, q := range c.questions {
		if q.blocks() && !named[q.id] {
			c.warn("P6", q.named, "no verdict names the clarification row "+plan.Quote(q.id)+", which blocks approval",
				"nothing is wrong if it stems from the ambiguity check")
		}
	}
}
