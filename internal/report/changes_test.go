package report

import (
	"encoding/json"
	"strings"
	"testing"
)

// aChange has a finding of each kind, with text that is hostile.
func aChange(skip string) *Changes {
	c := NewChanges("okstra.ci/v1", "ci", skip)
	c.Add(ChangeFinding{Rule: "S1", Severity: SeverityError, File: "a b,c.md", Line: 3, Column: 2, Message: "bad\x1b[31m", Hint: "mend\nit"})
	c.Add(ChangeFinding{Rule: "S9", Severity: SeverityWarning, Ref: "refs/heads/x\x07", Stage: 2, File: "p.md", Line: 7, Message: "large"})
	c.Add(ChangeFinding{Rule: "out-of-plan", Severity: SeverityNotice, Stage: 3, File: "x.go", Message: "stage 3 does not name it"})
	c.Add(ChangeFinding{Rule: "protect", Severity: SeverityError, Ref: "refs/okstra/a", Message: "the push would delete it"})
	return c
}

func TestChangesText(t *testing.T) {
	t.Parallel()
	got := aChange("").Text("git push --no-verify")
	const want = `a b,c.md:3:2: error S1: bad\x1b[31m
  hint: mend\nit
refs/heads/x\a: p.md:7:1: warning S9: stage 2: large
x.go: notice out-of-plan: stage 3 does not name it
refs/okstra/a: error protect: the push would delete it
git okstra: ci refused
hint: to go on all the same: OKSTRA_SKIP=S1,protect, or git push --no-verify
`
	if got != want {
		t.Errorf("text:\n%s\nwant:\n%s", got, want)
	}
}

// TestChangesSkip holds a skip to be in what is said, whatever the form, and to be no more
// than was asked for.
func TestChangesSkip(t *testing.T) {
	t.Parallel()
	const spaced = " S1 , PROTECT" // as people write it
	for skip, want := range map[string]struct {
		verdict string
		left    int
		skipped string
	}{
		"":                       {VerdictBlock, 4, ""},
		"s1":                     {VerdictBlock, 3, "S1"},
		spaced:                   {VerdictPass, 2, "S1 protect"},
		"all":                    {VerdictPass, 0, "S1 S9 out-of-plan protect"},
		"S":                      {VerdictBlock, 4, ""},
		"S9,out-of-plan,unknown": {VerdictBlock, 2, "S9 out-of-plan"},
	} {
		c := aChange(skip)
		var names []string
		for _, s := range c.Skipped {
			if s.Count != 1 {
				t.Errorf("%q: %s %d times", skip, s.Rule, s.Count)
			}
			names = append(names, s.Rule)
		}
		if got := strings.Join(names, " "); c.Verdict != want.verdict || len(c.Findings) != want.left || got != want.skipped {
			t.Errorf("%q: %s, %d left, skipped %q", skip, c.Verdict, len(c.Findings), got)
		}
		sarif, err := json.Marshal(c.SARIF("1"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			for form, text := range map[string]string{"text": c.Text(""), "github": c.Annotations(), "sarif": string(sarif)} {
				if !strings.Contains(text, name+" (1 finding)") {
					t.Errorf("%q: %s does not say %s:\n%s", skip, form, name, text)
				}
			}
		}
	}
	twice := NewChanges("s", "h", "S1")
	for range 2 {
		twice.Add(ChangeFinding{Rule: "S1", Severity: SeverityError})
	}
	if len(twice.Skipped) != 1 || twice.Skipped[0].Count != 2 || !strings.Contains(twice.Text(""), "S1 (2 findings)") {
		t.Errorf("twice: %+v", twice.Skipped)
	}
}

func TestChangesSilent(t *testing.T) {
	t.Parallel()
	c := NewChanges("s", "pre-commit", "")
	if !c.Silent() || c.Text("x") != "" || c.Annotations() != "" {
		t.Errorf("not silent: %q", c.Text("x"))
	}
	c.Why = "a rebase is under way"
	if c.Silent() || c.Text("x") != "git okstra: pre-commit: nothing judged: a rebase is under way\n" {
		t.Errorf("with a reason: %q", c.Text("x"))
	}
	for name, c := range map[string]*Changes{"finding": aChange(""), "skipped": aChange("all")} {
		if c.Silent() {
			t.Errorf("%s is silent", name)
		}
	}
}

func TestChangesUndecided(t *testing.T) {
	t.Parallel()
	c := NewChanges("s", "ci", "all")
	c.Undecided("it is\x1b shallow", "git fetch --unshallow")
	c.Add(ChangeFinding{Rule: "x", Severity: SeverityError})
	if want := "skipped by OKSTRA_SKIP: x (1 finding)\ngit okstra: cannot decide: it is\\x1b shallow\nhint: git fetch --unshallow\n"; c.Verdict != VerdictUndecided || c.Text("") != want {
		t.Errorf("%s: %q", c.Verdict, c.Text(""))
	}
	if got := c.Annotations(); !strings.Contains(got, "::error title=cannot decide::it is\\x1b shallow%0Agit fetch --unshallow\n") {
		t.Errorf("github: %q", got)
	}
	blocked := NewChanges("s", "ci", "")
	blocked.Undecided("why")
	blocked.Add(ChangeFinding{Rule: "x", Severity: SeverityError})
	if blocked.Verdict != VerdictUndecided {
		t.Errorf("a finding makes it %s", blocked.Verdict)
	}
}

// TestChangesAnnotations holds foreign text to be no command of its own.
func TestChangesAnnotations(t *testing.T) {
	t.Parallel()
	c := aChange("")
	c.Add(ChangeFinding{Rule: "S2", Severity: SeverityError, File: "a\n::error::x.md", Message: "x\n::warning::y", Hint: "100%"})
	got := c.Annotations()
	const want = `::error file=a b%2Cc.md,line=3,col=2,title=S1::bad\x1b[31m%0Ahint: mend%0Ait
::warning file=p.md,line=7,col=1,title=S9 in stage 2::refs/heads/x\a: large
::notice file=x.go,line=1,col=1,title=out-of-plan in stage 3::stage 3 does not name it
::error title=protect::refs/okstra/a: the push would delete it
::error file=a\n%3A%3Aerror%3A%3Ax.md,line=1,col=1,title=S2::x%0A::warning::y%0Ahint: 100%25
`
	if got != want {
		t.Errorf("annotations:\n%s\nwant:\n%s", got, want)
	}
}

// TestChangesSARIF holds the log to the standard's schema.
func TestChangesSARIF(t *testing.T) {
	t.Parallel()
	undecided := NewChanges("s", "ci", "")
	undecided.Undecided("why", "command")
	for name, c := range map[string]*Changes{"findings": aChange(""), "skipped": aChange("all"), "none": NewChanges("s", "ci", ""), "undecided": undecided} {
		text, err := json.Marshal(c.SARIF("1.2"))
		if err != nil {
			t.Fatal(err)
		}
		if err := validSARIF(text); err != nil {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
		var log sarifLog
		if err := json.Unmarshal(text, &log); err != nil {
			t.Fatal(err)
		}
		run := log.Runs[0]
		if len(run.Results) != len(c.Findings) {
			t.Errorf("%s: %d results, want %d", name, len(run.Results), len(c.Findings))
		}
		for i, r := range run.Results {
			if r.RuleID != c.Findings[i].Rule || run.Tool.Driver.Rules[r.RuleIndex].ID != c.Findings[i].Rule {
				t.Errorf("%s: result %d is %s", name, i, r.RuleID)
			}
		}
	}
}
