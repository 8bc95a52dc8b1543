package rules

import (
	"slices"
	"strings"
	"testing"

	"git-okstra/plan"
)

// old makes a plan with the numbering of releases before 0.50.0.
func old(src string) string { return strings.ReplaceAll(src, "## 5.5", "## 4.5") }

func TestChooseRuleset(t *testing.T) {
	const fm = "---\nokstra: 0.60.0\n---\n"
	for _, tc := range []struct {
		name, front string
		opts        Options
		want        string
		findings    string
	}{
		{"newest", "", Options{}, Newest, ""},
		{"front matter", fm, Options{}, "0.60.0", ""},
		{"flag first", fm, Options{Ruleset: "0.70.0"}, "0.70.0", ""},
		{"config last", "", Options{ConfigRuleset: "0.80.0"}, "0.80.0", ""},
		{"front matter before config", fm, Options{ConfigRuleset: "0.80.0"}, "0.60.0", ""},
		{"bad flag", fm, Options{Ruleset: "latest"}, "0.60.0", "P2"},
		{"bad front matter", "---\nokstra: soon\n---\n", Options{ConfigRuleset: "0.80.0"}, "0.80.0", "P2"},
		{"float", "---\nokstra: 0.60\n---\n", Options{}, Newest, "P2"},
		{"number", "---\nokstra: 1\n---\n", Options{}, Newest, "P2"},
		{"v", "---\nokstra: v0.60.0\n---\n", Options{}, Newest, "P2"},
		{"all bad", "---\nokstra: a\n---\n", Options{Ruleset: "b", ConfigRuleset: "c"}, Newest, "P2 P2 P2"},
		{"pre-release", "---\nokstra: 0.60.0-rc.1+x\n---\n", Options{}, "0.60.0-rc.1+x", ""},
		{"newer than known", "---\nokstra: 7.0.0\n---\n", Options{}, "7.0.0", ""},
		{"asked no further", fm, Options{Ruleset: "0.70.0", ConfigRuleset: "bad"}, "0.70.0", ""},
	} {
		r := check(tc.front+three, tc.opts)
		var codes []string
		for _, f := range r.Findings {
			codes = append(codes, f.Code)
		}
		if r.Ruleset != tc.want || strings.Join(codes, " ") != tc.findings {
			t.Errorf("%s: ruleset %s, %v", tc.name, r.Ruleset, r.Findings)
		}
	}
}

func TestTooOld(t *testing.T) {
	r := check("---\nokstra: 0.34.9\n---\n# nothing\n", Options{})
	if got := codes(r.Findings); got != "P2 P3 P5" || r.Plan != nil || r.OK() {
		t.Errorf("%+v", r)
	}
	last := r.Findings[len(r.Findings)-1]
	if last.Code != "P2" || last.Pos != (plan.Position{Line: 2, Column: 9}) {
		t.Errorf("at %s", last.Pos)
	}
	if r := check("# nothing\n", Options{Ruleset: "0.35.0-rc.1"}); codes(r.Findings) != "P3 P5 S1" {
		t.Errorf("a pre-release of the first one: %+v", r.Findings)
	}
}

// codes names the codes that findings have, each once, sorted.
func codes(findings []Finding) string {
	var out []string
	for _, f := range findings {
		out = append(out, f.Code)
	}
	slices.Sort(out)
	return strings.Join(slices.Compact(out), " ")
}

func TestNumbering(t *testing.T) {
	for _, tc := range []struct {
		version string
		old     bool
		want    string
	}{
		{"0.49.9", true, ""},
		{"0.50.0-rc.1", true, "S1 stage=0 ~P5 stage=0"},
		{"0.50.0", false, ""},
		{"0.49.9", false, "S1 stage=0 ~P5 stage=0"},
		{"0.35.0", true, ""},
	} {
		src := three
		if tc.old {
			src = old(three)
		}
		r := check(src, Options{Ruleset: tc.version})
		if got := strings.Join(outline(r.Findings), " "); got != tc.want {
			t.Errorf("%+v: %s", tc, got)
		}
		for _, f := range r.Findings {
			if f.Code == "S1" && !strings.Contains(f.Hint, "0.50.0") {
				t.Errorf("%+v: the hint %q names no ruleset", tc, f.Hint)
			}
		}
	}
}

func TestSeverityAndCapByRuleset(t *testing.T) {
	six := strings.Replace(three, "| 2 | GREEN: code |\n", strings.Repeat("| 2 | GREEN: code |\n", 6), 1)
	six = strings.Replace(six, "| (none) | 2 | f1.go |", "| (none) | 7 | f1.go |", 1)
	nine := strings.Replace(three, "| 2 | GREEN: code |\n", strings.Repeat("| 2 | GREEN: code |\n", 8), 1)
	nine = strings.Replace(nine, "| (none) | 2 | f1.go |", "| (none) | 9 | f1.go |", 1)
	for _, tc := range []struct{ src, version, want string }{
		{six, "0.99.0", "S5 stage=1"},
		{six, "0.100.0-beta", ""},
		{nine, "0.100.0", "S5 stage=1"},
		{shared("(none)", "(none)"), "0.50.0", "S9 stage=0"},
		{old(shared("(none)", "(none)")), "0.46.0", "S9 stage=0"},
		{old(shared("(none)", "(none)")), "0.45.9", ""},
	} {
		if got := strings.Join(outline(check(tc.src, Options{Ruleset: tc.version}).Findings), " "); got != tc.want {
			t.Errorf("under %s: %s, want %s", tc.version, got, tc.want)
		}
	}
}

func TestStrict(t *testing.T) {
	warned := strings.Replace(three, "Stage 2: t", "Stage 2: u", 1)
	if r := check(warned, Options{}); !r.OK() || len(r.Findings) != 1 {
		t.Errorf("%+v", r)
	}
	if r := check(warned, Options{Strict: true}); r.OK() {
		t.Error("a warning passes under strict")
	}
	if !check(three, Options{Strict: true}).OK() {
		t.Error("a good plan is refused under strict")
	}
}

func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Table() {
		key := r.Code + string(r.Severity)
		if seen[key] || r.Title == "" || r.Reason == "" || r.run == nil || mustConstraint(r.Constraint) == nil {
			t.Errorf("rule %+v", r)
		}
		if strings.Contains(r.Title+r.Reason, "\n") {
			t.Errorf("%s is not on one line", key)
		}
		seen[key] = true
	}
	Table()[0].Code = "changed"
	if Table()[0].Code != "P1" {
		t.Error("the table can be changed from outside")
	}
	if _, err := newRuleset(Newest); err != nil {
		t.Error(err)
	}
}
