package manifest

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"git-okstra/internal/conform"
	"git-okstra/internal/conform/verdict"
)

var update = flag.Bool("update", false, "write the published schema")

const good = `{
  "schemaVersion": 1,
  "entries": [
    {
      "stageKey": "HELLO-1-stage-1",
      "script": "qa/scripts/stage-1.sh",
      "runCommand": "sh \"$OKSTRA_QA/scripts/stage-1.sh\"",
      "requirementIds": ["R-1", "R-2"],
      "requires": ["db", "http"],
      "passContract": "exit 0 and QA-RESULT: PASS",
      "exemption": null,
      "waiver": null
    },
    {"stageKey": "HELLO-1-stage-2", "exemption": "only names"}
  ]
}
`

// facts are of a plan that the good manifest fits.
func facts() Facts {
	return Facts{
		Tasks: []string{"HELLO-1"},
		Stages: []Planned{
			{1, verdict.Declaration{Kind: verdict.Tests, Script: "qa/scripts/stage-1.sh", Requires: []conform.Surface{"http", "db"}}},
			{2, verdict.Declaration{Kind: verdict.Exemption, Reason: "only names"}},
		},
		Regular: map[string]bool{"qa/scripts/stage-1.sh": true},
	}
}

func said(problems []Problem) string {
	var out []string
	for _, p := range problems {
		out = append(out, p.Error())
	}
	return strings.Join(out, "\n")
}

func TestGoodManifest(t *testing.T) {
	t.Parallel()
	list := good[strings.Index(good, "[\n"):strings.LastIndex(good, "]")] + "]"
	for _, src := range []string{good, list, strings.ReplaceAll(good, "\n", "\r\n")} {
		m, problems := Parse([]byte(src))
		if len(problems) > 0 {
			t.Fatalf("%s: %s", src, said(problems))
		}
		if problems := Check(m, facts()); len(problems) > 0 {
			t.Errorf("held against the plan: %s", said(problems))
		}
		e, ok := m.Entry(1)
		if !ok || e.RunCommand != `sh "$OKSTRA_QA/scripts/stage-1.sh"` || len(e.RequirementIDs) != 2 || len(e.Requires) != 2 || e.Exempt {
			t.Errorf("entry %+v", e)
		}
		if e, ok := m.Entry(2); !ok || !e.Exempt {
			t.Errorf("entry %+v", e)
		}
		if _, ok := m.Entry(3); ok {
			t.Error("an entry of stage 3")
		}
	}
}

