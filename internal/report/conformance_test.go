package report

import (
	"encoding/json"
	"strings"
	"testing"

	"git-okstra/internal/conform"
	"git-okstra/internal/conform/manifest"
	"git-okstra/internal/conform/proof"
	"git-okstra/internal/conform/verdict"
)

// judgedStage has one of everything.
func judgedStage() Conformance {
	c := verdict.Case{
		Stage: 2, Declared: verdict.Declaration{Kind: verdict.Tests, Requires: []conform.Surface{"db"}}, Moment: verdict.Done, OutOfPlan: verdict.ModeNotice,
		Touches: []conform.Touch{
			{Surface: "http", Path: "a\x1b,b.go", Line: 7, Side: conform.Added, Rule: "go-http", Text: "x"},
			{Surface: "io", Path: "c.go", Line: 3, Side: conform.Removed, Rule: "go-io", Text: "y"},
		},
		Proof:     verdict.Proof{State: verdict.Failed, Why: "it says FAIL"},
		Waivers:   []verdict.Waiver{{Surface: "io", Why: "a mock\n::error::", By: "Ada", Until: "2999-01-01"}},
		Unplanned: []verdict.Unplanned{{Path: "새 파일.go"}},
	}
	return NewConformance(Judged{
		Stage: 2, Base: "0123456789abcdef", Head: "fedcba9876543210", Moment: c.Moment, Declared: c.Declared, Verdict: verdict.Judge(c),
		Found: conform.Findings{Touches: c.Touches}, Proof: c.Proof, Result: &proof.Result{Head: "aaaabbbbccccdddd", At: "2026-01-01T00:00:00Z", By: "Ada", Host: "h\x1b"},
	})
}

func judgedCheck() ConformCheck {
	return NewConformCheck("a:b:c", "docs/plan.md", []Conformance{judgedStage()}, []manifest.Problem{{Line: 3, Column: 4, Message: "stage 9 has no entry", Hint: "add one"}})
}

