package conform

import (
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/chroma/v2"
)

// small makes a definition of some rules, with settings.
func small(settings, states string) string {
	return "<lexer><config><name>x</name>" + settings + "</config><rules>" + states + "</rules></lexer>"
}

// TestDefinitions holds what a definition may ask for to what chroma makes of it, one thing
// at a time.
func TestDefinitions(t *testing.T) {
	t.Parallel()
	const word = `<rule pattern="\w+"><token type="Name"/></rule>`
	for name, test := range map[string]struct {
		settings, states string
		texts            []string
	}{
		"nothing fits": {
			states: `<state name="root">` + word + `</state>`,
			texts:  []string{"", "a", "é", "☃", "a ☃ b\n\n", "\n"},
		},
		"an error ends at the line": {
			states: `<state name="root"><rule pattern="&quot;"><token type="LiteralString"/><push state="s"/></rule>` + word + `</state><state name="s"><rule pattern="[a-z]"><token type="LiteralString"/></rule></state>`,
			texts:  []string{"\"ab\nab", "\"a☃\n\"b\n\n", "\""},
		},
		"a newline is added": {
			settings: `<ensure_nl>true</ensure_nl>`,
			states:   `<state name="root"><rule pattern=".+\n"><token type="Name"/></rule></state>`,
			texts:    []string{"", "ab", "ab\n", "ab\ncd", "\n\nx"},
		},
		"settings of patterns": {
			settings: `<case_insensitive>true</case_insensitive><dot_all>true</dot_all><not_multiline>true</not_multiline>`,
			states:   `<state name="root"><rule pattern="^ab."><token type="Keyword"/></rule><rule pattern="c.*?d$"><token type="Comment"/></rule><rule pattern="(.)"><token type="Text"/></rule></state>`,
			texts:    []string{"AB\ncxD", "ab\nabx", "C\n\nd", "xcd\n"},
		},
		"groups": {
			states: `<state name="root"><rule pattern="(a+)(x)?(b*)"><bygroups><token type="Name"/><token type="Keyword"/><token type="LiteralNumber"/></bygroups></rule><rule pattern="((?:c|(d))+)(\3|e)(é*)"><bygroups><token type="Name"/><token type="Keyword"/><token type="LiteralNumber"/><token type="Text"/></bygroups></rule></state>`,
			texts:  []string{"a", "ax", "aab", "axbb", "cdce", "dddcéé", "cdcd", "ce é", "éaé"},
		},
		"a part in its own state": {
			states: `<state name="root"><rule pattern="(\[)(.*?)(\])"><bygroups><token type="Operator"/><usingself state="in"/><token type="Operator"/></bygroups></rule><rule pattern="&lt;.*&gt;"><usingself state="in"/></rule>` + word + `</state><state name="in"><rule pattern="^b"><token type="Keyword"/></rule><rule pattern="(?&lt;=\[)a"><token type="LiteralNumber"/></rule><rule pattern="z"><token type="Error"/><pop depth="1"/></rule>` + word + `</state>`,
			texts:  []string{"[b]", "[a]", "[é b]a", "<b>", "[az a]b", "[]", "<z\n>"},
		},
		"states that others include": {
			states: `<state name="root"><rule><include state="one"/></rule><rule pattern="\("><token type="Operator"/><combined state="one" state="two"/></rule></state><state name="one"><rule><include state="two"/></rule><rule pattern="b"><token type="Name"/></rule></state><state name="two"><rule pattern="a"><token type="Keyword"/></rule><rule pattern="\)"><token type="Operator"/><pop depth="1"/></rule></state>`,
			texts:  []string{"ab(ab)ba", "((a", "b)", "c(c\nc"},
		},
		"what takes nothing": {
			states: `<state name="root"><rule pattern="(?=a)"><push state="a"/></rule><rule pattern="b"><push state="a" state="a"/></rule><rule pattern="c"/></state><state name="a"><rule pattern="a"><token type="Keyword"/></rule><rule><pop depth="1"/></rule></state>`,
			texts:  []string{"aab", "bbaa", "abcab", "c"},
		},
		"tokens that are left out": {
			states: `<state name="root"><rule pattern="a"><token type="Ignore"/></rule><rule pattern="(b)(c?)"><bygroups><token type="EOFType"/><token type="EOFType"/></bygroups></rule>` + word + `</state>`,
			texts:  []string{"a", "bc", "b", "xbac"},
		},
	} {
		src := small(test.settings, test.states)
		theirs, err := chroma.Unmarshal([]byte(src))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		ours, err := loadDefinition([]byte(src))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, text := range test.texts {
			next, err := theirs.Tokenise(&chroma.TokeniseOptions{State: "root"}, text)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				break
			}
			var got []chroma.Token
			err = ours.tokens(text, func(token chroma.Token) bool {
				got = append(got, token)
				return true
			})
			if want := next.Tokens(); err != nil || !slices.Equal(got, want) {
				t.Errorf("%s: %q gives %v, %v; chroma says %v", name, text, got, err, want)
			}
		}
	}
}

// TestBadDefinitions refuses what cannot be run, and says why.
func TestBadDefinitions(t *testing.T) {
	t.Parallel()
	for states, want := range map[string]string{
		`<state name="other"/>`: "no root state",
		`<state name="root"><rule><include state="none"/></rule></state>`:                                                                                                             "none",
		`<state name="root"><rule pattern="("><token type="Name"/></rule></state>`:                                                                                                    "pattern",
		`<state name="root"><rule pattern="a"><bygroups><token type="Name"/></bygroups></rule></state>`:                                                                               "0 groups, 1 emitters",
		`<state name="root"><rule pattern="(a)"><using lexer="other"/></rule></state>`:                                                                                                "emitter",
		`<state name="root"><rule pattern="(a)"><bygroups><using lexer="other"/></bygroups></rule></state>`:                                                                           "emitter",
		`<state name="root"><rule pattern="` + strings.Repeat("(a)", mostGroups) + `"><bygroups>` + strings.Repeat(`<token type="Name"/>`, mostGroups) + `</bygroups></rule></state>`: "groups",
		`<state name="root">`: "XML",
	} {
		d, err := loadDefinition([]byte(small("", states)))
		if err == nil {
			err = d.tokens("a", func(chroma.Token) bool { return true })
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", states, err, want)
		}
	}
}

// TestTokensStop ends at once where it is told to, within a part in its own state too.
func TestTokensStop(t *testing.T) {
	t.Parallel()
	d, err := loadDefinition([]byte(small("", `<state name="root"><rule pattern="(\[)(.*?)(\])"><bygroups><token type="Operator"/><usingself state="root"/><token type="Operator"/></bygroups></rule><rule pattern="a"><token type="Name"/></rule></state>`)))
	if err != nil {
		t.Fatal(err)
	}
	for most := 1; most < 8; most++ {
		n := 0
		if err := d.tokens("a☃[a☃a]a", func(chroma.Token) bool {
			n++
			return n < most
		}); err != nil || n != most {
			t.Errorf("%d tokens, want %d: %v", n, most, err)
		}
	}
}