// TestBadManifest changes one thing in the good one; the place is that of the thing.
func TestBadManifest(t *testing.T) {
	t.Parallel()
	script := `"qa/scripts/stage-1.sh"`
	for _, tt := range []struct{ old, new, want string }{
		{script, `"qa/scripts/../../etc/x"`, "6:17: script has to be a path inside qa/scripts/"},
		{script, `"../qa/scripts/x"`, "6:17: script has to be"},
		{script, `"/etc/passwd"`, "6:17: script has to be"},
		{script, `"qa/scripts/.."`, "6:17: script has to be"},
		{script, `"qa/scripts/"`, "6:17: script has to be"},
		{script, `"qa/scripts/./x"`, "6:17: script has to be"},
		{script, `"qa/scripts//x"`, "6:17: script has to be"},
		{script, `"qa/scripts/..\\x"`, "6:17: script has to be"},
		{script, `"qa/other/x"`, "6:17: script has to be"},
		{script, `7`, "6:17: script has to be"},
		{script, `null`, "4:5: the entry has no script"},
		{`["db", "http"]`, `["db", "mail"]`, "9:19: requires has to be"},
		{`["db", "http"]`, `["db", "db"]`, "9:19: requires has to be"},
		{`["R-1", "R-2"]`, `["R 1"]`, "8:25: requirementIds has to be"},
		{`["R-1", "R-2"]`, `["R-1", "R-1"]`, "8:25: requirementIds has to be"},
		{`"HELLO-1-stage-1"`, `"HELLO-1-stage-01"`, "5:19: stageKey has to be"},
		{`"HELLO-1-stage-1"`, `"stage-1"`, "5:19: stageKey has to be"},
		{`"runCommand": "sh `, `"runCommand": "\u0000sh `, "7:21: runCommand has to be a command"},
		{`"runCommand": "sh `, `"runCommand": "true\u0000; sh `, "7:21: runCommand has to be a command"},
		{`"waiver": null`, `"waiver": "nobody cares"`, "12:17: waiver has to name"},
		{`"waiver": null`, `"waiver": {"surface": "db"}`, "12:17: waiver has to name"},
		{`"waiver": null`, `"waiver": {"surface": "db", "why": "x", "until": "2026-99-99"}`, "12:17: until: "},
		{`"waiver": null`, `"waved": null`, `12:16: an entry has no "waved"`},
		{`"waiver": null`, `"requires": []`, `12:7: the key "requires" stands twice`},
		{`"entries"`, `"entires"`, "1:1: it is no list of entries"},
		{`"exemption": "only names"`, `"script": "qa/scripts/s"`, "14:5: the entry has no runCommand\nqa/conformance-manifest.json:14:5: the entry has no requires"},
		{`{"stageKey": "HELLO-1-stage-2", "exemption": "only names"}`, `7`, "14:5: an entry has to be an object"},
		{"\n}\n", "\n", "16:1: it is no JSON: it ends too early"},
		{"\n}\n", "\n} x", "16:3: something follows the value"},
		{"\n}\n", "\n} {}", "16:4: something follows the value"},
		{"1,", "1,,", "2:21: it is no JSON"},
		{"1,", "\xff,", "1:1: it is not UTF-8"},
		{"1,", strings.Repeat("[", 100) + strings.Repeat("]", 100) + ",", "it is nested deeper than 64 levels"},
	} {
		_, problems := Parse([]byte(strings.Replace(good, tt.old, tt.new, 1)))
		if got := said(problems); len(problems) == 0 || !strings.Contains(got, tt.want) {
			t.Errorf("%s in place of %s: %q, want %q", tt.new, tt.old, got, tt.want)
		}
	}
}

// TestAllAtOnce holds that one reading names all that is wrong.
func TestAllAtOnce(t *testing.T) {
	t.Parallel()
	_, problems := Parse([]byte(`[{"stageKey": "x", "script": "/a", "runCommand": " ", "requires": ["no"], "requirementIds": 1, "a\u001b": 1}, 3]`))
	if len(problems) != 7 {
		t.Errorf("%d problems, want 7:\n%s", len(problems), said(problems))
	}
	if !strings.Contains(said(problems), `an entry has no "a\x1b"`) {
		t.Errorf("a control character is shown as it is: %q", said(problems))
	}
}

