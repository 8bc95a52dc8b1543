package chain

import (
	"slices"
	"strings"
	"testing"

	"git-okstra/notes"
	"git-okstra/plan"
)

// section is a stage's section as plans have it.
const section = "## 5.5.1 Stage 1: [core] rules\n\n" +
	"### Stepwise Execution Order\n\n" +
	"| step | action | files | command | expected |\n" +
	"|------|--------|-------|---------|----------|\n" +
	"| 1 | RED | `a/one.go`, b/two.go | `test -s c/three.go` | FAIL |\n" +
	"| 2 | GREEN | ./a//one.go; Makefile.in | run | PASS |\n" +
	"| 3 | look | – | - | (none) |\n" +
	"| 4 | hostile | ../../etc/passwd .. . | x | y |\n" +
	"\n### Stage Exit Contract\n\n- `d/four.go`\n" +
	"\n```\n### Stage Validation\n- post: `rm -rf in-a-code-block`\n```\n" +
	"\n### Stage Validation (검증)\n\n" +
	"- pre: `git status`\n- post: `make test` prints ok\n* **post:** ``echo `date` ``\n- post: nothing in code\n- Post : `go vet`\n- post: ``\n- post: `open\n" +
	"\n### Notes\n\n- post: `not this`\n"

func TestPredicted(t *testing.T) {
	t.Parallel()
	st := plan.Stage{Section: section, Files: []string{"d/four.go"}}
	want := []string{"Makefile.in", "a/one.go", "b/two.go", "d/four.go"}
	if got := Predicted(st); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := Predicted(plan.Stage{Section: "| files |\n|--|\n| x.go |\n"}); len(got) != 0 {
		t.Errorf("of a table elsewhere: %q", got)
	}
	other := plan.Stage{Files: []string{"b/two.go", "e"}}
	if got := Shared(st, other); !slices.Equal(got, []string{"b/two.go"}) {
		t.Errorf("shared: %q", got)
	}
	if got := Shared(st, plan.Stage{}); len(got) != 0 {
		t.Errorf("shared with nothing: %q", got)
	}
}

func TestValidations(t *testing.T) {
	t.Parallel()
	want := []string{"make test", "echo `date`", "go vet"}
	if got := Validations(plan.Stage{Section: section}); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// FuzzSection holds that no section makes the readers fail, or gives a path outside of
// the repository or an empty command.
func FuzzSection(f *testing.F) {
	f.Add(section)
	f.Add("### Stepwise Execution Order\n| files |\n| ../x/../../y |\n| /a/b |\n")
	f.Add("### Stage Validation\n- post: ` `\n~~~\n- post: `x`\n")
	f.Fuzz(func(t *testing.T, text string) {
		st := plan.Stage{Section: text}
		for _, file := range Predicted(st) {
			if file == "" || file == ".." || strings.HasPrefix(file, "../") {
				t.Errorf("predicted %q", file)
			}
		}
		for _, command := range Validations(st) {
			if strings.TrimSpace(command) == "" || strings.Contains(command, "\n") {
				t.Errorf("validation %q", command)
			}
		}
	})
}

func TestBrief(t *testing.T) {
	t.Parallel()
	got := Brief(BriefFor{
		Task: "p:g:t", Of: 3, Branch: "feat-t-s2", Base: "aaaa", Resumed: true,
		Stage: plan.Stage{Number: 2, Title: "title\x1b[2J", Section: "## Stage 2\n\ntext of it\n\n\n"},
		Carried: []Carried{
			{Stage: 1, Title: "first", Head: "bbbb", Report: "r\n.md", Carry: &notes.Carry{
				StageCommitRange: notes.CommitRange{Base: "cccc", Head: "bbbb"}, FilesChanged: []string{"x.go", "y\x1b.go"},
				NewIdentifiers: []string{"Do"}, ValidationsPassed: []string{"make"}, Notes: []string{"mind the gap"},
				StepResults: []notes.StepResult{{Step: 1, Status: "ok", Commit: "dddd"}},
			}},
			{Stage: 3, Title: "third", Head: "eeee"},
		},
	})
	for _, want := range []string{
		"# Stage 2 of 3: title", "- base: aaaa\n", "- resumed: ", "git log aaaa..HEAD", "## Rules of the road", "### Stage 1: first\n\n- done at: bbbb\n",
		"- commits: cccc..bbbb\n", "- files changed:\n  - x.go\n", "- new identifiers:\n  - Do\n", "- validations passed:\n  - make\n",
		"- notes:\n  - mind the gap\n", "- step 1: ok dddd\n", "### Stage 3: third\n\n- done at: eeee\n- evidence: none is recorded\n", "\ntext of it\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.ContainsRune(got, '\x1b') || strings.Contains(got, "r\n.md") || strings.HasSuffix(got, "\n\n") {
		t.Errorf("not printable:\n%q", got)
	}
	alone := Brief(BriefFor{Stage: plan.Stage{Number: 1}})
	if !strings.Contains(alone, "depends on no other") || strings.Contains(alone, "resumed") {
		t.Errorf("of a first stage:\n%s", alone)
	}
}
