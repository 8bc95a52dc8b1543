package notes

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"git-okstra/gitops"
	"git-okstra/plan"
)

// fullRow has every field.
var fullRow = Row{
	V: 1, Seq: 7, ID: "0190", Task: "앱:g:t", Stage: 3, Status: Done, At: "2026-01-02T03:04:05Z", By: "A <a@x>", Host: "h", Run: "r&1",
	Head: "h1", Claim: "c", Branch: "feat-t-s3", Worktree: "p/g/t/stage-3", Plan: "p1",
	Carry: &Carry{
		SchemaVersion: 1, SourcePlanPath: "plan.md", StageNumber: 3, StageTitle: "제목 <b>", CompletedAt: "2026-01-02T03:04:05Z",
		StageCommitRange: CommitRange{"b", "h"}, FilesChanged: []string{"a\u2028b", `\u2029`}, NewIdentifiers: []string{},
		StepResults: []StepResult{{1, "done", "c1"}}, ValidationsPassed: []string{"go test ./..."}, Notes: []string{"\"quoted\"\n"},
	},
	ReportPath: "r.md", Replaces: "h0", Reason: "patch-id", Surface: "s", Until: "u", Verdict: "accepted",
}

// TestRowGolden pins the bytes: the order of keys, no blanks, other scripts and HTML's
// characters as they are.
func TestRowGolden(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		row  Row
		want string
	}{
		{fullRow, `{"v":1,"seq":7,"id":"0190","impl_task_key":"앱:g:t","stage":3,"status":"done","at":"2026-01-02T03:04:05Z",` +
			`"by":"A <a@x>","host":"h","run":"r&1","head_commit":"h1","claim":"c","branch":"feat-t-s3","worktree":"p/g/t/stage-3",` +
			`"plan":"p1","carry":{"schemaVersion":1,"sourcePlanPath":"plan.md","stageNumber":3,"stageTitle":"제목 <b>",` +
			`"completedAt":"2026-01-02T03:04:05Z","stageCommitRange":{"base":"b","head":"h"},` +
			`"filesChanged":["a` + "\u2028" + `b","\\u2029"],"newIdentifiers":[],` +
			`"stepResults":[{"step":1,"status":"done","commit":"c1"}],"validationsPassed":["go test ./..."],"notes":["\"quoted\"\n"]},` +
			`"report_path":"r.md","replaces":"h0","reason":"patch-id","surface":"s","until":"u","verdict":"accepted"}`},
		{Row{}, `{"v":0,"seq":0,"id":"","impl_task_key":"","stage":0,"status":"","at":"","by":"","host":"","run":""}`},
	} {
		if got, err := c.row.Encode(); string(got) != c.want || err != nil {
			t.Errorf("%s, %v\nwant %s", got, err, c.want)
		}
	}
}

func TestTimeIsUTC(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("", 9*3600)
	for when, want := range map[time.Time]string{
		time.Date(2026, 1, 2, 3, 4, 5, 0, zone):          "2026-01-01T18:04:05Z",
		time.Date(2026, 1, 2, 3, 4, 5, 60_000_000, zone): "2026-01-01T18:04:05.06Z",
		time.Date(2026, 1, 2, 3, 4, 5, 6_000, time.UTC):  "2026-01-02T03:04:05.000006Z",
	} {
		if got := Time(when); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// text draws strings with everything that an encoding could get wrong.
var text = rapid.OneOf(
	rapid.String(),
	rapid.Custom(func(t *rapid.T) string {
		parts := rapid.SliceOf(rapid.SampledFrom([]string{
			"\u2028", "\u2029", `\u2028`, `\`, `\\`, `"`, "\n", "\r", "\x00", "\x7f", "<&>", "한", "𝒳", "\ufeff", "{", "}",
		}))
		return strings.Join(parts.Draw(t, "parts"), "")
	}),
)

// rows draws rows of all shapes.
var rows = rapid.Custom(func(t *rapid.T) Row {
	s := func(name string) string { return text.Draw(t, name) }
	list := rapid.SliceOf(text)
	r := Row{
		V: rapid.Int().Draw(t, "v"), Seq: rapid.Uint64Range(0, maxSeq).Draw(t, "seq"), ID: s("id") + "x", Task: s("task"),
		Stage: plan.StageNumber(rapid.Int().Draw(t, "stage")), Status: Status(s("status")), At: s("at"), By: s("by"), Host: s("host"),
		Run: s("run"), Head: gitops.Hash(s("head")), Claim: s("claim"), Branch: s("branch"), Worktree: s("worktree"),
		Plan: gitops.Hash(s("plan")), ReportPath: s("report"), Replaces: gitops.Hash(s("replaces")), Reason: s("reason"),
		Surface: s("surface"), Until: s("until"), Verdict: s("verdict"),
	}
	if rapid.Bool().Draw(t, "carry") {
		r.Carry = &Carry{
			SchemaVersion: 1, SourcePlanPath: s("path"), StageTitle: s("title"), FilesChanged: list.Draw(t, "files"),
			NewIdentifiers: list.Draw(t, "ids"), StepResults: []StepResult{{Step: 2, Status: s("step")}}, ValidationsPassed: list.Draw(t, "ok"),
		}
	}
	return r
})

// TestRowRoundTrip holds that read after write is the row, on one line, that jq and
// Python would read as the same and Python would write the same way.
func TestRowRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		row := rows.Draw(t, "row")
		line, err := row.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if bytes.ContainsAny(line, "\n\r") || !utf8.Valid(line) || !json.Valid(line) {
			t.Fatalf("line %q", line)
		}
		if bytes.ContainsAny(line, "<&>") != strings.ContainsAny(everyText(row), "<&>") {
			t.Fatalf("HTML escapes in %q", line)
		}
		got := ParseNote("c", append(line, '\n'))
		if len(got) != 1 || got[0].Foreign || !reflect.DeepEqual(got[0].Row, row) || !bytes.Equal(got[0].Raw, line) || got[0].Commit != "c" {
			t.Fatalf("%q came back as %+v", line, got)
		}
	})
}

