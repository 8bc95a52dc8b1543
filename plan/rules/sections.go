package rules

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"git-okstra/plan"
)

// parts are the level-3 headings that each stage section has.
var parts = []string{partCarryIn, partSteps, partContract, partValidation}

const (
	partCarryIn    = "Carry-In"
	partSteps      = "Stepwise Execution Order"
	partContract   = "Stage Exit Contract"
	partValidation = "Stage Validation"
)

// section is a level-2 heading of the form "<number>.<n> Stage <n>: <title>"
// with what belongs to it.
type section struct {
	heading int // index in the document's headings
	number  plan.StageNumber
	title   string
	span    plan.Span
	parts   map[string]int // part → its heading's index, the first of its name
	tokens  []plan.Token   // all in the section
	steps   int            // effective steps
	first   cell           // action of the first effective step
	green   bool           // a later one's action begins with GREEN:
	files   []plan.FileRef // of the Exit Contract
}

// sectionHeading is what a heading says about a stage. outer and inner differ
// in a heading such as "5.5.2 Stage 3: x", which is no section of either.
type sectionHeading struct {
	outer, inner plan.StageNumber
	title        string
}

// parseSectionHeading reads a section's heading; ok: it has that form.
func parseSectionHeading(text, number string) (h sectionHeading, ok bool) {
	rest, ok := strings.CutPrefix(text, number+".")
	if !ok {
		return h, false
	}
	outer, rest, ok := strings.Cut(rest, " Stage ")
	if !ok {
		return h, false
	}
	inner, title, ok := strings.Cut(rest, ":")
	if !ok {
		return h, false
	}
	h = sectionHeading{stageNumber(outer), stageNumber(inner), strings.TrimSpace(title)}
	return h, h.outer > 0 && h.inner > 0
}

// wordRune reports whether the text begins with a letter or digit.
func wordRune(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLetter(r) || unicode.IsNumber(r)
}

// readSections finds the stage sections and ties the first of each number to
// its row. Sections that have no row keep their place for S3.
func (c *checker) readSections() {
	taken, extra := map[plan.StageNumber]bool{}, 0
	for i, h := range c.doc.Headings {
		if h.Level != 2 {
			continue
		}
		sh, ok := parseSectionHeading(h.Text, c.rules.number)
		if !ok || sh.outer != sh.inner {
			continue
		}
		s := section{heading: i, number: sh.inner, title: sh.title, span: c.doc.Section(i)}
		if row, listed := c.stages.byStage[s.number]; listed && !taken[s.number] {
			taken[s.number] = true
			s.tokens = c.doc.TokensIn(s.span)
			c.readParts(&s)
			c.stages.rows[row].section = len(c.sections)
		} else if extra++; extra > maxFindings+1 {
			continue // S3 lists no more of them
		}
		c.sections = append(c.sections, s)
	}
}

// readParts finds the parts of a section and counts its steps.
func (c *checker) readParts(s *section) {
	s.parts = map[string]int{}
	from, to := c.doc.HeadingsIn(s.span)
	for i := from; i < to; i++ {
		h := c.doc.Headings[i]
		for _, p := range parts {
			if _, known := s.parts[p]; !known && h.Level == 3 && titled(h.Text, p) {
				s.parts[p] = i
			}
		}
	}
	if i, ok := s.parts[partSteps]; ok {
		c.readSteps(s, c.doc.Section(i))
	}
	if i, ok := s.parts[partContract]; ok {
		s.files = c.doc.Files(c.doc.Section(i))
	}
}

// readSteps reads the effective steps: the rows of the first table that say
// anything.
func (c *checker) readSteps(s *section, span plan.Span) {
	t, ok := c.firstTable(span)
	if !ok {
		return
	}
	action := c.column(t, "action")
	if action < 0 {
		action = 1 // where the form has it
	}
	for _, r := range t.Rows {
		if c.doc.Blank(r) {
			continue
		}
		if s.steps++; s.steps == 1 {
			s.first = cell{start: r.Start()}
			if a, ok := c.doc.Cell(r, action); ok {
				s.first = cell{a.Text, a.Start}
			}
		} else if !s.green {
			s.green = strings.HasPrefix(c.text(r, action), "GREEN:")
		}
	}
}

// firstTable gives the first table that begins in the span. Tables in lists
// and quotes are examples.
func (c *checker) firstTable(span plan.Span) (plan.Table, bool) {
	for _, t := range c.doc.TablesIn(span) {
		if !t.Nested {
			return t, true
		}
	}
	return plan.Table{}, false
}

// column finds a column by its name in any case, -1 if there is none.
func (c *checker) column(t plan.Table, name string) int {
	return slices.IndexFunc(c.doc.Cells(t.Header), func(h plan.Cell) bool { return strings.EqualFold(h.Text, name) })
}

// each calls f for every row that has a section.
func (c *checker) each(f func(*mapRow, *section)) {
	for i := range c.stages.rows {
		if r := &c.stages.rows[i]; r.section >= 0 {
			f(r, &c.sections[r.section])
		}
	}
}
