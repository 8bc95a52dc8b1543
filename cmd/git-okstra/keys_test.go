package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestJSONKeys holds the keys of every --json output, and the kind of each value:
// keys are only ever added.
func TestJSONKeys(t *testing.T) {
	b := newBench(t, 2)
	b.repo.Write("bad.md", strings.ReplaceAll(widePlan(2), "| 2 | part 2 | (none) |", "| 2 | part 2 | 7 |"))
	for _, words := range [][]string{
		{"checkout", "-q", "-b", "side"}, {"add", "bad.md"}, {"commit", "-q", "-m", "bad"}, {"checkout", "-q", "main"}, {"restore", "-s", "side", "bad.md"},
	} {
		b.repo.Git(words...)
	}
	okstraFolder(b)
	b.repo.Git("init", "-q", "--bare", b.home+"/hub.git")
	b.repo.Git("remote", "add", "origin", b.home+"/hub.git")
	b.repo.Write("some.diff", "--- a/a.go\n+++ b/a.go\n@@ -1 +1,2 @@\n package a\n+os.Open(x)\n--- a/go.sum\n+++ b/go.sum\n@@ -1 +1 @@\n-x\n+y\n")
	var out bytes.Buffer
	for _, c := range []struct {
		words string
		code  int
	}{
		{"version", 0},
		{"plan check bad.md", exitFindings},
		{"plan rules", 0},
		{"plan explain S9", 0},
		{"plan new", 0},
		{"plan approve plan.md", 0},
		{"plan show", 0},
		{"plan graph", 0},
		{"plan diff bad.md", 0},
		{"stage next --run r", 0},
		{"stage start 1", exitNothing},
		{"stage list", 0},
		{"stage done 1 --allow-empty --report r.md", 0},
		{"conform check 1", 0},
		{"stage land 1", 0},
		{"stage start 2", 0},
		{"stage renew 2", 0},
		{"stage release 2 --why tired", 0},
		{"log", 0},
		{"verify --stage 2", exitFindings},
		{"verify --stage 1 --record accepted", 0},
		{"stage pr 1", 0},
		{"handoff --stages 1", 0},
		{"hooks install", 0},
		{"hooks status", 0},
		{"hooks status --self-test", 0},
		{"hooks uninstall", 0},
		{"ci --base main --head side", exitFindings},
		{"doctor", 0},
		{"import folder --task HELLO-1", exitFindings},
		{"export out", 0},
		{"sync", 0},
		{"stage reopen 1 --why again", 0},
		{"conform rules", 0},
		{"conform explain go-db-tag", 0},
		{"conform touches --diff some.diff", 0},
		{"conform waive 2 --surface db --why x", 0},
		{"conform status", 0},
		{"conform run 1", 0},
	} {
		o := b.run(b.repo.Dir, append(strings.Fields(c.words), "--json")...)
		if o.code != c.code {
			t.Errorf("%q: exit %d, want %d: %s", c.words, o.code, c.code, o.out)
		}
		var v any
		if err := json.Unmarshal([]byte(o.out), &v); err != nil {
			t.Fatalf("%q: %v", c.words, err)
		}
		out.WriteString("# git okstra " + c.words + "\n")
		for _, line := range slices.Sorted(maps.Keys(kinds(v, "", map[string]bool{}))) {
			out.WriteString(line + "\n")
		}
	}
	const golden = "testdata/json-keys.txt"
	if *update {
		if err := os.WriteFile(golden, out.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out.Bytes(), want) {
		t.Errorf("keys are\n%s\nwant (see -update)\n%s", out.Bytes(), want)
	}
}

// okstraFolder writes a folder of which an import has something to say under every key.
func okstraFolder(b *bench) {
	b.repo.Write("folder/consumers.jsonl", strings.Join([]string{
		fmt.Sprintf(`{"stage":1,"status":"done","head_commit":%q}`, b.repo.Git("rev-parse", "main~1")),
		fmt.Sprintf(`{"stage":2,"status":"started","head_commit":%q}`, b.repo.Git("rev-parse", "main")),
		fmt.Sprintf(`{"stage":7,"status":"done","head_commit":%q}`, b.repo.Git("rev-parse", "main")),
		`{"stage":2,"status":"paused","head_commit":"1111111111111111111111111111111111111111"}`, `{"stage":3,"status":"started"}`, `{`,
	}, "\n"))
	b.repo.Write("folder/fix-cycles.jsonl", `{"stage":1,"cycle":1}`)
	b.repo.Write("folder/notes.txt", "not moved")
	b.repo.Write("folder/final-report.md", string(reportFor("0.100.0", "HELLO-1")))
}

// kinds lists every key below v with the kind of its value; the members of a list
// count as one.
func kinds(v any, path string, into map[string]bool) map[string]bool {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			kinds(value, path+"."+key, into)
		}
	case []any:
		into[path+"[]"] = true
		for _, value := range v {
			kinds(value, path+"[]", into)
		}
	case string:
		if path == ".schema" {
			path += " " + v
		}
		into[path+" string"] = true
	case float64:
		into[path+" number"] = true
	case bool:
		into[path+" bool"] = true
	default:
		into[path+" null"] = true
	}
	return into
}

// TestHugePlan: the number of stages is no limit, and the table stays one.
func TestHugePlan(t *testing.T) {
	n := 1000
	if testing.Short() {
		n = 200
	}
	b := newBench(t, n)
	b.must(b.repo.Dir, "stage", "start", "7")
	o := b.must(b.repo.Dir, "stage", "list")
	rows := strings.Split(strings.TrimSpace(o.out), "\n")
	if len(rows) != n+3 {
		t.Errorf("%d lines for %d stages", len(rows), n)
	}
	at := strings.Index(rows[2], "title")
	for i, row := range rows[3:] {
		if !strings.HasPrefix(row[at:], "part ") {
			t.Errorf("stage %d is out of line: %q", i+1, row)
			break
		}
	}
	if o := b.must(b.repo.Dir, "stage", "next", "--json"); !strings.Contains(o.out, `"stage":1,`) {
		t.Errorf("next: %s", o.out)
	}
	if o := b.run(b.repo.Dir, "stage", "start", "1-1000000000"); o.code != exitUsage {
		t.Errorf("a range without end: %+v", o)
	}
}
