package rules

import (
	"fmt"
	"strings"
	"testing"
)

// shared makes a plan in which every stage names src/shared.go.
func shared(depends ...string) string {
	text := stages(depends...)
	for i := range depends {
		text = strings.Replace(text, fmt.Sprintf("- `f%d.go`", i+1), "- `src/shared.go`", 1)
	}
	return text
}

func pairs(r Result) string {
	var out []string
	for _, f := range r.Findings {
		var a, b int
		if _, err := fmt.Sscanf(f.Message, "stages %d and %d", &a, &b); err == nil && f.Code == "S9" {
			mark := map[Severity]string{Error: "!", Warning: "~"}[f.Severity]
			out = append(out, fmt.Sprintf("%s%d-%d", mark, a, b))
		}
	}
	return strings.Join(out, " ")
}

func TestPairs(t *testing.T) {
	for _, tc := range []struct {
		depends []string
		want    string
	}{
		{[]string{"(none)", "(none)"}, "!1-2"},
		{[]string{"(none)", "1"}, ""},
		{[]string{"2", "(none)"}, ""},
		{[]string{"(none)", "1", "2"}, ""},
		{[]string{"(none)", "1", "1"}, "~2-3"},
		{[]string{"(none)", "1", "1", "2, 3"}, "~2-3"},
		{[]string{"(none)", "(none)", "1"}, "!1-2 ~2-3"},
		{[]string{"(none)", "(none)", "(none)"}, "!1-2 !1-3 !2-3"},
		{[]string{"2", "1", "(none)"}, "~1-3 ~2-3"},
		{[]string{"(none)", "1", "(none)", "3"}, "!1-3 ~2-3 ~1-4 ~2-4"},
	} {
		if got := pairs(check(shared(tc.depends...), Options{})); got != tc.want {
			t.Errorf("%v: %s, want %s", tc.depends, got, tc.want)
		}
		strict := strings.ReplaceAll(tc.want, "~", "!")
		if got := pairs(check(shared(tc.depends...), Options{Strict: true})); got != strict {
			t.Errorf("%v, strict: %s, want %s", tc.depends, got, strict)
		}
	}
}

func TestPairMessage(t *testing.T) {
	r := check(shared("(none)", "(none)"), Options{})
	f := r.Findings[0]
	for _, part := range []string{"stages 1 and 2", `"src/shared.go"`} {
		if !strings.Contains(f.Message, part) {
			t.Errorf("%q lacks %s", f.Message, part)
		}
	}
	line := strings.Split(shared("(none)", "(none)"), "\n")[f.Pos.Line-1]
	if !strings.Contains(line, "src/shared.go") || f.Pos.Column != 4 {
		t.Errorf("the finding stands at %s, on %q", f.Pos, line)
	}
}

func TestManyFilesOfOnePair(t *testing.T) {
	src := strings.Replace(stages("(none)", "(none)"), "- `f2.go`", "- `f1.go` `a.go` `b.go` `c.go` `d.go`", 1)
	src = strings.Replace(src, "- `f1.go`\n", "- `f1.go` `a.go` `b.go` `c.go` `d.go`\n", 1)
	r := check(src, Options{})
	if len(r.Findings) != 1 || !strings.Contains(r.Findings[0].Message, `"a.go", "b.go", "c.go" and 2 more`) {
		t.Errorf("%+v", r.Findings)
	}
}

// TestPairsAreCapped: the findings of a hostile plan stay listable, errors are
// not crowded out by warnings, and the last finding says so.
func TestPairsAreCapped(t *testing.T) {
	const n = 400 // 79800 pairs
	depends := make([]string, n)
	for i := range depends {
		depends[i] = "1"
	}
	depends[0], depends[1] = "(none)", "(none)"
	r := check(shared(depends...), Options{})
	count := map[Severity]int{}
	said := false
	for _, f := range r.Findings {
		count[f.Severity]++
		said = said || strings.Contains(f.Message, "the rest is not listed")
	}
	if !said || count[Error] != 1 || count[Warning] > maxFindings+1 || count[Warning] < maxFindings {
		t.Errorf("%v findings, capped: %v", count, said)
	}
}
