package rules

import (
	"fmt"
	"strings"
	"testing"

	"git-okstra/plan"
)

const (
	sliceLine  = "Slice value: v\n"
	acceptLine = "Acceptance: a\n"
	boundary   = "- Test case (boundary): b\n"
	declared   = "Conformance exemption: pure\n"
	redRow     = "| 1 | RED: test |\n"
	greenRow   = "| 2 | GREEN: code |\n"
)

var sliceEdits = []edit{
	{"S10a missing", sliceLine, "", "S10a stage=1"},
	{"S10a empty", sliceLine, "Slice value:\n", "S10a stage=1"},
	{"S10a placeholder", sliceLine, "Slice value: TBD\n", "S10a stage=1"},
	{"S10a dash", sliceLine, "Slice value: —\n", "S10a stage=1"},
	{"S10a comment", sliceLine, "Slice value: <!-- v -->\n", "S10a stage=1"},
	{"S10a case", sliceLine, "slice value: v\n", "S10a stage=1"},
	{"S10a emphasis", sliceLine, "**Slice value:** v\n", ""},
	{"S10a emphasis before the colon", sliceLine, "_Slice value_: v\n", ""},
	{"S10a item", sliceLine, "* Slice value: v\n", ""},
	{"S10a code", sliceLine, "`Slice value: v`\n\n", "S10a stage=1"},
	{"S10a quote", sliceLine, "> Slice value: v\n\n", "S10a stage=1"},
	{"S10a in a table", sliceLine, "\n| Slice value: v |\n|--|\n| x |\n\n", "S10a stage=1"},
	{"S10a second line says it", sliceLine, "Slice value:\n\nSlice value: v\n", ""},
	{"S10a below a heading of the stage", sliceLine + acceptLine, acceptLine + "\n### Notes\n\n" + sliceLine + "\n", ""},
	{"S10a in the chapter before", "## 5.5.1 Stage 1: t\n\n" + sliceLine, sliceLine + "\n## 5.5.1 Stage 1: t\n\n", "S10a stage=1"},
	{"S10b missing", acceptLine, "", "S10b stage=1"},
	{"S10b list under it", acceptLine, "\n- Acceptance:\n  - it answers\n", ""},
	{"S10b item of the next", acceptLine, "Acceptance:\n\n- it answers\n", "S10b stage=1"},
	{"S10a S10b", sliceLine + acceptLine, "", "S10a stage=1,S10b stage=1"},

	{"S10c no RED", redRow, "| 1 | test |\n", "S10c stage=1"},
	{"S10c no GREEN", greenRow, "| 2 | code |\n", "S10c stage=1"},
	{"S10c neither", redRow + greenRow, "| 1 | test |\n| 2 | code |\n", "S10c stage=1"},
	{"S10c order", redRow + greenRow, "| 1 | GREEN: code |\n| 2 | RED: test |\n", "S10c stage=1"},
	{"S10c RED comes second", redRow + greenRow, "| 1 | read |\n| 2 | RED: test |\n| 3 | GREEN: x |\n", "S7 stage=1,S10c stage=1"},
	{"S10c lower case", redRow, "| 1 | red: test |\n", "S10c stage=1"},
	{"S10c no colon", redRow, "| 1 | RED test |\n", "S10c stage=1"},
	{"S10c emphasis", redRow, "| 1 | **RED:** test |\n", ""},
	{"S10c emphasis before the colon", redRow, "| 1 | **RED**: `a \\| b` |\n", ""},
	{"S10c empty row before", redRow, "| | |\n" + redRow, ""},
	{"S10c GREEN later", greenRow, "| 2 | REFACTOR: x |\n| 3 | GREEN: code |\n", "S7 stage=1"},
	{"S10c column by name", "| step | action |\n|--|--|\n| 1 | RED: test |\n| 2 | GREEN: code |\n", "| Action | step |\n|--|--|\n| RED: test | 1 |\n| GREEN: code | 2 |\n", ""},
	{"S10c without the name", "| step | action |\n", "| no | what |\n", ""},
	{"S10c other column", "| 1 | RED: test |\n", "| RED: 1 | test |\n", "S10c stage=1"},
	{"S10c no table", "| step | action |\n|--|--|\n" + redRow + greenRow, "Do it.\n", "S7 stage=1,S10c stage=1"},

	{"S10d missing", boundary, "", "S10d stage=1"},
	{"S10d not applicable", boundary, "- Test case (boundary): N/A\n", "S10d stage=1"},
	{"S10d placeholder", boundary, "- Test case (boundary): …\n", "S10d stage=1"},
	{"S10d all", "- Test case (success): s\n" + boundary + "- Test case (failure): f\n", "", "S10d stage=1,S10d stage=1,S10d stage=1"},
	{"S10d other word", boundary, "- Test case (edge): b\n", "S10d stage=1"},
	{"S10d paragraph", "- Test case (success): s\n" + boundary, "Test case (success): s\nTest case (boundary): b\n\n", ""},

	{"exemption waives S10c and S10d", acceptLine + "\n- Test case (success): s\n" + boundary, acceptLine + "\nTDD exemption: pages only\n\n", ""},
	{"exemption does not waive S10a and S10b", sliceLine + acceptLine, "TDD exemption: pages only\n", "S10a stage=1,S10b stage=1"},
	{"exemption without a reason", acceptLine + "\n- Test case (success): s\n" + boundary, acceptLine + "\nTDD exemption: -\n\n", "S10d stage=1,S10d stage=1"},
	{"exemption in a comment", boundary, "<!-- TDD exemption: x -->\n", "S10d stage=1"},
	{"exemption of another stage", "## 9. Appendix", "## 9. Appendix\n\nTDD exemption: x", ""},

	{"S11 neither", declared, "", "S11 stage=1"},
	{"S11 both", declared, declared + "\nConformance tests: stage-1 — qa/scripts/a.sh (requires=[db])\n", "S11 stage=1"},
	{"S11 two exemptions", declared, declared + declared, "S11 stage=1"},
	{"S11 two tests", declared, strings.Repeat("- Conformance tests: stage-1 — qa/scripts/a.sh (requires=[db])\n", 2), "S11 stage=1"},
	{"S11 no reason", declared, "Conformance exemption: TBD\n", "S11 stage=1"},
	{"S11 exemption in a fence", declared, "```\n" + declared + "```\n", "S11 stage=1"},
}

