package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"git-okstra/plan"
)

// mention is one stage's first mention of a file.
type mention struct {
	row    int
	offset int
}

// group is a file with the stages that name it, in map order.
type group struct {
	file     string
	mentions []mention
}

// groups gives the files that two or more stages name, by name. A stage whose
// depends-on cannot be read is left out: nothing is known of its order.
func (c *checker) groups() []group {
	byFile := map[string]*group{}
	for i := range c.stages.rows {
		r := &c.stages.rows[i]
		if r.section < 0 || r.depsBad {
			continue
		}
		for _, f := range c.sections[r.section].files {
			if f.Outside {
				continue
			}
			g := byFile[f.Path]
			if g == nil {
				g = &group{file: f.Path}
				byFile[f.Path] = g
			}
			if n := len(g.mentions); n == 0 || g.mentions[n-1].row != i {
				g.mentions = append(g.mentions, mention{i, f.Offset})
			}
		}
	}
	var out []group
	for _, g := range byFile {
		if len(g.mentions) > 1 {
			out = append(out, *g)
		}
	}
	slices.SortFunc(out, func(a, b group) int { return cmp.Compare(a.file, b.file) })
	return out
}

// conflict is a pair of stages that name the same files.
type conflict struct {
	a, b   int // rows, a before b
	files  []string
	more   int // files beyond those named
	offset int // of the first file in b
}

// conflicts gathers pairs up to a bound: a file that ten thousand stages name
// makes fifty million of them.
type conflicts struct {
	at   map[[2]int]int
	list []conflict
	full bool
}

const shownFiles = 3

// add records that two stages name a file; false: the bound is reached.
func (p *conflicts) add(a, b mention, file string) bool {
	if a.row > b.row {
		a, b = b, a
	}
	key := [2]int{a.row, b.row}
	i, known := p.at[key]
	if !known {
		if len(p.list) == maxFindings {
			p.full = true
			return false
		}
		if p.at == nil {
			p.at = map[[2]int]int{}
		}
		i = len(p.list)
		p.at[key] = i
		p.list = append(p.list, conflict{a: a.row, b: b.row, offset: b.offset})
	}
	if len(p.list[i].files) < shownFiles {
		p.list[i].files = append(p.list[i].files, file)
	} else {
		p.list[i].more++
	}
	return true
}

// checkIndependent is S9, its error: no path joins two stages that depend on
// nothing, so every pair in a group counts.
func checkIndependent(c *checker) {
	var pairs conflicts
	for _, g := range c.groups() {
		free := slices.DeleteFunc(slices.Clone(g.mentions), func(m mention) bool { return !c.independent(m.row) })
		for j := 1; j < len(free) && !pairs.full; j++ {
			for i := 0; i < j; i++ {
				if !pairs.add(free[i], free[j], g.file) {
					break
				}
			}
		}
	}
	c.reportPairs(&pairs, Error, "both depend on nothing and start at the same time")
}

func (c *checker) independent(row int) bool { return len(c.stages.rows[row].deps) == 0 }

// checkParallel is S9, its warnings.
func checkParallel(c *checker) {
	c.outsideFiles()
	severity := Warning
	if c.opts.Strict {
		severity = Error
	}
	var pairs conflicts
	newReach(c.graph, c.groups()).unordered(func(a, b mention, file string) bool {
		if c.independent(a.row) && c.independent(b.row) {
			return true // checkIndependent has it
		}
		return pairs.add(a, b, file)
	})
	c.reportPairs(&pairs, severity, "no path of dependencies joins them, so they can run in parallel")
}

func (c *checker) reportPairs(pairs *conflicts, severity Severity, why string) {
	for _, p := range pairs.list {
		a, b := c.stages.rows[p.a].number, c.stages.rows[p.b].number
		c.add(Finding{
			Code: "S9", Severity: severity, Pos: c.doc.Position(p.offset),
			Message: fmt.Sprintf("stages %d and %d both name %s; %s", a, b, p.names(), why),
			Hint:    fmt.Sprintf("let stage %d depend on stage %d, or give the file to one of them", b, a),
		})
	}
	if pairs.full { // one more than is listed: add says that there is a rest
		c.add(Finding{Code: "S9", Severity: severity, Pos: c.doc.Headings[c.stages.heading].Pos})
	}
}

func (p conflict) names() string {
	quoted := make([]string, 0, shownFiles)
	for _, f := range p.files {
		quoted = append(quoted, plan.Quote(f))
	}
	s := strings.Join(quoted, ", ")
	if p.more > 0 {
		s += fmt.Sprintf(" and %d more", p.more)
	}
	return s
}

// outsideFiles reports paths that leave the repository.
func (c *checker) outsideFiles() {
	c.each(func(r *mapRow, s *section) {
		for _, f := range s.files {
			if f.Outside {
				c.add(Finding{
					Code: "S9", Severity: Warning, Stage: r.number, Pos: c.doc.Position(f.Offset),
					Message: fmt.Sprintf("the Exit Contract of stage %d names %s, which leaves the repository", r.number, plan.Quote(f.Path)),
					Hint:    "name files below the repository's root",
				})
			}
		}
	})
}
