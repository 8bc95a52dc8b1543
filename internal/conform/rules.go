package conform

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
)

//go:generate go test . -run TestSurfacesGenerated -update

// Surface is what a change may touch.
type Surface string

// Surfaces lists all surfaces in the order in which they are shown.
func Surfaces() []Surface { return []Surface{"db", "io", "http", "external"} }

// The kinds of rules; docs/surfaces.md says what each looks at.
const (
	kindImport   = "import"
	kindCall     = "call"
	kindNear     = "near"
	kindArgument = "argument"
	kindSQL      = "sql"
	kindPath     = "path"
)

// Rule is one line of the rules. Of a rule that was compiled all patterns are valid.
type Rule struct {
	ID        string
	Surface   Surface
	Kind      string
	Languages []string // empty for all
	Doc       string
	Modules   []string // of imports: the beginnings of names
	Pattern   string
	Unless    string   // a line that this fits is none
	Paths     []string // globs
	Yes, No   []string // lines, imports or paths that the rule is for, and not for

	parts  []part
	unless func() *regexp.Regexp // nil where there is none
	paths  func() *globSet
}

// part is one of a rule's patterns, compiled when a line first may fit it.
type part struct {
	source string
	re     func() *regexp.Regexp
}

// Language says how files of a kind are read.
type Language struct {
	Name      string
	Lexer     string // "" where there is none: lines are taken as they are
	Files     []string
	Imports   []string // patterns: group 1 is what is imported, group 2 names in it
	Separator string   // between those two
	Binds     []string // patterns of the names that an import gives: group 1
	Neutral   []string // modules that touch nothing, whatever a name of theirs looks like
	Last      bool     // without such a pattern it gives the last part of what is imported
	Block     []string // how a block comment begins and ends
	Quotes    []string // that go over several lines

	files          func() *globSet
	importing      func() *filter // of the imports
	imports, binds []func() *regexp.Regexp
}

// Rules is a set of rules, ready for use.
type Rules struct {
	List      []Rule // in the order of the files
	languages []Language
	ignored   []exclusion
	byLang    *sync.Map // a language's name to its *index
	pieces    func(lexer, src string, over func() bool) ([]piece, string, error)
}

// exclusion is files that are not looked at, and why.
type exclusion struct {
	why   string
	paths func() *globSet
	head  func() *regexp.Regexp // of the first lines, nil where there is none
}

// RulesError is a problem in a file of rules.
type RulesError struct {
	File         string
	Line, Column int
	Message      string
}

func (e *RulesError) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Message)
}

// word is a text with its place in the file.
type word struct {
	value        string
	line, column int
}

// UnmarshalYAML keeps the place of a plain text.
func (w *word) UnmarshalYAML(node ast.Node) error {
	pos := node.GetToken().Position
	w.line, w.column = pos.Line, pos.Column
	switch n := node.(type) {
	case *ast.LiteralNode:
		w.value = n.Value.Value
	case ast.ScalarNode:
		w.value = fmt.Sprint(n.GetValue())
	default:
		return &RulesError{Line: pos.Line, Column: pos.Column, Message: "a text is wanted here"}
	}
	return nil
}

// fileForm is the form of a file of rules.
type fileForm struct {
	Version   word           `yaml:"version"`
	Off       []word         `yaml:"off"`
	Ignore    []ignoreForm   `yaml:"ignore"`
	Rules     []ruleForm     `yaml:"rules"`
	Languages []languageForm `yaml:"languages"`
}

type ignoreForm struct {
	Why   word   `yaml:"why"`
	Paths []word `yaml:"paths"`
	Head  word   `yaml:"head"`
}

type ruleForm struct {
	ID        word   `yaml:"id"`
	Surface   word   `yaml:"surface"`
	Kind      word   `yaml:"kind"`
	Languages []word `yaml:"languages"`
	Doc       word   `yaml:"doc"`
	Modules   []word `yaml:"modules"`
	Pattern   word   `yaml:"pattern"`
	Any       []word `yaml:"any"`
	Unless    word   `yaml:"unless"`
	Paths     []word `yaml:"paths"`
	Yes       []word `yaml:"yes"`
	No        []word `yaml:"no"`
}

type languageForm struct {
	Name      word   `yaml:"name"`
	Lexer     word   `yaml:"lexer"`
	Files     []word `yaml:"files"`
	Imports   []word `yaml:"imports"`
	Binds     []word `yaml:"binds"`
	Last      word   `yaml:"last"`
	Neutral   []word `yaml:"neutral"`
	Separator word   `yaml:"separator"`
	Block     []word `yaml:"block"`
	Quotes    []word `yaml:"quotes"`
}

// Builtin gives the rules that come with the program: those of surfaces.yaml, which were
// checked when surfacesgen.go was made of them. Each pattern is compiled when a line
// first may fit it.
var Builtin = sync.OnceValue(func() *Rules {
	r := &Rules{pieces: pieces, byLang: &sync.Map{}}
	c := compiler{rules: r, own: true, checked: true}
	if err := c.file(builtinForm); err != nil {
		panic(err) // it was checked
	}
	return r
})

// With is these rules with what a repository's own file adds and switches off. name is
// how errors call it; they are *RulesError.
func (r *Rules) With(name string, src []byte) (*Rules, error) {
	own := &Rules{List: slices.Clone(r.List), languages: r.languages, ignored: slices.Clone(r.ignored), pieces: r.pieces}
	if err := own.add(name, src, false); err != nil {
		return nil, err
	}
	return own, nil
}

// add reads a file. Only ours may say what languages there are.
func (r *Rules) add(name string, src []byte, ours bool) error {
	form, err := decodeRules(src)
	if err == nil {
		c := compiler{rules: r, own: ours}
		err = c.file(form)
	}
	var problem *RulesError
	if errors.As(err, &problem) {
		at := *problem
		at.File = name
		return &at
	}
	if err != nil {
		return err
	}
	r.byLang = &sync.Map{}
	return nil
}

// decodeRules reads the form; unknown and repeated keys are errors. A panic of the
// library is one too: the file is hostile text.
func decodeRules(src []byte) (form fileForm, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &RulesError{Line: 1, Column: 1, Message: fmt.Sprintf("the YAML reader gave up: %v", r)}
		}
	}()
	err = yaml.UnmarshalWithOptions(src, &form, yaml.Strict())
	if err == nil {
		return form, nil
	}
	var own *RulesError
	if errors.As(err, &own) {
		return form, own
	}
	out := &RulesError{Line: 1, Column: 1, Message: strings.TrimSpace(firstOf(err.Error()))}
	var at yaml.Error
	if errors.As(err, &at) {
		out.Message = at.GetMessage()
		if t := at.GetToken(); t != nil && t.Position != nil {
			out.Line, out.Column = t.Position.Line, t.Position.Column
		}
	}
	return form, out
}

func firstOf(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// Find gives the rule with an id.
func (r *Rules) Find(id string) (Rule, bool) {
	i := slices.IndexFunc(r.List, func(rule Rule) bool { return rule.ID == id })
	if i < 0 {
		return Rule{}, false
	}
	return r.List[i], true
}

// language is that of a path, nil where none is known.
func (r *Rules) language(path string) *Language {
	path = folded(path)
	for i := range r.languages {
		if r.languages[i].files().MatchString(path) {
			return &r.languages[i]
		}
	}
	return nil
}

// LanguageOf is the name of a path's language, "" where none is known.
func (r *Rules) LanguageOf(path string) string {
	if l := r.language(path); l != nil {
		return l.Name
	}
	return ""
}