// everyText is all text of a row, by another way than ours.
func everyText(row Row) string {
	var b strings.Builder
	var walk func(v reflect.Value)
	walk = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.String:
			b.WriteString(v.String())
		case reflect.Struct:
			for i := range v.NumField() {
				walk(v.Field(i))
			}
		case reflect.Slice:
			for i := range v.Len() {
				walk(v.Index(i))
			}
		case reflect.Pointer:
			if !v.IsNil() {
				walk(v.Elem())
			}
		}
	}
	walk(reflect.ValueOf(row))
	return b.String()
}

func TestParseNoteForms(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{ // r is a row, f foreign
		"":            "",
		"\n \n\t\r\n": "",
		`{"id":"a"}`:  "r",
		`{"id":"a"}` + "\r\n\n" + `{"id":"b","seq":2}` + "\n": "rr",
		`{"id":"a","unknown":{"deep":[1]},"status":"later"}`:  "r",
		`{"id":""}`:                   "f",
		`{}`:                          "f",
		`{"id":1}`:                    "f",
		`{"id":"a","seq":-1}`:         "f",
		`{"id":"a","stage":"3"}`:      "f",
		`{"id":"a"} trailing`:         "f",
		`{"id":"a"`:                   "f",
		`[{"id":"a"}]`:                "f",
		`null`:                        "f",
		"a person's note":             "f",
		"\xff\xfe":                    "f",
		"  {\"id\":\"a\"}  \nhello\n": "rf",
	} {
		got := ""
		for _, l := range ParseNote("c", []byte(content)) {
			if l.Foreign {
				got += "f"
				if !reflect.DeepEqual(l.Row, Row{}) {
					t.Errorf("%q: a foreign line has a row: %+v", content, l.Row)
				}
			} else {
				got += "r"
			}
		}
		if got != want {
			t.Errorf("%q: %q, want %q", content, got, want)
		}
	}
}

// FuzzParseNote holds that no bytes break reading, that no line is lost, and that a
// row which is written again is the same row.
func FuzzParseNote(f *testing.F) {
	line, err := fullRow.Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(line)
	f.Add([]byte("text\n\n{\"id\":\"a\"}\n{\"ID\":\"b\",\"id\":\"c\"}\n"))
	f.Add([]byte("{\"id\":\"\xff\"}\r{\"id\":\"x\",\"carry\":null}"))
	f.Fuzz(func(t *testing.T, content []byte) {
		lines := ParseNote("c", content)
		n := 0
		for raw := range bytes.Lines(content) {
			if raw = bytes.TrimSpace(raw); len(raw) == 0 {
				continue
			}
			if !bytes.Equal(lines[n].Raw, raw) {
				t.Fatalf("line %d: %q, want %q", n, lines[n].Raw, raw)
			}
			n++
		}
		if n != len(lines) {
			t.Fatalf("%d lines of %d", len(lines), n)
		}
		for _, l := range lines {
			if l.Foreign {
				continue
			}
			again, err := l.Row.Encode()
			if err != nil {
				t.Fatal(err)
			}
			back := ParseNote("c", again)
			if len(back) != 1 || !reflect.DeepEqual(back[0].Row, l.Row) {
				t.Fatalf("%q: %+v, then %+v", l.Raw, l.Row, back)
			}
		}
		Sort(lines)
	})
}
