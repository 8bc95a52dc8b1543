package rules

import (
	"fmt"
	"slices"

	"git-okstra/plan"
)

// report adds an error of a stage at an offset.
func (c *checker) report(code string, stage plan.StageNumber, offset int, message, hint string) {
	c.add(Finding{
		Code: code, Severity: Error, Stage: stage, Pos: c.doc.Position(offset), Message: message, Hint: hint,
	})
}

// count says how many there are of something.
func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// checkNumbers is S2.
func checkNumbers(c *checker) {
	for i, r := range c.stages.rows {
		if r.number == plan.StageNumber(i+1) || c.capped("S2") {
			continue
		}
		message := fmt.Sprintf("row %d of the Stage Map carries the stage number %s, not %d", i+1, plan.Quote(r.label), i+1)
		if first, ok := c.stages.byStage[r.number]; ok && first != i {
			message += fmt.Sprintf("; line %d has it already", c.doc.Position(c.stages.rows[first].start).Line)
		}
		c.report("S2", r.number, r.start, message,
			"number the rows 1, 2, 3 … in order, and the sections with them")
	}
}

// checkSections is S3, its errors.
func checkSections(c *checker) {
	c.missingSections()
	seen := map[plan.StageNumber]int{} // line of the first
	for _, s := range c.sections {
		h := c.doc.Headings[s.heading]
		_, listed := c.stages.byStage[s.number]
		switch {
		case !listed:
			c.report("S3", s.number, h.Offset, "the Stage Map does not list the stage of the section "+plan.Quote(h.Text),
				"add a row for it or remove the section")
		case seen[s.number] > 0:
			c.report("S3", s.number, h.Offset,
				fmt.Sprintf("stage %d has a second section, %s; the first stands in line %d", s.number, plan.Quote(h.Text), seen[s.number]),
				"keep one section for each stage")
		default:
			seen[s.number] = h.Pos.Line
		}
	}
}

// missingSections reports stages without a section, and headings that name two
// different stages, unless that is why a stage has none.
func (c *checker) missingSections() {
	odd := c.oddHeadings()
	for _, r := range c.stages.rows {
		if !r.first || r.section >= 0 || c.capped("S3") {
			continue
		}
		want := fmt.Sprintf("%s.%d Stage %d: ", c.rules.number, r.number, r.number)
		hint := "add the heading ## " + want + "with the stage's title"
		if i, ok := odd[r.number]; ok {
			hint = "write the heading " + plan.Quote(c.doc.Headings[i].Text) + " with the same number twice"
			delete(odd, r.number)
		}
		c.report("S3", r.number, r.start,
			fmt.Sprintf("stage %d %s has no level-2 heading %s", r.number, plan.Quote(r.title), plan.Quote(want+"…")), hint)
	}
	for _, n := range sortedKeys(odd) {
		h := c.doc.Headings[odd[n]]
		c.report("S3", n, h.Offset, "the heading "+plan.Quote(h.Text)+" carries two different stage numbers",
			"write the same number in both places")
	}
}

// oddHeadings gives, for the stage they name, the section headings whose two
// numbers differ.
func (c *checker) oddHeadings() map[plan.StageNumber]int {
	odd := map[plan.StageNumber]int{}
	for i, h := range c.doc.Headings {
		if h.Level != 2 {
			continue
		}
		if sh, ok := parseSectionHeading(h.Text, c.rules.number); ok && sh.outer != sh.inner {
			odd[sh.inner] = i
		}
	}
	return odd
}

