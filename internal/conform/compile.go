package conform

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// lazy is a pattern that is compiled when it is first needed: other commands must not
// wait for it.
func lazy(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// compiler turns the form of a file into rules.
type compiler struct {
	rules *Rules
	own   bool // our file: it may define languages

	checked bool // the form was checked before
}

func (w word) fail(format string, args ...any) error {
	return &RulesError{Line: max(w.line, 1), Column: max(w.column, 1), Message: fmt.Sprintf(format, args...)}
}

func values(list []word) []string {
	out := make([]string, len(list))
	for i, w := range list {
		out[i] = w.value
	}
	return out
}

// check holds a repository's patterns to their syntax. The tests do that for ours, which
// are compiled when a line first may fit one.
func (c *compiler) check(list ...word) error {
	for _, w := range list {
		if c.own {
			continue
		}
		if _, err := regexp.Compile(w.value); err != nil {
			return w.fail("%v", err)
		}
	}
	return nil
}

func (c *compiler) file(form fileForm) error {
	if form.Version.value != "1" {
		return form.Version.fail("version: 1 is wanted, this is %q", form.Version.value)
	}
	if len(form.Languages) > 0 && !c.own {
		return form.Languages[0].Name.fail("languages cannot be added here")
	}
	for _, l := range form.Languages {
		if err := c.language(l); err != nil {
			return err
		}
	}
	for _, off := range form.Off {
		i := slices.IndexFunc(c.rules.List, func(r Rule) bool { return r.ID == off.value })
		if i < 0 {
			return off.fail("there is no rule %q to switch off", off.value)
		}
		c.rules.List = slices.Delete(c.rules.List, i, i+1)
	}
	for _, i := range form.Ignore {
		if err := c.ignore(i); err != nil {
			return err
		}
	}
	for _, rule := range form.Rules {
		if err := c.rule(rule); err != nil {
			return err
		}
	}
	return nil
}

func (c *compiler) language(form languageForm) error {
	l := Language{
		Name: form.Name.value, Lexer: form.Lexer.value, Files: values(form.Files), Imports: values(form.Imports), Binds: values(form.Binds),
		Last: form.Last.value == "true", Neutral: values(form.Neutral), Separator: form.Separator.value, Block: values(form.Block), Quotes: values(form.Quotes),
	}
	l.files = lazyGlobs(l.Files)
	for _, w := range form.Imports {
		l.imports = append(l.imports, lazy(w.value))
	}
	for _, w := range form.Binds {
		l.binds = append(l.binds, lazy(w.value))
	}
	l.importing = sync.OnceValue(func() *filter { return newFilter(l.Imports) })
	c.rules.languages = append(c.rules.languages, l)
	return nil
}

func (c *compiler) ignore(form ignoreForm) error {
	if form.Why.value == "" {
		return form.Why.fail("say why these files are ignored")
	}
	if form.Head.value == "" && len(form.Paths) == 0 {
		return form.Why.fail("paths are missing")
	}
	out := exclusion{why: form.Why.value, paths: lazyGlobs(values(form.Paths))}
	if form.Head.value != "" {
		if err := c.check(form.Head); err != nil {
			return err
		}
		out.head = lazy(form.Head.value)
	}
	c.rules.ignored = append(c.rules.ignored, out)
	return nil
}

// ruleID is what a rule may be called.
var ruleID = lazy(`^[a-z0-9]+(?:-[a-z0-9]+)*$`)

func (c *compiler) rule(form ruleForm) error {
	rule := Rule{
		ID: form.ID.value, Surface: Surface(form.Surface.value), Kind: form.Kind.value, Languages: values(form.Languages),
		Doc: strings.TrimSpace(form.Doc.value), Modules: values(form.Modules), Unless: form.Unless.value, Paths: values(form.Paths),
		Yes: values(form.Yes), No: values(form.No),
	}
	if !c.checked {
		if err := c.checkRule(form, rule); err != nil {
			return err
		}
	}
	patterns := form.Any
	if form.Pattern.value != "" {
		patterns = []word{form.Pattern}
	}
	if err := c.check(append(slices.Clone(patterns), form.Unless)...); err != nil {
		return err
	}
	rule.Pattern = strings.Join(values(patterns), "|")
	if len(patterns) > 1 {
		rule.Pattern = "(?:" + strings.Join(values(patterns), ")|(?:") + ")"
	}
	for _, w := range patterns {
		rule.parts = append(rule.parts, part{w.value, lazy(w.value)})
	}
	if rule.Unless != "" {
		rule.unless = lazy(rule.Unless)
	}
	if len(rule.Paths) > 0 {
		rule.paths = lazyGlobs(rule.Paths)
	}
	c.rules.List = append(c.rules.List, rule)
	return nil
}

// checkRule holds a rule to its schema.
func (c *compiler) checkRule(form ruleForm, rule Rule) error {
	id := form.ID
	if !ruleID().MatchString(rule.ID) {
		return id.fail("a rule's id is lower-case words with dashes between them, not %q", rule.ID)
	}
	if _, known := c.rules.Find(rule.ID); known {
		return id.fail("there is a rule %q already", rule.ID)
	}
	if !slices.Contains(Surfaces(), rule.Surface) {
		return orAt(form.Surface, id).fail("rule %q: the surface is db, io, http or external, not %q", rule.ID, rule.Surface)
	}
	for _, l := range form.Languages {
		if !slices.ContainsFunc(c.rules.languages, func(known Language) bool { return known.Name == l.value }) {
			return l.fail("rule %q: no language %q is known", rule.ID, l.value)
		}
	}
	patterns := form.Pattern.value != "" || len(form.Any) > 0
	var ok bool
	switch rule.Kind {
	case kindImport:
		ok = len(rule.Modules) > 0 || patterns
	case kindCall, kindArgument, kindSQL, kindNear:
		ok = patterns && len(rule.Modules) == 0
	case kindPath:
		ok = len(rule.Paths) > 0 && !patterns && len(rule.Modules) == 0
	default:
		return orAt(form.Kind, id).fail("rule %q: the kind is import, call, near, argument, sql or path, not %q", rule.ID, rule.Kind)
	}
	if !ok || form.Pattern.value != "" && len(form.Any) > 0 || rule.Kind != kindPath && len(rule.Paths) > 0 {
		return orAt(form.Kind, id).fail("rule %q: import takes modules, pattern or any; call, near, argument and sql take pattern or any; path takes paths", rule.ID)
	}
	return nil
}

// orAt is the word, or another where it is not there.
func orAt(w, other word) word {
	if w.line == 0 {
		return other
	}
	return w
}

// globSet is globs, of which only those are tried whose texts are in a path.
type globSet struct {
	filter *filter
	list   []func() *regexp.Regexp
}

// lazyGlobs are globs that are compiled when a path is first held against them.
func lazyGlobs(list []string) func() *globSet {
	return sync.OnceValue(func() *globSet { return globs(list) })
}

// globs fits paths: * is anything within a name, ** any folders, {a,b} either. A glob
// without a slash is for the name alone, any other may begin in any folder, and one
// that begins with a slash only at the top.
func globs(list []string) *globSet {
	g := &globSet{}
	sources := globSources(list)
	for _, source := range sources {
		g.list = append(g.list, lazy(source))
	}
	g.filter = newFilter(sources)
	return g
}

// globSources are the patterns of globs.
func globSources(list []string) []string {
	var sources []string
	for _, text := range list {
		source := `(?:.*/)?` + globPattern(text)
		if top, ok := strings.CutPrefix(text, "/"); ok {
			source = globPattern(top)
		}
		sources = append(sources, `(?s)^`+source+`$`)
	}
	return sources
}

// MatchString reports whether a path is one of them.
func (g *globSet) MatchString(path string) bool {
	hits := make([]bool, len(g.list))
	g.filter.mark(path, hits)
	for i, hit := range hits {
		if hit && g.list[i]().MatchString(path) {
			return true
		}
	}
	return false
}

func globPattern(g string) string {
	var b strings.Builder
	depth := 0
	for i := 0; i < len(g); i++ {
		switch c := g[i]; {
		case strings.HasPrefix(g[i:], "**/"):
			b.WriteString(`(?:.*/)?`)
			i += 2
		case strings.HasPrefix(g[i:], "**"):
			b.WriteString(`.*`)
			i++
		case c == '*':
			b.WriteString(`[^/]*`)
		case c == '?':
			b.WriteString(`[^/]`)
		case c == '{' && strings.Contains(g[i:], "}"):
			b.WriteString(`(?:`)
			depth++
		case c == '}' && depth > 0:
			b.WriteString(`)`)
			depth--
		case c == ',' && depth > 0:
			b.WriteString(`|`)
		default:
			b.WriteString(regexp.QuoteMeta(g[i : i+1]))
		}
	}
	return b.String() + strings.Repeat(")", depth)
}
