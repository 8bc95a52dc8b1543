package taskfolder

import (
	"strings"
	"testing"

	"git-okstra/gitops"
	"git-okstra/notes"
	"git-okstra/plan"
)

func TestParseConsumer(t *testing.T) {
	t.Parallel()
	c := commit("a")
	for line, want := range map[string]notes.Row{
		`{"stage":1,"status":"started","started_at":"2026-01-02T03:04:05Z"}`:                                      {Stage: 1, Status: "started", At: "2026-01-02T03:04:05Z", By: "okstra"},
		`{"stage_number": 2, "status": "done", "completed_at": "2026-01-02T12:04:05+09:00"}`:                      {Stage: 2, Status: "done", At: "2026-01-02T03:04:05Z", By: "okstra"},
		`{"stageNumber":"3","completedAt":"2026-01-02 03:04:05"}`:                                                 {Stage: 3, Status: "done", At: "2026-01-02T03:04:05Z", By: "okstra"},
		`{"stage":3,"startedAt":"yesterday"}`:                                                                     {Stage: 3, Status: "started", By: "okstra"},
		`{"stage":4,"status":"paused","timestamp":"2026-01-02T03:04:05.5Z","actor":"me","host":"h","run_id":"r"}`: {Stage: 4, Status: "paused", At: "2026-01-02T03:04:05.5Z", By: "me", Host: "h", Run: "r"},
		`{"stage":5,"status":"done","replaces":"` + c + `","reason":"squash","branch":"b","report_path":"r.md"}`:  {Stage: 5, Status: "done", By: "okstra", Replaces: hash(c), Reason: "squash", Branch: "b", ReportPath: "r.md"},
		`{"stage":6,"status":"done","replaces":"HEAD","impl_task_key":"p:g:u"}`:                                   {Stage: 6, Status: "done", By: "okstra", Task: "p:g:u"},
		"\ufeff{\"stage\":7,\"status\":\"done\"}\r":                                                               {Stage: 7, Status: "done", By: "okstra"},
		`{"stage":8,"status":"done","by":7,"branch":null,"host":["x"]}`:                                           {Stage: 8, Status: "done", By: "okstra"},
	} {
		got, err := parseConsumer([]byte(line))
		if err != nil || got.row != want {
			t.Errorf("%s:\n%+v, %v\nwant\n%+v", line, got.row, err, want)
		}
	}
	for line, word := range map[string]string{
		`{"stage":1,"status":"done","head_commit":"ABCDEF1"}`:  "abcdef1",
		`{"stage":1,"status":"done","headCommit":"` + c + `"}`: c,
		`{"stage":1,"status":"done","head_commit":7}`:          "",
	} {
		if got, err := parseConsumer([]byte(line)); err != nil || got.commit != word {
			t.Errorf("%s: %q, %v", line, got.commit, err)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]error{
		`{"stage":1,"status":"done"`:     errNotObject,
		`["stage",1]`:                    errNotObject,
		`null`:                           errNotObject,
		`{"stage":1,"status":"done"} {}`: errNotObject,
		"{\"stage\":1,\"status\":\"done\",\"x\":\"\xff\"}": errNotText,
		`{"status":"done"}`:                     errNoStage,
		`{"stage":0,"status":"done"}`:           errNoStage,
		`{"stage":-1,"status":"done"}`:          errNoStage,
		`{"stage":1.5,"status":"done"}`:         errNoStage,
		`{"stage":99999999999,"status":"done"}`: errNoStage,
		`{"stage":"one","status":"done"}`:       errNoStage,
		`{"stage":1}`:                           errNoStatus,
		`{"stage":1,"status":" "}`:              errNoStatus,
		`{"stage":1,"status":{}}`:               errNoStatus,
		strings.Repeat("[", 20000):              errNotObject,
	} {
		if _, err := parseConsumer([]byte(line)); err != want { //nolint:errorlint // the very value
			t.Errorf("%.40s: %v, want %v", line, err, want)
		}
	}
	for line, want := range map[string]error{`{"cycle":1}`: errNoStage, `x`: errNotObject} {
		if _, err := parseCycle([]byte(line)); err != want { //nolint:errorlint // the very value
			t.Errorf("%s: %v, want %v", line, err, want)
		}
	}
}

func TestParseCycle(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]struct {
		rows int
		open bool
	}{
		`{"stage":1,"cycle":1,"reason":"r","opened_at":"2026-01-02T03:04:05Z"}`:                                                  {1, true},
		`{"stage":1,"cycle":1,"opened_at":"2026-01-02T03:04:05Z","closed_at":"2026-01-03T03:04:05Z"}`:                            {1, false},
		`{"stageNumber":1,"cycleNumber":2,"openedAt":"x","closedAt":"2026-01-03T03:04:05Z","head_commit":"` + commit("b") + `"}`: {2, false},
	} {
		got, err := parseCycle([]byte(line))
		if err != nil || len(got) != want.rows || got[0].open != want.open || got[0].row.Status != notes.Reopened || got[0].commit != "" {
			t.Errorf("%s: %+v, %v", line, got, err)
			continue
		}
		if want.rows == 2 && (got[1].row.Status != notes.Done || !got[1].derived || got[1].commit != commit("b") || got[1].row.At != "2026-01-03T03:04:05Z") {
			t.Errorf("%s: %+v", line, got[1])
		}
	}
}

