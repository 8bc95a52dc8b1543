package rules

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"git-okstra/plan"
)

func declaring(lines ...string) plan.Stage {
	return plan.Stage{Number: 2, Section: "## 5.5.2 Stage 2: x\n" + strings.Join(lines, "\n") + "\n"}
}

func TestDeclared(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Conformance tests: stage-2 — qa/scripts/stage-2.sh (requires=[db,http])":                  "tests qa/scripts/stage-2.sh [db http]",
		"- **Conformance tests:** stage-2 -- qa/scripts/deep/s.sh":                                 "tests qa/scripts/deep/s.sh []",
		"Conformance tests: stage-2 — .okstra/tasks/g/t/qa/scripts/s.sh (requires=[io])":           "tests qa/scripts/s.sh [io]",
		"Conformance tests: stage-2 — qa/scripts/s.sh (requires=[])":                               "tests qa/scripts/s.sh []",
		"Conformance exemption: pure computation":                                                  "exempt pure computation",
		"Conformance exemption: TBD":                                                               "",
		"Conformance tests: stage-3 — qa/scripts/s.sh (requires=[db])":                             "",
		"Conformance tests: stage-2 — scripts/s.sh (requires=[db])":                                "",
		"Conformance tests: stage-2 — qa/scripts/s.sh (requires=[db":                               "",
		"Conformance exemption: a\n\nConformance exemption: b":                                     "",
		"Conformance exemption: a\n\nConformance tests: stage-2 — qa/scripts/s.sh (requires=[db])": "",
		"```\nConformance exemption: a sample\n```":                                                "",
		"": "",
	} {
		d, got := Declared(declaring(text)), ""
		switch {
		case d.Tests:
			got = fmt.Sprintf("tests %s %v", d.Script, d.Requires)
		case d.Exempt:
			got = "exempt " + d.Reason
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestNamedFiles(t *testing.T) {
	t.Parallel()
	st := declaring("Carry src/other.go along.",
		"### Stepwise Execution Order", "", "| step | action | files | command | expected |", "|--|--|--|--|--|",
		"| 1 | RED: see `src/a_test.go` | src/new/, `Makefile`; ./b.go:12 | go test | FAIL |",
		"| 2 | GREEN: x | — | `sh run.sh` | PASS |", "| 3 | y | ../out.go, /etc/x | - | - |",
		"### Stage Exit Contract", "src/a.go")
	st.Files = []string{"src/a.go"}
	want := []string{"Makefile", "b.go", "src/a.go", "src/a_test.go", "src/new"}
	if got := NamedFiles(st); !slices.Equal(got, want) {
		t.Errorf("named %q, want %q", got, want)
	}
}
