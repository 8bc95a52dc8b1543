package conform

import (
	"cmp"
	"slices"
	"strings"
)

// Touch is a place where a diff touches a surface.
type Touch struct {
	Surface Surface `json:"surface"`
	Path    string  `json:"path"`
	Line    int     `json:"line"` // in the file of that side
	Side    Side    `json:"side"`
	Rule    string  `json:"rule"`
	Text    string  `json:"text"` // the line without the blanks around it
}

// Ignored is a changed file that was not judged, or whose changes count for nothing.
type Ignored struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// Attributes are what gitattributes say of a path.
type Attributes struct {
	Generated, Vendored, Documentation bool
	// Known tells which of them are set or unset: an explicit no beats known names.
	NotGenerated, NotVendored, NotDocumentation bool
}

// Findings is what a diff touches. A line is there at most once for each surface, with
// the first rule that fits.
type Findings struct {
	Touches []Touch
	Ignored []Ignored
}

// Surfaces lists the surfaces that are touched, in order.
func (f Findings) Surfaces() []Surface {
	var out []Surface
	for _, s := range Surfaces() {
		if slices.ContainsFunc(f.Touches, func(t Touch) bool { return t.Surface == s }) {
			out = append(out, s)
		}
	}
	return out
}

// Touches judges a diff. attrs gives what gitattributes say of a path; nil is nothing.
func (r *Rules) Touches(diff []FileDiff, attrs func(path string) Attributes) (Findings, error) {
	var out Findings
	var judged []*judged
	for _, f := range diff {
		if len(f.Hunks) == 0 && !f.Binary {
			continue // a mode, an empty file, or a rename
		}
		if why := r.why(f, attrs); why != "" {
			out.Ignored = append(out.Ignored, Ignored{f.Path(), why})
			continue
		}
		j, err := r.read(f)
		if err != nil {
			return out, err
		}
		judged = append(judged, j)
	}
	cancelMoved(judged)
	for _, j := range judged {
		touches := r.judge(j)
		out.Touches = append(out.Touches, touches...)
		if len(touches) == 0 && !j.effective() {
			out.Ignored = append(out.Ignored, Ignored{j.diff.Path(), "comments, blanks and moved lines"})
		}
	}
	slices.SortStableFunc(out.Touches, func(a, b Touch) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), strings.Compare(string(a.Side), string(b.Side)))
	})
	slices.SortStableFunc(out.Ignored, func(a, b Ignored) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

// judge applies the rules to what is left of a file.
func (r *Rules) judge(j *judged) []Touch {
	var out []Touch
	had := map[string]bool{} // surface alone: a path of it was said; with side and line: that line was
	add := func(c change, rule *Rule, once bool) {
		line := string(rule.Surface) + ":" + string(c.side) + c.number()
		if had[line] || once && had[string(rule.Surface)] {
			return
		}
		had[line] = true
		if once {
			had[string(rule.Surface)] = true
		}
		out = append(out, Touch{rule.Surface, j.path(c), c.line, c.side, rule.ID, strings.TrimSpace(c.raw)})
	}
	for _, c := range j.changes {
		if c.void || c.empty() {
			continue
		}
		for i := range r.List {
			if rule := &r.List[i]; rule.Kind == kindPath && rule.paths.MatchString(j.path(c)) && !rule.unlessFits(j.path(c)) {
				add(c, rule, true)
			}
		}
		if j.language == nil {
			continue
		}
		for _, rule := range r.byLang[j.language.Name] {
			if rule.fits(j.language, c) {
				add(c, rule, false)
			}
		}
	}
	return out
}

func (rule *Rule) unlessFits(s string) bool { return rule.unless != nil && rule.unless.MatchString(s) }

// fits reports whether a rule is for a changed line.
func (rule *Rule) fits(l *Language, c change) bool {
	switch rule.Kind {
	case kindImport:
		return slices.ContainsFunc(l.modulesOf(c), func(m string) bool {
			return (rule.modules != nil && rule.modules.MatchString(m) || rule.pattern != nil && rule.pattern.MatchString(m)) && !rule.unlessFits(m)
		})
	case kindCall:
		return rule.pattern.MatchString(c.code) && !rule.unlessFits(c.full)
	case kindArgument:
		return strings.Trim(c.code, "\" \t,;)+.") != "" && rule.pattern.MatchString(c.full) && !rule.unlessFits(c.full)
	case kindSQL:
		return slices.ContainsFunc(c.literals, func(s string) bool { return rule.pattern.MatchString(s) && !rule.unlessFits(s) })
	}
	return false
}

// modulesOf is what a line imports.
func (l *Language) modulesOf(c change) []string {
	if strings.TrimSpace(c.code) == "" {
		return nil
	}
	var out []string
	for _, re := range l.imports {
		for _, m := range re.FindAllStringSubmatch(c.full, -1) {
			out = append(out, m[1])
			if len(m) < 3 {
				continue
			}
			for name := range strings.FieldsFuncSeq(m[2], func(r rune) bool { return strings.ContainsRune("{}(), \t;", r) }) {
				out = append(out, strings.TrimSuffix(m[1], l.Separator)+l.Separator+name)
			}
		}
	}
	return out
}
