package conform

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dlclark/regexp2/v2"
	"github.com/dlclark/regexp2/v2/syntax"
)

// TestLook holds looks to the library: whatever a look is sure of, the library must say
// too, with the same groups; and each pattern must be decided often enough to be of use.
func TestLook(t *testing.T) {
	t.Parallel()
	const groups, always, never = 2, 100, 0
	for pattern, least := range map[string]int{
		`(a+)(b)`:               always,
		`(a+?)(b|$)`:            always,
		`(a*)([ab]c)`:           always,
		`((?:a|b)+)(c)`:         always,
		`((?:ab|a)+?)(b*)c`:     always,
		`(a|ab)(c|bc)`:          always,
		`(a{2,3})(b{0,2}?)a`:    always,
		`((?:ab?){2,})(a?)`:     always,
		`((?:b|ab){1,3}?)(c|a)`: always,
		`(?=(a.))(.*)`:          always,
		`(?!ab)(a)(.?)`:         always,
		`(?<=b)(a)(\b|c)`:       always,
		`(?<!c)(a)(\B.)`:        always,
		`(?<=ab|^)(c)(.*$)`:     always,
		`(?<=^.b)(a)(b*)`:       always,
		`(?>a|ab)(c)(b?)`:       always,
		`(?>(a+))(b|)`:          always,
		`(?i)(A|é)(bC?)`:        always,
		`(?i)(é+)(.)`:           always,
		`(?s)(.+?)(c)`:          always,
		`(.*?)(c\n)`:            always,
		`(?m)^(a)(.*)$`:         always,
		`\A(.)(.)`:              always,
		`(\w+)(\s*)\Z`:          always,
		`(\d|[^\W\d])(\S)\z`:    always,
		`([^a])(☃?)`:            always,
		`((?:a|(b))+)c`:         always,
		`((a)|b)+c`:             always,
		`()(a?)b`:               always,
		`(a??)(ab?)`:            always,
		`(a)(\1b)`:              10,
		`(a)((?:b*)*c)`:         10,
		`(a)((?<=a+)b)`:         10,
		`(?(1)a|b)(c)(a)`:       never,
	} {
		re := regexp2.MustCompile(`\G(?:` + pattern + `)`)
		tree, err := syntax.Parse(re.String(), syntax.ParseOptions{})
		if err != nil {
			t.Fatal(err)
		}
		look, first := (&builder{keep: true}).build(tree.Root, accept), beginsOf(tree.Root)
		random := rand.New(rand.NewPCG(1, uint64(len(pattern)))) //nolint:gosec // the same texts each time
		sure, fits := 0, 0
		const texts = 2000
		for range texts {
			text := letters(random)
			m := matching{text: text, start: random.IntN(len(text))}
			to := look(&m, m.start)
			want, err := re.FindRunesMatchStartingAt(text, m.start)
			if err != nil {
				t.Fatal(err)
			}
			if want != nil && !first.nullable && !first.has(text[m.start]) {
				t.Fatalf("%s fits %q at %d, which is not in what it may begin with", pattern, string(text), m.start)
			}
			if to == unsure {
				continue
			}
			sure++
			if want == nil {
				if to != no {
					t.Fatalf("%s at %d of %q: to %d, the library finds nothing", pattern, m.start, string(text), to)
				}
				continue
			}
			fits++
			if to != m.start+want.RuneLength {
				t.Fatalf("%s at %d of %q: to %d, the library says %d", pattern, m.start, string(text), to, m.start+want.RuneLength)
			}
			for i, g := range want.Groups() {
				if s := m.spans[i]; i > 0 && i <= groups && string(text[s.from:s.to]) != g.String() {
					t.Fatalf("%s at %d of %q: group %d is %q, the library says %q", pattern, m.start, string(text), i, string(text[s.from:s.to]), g.String())
				}
			}
		}
		if sure*always < least*texts || fits == 0 && least == always {
			t.Errorf("%s: sure of %d of %d, %d fit", pattern, sure, texts, fits)
		}
	}
}

// letters is a short text of few letters, so that much fits.
func letters(random *rand.Rand) []rune {
	const all = "aaabbbccAé☃\n 1"
	pool := []rune(all)
	out := make([]rune, 1+random.IntN(9))
	for i := range out {
		out[i] = pool[random.IntN(len(pool))]
	}
	return out
}

// TestLookEnds gives up where a pattern would be tried for ever.
func TestLookEnds(t *testing.T) {
	t.Parallel()
	given := 0
	for _, pattern := range []string{`(?:a+)+b`, `(?:a|aa)+b`, `(?:a*?a)*b`, `.*.*.*.*b`, `(?:(?:a|.)+?c?)+b`} {
		tree, err := syntax.Parse(`\G(?:`+pattern+`)`, syntax.ParseOptions{})
		if err != nil {
			t.Fatal(err)
		}
		m := matching{text: []rune(strings.Repeat("a", 5000))}
		to := (&builder{}).build(tree.Root, accept)(&m, 0)
		if to >= 0 || m.steps > 2*mostSteps {
			t.Errorf("%s: %d after %d steps", pattern, to, m.steps)
		}
		if to == unsure {
			given++
		}
	}
	if given < 2 {
		t.Errorf("%d patterns were given up", given)
	}
}