func TestSliceEdits(t *testing.T) { tryEdits(t, sliceEdits, Options{}) }

func TestConformanceLine(t *testing.T) {
	for value, want := range map[string]int{
		"stage-1 — qa/scripts/stage-1.sh (requires=[db,http])":                     0,
		"stage-1 — `qa/scripts/stage-1.sh` (requires=[db, io, http, external])":    0,
		"stage-1 — qa/scripts/sub/한국.sh (requires=[])":                             0,
		"stage-1 — qa/scripts/stage-1.sh":                                          0,
		"stage-1 - qa/scripts/stage-1.sh (requires=[io]).":                         0,
		"stage-1 — .okstra/tasks/g/t/qa/scripts/a.sh (requires=[db])":              0,
		"stage-2 — qa/scripts/stage-1.sh (requires=[db])":                          1,
		"stage-10 — qa/scripts/stage-1.sh (requires=[db])":                         1,
		"1 — qa/scripts/stage-1.sh (requires=[db])":                                1,
		"qa/scripts/stage-1.sh (requires=[db])":                                    2,
		"stage-1 — scripts/stage-1.sh (requires=[db])":                             1,
		"stage-1 — /qa/scripts/stage-1.sh (requires=[db])":                         1,
		"stage-1 — qa/scripts/../../x.sh (requires=[db])":                          1,
		"stage-1 — qa/scripts/ (requires=[db])":                                    1,
		"stage-1 — plans/qa/scripts/a.sh (requires=[db])":                          1,
		"stage-1 — .okstra/tasks/g/qa/scripts/a.sh (requires=[db])":                1,
		"stage-1 — (requires=[db])":                                                1,
		"stage-1 — qa/scripts/stage-1.sh (requires=[database])":                    1,
		"stage-1 — qa/scripts/stage-1.sh (requires=[db,net,DB])":                   1,
		"stage-1 — qa/scripts/stage-1.sh (requires=db)":                            1,
		"stage-1 — qa/scripts/stage-1.sh (requires=[db)":                           1,
		"stage-1 — qa/scripts/stage-1.sh (requires=[db] and more)":                 1,
		"stage-2 — other.sh (requires=[mail])":                                     3,
		"-":                                                                        2,
		"stage-1 — qa/scripts/a.sh (requires=[http]) \n  and the rest of the item": 1,
	} {
		src := strings.Replace(three, declared, "- Conformance tests: "+value+"\n", 1)
		r := check(src, Options{})
		if len(r.Findings) != want || want > 0 && codes(r.Findings) != "S11" {
			t.Errorf("%q: %v, want %d findings of S11", value, outline(r.Findings), want)
		}
	}
}

