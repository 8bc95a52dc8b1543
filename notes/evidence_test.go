package notes

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"git-okstra/gitops"
)

func TestParseEvidence(t *testing.T) {
	t.Parallel()
	got, err := ParseEvidence([]byte("\ufeff{ \"notes\" : [\"a\", \"나\"],\n \"newIdentifiers\": null, \"stepResults\":[{\"step\":2,\"status\":\"done\",\"commit\":\"ABCDEF0\"} , {\"status\":\"skipped\",\"step\":3}],\r\n\"schemaVersion\":1}"))
	want := &Carry{SchemaVersion: 1, Notes: []string{"a", "나"}, StepResults: []StepResult{{2, "done", "ABCDEF0"}, {3, "skipped", ""}}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := ParseEvidence([]byte(`{}`)); err != nil || !reflect.DeepEqual(got, &Carry{}) {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestParseEvidenceRefuses(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]struct {
		at      string // the text from the place that is named
		message string
	}{
		"":                                 {"", "it is not JSON: unexpected end"},
		`{"notes":[}`:                      {"}", "it is not JSON: invalid character '}'"},
		`{"notes":[]} x`:                   {"x", "it is not JSON: invalid character 'x'"},
		`{"notes":["a"]`:                   {"]", "it is not JSON: unexpected end"},
		"{\"notes\":[\"\xff\"]}":           {"\xff\"]}", "it is not UTF-8"},
		`[]`:                               {"[]", "here is to be an object"},
		`"x"`:                              {`"x"`, "here is to be an object"},
		`{"a":1}`:                          {`"a":1}`, `the key "a" is not known`},
		`{"notes":[], "notes":[]}`:         {`"notes":[]}`, `the key "notes" stands twice`},
		`{"notes": {"a":1}}`:               {`{"a":1}}`, `"notes" has a value of the wrong type: object`},
		`{"notes":["a", 7]}`:               {`["a", 7]}`, `"notes" has a value of the wrong type: number`},
		`{"schemaVersion":2}`:              {`2}`, "schemaVersion 2 is not known"},
		`{"schemaVersion":"1"}`:            {`"1"}`, `"schemaVersion" has a value of the wrong type: string`},
		`{"stageNumber":1.5}`:              {`1.5}`, `"stageNumber" has a value of the wrong type: number 1.5`},
		`{"stageCommitRange":[]}`:          {`[]}`, "here is to be an object"},
		`{"stageCommitRange":{"x":1}}`:     {`"x":1}}`, `the key "x" is not known`},
		`{"stepResults":{}}`:               {`{}}`, "here is to be a list"},
		`{"stepResults":[1]}`:              {`1]}`, "here is to be an object"},
		`{"stepResults":[null]}`:           {`null]}`, "a step result has no step number"},
		`{"stepResults":[{"status":"x"}]}`: {`{"status":"x"}]}`, "a step result has no step number"},
		`{"stepResults":[{"step":1}]}`:     {`{"step":1}]}`, "step 1 has no status"},
		`{"stepResults":[{"step":1,"status":"x","commit":"HEAD"}]}`:      {`"HEAD"}]}`, `"HEAD" is no commit id`},
		`{"stepResults":[{"step":1,"status":"x","commit":"--all-the"}]}`: {`"--all-the"}]}`, `is no commit id`},
		`{"stepResults":[{"step":1,"status":"x","note":"HEAD"}]}`:        {`"note":"HEAD"}]}`, `the key "note" is not known`},
	} {
		got, err := ParseEvidence([]byte(src))
		var bad *EvidenceError
		if got != nil || !errors.As(err, &bad) || !strings.HasPrefix(bad.Message, want.message) && !strings.HasSuffix(bad.Message, want.message) || src[bad.Offset:] != want.at {
			t.Errorf("%s: %v, %+v; want %q at %q", src, got, bad, want.message, want.at)
		}
	}
}

// TestEvidenceComesBack: what a row would store is read as it was.
func TestEvidenceComesBack(t *testing.T) {
	t.Parallel()
	texts := rapid.SliceOf(rapid.String())
	rapid.Check(t, func(t *rapid.T) {
		c := &Carry{
			SchemaVersion: 1, StageTitle: rapid.String().Draw(t, "title"), StageCommitRange: CommitRange{"a", "b"},
			FilesChanged: texts.Draw(t, "files"), NewIdentifiers: texts.Draw(t, "new"), ValidationsPassed: texts.Draw(t, "passed"), Notes: texts.Draw(t, "notes"),
		}
		for range rapid.IntRange(0, 3).Draw(t, "steps") {
			c.StepResults = append(c.StepResults, StepResult{rapid.IntRange(1, 9).Draw(t, "step"), "x" + rapid.String().Draw(t, "status"), gitops.Hash(strings.Repeat("a", 40))})
		}
		src, err := json.MarshalIndent(c, rapid.SampledFrom([]string{"", " ", "\t"}).Draw(t, "prefix"), " ")
		if err != nil {
			t.Fatal(err)
		}
		if got, err := ParseEvidence(src); err != nil || !reflect.DeepEqual(got, c) {
			t.Fatalf("%s: %+v, %v", src, got, err)
		}
	})
}

// FuzzParseEvidence holds that any bytes give evidence or a place in them, and that
// evidence is valid JSON without lost keys.
func FuzzParseEvidence(f *testing.F) {
	for _, s := range []string{`{}`, `{"notes":["a"]}`, `{"stepResults":[{"step":1,"status":"x"}]}`, `null`, "\ufeff {", `{"a":{"b":[1,{"c":null}]}}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		c, err := ParseEvidence(src)
		var bad *EvidenceError
		switch {
		case err == nil && (c == nil || !utf8.Valid(src)):
			t.Fatalf("%q: %+v", src, c)
		case err != nil && (c != nil || !errors.As(err, &bad) || bad.Offset < 0 || bad.Offset > len(src)):
			t.Fatalf("%q: %+v, %v", src, c, err)
		}
	})
}
