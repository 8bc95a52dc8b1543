package conform

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/alecthomas/chroma/v2"
	"github.com/dlclark/regexp2/v2/syntax"
)

// TestBegins says for patterns what may be next where they fit, and what may not. Of what
// is not ASCII nothing is known.
func TestBegins(t *testing.T) {
	t.Parallel()
	const all = "abcAB1_ \n.\"/*#é"
	for pattern, want := range map[string]string{
		`a`:               "aé",
		`ab|ba`:           "abé",
		`a*b`:             "abé",
		`a+?b`:            "aé",
		`a??b`:            "abé",
		`(?:a|)c`:         "acé",
		`(?:a?b?)+c`:      "abcé",
		`[^a-cA-Z\s]`:     "1_.\"/*#é",
		`\s+`:             " \né",
		`.`:               "abcAB1_ .\"/*#é",
		`[^\n]*?"`:        "abcAB1_ .\"/*#é",
		`(?s).`:           all,
		`\w`:              "abcAB1_é",
		`\d+\.`:           "1é",
		`\bc`:             "cé",
		`(?<=a)b`:         "bé",
		`(?!a)b`:          "bé",
		`(?=a)`:           all,
		`(?i)ab`:          "aAé",
		`(?i)(?:b|#)+`:    "bB#é",
		`(?m)^/\*`:        "/é",
		`$`:               all,
		`(?>a|b)c`:        "abé",
		`(a)?b`:           "abé",
		`(?:ab){2,3}`:     "aé",
		`(?:ab){0,3}?c`:   "acé",
		`#(?:[^\n]*)`:     "#é",
		`"(?:\\.|[^"])*"`: "\"é",
		``:                all,
		`(a)|(b)\1`:       "abé",
		`é`:               "é",
	} {
		tree, err := syntax.Parse(`\G(?:`+pattern+`)`, syntax.ParseOptions{})
		if err != nil {
			t.Fatal(err)
		}
		f := beginsOf(tree.Root)
		got := strings.Map(func(r rune) rune {
			if f.nullable || f.has(r) {
				return r
			}
			return -1
		}, all)
		if got != want {
			t.Errorf("%s begins with one of %q, want %q", pattern, got, want)
		}
	}
}

// TestManyReaders has many read a definition that nobody read before: what is made ready
// once is ready for all.
func TestManyReaders(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"ruby", "typescript", "sql"} {
		src, err := definitions.ReadFile("lexers/" + name + ".xml")
		if err != nil {
			t.Fatal(err)
		}
		d, err := loadDefinition(src)
		if err != nil {
			t.Fatal(err)
		}
		want := quick(t, name, samples[name])
		const readers = 8
		got := make([][]chroma.Token, readers)
		errs := make([]error, readers)
		var wg sync.WaitGroup
		for i := range readers {
			wg.Go(func() {
				errs[i] = d.tokens(samples[name], func(token chroma.Token) bool {
					got[i] = append(got[i], token)
					return true
				})
			})
		}
		wg.Wait()
		for i := range readers {
			if errs[i] != nil || !slices.Equal(got[i], want) {
				t.Errorf("%s: reader %d has %d tokens, want %d: %v", name, i, len(got[i]), len(want), errs[i])
			}
		}
	}
}

// TestPathsOfBothSides names a path rule for the side that it is of, where a file is renamed.
func TestPathsOfBothSides(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		old, cur string
		want     []Side
	}{
		{"q.sql", "q.txt", []Side{Removed}},
		{"q.txt", "q.sql", []Side{Added}},
		{"q.sql", "q.sql", []Side{Removed}},
		{"q.txt", "q.txt", nil},
	} {
		found, err := Builtin().TouchesOf(strings.NewReader("--- a/"+test.old+"\n+++ b/"+test.cur+"\n@@ -1 +1 @@\n-one\n+two\n"), Context{})
		var got []Side
		for _, touch := range found.Touches {
			got = append(got, touch.Side)
		}
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%s to %s: %v, %v, want %v", test.old, test.cur, got, err, test.want)
		}
	}
}