// TestTaskRoot: the folder of the plan counts once the caller says which it is.
func TestTaskRoot(t *testing.T) {
	line := func(script string) string {
		return strings.Replace(three, declared, "Conformance tests: stage-1 — "+script+" (requires=[db])\n", 1)
	}
	for _, tc := range []struct {
		root, script string
		ok           bool
	}{
		{"plans", "plans/qa/scripts/a.sh", true},
		{"plans/", "plans/qa/scripts/a.sh", true},
		{"plans", "qa/scripts/a.sh", true},
		{"plans", "other/qa/scripts/a.sh", false},
		{".okstra/tasks/g/t", ".okstra/tasks/g/t/qa/scripts/a.sh", true},
		{".okstra/tasks/g/t", ".okstra/tasks/g/u/qa/scripts/a.sh", false},
		{"", ".okstra/tasks/g/u/qa/scripts/a.sh", true},
	} {
		if got := check(line(tc.script), Options{TaskRoot: tc.root}).OK(); got != tc.ok {
			t.Errorf("%+v: OK %v", tc, got)
		}
	}
}

// TestSlicesByRelease: each rule begins with its release.
func TestSlicesByRelease(t *testing.T) {
	bare := three
	for _, line := range []string{sliceLine, acceptLine, boundary, declared, redRow} {
		with := ""
		if line == redRow {
			with = "| 1 | test |\n"
		}
		bare = strings.Replace(bare, line, with, 1)
	}
	for _, tc := range []struct{ version, want string }{
		{"0.51.9", ""},
		{"0.52.0", "S10a S10b S10c"},
		{"0.55.9", "S10a S10b S10c"},
		{"0.56.0", "S10a S10b S10c S11"},
		{"0.98.9", "S10a S10b S10c S11"},
		{"0.99.0", "S10a S10b S10c S10d S11"},
		{"0.99.0-rc.1", "S10a S10b S10c S10d S11"},
	} {
		if got := codes(check(bare, Options{Ruleset: tc.version}).Findings); got != tc.want {
			t.Errorf("under %s: %s, want %s", tc.version, got, tc.want)
		}
	}
}

// TestSlicePositions: a missing line is reported at the stage's heading, an
// empty one where it stands.
func TestSlicePositions(t *testing.T) {
	for _, tc := range []struct{ old, new, at string }{
		{acceptLine, "", "## 5.5.1 Stage 1"},
		{acceptLine, "\n-\t**Acceptance**: …\n", "Acceptance"},
		{redRow, "| 한\u0301 |\t`x` |\n", "`x` |"},
		{declared, declared + "\n 1. Conformance exemption: again\n", "Conformance exemption: again"},
	} {
		src := strings.Replace(three, tc.old, tc.new, 1)
		head, _, _ := strings.Cut(src, tc.at)
		want := plan.Position{
			Line:   strings.Count(head, "\n") + 1,
			Column: len([]rune(head[strings.LastIndexByte(head, '\n')+1:])) + 1,
		}
		f := check(src, Options{}).Findings
		if len(f) != 1 || f[0].Pos != want {
			t.Errorf("%q: %v, want one at %v", tc.new, fmt.Sprint(f), want)
		}
	}
}
