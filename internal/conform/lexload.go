package conform

import (
	"encoding/xml"
	"errors"
	"fmt"
	"reflect"
	"sync"

	"github.com/alecthomas/chroma/v2"
	"github.com/dlclark/regexp2/v2"
	"github.com/dlclark/regexp2/v2/syntax"
)

// definition is one of chroma's definitions of a language, ready to be run by tokens. It
// is run here and not by chroma because chroma tries each rule of a state, one after the
// other, at each place, and makes all patterns ready before the first.
type definition struct {
	states   map[string]*lexState
	ensureNL bool
}

// lexState is a state with its rules in order.
type lexState struct {
	once  sync.Once
	rules []*lexRule
	begin [ascii][]*lexRule // those that may fit where a character is next
	err   error
}

// lexRule is a rule of a definition.
type lexRule struct {
	pattern string
	emits   *emission // nil for nothing
	mutator chroma.Mutator

	once  sync.Once
	look  step // see build
	first firstSet
	err   error

	compile sync.Once
	re      *regexp2.Regexp
	reErr   error
}

// emission is what a rule gives for what it fits: a token, the same text in a state of its
// own, or each group's.
type emission struct {
	token  chroma.TokenType
	self   string // the state, "" for the others
	groups []*emission
	each   bool
}

// loadDefinition reads a definition. The states that others include are put in their
// places by chroma's own mutators.
func loadDefinition(src []byte) (*definition, error) {
	var form struct {
		Config chroma.Config `xml:"config"`
		Rules  chroma.Rules  `xml:"rules"`
	}
	if err := xml.Unmarshal(src, &form); err != nil {
		return nil, err
	}
	if _, ok := form.Rules["root"]; !ok {
		return nil, errors.New("no root state")
	}
	flags := ""
	for flag, on := range map[string]bool{"m": !form.Config.NotMultiline, "i": form.Config.CaseInsensitive, "s": form.Config.DotAll} {
		if on {
			flags += flag
		}
	}
	if flags != "" {
		flags = "(?" + flags + ")"
	}
	all := chroma.CompiledRules{}
	for name, rules := range form.Rules {
		for _, rule := range rules {
			all[name] = append(all[name], &chroma.CompiledRule{Rule: rule})
		}
	}
	for again := true; again; {
		var err error
		if again, err = include(all); err != nil {
			return nil, err
		}
	}
	d := &definition{states: map[string]*lexState{}, ensureNL: form.Config.EnsureNL}
	made := map[*chroma.CompiledRule]*lexRule{}
	for name, rules := range all {
		s := &lexState{}
		for _, rule := range rules {
			if made[rule] == nil {
				emits, err := emissionOf(rule.Type)
				if err != nil {
					return nil, fmt.Errorf("state %s: %w", name, err)
				}
				made[rule] = &lexRule{pattern: `\G` + flags + "(?:" + rule.Pattern + ")", emits: emits, mutator: rule.Mutator}
			}
			s.rules = append(s.rules, made[rule])
		}
		d.states[name] = s
	}
	return d, nil
}

// include lets one mutator of a definition change it, and reports whether there was one.
func include(all chroma.CompiledRules) (bool, error) {
	for name, rules := range all {
		for i, rule := range rules {
			if m, ok := rule.Mutator.(chroma.LexerMutator); ok {
				return true, m.MutateLexer(all, name, i)
			}
		}
	}
	return false, nil
}

// emissionOf reads one of chroma's emitters; their types are its own, their fields are
// not.
func emissionOf(e chroma.Emitter) (*emission, error) {
	if e == nil {
		return nil, nil
	}
	if t, ok := e.(chroma.TokenType); ok {
		return &emission{token: t}, nil
	}
	kind := ""
	if named, ok := e.(chroma.SerialisableEmitter); ok {
		kind = named.EmitterKind()
	}
	at := reflect.Indirect(reflect.ValueOf(e))
	switch kind {
	case "usingself":
		if state := at.FieldByName("State"); state.IsValid() {
			return &emission{self: state.String()}, nil
		}
	case "bygroups":
		list, ok := at.FieldByName("Emitters").Interface().(chroma.Emitters)
		out := &emission{each: ok}
		for _, inner := range list {
			group, err := emissionOf(inner)
			if err != nil {
				return nil, err
			}
			out.groups = append(out.groups, group)
		}
		if ok {
			return out, nil
		}
	}
	return nil, fmt.Errorf("an emitter %T is not known", e)
}

// ready reads the patterns of a state, once.
func (s *lexState) ready() error {
	s.once.Do(func() {
		for _, rule := range s.rules {
			if s.err = rule.ready(); s.err != nil {
				return
			}
		}
		for c := range s.begin {
			for _, rule := range s.rules {
				if rule.first.nullable || rule.first.has(rune(c)) {
					s.begin[c] = append(s.begin[c], rule)
				}
			}
		}
	})
	return s.err
}

// ready reads the pattern, once.
func (r *lexRule) ready() error {
	r.once.Do(func() {
		tree, err := syntax.Parse(r.pattern, syntax.ParseOptions{})
		if err != nil {
			r.err = fmt.Errorf("pattern %s: %w", r.pattern, err)
			return
		}
		r.first = beginsOf(tree.Root)
		each := r.emits != nil && r.emits.each
		if groups := tree.Captop - 1; each && (groups != len(r.emits.groups) || groups >= mostGroups) {
			r.err = fmt.Errorf("pattern %s: %d groups, %d emitters", r.pattern, groups, len(r.emits.groups))
			return
		}
		r.look = (&builder{keep: each}).build(tree.Root, accept)
	})
	return r.err
}

// regexp gives the library's own form of the pattern, for what a look cannot decide.
func (r *lexRule) regexp() (*regexp2.Regexp, error) {
	r.compile.Do(func() {
		if r.re, r.reErr = regexp2.Compile(r.pattern); r.reErr == nil {
			r.re.MatchTimeout = mostMatch
		}
	})
	return r.re, r.reErr
}
