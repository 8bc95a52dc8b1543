package conform

import (
	"slices"
	"testing"
)

func TestNamesOfImports(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		language, line string
		want           []string
	}{
		{"go", `import "a.b/c"`, nil},
		{"go", `	kv "a.b/c"`, []string{"kv"}},
		{"python", "import a.b as c, d", []string{"c", "d"}},
		{"python", "from a import (b, c as d)", []string{"b", "d"}},
		{"javascript", "import a, { b, c as d } from 'x'", []string{"a", "b", "d"}},
		{"javascript", "import * as a from 'x'", []string{"a"}},
		{"javascript", "const { a, b: c } = require('x')", []string{"a", "c"}},
		{"typescript", "import type { A } from 'x'", []string{"A"}},
		{"typescript", "import a = require('x')", []string{"a"}},
		{"kotlin", "import a.b.C as D", []string{"D"}},
		{"php", `use A\B as C;`, []string{"C"}},
		{"php", `use A\{B, C as D};`, []string{"B", "D"}},
		{"rust", "use a::{b, c as d};", []string{"d"}},
		{"csharp", "using X = A.B;", []string{"X"}},
		{"java", "import a.b.C;", nil},
	} {
		l := Builtin().language(sample[test.language])
		got := l.namesIn(test.line)
		for _, want := range test.want {
			if !slices.Contains(got, want) {
				t.Errorf("%s: %q gives %q, want %q", test.language, test.line, got, test.want)
			}
		}
		if len(test.want) == 0 && len(got) > 0 {
			t.Errorf("%s: %q gives %q, want none", test.language, test.line, got)
		}
	}
}

func TestLastName(t *testing.T) {
	t.Parallel()
	for _, test := range [][3]string{
		{"go", "a.b/c/d", "d"},
		{"go", "a.b/c/v3", "c"},
		{"go", "gopkg.in/mail.v2", "mail"},
		{"go", "a.b/go-redis", "redis"},
		{"go", "a.b/stripe-go", "stripe"},
		{"java", "a.b.C", "C"},
		{"java", "a.b.*", ""},
		{"php", `A\B\C`, "C"},
		{"rust", "a::b::C", "C"},
		{"rust", "", ""},
	} {
		if got := lastName(&Language{Name: test[0]}, test[1]); got != test[2] {
			t.Errorf("%s: %q is called %q, want %q", test[0], test[1], got, test[2])
		}
	}
}

func TestDeclared(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		language, before, word, behind, want string
	}{
		{"go", "\tbox, err := ", "kv", ".Open(p)", "box"},
		{"go", "\tn := ", "kv", ".Count(p)", ""},
		{"go", "func f(box *", "kv", ".DB) {", "box"},
		{"go", "\treturn ", "kv", ".DB{}", ""},
		{"python", "self.box = ", "Keep", "(p)", "box"},
		{"python", "n = ", "Keep", "(p).count()", ""},
		{"python", "def f(box: ", "Keep", ") -> None:", "box"},
		{"typescript", "  constructor(private box: ", "Keep", ") {}", "box"},
		{"typescript", "  const box = await ", "Keep", ".create({ a })", "box"},
		{"typescript", "  const box = new ", "Keep", "<A>(p)", "box"},
		{"java", "    private final ", "Keep", " box;", "box"},
		{"java", "    ", "Keep", "<A> box = make();", "box"},
		{"rust", "fn f(box_: &mut ", "Keep", ") {}", "box_"},
		{"php", "    public function f(", "Keep", " $box) {", "box"},
		{"csharp", "    return ", "Keep", ".Make(p);", ""},
	} {
		upper := test.word[0] >= 'A' && test.word[0] <= 'Z'
		got := declared(&Language{Name: test.language}, test.before, test.behind, upper)
		if got != test.want && !(test.want == "" && noName().MatchString(got)) {
			t.Errorf("%s: %s%s%s declares %q, want %q", test.language, test.before, test.word, test.behind, got, test.want)
		}
	}
}

func TestGoesOn(t *testing.T) {
	t.Parallel()
	for behind, want := range map[string]bool{
		"(a)":            false,
		"(a).b()":        true,
		"(a)[0]":         true,
		"(a)?.b":         true,
		"(a).await?":     false,
		"(a(b)).build()": false,
		"(a":             false,
		"":               false,
	} {
		if got := goesOn(behind); got != want {
			t.Errorf("%q: %v", behind, got)
		}
	}
}

// TestCallee is what is called before a bracket.
func TestCallee(t *testing.T) {
	t.Parallel()
	for before, want := range map[string]string{
		"x = await self._s.get": " self._s.get",
		"foo(bar.baz":           "(bar.baz",
		"  let p = new Thing":   "new Thing",
		"get":                   "get",
		"a[b(c)].d":             "a[b(c)].d",
		"if (!fs.existsSync":    "!fs.existsSync",
	} {
		if got := calleeOf([]lexed{{code: before}}, 0, before); got != want {
			t.Errorf("%q calls %q, want %q", before, got, want)
		}
	}
}