func TestConformText(t *testing.T) {
	t.Parallel()
	want := `stage 2  0123456789..fedcba9876
  verdict    block
  declared   tests, requires [db]
  result     fail at aaaabbbbcc, 2026-01-01T00:00:00Z, by Ada on host h\x1b: it says FAIL
  touched    io and http
  block      the change of stage 2 touches http, which its plan does not declare (requires=[db])
             a\\x1b,b.go:7: http (go-http)
  block      the conformance test of stage 2 failed on this tree: it says FAIL
  notice     io is waived: a mock\\n::error:: (by Ada, until 2999-01-01)
  notice     "새 파일.go" is not named in Exit Contract or steps of stage 2
`
	got := judgedCheck().Text()
	body, hints, _ := strings.Cut(got, "  hint: ")
	// What is escaped once is text from then on: escaping it again changes no byte.
	if strings.ReplaceAll(body, `\\`, `\`) != strings.ReplaceAll(want, `\\`, `\`) {
		t.Errorf("text\n%s\nwant\n%s", body, want)
	}
	for _, part := range []string{"conform waive 2 --surface http", "git okstra conform run 2", "Out-of-plan: 새 파일.go", "qa/conformance-manifest.json:3:4: stage 9 has no entry\n"} {
		if strings.Count(hints, part) != 1 {
			t.Errorf("%q is not once in\n%s", part, hints)
		}
	}
	if strings.ContainsRune(got, '\x1b') {
		t.Error("an escape comes through")
	}
}

func TestConformJSON(t *testing.T) {
	t.Parallel()
	for _, c := range []ConformCheck{judgedCheck(), NewConformCheck("a:b:c", "", []Conformance{NewConformance(Judged{})}, nil)} {
		data, err := json.Marshal(c)
		if err != nil || strings.Contains(string(data), "null") {
			t.Errorf("%s (%v): a list is null", data, err)
		}
	}
	if judgedCheck().OK || !NewConformCheck("", "", nil, nil).OK {
		t.Error("ok is not what it says")
	}
}

func TestConformSARIF(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]ConformCheck{"all": judgedCheck(), "none": NewConformCheck("a:b:c", "", nil, nil), "no place": NewConformCheck("a:b:c", "", []Conformance{judgedStage()}, nil)} {
		data, err := json.Marshal(c.SARIF("1.2.3"))
		if err != nil {
			t.Fatal(err)
		}
		if err := validSARIF(data); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if name != "all" {
			continue
		}
		for _, want := range []string{
			`"ruleId":"outside-touches","ruleIndex":2,"level":"error"`, `"uri":"a%1B%2Cb.go"`, `"uri":"docs/plan.md"`,
			`"ruleId":"waived","ruleIndex":6,"level":"note"`, `"ruleId":"manifest","ruleIndex":8`, `"uri":"docs/qa/conformance-manifest.json"},"region":{"startLine":3,"startColumn":4}`,
		} {
			if !strings.Contains(string(data), want) {
				t.Errorf("%s is missing from %s", want, data)
			}
		}
	}
}

func TestConformAnnotations(t *testing.T) {
	t.Parallel()
	got := judgedCheck().Annotations()
	lines := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
	if len(lines) != 5 {
		t.Fatalf("%d lines, want 5:\n%s", len(lines), got)
	}
	for i, want := range []string{
		`::error file=a\x1b%2Cb.go,line=7,col=1,title=outside-touches in stage 2::the change of stage 2 touches http`,
		"::error file=docs/plan.md,line=1,col=1,title=failed-result in stage 2::", "::notice file=docs/plan.md,line=1,col=1,title=waived in stage 2::",
		"::notice file=새 파일.go,line=1,col=1,title=out-of-plan in stage 2::", "::error file=docs/qa/conformance-manifest.json,line=3,col=4,title=manifest::stage 9 has no entry%0Ahint: add one",
	} {
		if !strings.HasPrefix(lines[i], want) {
			t.Errorf("line %d is %q, want %q", i, lines[i], want)
		}
	}
}

func TestConformStatusText(t *testing.T) {
	t.Parallel()
	s := ConformStatus{
		Stages: []ConformStage{
			{Stage: 1, State: "done", Declared: "tests", Script: "qa/scripts/s.sh", Requires: []conform.Surface{"io", "db"}, Result: ResultLine{State: verdict.Stale, Why: "another tree"}},
			{Stage: 2, State: "ready", Declared: "exemption", Reason: "names\x1b"},
			{Stage: 3, State: "ready"},
		},
		Waivers:  []WaiverLine{{Stage: 1, Surface: "db", Why: "x", By: "Ada", Until: "2001-01-01", From: verdict.FromRow, Expired: true}},
		Manifest: NewManifestProblems([]manifest.Problem{{Line: 1, Column: 2, Message: "no"}}),
	}
	got := s.Text()
	for _, want := range []string{
		"1      done   tests [db,io] qa/scripts/s.sh  stale: another tree\n", `exempt: names\x1b`, "3      ready  nothing", "waivers\n  stage 1: db is waived: x (by Ada, until 2001-01-01) (expired)\n",
		"manifest\n  qa/conformance-manifest.json:1:2: no\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing from\n%s", want, got)
		}
	}
}

// TestConformElsewhere holds what other outputs say of it.
func TestConformElsewhere(t *testing.T) {
	t.Parallel()
	c := judgedStage()
	show := StageShow{Conformance: &c, Waivers: []WaiverLine{{Surface: "io", Why: "x", By: "Ada", From: verdict.FromRow, Expired: true}}}
	if got := show.Text(); !strings.Contains(got, "conformance\n  verdict    block\n") || !strings.Contains(got, "  waiver     io is waived: x (by Ada) (expired)\n") {
		t.Errorf("stage show:\n%s", got)
	}
	v := Verify{Conformance: []Conformance{c}, Stages: []VerifyStage{{Stage: 2}}}
	if got := v.Text(); !strings.Contains(got, "\nconformance\n  stage 2: io is waived: ") {
		t.Errorf("verify:\n%s", got)
	}
}
