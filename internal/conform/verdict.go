package conform

import (
	"hash/maphash"
	"slices"
	"strings"
)

// verdict is what is kept of a file until it is known which of its lines moved.
type verdict struct {
	path  string
	why   string // not judged, or not whole
	lines []held
	found []found
	texts []string   // of the first lines, where a path rule may name one
	paths [2][]*Rule // the path rules for the file before and after
	names [2]string
}

// held is a changed line.
type held struct {
	key   uint64 // 0 for a line without code
	line  int32
	added bool
	void  bool
}

func (l held) side() int {
	if l.added {
		return 1
	}
	return 0
}

// found is a rule that fits a line, which may turn out to have only moved.
type found struct {
	line int // index of the held line
	rule *Rule
	text string
}

// tooLarge is what is said of a file whose part of the diff is above maxFile.
const tooLarge = "too large: judged by its path alone"

// Unreadable is what is said of a file of a known language whose lines git does not show:
// there is a NUL in it, or an attribute says so.
const Unreadable = "binary: judged by its path alone"

// tooSlow is what is said of a file whose source takes the lexer too long.
const tooSlow = "too slow to read: judged with its comments"

// verdictOf judges one file on its own; nil where nothing can be said of it.
func (r *Rules) verdictOf(f FileDiff, attrs Attributes, watch func() func() bool) (*verdict, error) {
	if len(f.Hunks) == 0 && !f.Binary && !f.Large {
		return nil, nil // a mode, an empty file, or a rename
	}
	f = cleared(f)
	v := &verdict{path: f.Path(), names: [2]string{f.Old, f.New}}
	if v.why = r.why(f, attrs); v.why != "" {
		return v, nil
	}
	v.paths[0] = r.pathRules(f.Old)
	if v.paths[1] = v.paths[0]; f.New != f.Old {
		v.paths[1] = r.pathRules(f.New)
	}
	if f.Large || f.Binary {
		v.why = tooLarge
		if f.Binary {
			v.why = Unreadable
		}
		v.lines = []held{{key: 1, line: 1, added: f.New != ""}}
		return v, nil
	}
	over := func() bool { return false }
	if watch != nil {
		over = watch()
	}
	j, err := r.read(f, over)
	if err != nil {
		return nil, err
	}
	if j.slow {
		v.why = tooSlow
	}
	r.fill(v, j)
	return v, nil
}

func (r *Rules) pathRules(path string) []*Rule {
	var out []*Rule
	path = folded(path)
	for i := range r.List {
		if rule := &r.List[i]; path != "" && rule.Kind == kindPath && rule.paths().MatchString(path) && !rule.unlessFits(path) {
			out = append(out, rule)
		}
	}
	return out
}

// fill takes over the lines of a file and what the rules say of them.
func (r *Rules) fill(v *verdict, j *judged) {
	v.lines = make([]held, len(j.changes))
	var x *index
	var names *bindings
	if j.language != nil {
		x = r.indexOf(j.language)
		names = x.bind(j.language, j.diff.Hunks)
	}
	for i := range j.changes {
		c := &j.changes[i]
		v.lines[i] = held{line: int32(min(c.line, 1<<30)), added: c.side == Added, void: c.void} //nolint:gosec // bounded
		if i < mostTexts && len(v.paths[v.lines[i].side()]) > 0 {
			v.texts = append(v.texts, strings.Clone(strings.TrimSpace(c.raw)))
		} else if i < mostTexts {
			v.texts = append(v.texts, "")
		}
		if c.empty() {
			continue
		}
		v.lines[i].key = max(maphash.String(seed, c.key()), 1)
		if c.void || x == nil {
			continue
		}
		had := map[Surface]bool{}
		x.fits(c, names, j.language, func(rule *Rule) {
			if !had[rule.Surface] {
				had[rule.Surface] = true
				v.found = append(v.found, found{i, rule, strings.Clone(strings.TrimSpace(c.raw))})
			}
		})
	}
}

// touches is what stands of a file, once it is known which lines moved.
func (v *verdict) touches() []Touch {
	var out []Touch
	said := map[Surface]bool{} // of the path
	n := 0
	for i, l := range v.lines {
		var here []found
		for n < len(v.found) && v.found[n].line == i {
			here = append(here, v.found[n])
			n++
		}
		if l.void || l.key == 0 {
			continue
		}
		side, path := Removed, v.names[0]
		if l.added {
			side, path = Added, v.names[1]
		}
		had := map[Surface]bool{}
		for _, rule := range v.paths[l.side()] {
			if !said[rule.Surface] {
				said[rule.Surface], had[rule.Surface] = true, true
				out = append(out, Touch{rule.Surface, path, int(l.line), side, rule.ID, v.textOf(i)})
			}
		}
		for _, f := range here {
			if !had[f.rule.Surface] {
				out = append(out, Touch{f.rule.Surface, path, int(l.line), side, f.rule.ID, f.text})
			}
		}
	}
	return out
}

func (v *verdict) textOf(i int) string {
	if i < len(v.texts) {
		return v.texts[i]
	}
	return ""
}

// fits calls do for the rules that a changed line fits, the surest first.
func (x *index) fits(c *change, names *bindings, l *Language, do func(*Rule)) {
	for _, lit := range c.literals {
		for _, rule := range lit.rules(x) {
			do(rule)
		}
	}
	if strings.TrimSpace(c.code) != "" {
		for _, module := range l.modulesOf(c.full) {
			each(x.rulesFor(module), do)
		}
	}
	x.fitsCode(c.code, c.full, names, do)
	if strings.Trim(c.code, "\" \t,;)+.") != "" {
		x.argument.each(c.full, func(rule *Rule, _ *part) {
			if !rule.unlessFits(c.full) {
				do(rule)
			}
		})
	}
	for _, head := range c.heads {
		x.fitsCode(head, head, names, do)
	}
}

// fitsCode calls do for the rules that code fits, full is with its literals.
func (x *index) fitsCode(code, full string, names *bindings, do func(*Rule)) {
	x.code.each(code, func(rule *Rule, p *part) {
		if (rule.Kind != kindNear || names.near[rule.Surface]) && !rule.unlessFits(full) && !names.deny(rule, p, code) {
			do(rule)
		}
	})
	names.uses(code, func(rule *Rule) {
		if !rule.unlessFits(full) {
			do(rule)
		}
	})
}

// rules are those that a whole literal fits; it may be on many lines, and is tried once.
func (lit *literal) rules(x *index) []*Rule {
	if !lit.tried {
		lit.tried = true
		x.sql.each(lit.text, func(rule *Rule, _ *part) {
			if !slices.Contains(lit.fit, rule) && !rule.unlessFits(lit.text) {
				lit.fit = append(lit.fit, rule)
			}
		})
	}
	return lit.fit
}