// TestMalformedLinesAreListed: each with its place; the rest counts, the same line once.
func TestMalformedLinesAreListed(t *testing.T) {
	t.Parallel()
	long := `{"stage":1,"status":"done","x":"` + strings.Repeat("y", maxLine) + `"}`
	f := open(t, map[string]string{
		"consumers.jsonl": strings.Join([]string{
			`{"stage":1,"status":"started"}`, ``, `{oops`, `{"stage":1,"status":"started"}`, "  \t", long, `{"status":"done"}`, `{"stage":1,"status":"done"}`,
		}, "\n"), // no line end at the end
		"fix-cycles.jsonl":    "nope\n",
		"carry/stage-1.json":  "{",
		"carry/stage-02.json": "{}",
		"registry.json":       "[]",
	})
	var got []string
	for _, p := range f.Problems {
		got = append(got, p.String())
	}
	want := []string{
		"consumers.jsonl:3: it is no JSON object", "consumers.jsonl:6: it is longer than 1048576 bytes", "consumers.jsonl:7: it names no stage",
		"fix-cycles.jsonl:1: it is no JSON object", "carry/stage-1.json:1: it is no JSON object", "registry.json:1: it is no JSON object",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if f.Lines != 2 || f.Again != 1 || strings.Join(f.Left, " ") != "carry/stage-02.json" {
		t.Errorf("%d lines, %d again, left %q", f.Lines, f.Again, f.Left)
	}
}

// TestMergeKeepsEachOrder: rows of both files stand by time, but never against the order
// of their file.
func TestMergeKeepsEachOrder(t *testing.T) {
	t.Parallel()
	f := open(t, map[string]string{
		"consumers.jsonl": `{"stage":1,"status":"done","completed_at":"2026-01-01T01:00:00Z"}
{"stage":2,"status":"done","completed_at":"2026-01-01T03:00:00Z"}
{"stage":3,"status":"done"}
{"stage":4,"status":"done","completed_at":"2026-01-01T02:00:00Z"}
`,
		"fix-cycles.jsonl": `{"stage":5,"opened_at":"2026-01-01T02:00:00Z","closed_at":"2026-01-01T09:00:00Z","head_commit":"abcdef0"}
{"stage":6,"opened_at":"2026-01-01T01:30:00Z"}
`,
	})
	var got []string
	for _, r := range f.records {
		got = append(got, string(r.row.Status)+string(rune('0'+r.row.Stage)))
	}
	if want := "done1 reopened5 done2 done3 done4 done5 reopened6"; strings.Join(got, " ") != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// FuzzLine holds that no line breaks the reader, and that a line that is taken is a row
// that the log reads back and from which the line comes out again byte for byte.
func FuzzLine(f *testing.F) {
	for _, line := range []string{
		`{"stage":1,"status":"started","started_at":"2026-01-02T03:04:05Z","head_commit":"` + commit("a") + `"}`,
		`{"stage_number": "2", "status": "done", "x": "\u2028 \ud800 <&>"}`, `{"stage":1,"opened_at":"","closed_at":"2026-01-02T03:04:05Z","head":"abcdef1"}`,
		"\ufeff{\"stage\":7,\"status\":\"done\",\"한\":[1e999]}\r", `{"stage":1,"status":"done","stage":2}`, "{", "\xff", `{"stage":1,"status":"\u0000"}`,
		`{"stage":1,"status":"done","at":"0001-01-01T00:00:00Z"}`, `{"stage":1,"status":"done","at":"9999-12-31T23:59:59-23:59"}`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if strings.ContainsRune(string(line), '\n') {
			return
		}
		var records []record
		if r, err := parseConsumer(line); err == nil {
			records = append(records, r)
		}
		more, _ := parseCycle(line)
		for i, r := range append(records, more...) {
			r.file, r.content = consumersFile, line
			if !r.derived {
				r.raw = line
			}
			p := &placer{key: key, known: knows(), done: map[plan.StageNumber][]string{}, last: map[plan.StageNumber]gitops.Hash{}}
			p.record(r, nil)
			if len(p.out.Entries) == 0 && r.derived {
				continue
			}
			l := log(t, p.out.Entries)[0]
			if l.Row.Stage < 1 || l.Row.Status == "" || l.Row.ID == "" {
				t.Fatalf("%d: %+v", i, l.Row)
			}
			if got := l.Row.Okstra.Bytes(); string(got) != string(r.raw) {
				t.Fatalf("%q came back as %q", r.raw, got)
			}
		}
	})
}
