package report

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-okstra/plan"
	"git-okstra/plan/rules"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s:\n%s\nwant:\n%s", name, got, want)
	}
}

func TestStageListText(t *testing.T) {
	t.Parallel()
	since := "2026-01-02T03:04:05Z"
	list := StageList{Task: "앱:그룹:task\x1b]0;title\a", Stages: []StageLine{
		{Stage: 1, Title: "Parse the header", State: "done", Steps: 3, HeadCommit: strings.Repeat("ab", 20)},
		{Stage: 2, Title: "스키마 만들기", State: "active", Steps: 12, Holder: &Holder{By: "A Person <a@x>", Host: "box", Since: since}},
		{Stage: 3, Title: "日本語 and emoji 🎉", State: "active", Stale: true, StaleReason: "its worktree is gone", Steps: 1, Holder: &Holder{By: "evil\x1b[2J", Since: since}},
		{Stage: 4, Title: "Ready | with a pipe", State: "ready", Steps: 2},
		{Stage: 5, Title: "tab\tand\nnewline", State: "blocked", Steps: 0, WaitingFor: []plan.StageNumber{2, 3, 10}},
		{Stage: 10, Title: "", State: "done", Steps: 1, HeadCommit: "short"},
		{Stage: 11, Title: "taken up again after done", State: "done", Holder: &Holder{By: "x", Since: since}},
	}}
	golden(t, "stages.txt", list.Text())
	golden(t, "stages-empty.txt", StageList{Task: "p:g:t"}.Text())
}

// findings is a check of two files; each finding tries one form of excerpt.
func findings() *PlanCheck {
	long := strings.Repeat("0123456789", 30)
	src := "\ufefffirst\r\n\tindented\twith tabs\r\n한국어 줄 here\n" + long + "\n\n\x1b[31mred\x1b[0m and more\rafter a lone CR\nlast"
	at := func(line, column int, code, message string) rules.Finding {
		return rules.Finding{
			Code: code, Severity: rules.Error, Pos: plan.Position{Line: line, Column: column}, Message: message, Hint: "hint for " + code,
		}
	}
	all := []rules.Finding{
		at(1, 1, "P1", "at the very beginning, after a byte order mark"),
		at(2, 11, "P2", "behind tabs"),
		at(3, 7, "P3", "behind wide characters"),
		at(4, 5, "P4", "near the beginning of a long line"),
		at(4, 150, "P5", "in the middle of a long line"),
		at(4, 300, "P6", "at the end of a long line"),
		at(4, 9999, "P7", "beyond the end of the line"),
		at(5, 1, "P8", "on an empty line"),
		at(6, 14, "P9", "behind escapes"),
		at(7, 7, "S1", "after a lone CR"),
		at(8, 5, "S2", "behind the last character"),
		at(9, 1, "S3", "beyond the end of the file"),
		at(0, 0, "S4", "nowhere"),
		{Code: "S5", Severity: rules.Warning, Stage: 3, Pos: plan.Position{Line: 3, Column: 1}, Message: "a warning without a hint"},
	}
	var p PlanCheck
	p.Add("plans/naïve \x1bfile.md", []byte(src), rules.Result{Ruleset: "0.99.0", Findings: all}, false)
	p.Add("good.md", []byte("text"), rules.Result{Ruleset: "0.100.0"}, true)
	p.Add("one.md", []byte("text"), rules.Result{Ruleset: "0.100.0", Findings: all[:1]}, false)
	return &p
}

func TestFindingsText(t *testing.T) {
	t.Parallel()
	golden(t, "findings.txt", findings().Text())
}

// TestCaretStandsBelowItsColumn reads the golden text as a terminal shows it: the
// caret is below the character that the position names.
func TestCaretStandsBelowItsColumn(t *testing.T) {
	t.Parallel()
	lines := strings.Split(findings().Text(), "\n")
	want := map[string]string{"P1": "first", "P2": "with", "P3": "here", "P4": "4567", "P5": "9012", "P6": "9", "S1": "a lone", "S5": "한"}
	for i, line := range lines {
		_, said, _ := strings.Cut(strings.Replace(line, ": warning ", ": error ", 1), ": error ")
		code, _, _ := strings.Cut(said, ":")
		if want[code] == "" {
			continue
		}
		excerpt, caret := lines[i+1], terminal.StringWidth(strings.TrimSuffix(lines[i+2], "^"))
		if at := columnOf(excerpt, want[code]); code != "P4" && code != "P5" && code != "P6" && at != caret {
			t.Errorf("%s: %q is at %d, the caret at %d", code, want[code], at, caret)
		}
		if rest := excerpt[min(caret, len(excerpt)):]; code >= "P4" && code <= "P6" && !strings.HasPrefix(rest, want[code]) {
			t.Errorf("%s: the caret is below %.10q, want %q", code, rest, want[code])
		}
		if terminal.StringWidth(excerpt) > 110 {
			t.Errorf("%s: %d columns wide", code, terminal.StringWidth(excerpt))
		}
		delete(want, code)
	}
	if len(want) > 0 {
		t.Errorf("not found: %v", want)
	}
}

func TestPlanCheckOK(t *testing.T) {
	t.Parallel()
	p := findings()
	if p.OK() || p.Schema != "okstra.plan-check/v1" {
		t.Errorf("ok %v, schema %q", p.OK(), p.Schema)
	}
	p.Files = p.Files[1:2]
	if !p.OK() || p.Files[0].Findings == nil {
		t.Errorf("ok %v, findings %v: null in JSON", p.OK(), p.Files[0].Findings)
	}
	if got := (&PlanCheck{}).Text(); got != "" {
		t.Errorf("nothing checked: %q", got)
	}
}