func sortedKeys(m map[plan.StageNumber]int) []plan.StageNumber {
	keys := make([]plan.StageNumber, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// checkTitles is S3, its warning.
func checkTitles(c *checker) {
	c.each(func(r *mapRow, s *section) {
		if r.title == s.title {
			return
		}
		c.add(Finding{
			Code: "S3", Severity: Warning, Stage: r.number, Pos: c.doc.Headings[s.heading].Pos,
			Message: fmt.Sprintf("stage %d is called %s here and %s in the Stage Map", r.number, plan.Quote(s.title), plan.Quote(r.title)),
			Hint:    "give it one title",
		})
	})
}

// checkParts is S4.
func checkParts(c *checker) {
	c.each(func(r *mapRow, s *section) {
		for _, p := range parts {
			if _, ok := s.parts[p]; !ok {
				c.report("S4", r.number, c.doc.Headings[s.heading].Offset,
					fmt.Sprintf("the section of stage %d has no level-3 heading %s", r.number, plan.Quote(p)),
					"add ### "+p)
			}
		}
	})
}

// checkCap is S5.
func checkCap(c *checker) {
	limit := c.rules.stepCap()
	c.each(func(r *mapRow, s *section) {
		if s.steps <= limit {
			return
		}
		at := c.doc.Headings[s.parts[partSteps]].Offset
		hint := "split the stage"
		if s.steps <= newCap {
			hint += fmt.Sprintf("; releases from 0.100.0 on allow %d steps: if the plan is written for one of them, name it in the front matter (okstra: …)", newCap)
		}
		c.report("S5", r.number, at, fmt.Sprintf("stage %d has %d steps, more than %d", r.number, s.steps, limit), hint)
	})
}

// checkDependencies is S6.
func checkDependencies(c *checker) {
	for _, r := range c.stages.rows {
		if r.depsBad {
			c.report("S6", r.number, r.depends.start,
				fmt.Sprintf("depends-on of stage %s is %s, no list of stage numbers", r.name(), plan.Quote(r.depends.text)),
				"write (none) or stage numbers separated by commas, such as 1, 2")
		}
		for _, d := range r.deps {
			if _, ok := c.stages.byStage[d]; !ok && !c.capped("S6") {
				c.report("S6", r.number, r.depends.start,
					fmt.Sprintf("stage %s depends on stage %d, which the Stage Map does not list", r.name(), d),
					"name a stage of the map or add its row")
			}
		}
	}
}

// checkCount is S7.
func checkCount(c *checker) {
	for _, r := range c.stages.rows {
		n, whole := wholeNumber(r.steps.text)
		switch {
		case c.capped("S7"):
			return
		case !whole:
			c.report("S7", r.number, r.steps.start,
				fmt.Sprintf("step-count of stage %s is %s, no whole number", r.name(), plan.Quote(r.steps.text)),
				"write the number of steps in the stage's table")
		case r.section >= 0 && n != c.sections[r.section].steps:
			steps := c.sections[r.section].steps
			c.report("S7", r.number, r.steps.start,
				fmt.Sprintf("step-count of stage %s is %s, but its section has %s", r.name(), plan.Quote(r.steps.text), count(steps, "effective step")),
				fmt.Sprintf("write %d, or mend the table of steps", steps))
		}
	}
}

// name is how messages call the stage of a row.
func (r mapRow) name() string { return plan.Quote(r.label) }

// plan gives the stages to those who use them, nil if there is no map.
func (c *checker) plan() *plan.Plan {
	if c.stages == nil {
		return nil
	}
	p := &plan.Plan{}
	for _, r := range c.stages.rows {
		if r.first {
			p.Stages = append(p.Stages, c.stage(r))
		}
	}
	return p
}

func (c *checker) stage(r mapRow) plan.Stage {
	s := plan.Stage{Number: r.number, Title: r.title, DependsOn: r.deps, Pos: c.doc.Position(r.start)}
	if r.section < 0 {
		return s
	}
	sec := &c.sections[r.section]
	s.Steps, s.Section = sec.steps, c.doc.Slice(sec.span)
	if i, ok := sec.parts[partContract]; ok {
		s.Contract = c.doc.Slice(c.doc.Section(i))
	}
	for _, f := range sec.files {
		if !f.Outside {
			s.Files = append(s.Files, f.Path)
		}
	}
	slices.Sort(s.Files)
	s.Files = slices.Compact(s.Files)
	return s
}
