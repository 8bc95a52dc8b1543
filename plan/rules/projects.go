package rules

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"git-okstra/plan"
)

// maxProjects bounds the pairs that are asked for; a plan has a handful.
const maxProjects = 50

// checkProjects is P8.
func checkProjects(c *checker) {
	projects := c.projects()
	if len(projects) < 2 {
		return
	}
	offset := c.doc.Headings[c.stages.heading].Offset
	const hint = "under the Stage Map write Cross-project parallelism: with a clause for each pair, such as api ↔ web: after stage 1; api ↔ ops: free"
	line, found := c.parallelismLine()
	if !found {
		c.fail("P8", offset, fmt.Sprintf("the titles carry %d projects, and the line Cross-project parallelism: is missing", len(projects)), hint)
		return
	}
	if len(projects) > maxProjects {
		c.fail("P8", offset, fmt.Sprintf("the titles carry %d projects, too many to judge every pair", len(projects)), "split the plan")
		return
	}
	named := namedPairs(line.Value, projects)
	var missing []string
	for i, a := range projects {
		for _, b := range projects[i+1:] {
			if !named[[2]string{a, b}] {
				missing = append(missing, a+" ↔ "+b)
			}
		}
	}
	if len(missing) > 0 {
		c.add(Finding{
			Code: "P8", Severity: Error, Pos: line.Pos, Hint: hint,
			Message: "Cross-project parallelism: does not name every pair of projects; missing: " + plan.Quote(strings.Join(missing, ", ")),
		})
	}
}

// projects gives the tags of the titles in lower case, sorted.
func (c *checker) projects() []string {
	var out []string
	seen := map[string]bool{}
	for _, r := range c.stages.rows {
		for _, tag := range tags(r.title) {
			if !seen[tag] {
				seen[tag] = true
				out = append(out, tag)
			}
		}
	}
	slices.Sort(out)
	return out
}

// tags reads the words in brackets at the head of a title.
func tags(title string) []string {
	var out []string
	for {
		rest, ok := strings.CutPrefix(title, "[")
		tag, after, closed := strings.Cut(rest, "]")
		if tag = strings.TrimSpace(tag); !ok || !closed || tag == "" {
			return out
		}
		out = append(out, strings.ToLower(tag))
		title = strings.TrimSpace(after)
	}
}

// parallelismLine joins the Cross-project lines of the map's section.
func (c *checker) parallelismLine() (line plan.Token, found bool) {
	for _, t := range c.doc.TokensIn(c.mapSpan(c.stages.heading)) {
		if t.Key != plan.CrossProject {
			continue
		}
		if found {
			line.Value += "; " + t.Value
			continue
		}
		line, found = t, true
	}
	return line, found
}

// namedPairs gives the pairs of projects that stand next to each other in a
// clause of the text, each in order.
func namedPairs(text string, projects []string) map[[2]string]bool {
	byLength := slices.Clone(projects)
	slices.SortFunc(byLength, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	pairs := map[[2]string]bool{}
	for _, clause := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return strings.ContainsRune(";,，、。；", r) }) {
		last := ""
		for at := 0; at < len(clause); {
			p := projectAt(clause, at, byLength)
			if p == "" {
				at++
				continue
			}
			if last != "" && last != p {
				pairs[[2]string{min(last, p), max(last, p)}] = true
			}
			last, at = p, at+len(p)
		}
	}
	return pairs
}

// projectAt gives the longest project that stands at a place. A hyphen may
// join it to another project, not to any other word: api-web, but not api-docs.
func projectAt(s string, at int, byLength []string) string {
	p := wordAt(s, at, byLength)
	next := at + len(p)
	if p != "" && next+1 < len(s) && s[next] == '-' && alnum(s[next+1]) && wordAt(s, next+1, byLength) == "" {
		return ""
	}
	return p
}

// wordAt gives the longest project that stands at a place as a word; letters
// of another script may follow it, as particles do.
func wordAt(s string, at int, byLength []string) string {
	for _, p := range byLength {
		if !strings.HasPrefix(s[at:], p) || at > 0 && alnum(s[at-1]) && alnum(p[0]) {
			continue
		}
		if end := at + len(p); end == len(s) || !alnum(s[end]) || !alnum(p[len(p)-1]) {
			return p
		}
	}
	return ""
}

// checkRoots is P9.
func checkRoots(c *checker) {
	roots := c.roots()
	if len(roots) == 0 {
		return
	}
	c.each(func(r *mapRow, s *section) {
		first := ""
		for _, f := range s.files {
			root, ok := rootOf(f.Path, roots)
			switch {
			case f.Outside || !ok:
				continue
			case first == "":
				first = root
			case root != first:
				c.warn("P9", f.Offset, fmt.Sprintf("stage %d has files of more than one project: %s lies in %s, another in %s",
					r.number, plan.Quote(f.Path), plan.Quote(root), plan.Quote(first)), "split the stage by project")
				return
			}
		}
	})
}

// roots gives the folders of the configured projects, the deepest first.
func (c *checker) roots() []string {
	var out []string
	for _, root := range c.opts.ProjectRoots {
		clean := path.Clean(strings.TrimSpace(root))
		if strings.TrimSpace(root) != "" && !strings.HasPrefix(clean, "/") && clean != ".." && !strings.HasPrefix(clean, "../") {
			out = append(out, clean)
		}
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	return slices.Compact(out)
}

// rootOf gives the deepest root that a file lies in.
func rootOf(file string, roots []string) (string, bool) {
	for _, root := range roots {
		if root != "." && strings.HasPrefix(file, root+"/") {
			return root, true
		}
	}
	return ".", slices.Contains(roots, ".")
}
