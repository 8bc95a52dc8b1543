package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// way runs one way of committing or pushing, and holds what the hook says of it:
//
//	way HOOK WAY WHAT VERDICT COMMAND…
//
// VERDICT is refused, passes, skipped (the hook says why) or unasked (git does not call
// it). docs/hooks.md has a table of all ways, made from these lines.
func way(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 5 {
		ts.Fatalf("usage: way HOOK WAY WHAT VERDICT COMMAND…")
	}
	hook, verdict, command := args[0], args[3], args[4:]
	told := ts.MkAbs(filepath.Join(ts.Getenv("WORK"), ".told"))
	ts.Check(os.WriteFile(told, nil, 0o666))
	ts.Setenv(selfTestFile, told)
	err := ts.Exec(command[0], command[1:]...)
	ts.Setenv(selfTestFile, "")
	data, readErr := os.ReadFile(told)
	ts.Check(readErr)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		ts.Check(err)
	}
	said := ts.ReadFile("stdout") + ts.ReadFile("stderr")
	got := "passes"
	switch {
	case !strings.Contains(string(data), "okstra "+hook+" "):
		got = "unasked"
	case strings.Contains(said, "git okstra: "+hook+" refused"):
		got = "refused"
	case strings.Contains(said, "skipped by OKSTRA_SKIP"), strings.Contains(said, "nothing judged: "):
		got = "skipped"
	}
	if got != verdict {
		ts.Fatalf("%s: %s, want %s; the hooks told %q", args[1], got, verdict, data)
	}
	if failed := exit != nil; failed != (verdict == "refused") {
		ts.Fatalf("%s: %s, and git ended with %v", args[1], verdict, err)
	}
}

// waysOf reads the ways of a script.
func waysOf(t *testing.T, file string) [][]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "script", file))
	if err != nil {
		t.Fatal(err)
	}
	var out [][]string
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "way ") {
			continue
		}
		// an apostrophe is written twice
		const apostrophe = "\x00"
		var words []string
		for i, part := range strings.Split(strings.ReplaceAll(strings.TrimSpace(line), "''", apostrophe), "'") {
			if i%2 == 1 {
				words = append(words, strings.ReplaceAll(part, apostrophe, "'"))
			} else {
				words = append(words, strings.Fields(part)...)
			}
		}
		if !slices.Contains([]string{"refused", "passes", "skipped", "unasked"}, words[4]) {
			t.Errorf("%s: no verdict in %q", file, words)
		}
		out = append(out, words[1:5])
	}
	return out
}

// The table's place in docs/hooks.md.
const (
	waysPage  = "../../docs/hooks.md"
	waysBegin = "<!-- the ways: made by go test ./cmd/git-okstra -run TestHookWays -update -->\n"
	waysEnd   = "<!-- end of the ways -->\n"
)

// TestHookWays holds the table of ways and verdicts in docs/hooks.md to the scripts that
// try them.
func TestHookWays(t *testing.T) {
	var b strings.Builder
	b.WriteString("| hook | way | what is in it | verdict |\n|---|---|---|---|\n")
	var rows []string
	for _, file := range []string{"hooks_commit.txtar", "hooks_stage.txtar", "hooks_push.txtar", "hooks_push_stage.txtar"} {
		ways := waysOf(t, file)
		if len(ways) == 0 {
			t.Errorf("%s tries no way", file)
		}
		for _, w := range ways {
			rows = append(rows, fmt.Sprintf("| %s | %s | %s | %s |\n", w[0], w[1], w[2], w[3]))
		}
	}
	sorted := slices.Clone(rows)
	slices.Sort(sorted)
	for i := 1; i < len(sorted); i++ {
		if sorted[i] == sorted[i-1] {
			t.Errorf("one way is there twice: %s", sorted[i])
		}
	}
	b.WriteString(strings.Join(rows, ""))
	page, err := os.ReadFile(waysPage)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := bytes.Cut(page, []byte(waysBegin))
	_, tail, ok2 := bytes.Cut(rest, []byte(waysEnd))
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the table", waysPage)
	}
	want := string(head) + waysBegin + "\n" + b.String() + "\n" + waysEnd + string(tail)
	if *update {
		if err := os.WriteFile(waysPage, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if want != string(page) {
		t.Errorf("%s is not what the scripts say; run this test with -update", waysPage)
	}
}
