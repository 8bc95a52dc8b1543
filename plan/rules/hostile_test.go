package rules

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"git-okstra/plan"
)

func TestUnreadableAlone(t *testing.T) {
	for _, src := range []string{"a\x00", "---\napproved: maybe\n---\n\xff", strings.Repeat("a", plan.MaxSize+1)} {
		r := check(src, Options{Ruleset: "no version"})
		if len(r.Findings) != 1 || r.Findings[0].Code != "P1" || r.OK() || r.Plan != nil {
			t.Errorf("%+v", r)
		}
	}
}

func TestFrontMatterFindings(t *testing.T) {
	r := check("---\napproved: maybe\ncategory: what\n---\n"+three, Options{})
	if got := outline(r.Findings); strings.Join(got, " ") != "P2 stage=0 P2 stage=0" || r.Plan == nil {
		t.Errorf("%+v", r)
	}
	if r := check("---\n"+three, Options{}); outline(r.Findings)[0] != "P2 stage=0" || r.Plan == nil {
		t.Errorf("front matter that is not closed: %+v", r.Findings)
	}
}

// TestMessagesShowNoControls: a plan must not write to a reader's terminal.
func TestMessagesShowNoControls(t *testing.T) {
	const evil = "\x1b]0;x\x07\u202e\u2028\u0085"
	src := three
	for _, e := range [][2]string{
		{"| 1, 2 |", "| x" + evil + " |"},
		{"| 1 | t | (none) | 2 |", "| x" + evil + " | t | (none) | y" + evil + " |"},
		{"Stage 2: t", "Stage 2: " + evil + "u"},
		{"- `f3.go`", "- `../" + evil + "/f3.go`"},
		{"---\n", "---\n"},
		{"## 9. Appendix", "## 5.5.8 Stage 8: " + evil + "\n\n## 9. Appendix"},
	} {
		src = strings.Replace(src, e[0], e[1], 1)
	}
	front := "---\nokstra: \"x\\e[31m\"\ntask: [\"\\e\"]\n---\n"
	for _, s := range []string{front + src, strings.Replace(src, "5.5 Stage Map", "Stage Map "+evil, 1), "---\na\x1b: [\n---\n"} {
		r := check(s, Options{Ruleset: evil, ConfigRuleset: evil})
		if len(r.Findings) < 2 {
			t.Errorf("%q: only %+v", s, r.Findings)
		}
		for _, f := range r.Findings {
			if strings.ContainsFunc(f.Message+f.Hint, func(r rune) bool { return !unicode.IsPrint(r) }) {
				t.Errorf("%s shows %q", f.Code, f.Message+f.Hint)
			}
		}
	}
}

// many makes a plan of n small stages; row and contract take the number.
func many(n int, row, contract string) string {
	var m, s strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&m, row, i, max(1, i-1))
		fmt.Fprintf(&s, "## 5.5.%d Stage %d: t\n### Stage Exit Contract\n"+contract+"\n", i, i)
	}
	return "## 5.5 Stage Map\n\n" + mapHead + m.String() + "\n" + s.String()
}

