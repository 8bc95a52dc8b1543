package main

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"git-okstra/internal/conform"
)

// floor is what precision and recall of each surface must reach on our corpus.
const floor = 0.95

// TestCorpus prints the scores of each part and holds them to the floor.
func TestCorpus(t *testing.T) {
	var all []labelled
	for _, part := range []string{"a", "b", "c", "d", "e", "f", "g"} {
		cases, err := readCases(os.DirFS("testdata/corpus/" + part))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, cases...)
		report(t, "part "+part, cases)
	}
	s := report(t, "all", all)
	const most, least, nothing = 400, 60, 120
	if len(all) < most || s.none < nothing {
		t.Errorf("%d diffs, %d of them touch nothing; want %d and %d", len(all), s.none, most, nothing)
	}
	for _, surface := range conform.Surfaces() {
		if n := s.surfaces[surface].right + s.surfaces[surface].missed; n < least {
			t.Errorf("%d diffs touch %s, want %d", n, surface, least)
		}
	}
	names := map[string]bool{}
	for _, c := range all {
		key := c.source[:strings.IndexByte(c.source, ':')] + c.name + string(c.diff)
		if names[key] {
			t.Errorf("%s: %s is there twice", c.source, c.name)
		}
		names[key] = true
	}
}

func report(t *testing.T, name string, cases []labelled) *scores {
	t.Helper()
	s, err := score(conform.Builtin(), cases)
	if err != nil {
		t.Fatal(err)
	}
	for _, surface := range conform.Surfaces() {
		got := s.surfaces[surface]
		t.Logf("%s: %-8s precision %.3f recall %.3f (%d diffs)", name, surface, got.precision(), got.recall(), got.right+got.missed)
		if got.precision() < floor || got.recall() < floor {
			t.Errorf("%s: %s is below %.2f", name, surface, floor)
		}
	}
	if t.Failed() {
		t.Log(strings.Join(s.wrong, "\n"))
	}
	return s
}

func TestForms(t *testing.T) {
	t.Parallel()
	const body = "--- a/a.go\n+++ b/a.go\n@@ -1 +1,2 @@\n package a\n+os.Remove(p)\n"
	cases, err := readCases(fstest.MapFS{
		"x/one.diff":   {Data: []byte("# touches: io, http\n" + body)},
		"two.patch":    {Data: []byte("Subject: x\n# touches: none\n\n" + body)},
		"notes.txt":    {Data: []byte("not read")},
		"many.cases":   {Data: []byte("about this file\n=== a | x/a.go | db io\n package a\n\n+x\n-y\n=== b | b.go | none\n" + body + "\n=== c | c.go |io\n@@ -7,1 +7,1 @@\n-a\n+b\n")},
		"many/b.cases": {Data: nil},
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range cases {
		files, err := conform.ParseDiff(c.diff)
		if err != nil || len(files) != 1 {
			t.Errorf("%s: %d files, %v\n%s", c.name, len(files), err, c.diff)
			continue
		}
		got = append(got, c.source+" "+c.name+" "+files[0].Path())
		for _, w := range c.wants {
			got = append(got, string(w))
		}
	}
	want := []string{
		"many.cases:2 a x/a.go", "db", "io", "many.cases:7 b a.go", "many.cases:14 c c.go", "io",
		"two.patch two a.go", "x/one.diff one a.go", "io", "http",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for _, bad := range []fstest.MapFS{
		{"a.diff": {Data: []byte(body)}},
		{"a.diff": {Data: []byte("# touches: disk\n" + body)}},
		{"a.cases": {Data: []byte("=== a | b\n")}},
		{"a.cases": {Data: []byte("=== a | b | disk\n")}},
	} {
		if _, err := readCases(bad); err == nil {
			t.Errorf("%v: no error", bad)
		}
	}
}

// TestRun scores a folder as a person does, wrong judgements among it.
func TestRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"x.cases":    "=== right | a.go | io\n+os.Remove(p)\n=== missed | a.go | db\n+x()\n=== extra | a_x.go | none\n+http.Get(u)\n=== tests | a_test.go | db\n+db.Query(q)\n",
		"rules.yaml": "version: 1\nrules:\n  - {id: x, surface: db, kind: call, languages: [go], pattern: 'x\\('}\n",
	} {
		if err := os.WriteFile(dir+"/"+name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if err := run(&out, []string{dir}, "", true); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		": 4 diffs", "| go | 3 | 1.000 | 0.000 | 1.000 | 1.000 | 0.000 | 1.000 | 1.000 | 1.000 |",
		"db: 2 touched, 0 found, 2 missed, 0 wrongly said.", "nothing: 1 diffs, of 0 of them nothing was said.",
		"x.cases:3: missed: misses db\n", "x.cases:5: extra: is no http (go-http-call: http.Get(u))", "x.cases:7: tests: misses db (ignored: test)",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	out.Reset()
	if err := run(&out, []string{dir}, dir+"/rules.yaml", false); err != nil || !strings.Contains(out.String(), "db: 2 touched, 1 found") || strings.Contains(out.String(), "misses") {
		t.Errorf("%v\n%s", err, out.String())
	}
	for _, bad := range [][]string{nil, {dir + "/none"}} {
		if err := run(&out, bad, "", false); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
	if err := run(&out, []string{dir}, dir+"/x.cases", false); err == nil {
		t.Error("a file that is no rules: no error")
	}
}
