package rules

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"git-okstra/plan"
)

func TestFileLine(t *testing.T) {
	for line, want := range map[string]bool{
		"Create: a.go — x":            true,
		"Create: a — x":               true,
		"Create:a.go—x":               true,
		"Create: src/한국/a.ts — 새 파일":  true,
		"Delete: a.go — gone":         true,
		"Modify: a.go:1 — x":          true,
		"Modify: a.go:1-2,7-9 — x":    true,
		"Modify: a.go:L10-L20 — x":    true,
		"Modify: a.go:Func — x — y":   true,
		"Create: C:\\a.go — x":        true,
		"Modify: a.go — x":            false,
		"Modify: a.go: — x":           false,
		"Modify: :10 — x":             false,
		"Create: a.go":                false,
		"Create: a.go - x":            false,
		"Create: a.go – x":            false,
		"Create: a.go —":              false,
		"Create: — x":                 false,
		"Create: a b.go — x":          false,
		"Create a.go — x":             false,
		"Created: a.go — x":           false,
		" Create: a.go — x":           false,
		"create: a.go — x":            false,
		"Rename: a.go — x":            false,
		"- Create: a.go — x":          false,
		"":                            false,
		"—":                           false,
		":":                           false,
		"Create: Modify: a.go:10 — x": false,
	} {
		if got := fileLine(line); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}

func TestHolds(t *testing.T) {
	for _, tc := range []struct {
		text, words string
		want        bool
	}{
		{"Rollback", "Rollback", true},
		{"5.4.6 Rollback Strategy", "Rollback", true},
		{"Rollbacks", "Rollback", true},
		{"되돌리기(Rollback)", "Rollback", true},
		{"되돌리기Rollback", "Rollback", true},
		{"The Rollback", "Rollback", true},
		{"NoRollback", "Rollback", false},
		{"2Rollback", "Rollback", false},
		{"xRollback Rollback", "Rollback", true},
		{"rollback", "Rollback", false},
		{"Roll back", "Rollback", false},
		{"", "Rollback", false},
		{"Trade-off", "Trade-off", true},
		{"Tradeoff", "Trade-off", false},
	} {
		if got := holds(tc.text, tc.words); got != tc.want {
			t.Errorf("%q holds %q: %v", tc.text, tc.words, got)
		}
	}
}

func TestTitled(t *testing.T) {
	for text, want := range map[string]bool{
		"Carry-In":        true,
		"Carry-In (이어받기)": true,
		"Carry-In: x":     true,
		"Carry-In-x":      true,
		"Carry-In이":       false,
		"Carry-Ins":       false,
		"Carry-In2":       false,
		"The Carry-In":    false,
		"carry-in":        false,
		"":                false,
	} {
		if got := titled(text, "Carry-In"); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestParseSectionHeading(t *testing.T) {
	for text, want := range map[string]string{
		"5.5.1 Stage 1: a":            "1 1 a",
		"5.5.12 Stage 12: a: b":       "12 12 a: b",
		"5.5.1 Stage 2: a":            "1 2 a",
		"5.5.1 Stage 1:":              "1 1 ",
		"5.5.1 Stage 1: [api] 가격":     "1 1 [api] 가격",
		"5.5.01 Stage 1: a":           "1 1 a",
		"5.5.1 Stage 1 : a":           "",
		"5.5.0 Stage 0: a":            "",
		"5.5.1 Stage one: a":          "",
		"5.5.x Stage 1: a":            "",
		"5.5.1 Stage 1":               "",
		"5.5 Stage 1: a":              "",
		"4.5.1 Stage 1: a":            "",
		"5.5.1 stage 1: a":            "",
		"5.5.1. Stage 1: a":           "",
		"15.5.1 Stage 1: a":           "",
		"5.5.1 Stage 9999999999: a":   "",
		"5.5.9 Plan Body Stage 9: a":  "",
		"5.5.-1 Stage -1: a":          "",
		"5.5.1 Stage 1: Stage 2: end": "1 1 Stage 2: end",
	} {
		h, ok := parseSectionHeading(text, "5.5")
		got := ""
		if ok {
			got = fmt.Sprint(h.outer, " ", h.inner, " ", h.title)
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestDependencies(t *testing.T) {
	for cell, want := range map[string]string{
		"":                     "[]",
		"(none)":               "[]",
		"1":                    "[1]",
		"1, 2":                 "[1 2]",
		"1,2,1":                "[1 2]",
		" 3 ,1 ":               "[3 1]",
		"007":                  "[7]",
		"0":                    "[0]",
		"none":                 "bad",
		"(None)":               "bad",
		"( none )":             "bad",
		"-":                    "bad",
		"1;2":                  "bad",
		"1 2":                  "bad",
		"1,":                   "bad",
		",1":                   "bad",
		"1,,2":                 "bad",
		"1-3":                  "bad",
		"stage 1":              "bad",
		"#1":                   "bad",
		"+1":                   "bad",
		"1.0":                  "bad",
		"1234567890":           "bad",
		"１":                    "bad",
		"1, (none)":            "bad",
		"99999999999999999999": "bad",
	} {
		deps, bad := dependencies(cell)
		got := fmt.Sprint(deps)
		if bad {
			got = "bad"
		}
		if got != want {
			t.Errorf("%q: %s, want %s", cell, got, want)
		}
	}
}

func TestNumberedRow(t *testing.T) {
	for text, want := range map[string]bool{
		"| 1 | a |":     true,
		"|1|":           true,
		"|\t12 | a":     true,
		"| **3** | a |": true,
		"| `4` |":       true,
		"| 5. a":        true,
		"| a | 1 |":     false,
		"1 | a":         false,
		"|":             false,
		"| |":           false,
		"| (none) |":    false,
		"| -1 |":        false,
		"||1|":          false,
		"":              false,
	} {
		if got := numberedRow(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestNamedQuestions(t *testing.T) {
	for text, want := range map[string]string{
		" → C-1":       "C-1",
		" -> C-1":      "C-1",
		" => C-1":      "C-1",
		"→C-1":         "C-1",
		" → C-1, C-22": "C-1 C-22",
		" → C-1 → C-2": "C-1 C-2",
		"":             "",
		" →":           "",
		" C-9":         "C-9",
	} {
		if got := strings.Join(namedQuestions(text), " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestParseDeclaration(t *testing.T) {
	for value, want := range map[string]declaration{
		"stage-1 — qa/scripts/a.sh (requires=[db,http])": {stage: 1, script: "qa/scripts/a.sh", requires: []string{"db", "http"}},
		"stage-12 - x (requires=[ db , io ])":            {stage: 12, script: "x", requires: []string{"db", "io"}},
		"stage-1 — x":                                    {stage: 1, script: "x"},
		"stage-1 — x (requires=[])":                      {stage: 1, script: "x"},
		"stage-1 — x requires=[db]":                      {stage: 1, script: "x", requires: []string{"db"}},
		"stage-1 — x (requires=[db].)":                   {stage: 1, script: "x", requires: []string{"db"}},
		"stage-1 — a-b.sh":                               {stage: 1, script: "a-b.sh"},
		"stage-1":                                        {stage: 1},
		"Stage-1 — x":                                    {script: "x"},
		"stage-one — x":                                  {script: "x"},
		"stage-0 — x":                                    {script: "x"},
		"stage-1 — x (requires=db)":                      {stage: 1, script: "x", requires: []string{"db)"}, broken: true},
		"stage-1 — x (requires=[db)":                     {stage: 1, script: "x", requires: []string{"db)"}, broken: true},
		"stage-1 — x (requires=[db] extra)":              {stage: 1, script: "x", requires: []string{"db"}, broken: true},
		"":                                               {},
		"— — —":                                          {},
	} {
		got := parseDeclaration(value)
		if got.stage != want.stage || got.script != want.script || got.broken != want.broken || !slices.Equal(got.requires, want.requires) {
			t.Errorf("%q: %+v, want %+v", value, got, want)
		}
	}
}

func TestScriptPath(t *testing.T) {
	c := &checker{}
	for script, want := range map[string]bool{
		"qa/scripts/a.sh":                      true,
		"qa/scripts/a/b.sh":                    true,
		"qa/scripts/한국.sh":                     true,
		".okstra/tasks/g/t/qa/scripts/a.sh":    true,
		"qa/scripts":                           false,
		"qa/scripts/":                          false,
		"qa/script/a.sh":                       false,
		"./qa/scripts/a.sh":                    false,
		"/qa/scripts/a.sh":                     false,
		"qa//scripts/a.sh":                     false,
		"qa/scripts/../a.sh":                   false,
		"x/qa/scripts/a.sh":                    false,
		"":                                     false,
		".okstra/tasks/g/t/qa/scripts":         false,
		".okstra/tasks/g/t/u/qa/scripts/a":     false,
		".okstra/tasks/g/../t/qa/scripts/a.sh": false,
	} {
		if got := c.scriptPath(script); got != want {
			t.Errorf("%q: %v", script, got)
		}
	}
}

func TestNamedPairs(t *testing.T) {
	projects := []string{"api", "api-gw", "web", "주문"}
	for text, want := range map[string]string{
		"api web":                   "api+web",
		"api-web":                   "api+web",
		"web/api":                   "api+web",
		"api ↔ web ↔ 주문":            "api+web web+주문",
		"api, web":                  "",
		"api; web":                  "",
		"API and Web":               "api+web",
		"api api web":               "api+web",
		"apiweb":                    "",
		"myapi web":                 "",
		"api2 web":                  "",
		"api-gw web":                "api-gw+web",
		"api-gw-web":                "api-gw+web",
		"api-docs web":              "",
		"주문은 api를 기다린다":             "api+주문",
		"[api]+[web]: yes":          "api+web",
		"api → web, api-gw → 주문 x":  "api+web api-gw+주문",
		"":                          "",
		"api":                       "",
		"api 、 web":                 "",
		"web waits; api，web":        "",
		"api (all of it) with web.": "api+web",
	} {
		var got []string
		for p := range namedPairs(text, projects) {
			got = append(got, p[0]+"+"+p[1])
		}
		slices.Sort(got)
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%q: %q, want %q", text, s, want)
		}
	}
}

func TestRootOf(t *testing.T) {
	c := &checker{opts: Options{ProjectRoots: map[string]string{
		"a": "svc/a", "b": "./svc/a/b/", "c": "svc", "d": "", "e": "/abs", "f": "../up", "g": "..", "h": "svc/a",
	}}}
	roots := c.roots()
	if want := []string{"svc/a/b", "svc/a", "svc"}; !slices.Equal(roots, want) {
		t.Errorf("roots %q, want %q", roots, want)
	}
	for file, want := range map[string]string{
		"svc/a/x.go": "svc/a", "svc/a/b/x.go": "svc/a/b", "svc/ab/x.go": "svc", "svc": "", "x.go": "", "svcx/a": "",
	} {
		root, ok := rootOf(file, roots)
		if ok != (want != "") || ok && root != want {
			t.Errorf("%s lies in %q, %v", file, root, ok)
		}
	}
	if root, ok := rootOf("x.go", []string{"svc", "."}); root != "." || !ok {
		t.Errorf("the whole repository: %q, %v", root, ok)
	}
}

func TestEscapeTitle(t *testing.T) {
	for in, want := range map[string]string{
		"a": "a", " a  b\n": "a b", "a|b": `a\|b`, `a\b`: `a\\b`, "*a*": `\*a\*`, "한국 e\u0301": "한국 e\u0301", "\x00\x1b": "", "a\u202eb": "a b", "\xff": "",
	} {
		if got := escapeTitle(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
		doc := plan.Parse([]byte("## " + escapeTitle(in) + "\n\n| h |\n|--|\n| " + escapeTitle(in) + " |\n"))
		if cell := doc.Cells(doc.Tables[0].Rows[0])[0].Text; cell != doc.Headings[0].Text {
			t.Errorf("%q is %q in a cell and %q in a heading", in, cell, doc.Headings[0].Text)
		}
	}
}