// TestHostilePlansEnd runs inputs that would need quadratic time or memory if
// done without care. It asserts no times; a regression makes it run for
// minutes.
func TestHostilePlansEnd(t *testing.T) {
	n := 4000
	if testing.Short() {
		n = 1000
	}
	for name, tc := range map[string]struct {
		src  string
		want string // a code among the findings
	}{
		"one file in all":          {many(n, "| %[1]d | t | (none) | 0 | x |\n", "- a/shared.go"), "S9"},
		"one file along a chain":   {many(n, "| %[1]d | t | %[2]d | 0 | x |\n", "- a/shared.go"), "S8"},
		"one file below one":       {many(n, "| %[1]d | t | 1 | 0 | x |\n", "- a/shared.go"), "S9"},
		"one cycle":                {many(n, "| %[1]d | t | %[2]d, 4000 | 0 | x |\n", ""), "S8"},
		"rows without sections":    {"## 5.5 Stage Map\n\n" + mapHead + strings.Repeat("| 9 | t | 1 | 1 | |\n", 50000), "S2"},
		"broken rows":              {"## 5.5 Stage Map\n\n" + mapHead + strings.Repeat("| 9 |\n", 100000), "S1"},
		"stray rows":               {"## 5.5 Stage Map\n\n" + mapHead + "| 1 | t | | 1 | |\n\n" + strings.Repeat("| 9 |\n", 100000), "S1"},
		"wide table":               {strings.Repeat("|a", 50000) + "\n" + strings.Repeat("|-", 50000) + "\n" + strings.Repeat("a\n", 50000), "S1"},
		"quotes":                   {strings.Repeat(strings.Repeat(">", 400)+"\n", 500), "S1"},
		"lists":                    {strings.Repeat(strings.Repeat("- ", 400)+"\n", 300), "S1"},
		"nested list, blank lines": {strings.Repeat("- ", 400) + "a\n" + strings.Repeat("\n", 100000), "S1"},
		"definitions":              {strings.Repeat("[a]: b\n", 50000), "S1"},
		"open definitions":         {strings.Repeat("[a\n", 50000), "S1"},
		"brackets":                 {"# " + strings.Repeat("[", 500000), "S1"},
		"links":                    {"# " + strings.Repeat("[a](<b", 100000), "S1"},
		"stars":                    {strings.Repeat("# "+strings.Repeat("*a **b ", 30)+"\n", 500), "S1"},
		"ticks":                    {strings.Repeat("Slice value: `a``b```\n", 20000), "S1"},
		"comments":                 {strings.Repeat("Slice value: <!-- a\n", 20000), "S1"},
		"tokens in items":          {strings.Repeat("- Slice value:\n  - Acceptance:\n    - Slice value:\n\n", 5000), "S1"},
		"one line of headings":     {"# " + strings.Repeat("한 ", 500000), "S1"},
	} {
		t.Run(name, func(t *testing.T) {
			r := check(tc.src, Options{})
			found := false
			for _, f := range r.Findings {
				found = found || f.Code == tc.want
			}
			if !found || len(r.Findings) > 10*maxFindings {
				t.Errorf("%d findings, %s among them: %v", len(r.Findings), tc.want, found)
			}
		})
	}
}

// TestTooComplex: past the bounds a document is refused, never half judged.
func TestTooComplex(t *testing.T) {
	r := check(three+strings.Repeat("-\n", 1<<20), Options{})
	if len(r.Findings) != 1 || r.Findings[0].Code != "P1" || !strings.Contains(r.Findings[0].Message, "blocks") {
		t.Errorf("%+v", r.Findings)
	}
}

func FuzzCheck(f *testing.F) {
	files, err := filepath.Glob("testdata/*/*.md")
	if err != nil || len(files) == 0 {
		f.Fatal("no seeds")
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(src, "", false)
	}
	for i, e := range slices.Concat(edits, headingEdits, verificationEdits, sliceEdits, kindEdits) {
		f.Add([]byte(strings.Replace(three, e.old, e.new, 1)), []string{"", "0.49.0", "0.56.0"}[i%3], i%2 == 0)
	}
	f.Add([]byte(tagged("Cross-project parallelism: api ↔ web: x; 결제와 주문", "[api][web] a", "[결제] b", "[주문] c")), "", false)
	f.Add(Skeleton(plan.TaskKey{Project: "p", Task: "t"}, "[x] `y|z`"), "", false)
	f.Add([]byte(shared("2", "1", "(none)", "1, 3")), "0.100.0-x", true)
	f.Fuzz(func(t *testing.T, src []byte, ruleset string, strict bool) {
		opts := Options{Ruleset: ruleset, Strict: strict, Approval: !strict, ProjectRoots: map[string]string{"a": "src", "b": "pkg", "c": "."}}
		r := Check(plan.Parse(src), opts)
		lines := strings.Count(string(src), "\n") + strings.Count(string(src), "\r") + 1
		ok := true
		for _, f := range r.Findings {
			ok = ok && f.Severity != Error && !strict
			if f.Stage != 0 && f.Code[0] == 'P' || f.Stage < 0 {
				t.Fatalf("finding %+v of no stage", f)
			}
			if !covered(f.Code) || f.Message == "" || f.Hint == "" || f.Pos.Line < 1 || f.Pos.Column < 1 || f.Pos.Line > lines {
				t.Fatalf("finding %+v", f)
			}
			if strings.ContainsFunc(f.Message+f.Hint, func(r rune) bool { return !unicode.IsPrint(r) }) {
				t.Fatalf("a message shows %q", f.Message+f.Hint)
			}
		}
		if r.OK() != ok || !sorted(r.Findings) {
			t.Fatalf("OK %v, findings %+v", r.OK(), r.Findings)
		}
		if twice := Check(plan.Parse(src), opts); !slices.Equal(twice.Findings, r.Findings) {
			t.Fatalf("a second time %+v, before %+v", twice.Findings, r.Findings)
		}
		crlf := strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(string(src), "\r\n", "\n"), "\r", "\n"), "\n", "\r\n")
		if again := check(crlf, opts); len(again.Findings) != len(r.Findings) {
			t.Fatalf("with CRLF %+v, before %+v", again.Findings, r.Findings)
		}
	})
}
