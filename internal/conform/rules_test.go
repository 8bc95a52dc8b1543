package conform

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestRulesList holds the ids: a repository's file names them.
func TestRulesList(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for _, r := range Builtin().List {
		fmt.Fprintf(&b, "%s %s %s %s\n", r.ID, r.Surface, r.Kind, strings.Join(r.Languages, ","))
	}
	const golden = "testdata/rules.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("rules are\n%s\nwant (see -update)\n%s", b.String(), want)
	}
}

func TestWithRefuses(t *testing.T) {
	t.Parallel()
	const rule = "version: 1\nrules:\n  - id: x\n    surface: db\n    kind: "
	for src, want := range map[string]string{
		"":                                   "f:1:1: version: 1 is wanted",
		"version: 2\n":                       `f:1:10: version: 1 is wanted, this is "2"`,
		"version: 1\nextra: 1\n":             `f:2:1: unknown field "extra"`,
		"version: 1\nversion: 1\n":           "f:2:1: ",
		"version: [\n":                       "f:1:",
		"version: 1\noff: [nix]\n":           `f:2:7: there is no rule "nix" to switch off`,
		"version: 1\noff: nix\n":             "f:2:6: ",
		"version: 1\noff: [{a: b}]\n":        "f:2:",
		"version: 1\nignore: [{why: x}]\n":   "f:2:16: paths are missing",
		"version: 1\nignore: [{paths: [x]}]": "say why",
		"version: 1\nlanguages: [{name: x}]": "f:2:20: languages cannot be added",
		"version: 1\nrules: [{id: X y}]":     "f:2:14: a rule's id",

		"version: 1\nrules: [{id: go-db-tag, surface: db, kind: path, paths: [x]}]": "f:2:14: there is a rule",

		"version: 1\nrules: [{id: x}]": "f:2:14: rule \"x\": the surface",
		rule + "odd\n":                 "f:5:11: rule \"x\": the kind",
		rule + "call\n":                "f:5:11: rule \"x\": import takes",
		rule + "path\n    paths: [x]\n    pattern: x\n":     "f:5:11: rule \"x\": import takes",
		rule + "call\n    pattern: x\n    paths: [x]\n":     "f:5:11: rule \"x\": import takes",
		rule + "call\n    pattern: x\n    any: [y]\n":       "f:5:11: rule \"x\": import takes",
		rule + "call\n    pattern: '('\n":                   "f:6:14: error parsing regexp",
		rule + "call\n    any: [x, '[']\n":                  "f:6:14: error parsing regexp",
		rule + "call\n    pattern: x\n    unless: '('\n":    "f:7:13: error parsing regexp",
		rule + "call\n    pattern: x\n    languages: [z]\n": `f:7:17: rule "x": no language "z"`,
	} {
		var problem *RulesError
		_, err := Builtin().With("f", []byte(src))
		if !errors.As(err, &problem) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", src, err, want)
		}
	}
}

// TestWithLeavesOurs adds and switches off without changing the rules of others.
func TestWithLeavesOurs(t *testing.T) {
	t.Parallel()
	before := len(Builtin().List)
	own, err := Builtin().With("f", []byte("version: 1\noff: [go-io-call, path-sql]\nrules:\n  - {id: x, surface: db, kind: import, languages: [go], modules: [our/db]}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if len(Builtin().List) != before || len(own.List) != before-1 {
		t.Errorf("%d rules of ours, %d with theirs; there were %d", len(Builtin().List), len(own.List), before)
	}
	if got := touched(t, "a.go", "os.Open(x)"); len(got) != 1 {
		t.Errorf("the built-in rules changed: %v", got)
	}
}

func TestGlobs(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		glob, path string
		want       bool
	}{
		{"*.sql", "a/b.sql", true},
		{"*.sql", "a.sql/b", false},
		{"a/*.go", "x/a/b.go", true},
		{"a/*.go", "xa/b.go", false},
		{"a/*.go", "a/b/c.go", false},
		{"/a/*.go", "x/a/b.go", false},
		{"/a/*.go", "a/b.go", true},
		{"a/**/c", "a/c", true},
		{"a/**/c", "a/b/b/c", true},
		{"a/**", "x/a/b/c", true},
		{"{a,b}.?", "b.c", true},
		{"a.b", "axb", false},
		{"{a", "{a", true},
		{"a}", "a}", true},
	} {
		if got := globs([]string{test.glob}).MatchString(test.path); got != test.want {
			t.Errorf("%q fits %q: %t", test.glob, test.path, got)
		}
	}
	if globs(nil).MatchString("") || globs(nil).MatchString("a\nb") {
		t.Error("no globs fit something")
	}
}

// FuzzRules holds the reader of .okstra/surfaces.yaml to any text: rules, or an error
// with a place.
func FuzzRules(f *testing.F) {
	f.Add([]byte("version: 1\noff: [go-io-call]\nignore:\n  - why: x\n    paths: [\"a/**\"]\n"))
	f.Add([]byte("version: 1\nrules:\n  - id: x\n    surface: db\n    kind: call\n    any: ['a', 'b(']\n"))
	f.Add([]byte("version: 1\nrules:\n  - id: x\n    surface: io\n    kind: path\n    paths: [\"{a,b\"]\n    doc: |\n      x\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		_, err := Builtin().With("f", src)
		var problem *RulesError
		if err != nil && (!errors.As(err, &problem) || problem.Line < 1 || problem.Column < 1 || problem.Message == "") {
			t.Errorf("%v", err)
		}
	})
}
