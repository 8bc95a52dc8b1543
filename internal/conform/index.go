package conform

import (
	"cmp"
	"slices"
	"strings"
)

// index is the rules of one language, sorted by what they look at.
type index struct {
	order    map[*Rule]int
	modules  map[string][]*Rule
	imports  []*Rule // that know modules by a pattern
	code     probes  // call and near
	argument probes
	sql      probes
	types    typeCache
}

// probes are the patterns of many rules, with the filter that says which to try.
type probes struct {
	filter *filter
	list   []probe
}

type probe struct {
	rule *Rule
	part *part
}

// indexOf gives the rules of a language; they are sorted when they are first needed.
func (r *Rules) indexOf(l *Language) *index {
	if kept, ok := r.byLang.Load(l.Name); ok {
		return kept.(*index) //nolint:forcetypeassert // only indexes are stored
	}
	x := &index{modules: map[string][]*Rule{}, order: map[*Rule]int{}}
	for i := range r.List {
		rule := &r.List[i]
		if len(rule.Languages) > 0 && !slices.Contains(rule.Languages, l.Name) {
			continue
		}
		x.order[rule] = i
		for _, m := range rule.Modules {
			x.modules[m] = append(x.modules[m], rule)
		}
		into := map[string]*probes{kindCall: &x.code, kindNear: &x.code, kindArgument: &x.argument, kindSQL: &x.sql}[rule.Kind]
		for j := range rule.parts {
			if into != nil {
				into.list = append(into.list, probe{rule, &rule.parts[j]})
			}
		}
		if rule.Kind == kindImport && len(rule.parts) > 0 {
			x.imports = append(x.imports, rule)
		}
	}
	for _, p := range []*probes{&x.code, &x.argument, &x.sql} {
		sources := make([]string, len(p.list))
		for i, probe := range p.list {
			sources[i] = probe.part.source
		}
		p.filter = newFilter(sources)
	}
	kept, _ := r.byLang.LoadOrStore(l.Name, x)
	return kept.(*index) //nolint:forcetypeassert // only indexes are stored
}

// each calls do for every rule that has a pattern which fits a line, with that pattern.
func (p *probes) each(line string, do func(*Rule, *part)) {
	if len(p.list) == 0 {
		return
	}
	hits := make([]bool, len(p.list))
	p.filter.mark(line, hits)
	for i, hit := range hits {
		if hit && p.list[i].part.re().MatchString(line) {
			do(p.list[i].rule, p.list[i].part)
		}
	}
}

// rulesFor are the import rules for a module, in order: those that name it or a module
// that it is in, and those with a pattern for it.
func (x *index) rulesFor(module string) []*Rule {
	var out []*Rule
	for i := 0; i <= len(module); i++ {
		if i == len(module) || strings.IndexByte(`/.:\`, module[i]) >= 0 {
			out = append(out, x.modules[module[:i]]...)
		}
	}
	for _, rule := range x.imports {
		if slices.ContainsFunc(rule.parts, func(p part) bool { return p.re().MatchString(module) }) {
			out = append(out, rule)
		}
	}
	slices.SortFunc(out, func(a, b *Rule) int { return cmp.Compare(x.order[a], x.order[b]) })
	return slices.DeleteFunc(out, func(rule *Rule) bool { return rule.unlessFits(module) })
}

// modulesOf is what a line imports.
func (l *Language) modulesOf(line string) []string {
	var out []string
	hits := make([]bool, len(l.imports))
	l.importing().mark(line, hits)
	for i, re := range l.imports {
		if !hits[i] {
			continue
		}
		for _, m := range re().FindAllStringSubmatch(line, -1) {
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

func (rule *Rule) unlessFits(s string) bool {
	return rule.unless != nil && rule.unless().MatchString(s)
}