func TestHeldAgainstThePlan(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		old    string
		new    string
		change func(*Facts)
		want   string
	}{
		{"another script", `stage-1.sh",`, `stage-9.sh",`, nil, `6:17: the script of stage 1 is "qa/scripts/stage-1.sh" in the plan`},
		{"not pinned", "", "", func(f *Facts) { f.Regular = nil }, `6:17: the script "qa/scripts/stage-1.sh" is not pinned`},
		{"a link", "", "", func(f *Facts) { f.Regular["qa/scripts/stage-1.sh"] = false }, `6:17: the script "qa/scripts/stage-1.sh" is no regular file`},
		{"other requires", `["db", "http"]`, `["db"]`, nil, "9:19: stage 1 requires [db,http] in the plan, and [db] here"},
		{"no stage", "stage-2", "stage-7", nil, "the plan has no stage 7"},
		{"twice", "stage-2", "stage-1", nil, "14:18: stage 1 has more than one entry"},
		{"another task", "HELLO-1-stage-2", "BYE-1-stage-2", nil, `14:18: the entry "BYE-1-stage-2" is of another task; its key has to begin with "HELLO-1"`},
		{"exempt here, tests there", "", "", func(f *Facts) { f.Stages[1].Declared = f.Stages[0].Declared }, "the plan declares tests for stage 2, and its entry an exemption"},
		{"tests here, exempt there", "", "", func(f *Facts) { f.Stages[0].Declared = f.Stages[1].Declared }, "4:5: the entry has a script, and the plan declares an exemption for stage 1"},
		{
			"declared and absent", "", "", func(f *Facts) {
				f.Stages = append(f.Stages, Planned{3, verdict.Declaration{Kind: verdict.Tests}})
			},
			"1:1: stage 3 declares Conformance tests: and has no entry",
		},
	} {
		m, problems := Parse([]byte(strings.Replace(good, tt.old, tt.new, 1)))
		if len(problems) > 0 {
			t.Fatalf("%s: %s", tt.name, said(problems))
		}
		f := facts()
		if tt.change != nil {
			tt.change(&f)
		}
		if got := said(Check(m, f)); !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	f := facts()
	f.Stages[0].Declared = verdict.Declaration{} // an older ruleset
	m, _ := Parse([]byte(good))
	if got := said(Check(m, f)); got != "" {
		t.Errorf("a plan that declares nothing: %s", got)
	}
	if got := said(Check(nil, facts())); !strings.Contains(got, "stage 1 declares Conformance tests: and has no entry") {
		t.Errorf("no manifest: %q", got)
	}
}

func TestWaivers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"surface": "db", "why": "x"}`:                                                                   "db is waived: x (in the manifest)",
		`{"surfaces": ["io", "db"], "reason": "x", "until": "2030-01-01"}`:                                "db is waived: x (in the manifest, until 2030-01-01)\nio is waived: x (in the manifest, until 2030-01-01)",
		`[{"surface": "db", "why": "x"}, {"surface": "http", "why": "y"}]`:                                "db is waived: x (in the manifest)\nhttp is waived: y (in the manifest)",
		`{"surface": "db", "why": "x", "by": "Ada", "at": "2026-01-01", "until": "2030-01-01T00:00:00Z"}`: "db is waived: x (in the manifest, until 2030-01-01T00:00:00Z)",
		`[]`: "",
	} {
		m, problems := Parse([]byte(strings.Replace(good, `"waiver": null`, `"waiver": `+text, 1)))
		if len(problems) > 0 {
			t.Errorf("%s: %s", text, said(problems))
			continue
		}
		var got []string
		e, _ := m.Entry(1)
		for _, w := range e.Waivers {
			got = append(got, w.String())
		}
		if strings.Join(got, "\n") != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// TestPublishedSchema holds the schema in docs to the one that is used.
func TestPublishedSchema(t *testing.T) {
	t.Parallel()
	const name = "../../../docs/schemas/conformance-manifest.schema.json"
	if *update {
		if err := os.WriteFile(name, Schema(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	published, err := os.ReadFile(name)
	if err != nil || !bytes.Equal(published, Schema()) || !json.Valid(published) {
		t.Errorf("%s is not the schema that is used (%v); write it with -update", name, err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(good))
	f.Add([]byte(`[]`))
	f.Add([]byte(`{"entries":[{"stageKey":"a-stage-1","exemption":{"reason":"x"},"waiver":[{"surface":"db","why":"y"}]}]}`))
	f.Fuzz(func(t *testing.T, src []byte) {
		m, problems := Parse(src)
		if (m == nil) != (len(problems) > 0) {
			t.Fatalf("%v with %d problems", m, len(problems))
		}
		for _, p := range problems {
			if p.Line < 1 || p.Column < 1 || p.Message == "" {
				t.Fatalf("%+v", p)
			}
		}
		if m == nil {
			return
		}
		for _, e := range m.Entries {
			if strings.Contains(e.Script, "..") && strings.Contains("/"+e.Script+"/", "/../") {
				t.Fatalf("script %q", e.Script)
			}
		}
		Check(m, facts())
	})
}
