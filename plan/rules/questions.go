package rules

import (
	"strings"

	"git-okstra/plan"
)

// question is a row of Clarification Items.
type question struct {
	id, blocking, status string
	named, start         int // where its id stands and where its status, else the row
}

const partQuestions = "Clarification Items"

// blocks reports whether the question keeps a plan from being approved.
func (q question) blocks() bool { return strings.EqualFold(q.blocking, "approval") }

// open reports whether it still does. An answer alone does not settle it.
func (q question) open() bool {
	return !strings.EqualFold(q.status, "resolved") && !strings.EqualFold(q.status, "obsolete")
}

// readQuestions reads the first table under Clarification Items.
func (c *checker) readQuestions() {
	at := c.questionsHeading()
	if at < 0 {
		return
	}
	t, ok := c.firstTable(c.doc.Section(at))
	if !ok {
		return
	}
	id, blocks, status := c.column(t, "ID"), c.column(t, "Blocks"), c.column(t, "Status")
	for _, r := range t.Rows {
		if c.doc.Blank(r) {
			continue
		}
		more := min(c.doc.CellCount(r)-c.doc.CellCount(t.Header), maxMoved)
		q := question{named: r.Start(), start: r.Start()}
		if s, ok := c.movedCell(r, blocks, more, func(s string) bool { return question{blocking: s}.blocks() }); ok {
			q.blocking = s.Text
		}
		if s, ok := c.movedCell(r, id, more, questionID); ok {
			q.id, q.named = s.Text, s.Start
		}
		if s, ok := c.movedCell(r, status, more, knownStatus); ok {
			q.status, q.start = s.Text, s.Start
		}
		c.questions = append(c.questions, q)
	}
}

// maxMoved bounds how far a pipe in a row's code is followed.
const maxMoved = 8

// movedCell gives the cell of a column. An unescaped pipe in a row's code moves
// the cells behind it to the right, out of their columns and off the page; a
// question that blocks approval must not be lost that way. Where a row has more
// cells than the header, the first that fits counts, else the column's own.
func (c *checker) movedCell(r plan.Row, column, more int, fits func(string) bool) (plan.Cell, bool) {
	own, ok := c.doc.Cell(r, column)
	for i := 1; ok && i <= more && !fits(own.Text); i++ {
		if cell, _ := c.doc.Cell(r, column+i); fits(cell.Text) {
			return cell, true
		}
	}
	return own, ok
}

func knownStatus(s string) bool {
	return !question{status: s}.open() || strings.EqualFold(s, "open") || strings.EqualFold(s, "answered")
}

// questionsHeading gives the chapter with this release's number; failing that,
// one with any number, for a question must not be lost to a renumbering.
func (c *checker) questionsHeading() int {
	title := c.rules.clarifications() + " " + partQuestions
	for i, h := range c.doc.Headings {
		if h.Level == 2 && titled(h.Text, title) {
			return i
		}
	}
	return c.chapter(partQuestions)
}

// text is the text of a row's cell, "" if the row has no such column.
func (c *checker) text(r plan.Row, column int) string {
	cell, _ := c.doc.Cell(r, column)
	return cell.Text
}

// openQuestions is P7, with the severity of the occasion.
func (c *checker) openQuestions(severity Severity, occasion bool) {
	for _, q := range c.questions {
		if !occasion || !q.blocks() || !q.open() {
			continue
		}
		c.add(Finding{
			Code: "P7", Severity: severity, Pos: c.doc.Position(q.start),
			Message: "the question " + plan.Quote(q.id) + " blocks approval and its status is " + plan.Quote(q.status),
			Hint:    "work the answer into the plan, then set the status to resolved, or to obsolete if it no longer matters",
		})
	}
}
