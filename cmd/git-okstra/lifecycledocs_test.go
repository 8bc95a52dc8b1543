package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// answer is a row of docs/lifecycle.md.
type answer struct {
	line        int
	exit, words string
	held        []string
}

// answersOf reads the tables of the page, by chapter.
func answersOf(t *testing.T, page string) map[string][]answer {
	t.Helper()
	out := map[string][]answer{}
	chapter := ""
	for i, line := range strings.Split(page, "\n") {
		if name, ok := strings.CutPrefix(line, "## "); ok {
			chapter = name
		}
		cells := strings.Split(strings.Trim(line, "|"), " | ")
		if !strings.HasPrefix(line, "| ") || len(cells) != 4 || strings.Contains(line, "| held by |") {
			continue
		}
		words := strings.TrimSpace(cells[2])
		if len(words) < 3 || words[0] != '`' || words[len(words)-1] != '`' {
			t.Errorf("line %d: words are not quoted: %s", i+1, words)
			continue
		}
		a := answer{line: i + 1, exit: strings.TrimSpace(cells[1]), words: words[1 : len(words)-1]}
		for _, name := range strings.Split(cells[3], ",") {
			a.held = append(a.held, strings.TrimSpace(name))
		}
		out[chapter] = append(out[chapter], a)
	}
	return out
}

// goTests is the text of this package's tests, by the name of each test function.
func goTests(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range strings.Split(string(text), "\nfunc ")[1:] {
			name, _, _ := strings.Cut(part, "(")
			out[name] = part
		}
	}
	return out
}

// TestLifecyclePage: each answer that the page lists is held by the scripts that it names:
// they are there, have the exit code, and the words; those that refuse something see that
// nothing else may be left out.
func TestLifecyclePage(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/lifecycle.md")
	if err != nil {
		t.Fatal(err)
	}
	chapters, tests := answersOf(t, string(text)), goTests(t)
	least := map[string]int{"Choosing": 20, "Base commit": 8, "Ending": 40, "Reconciling": 8, "Verifying and handing off": 14, "Plan revisions": 4}
	for name, want := range least {
		if got := len(chapters[name]); got < want {
			t.Errorf("%s: %d answers, want %d", name, got, want)
		}
	}
	escaped := regexp.MustCompile(`\\(.)`)
	for _, answers := range chapters {
		for _, a := range answers {
			worded := false
			for _, name := range a.held {
				script := tests[name]
				if !strings.HasPrefix(name, "Test") {
					data, err := os.ReadFile(filepath.Join("testdata", "script", name+".txtar"))
					if err != nil {
						t.Errorf("line %d: %v", a.line, err)
						continue
					}
					script = strings.ReplaceAll(escaped.ReplaceAllString(string(data), "$1"), "''", "'")
					if a.exit != "0" && !strings.Contains(script, fmt.Sprintf("exits %s ", a.exit)) {
						t.Errorf("line %d: %s has no command that exits %s", a.line, name, a.exit)
					}
				}
				if script == "" {
					t.Errorf("line %d: there is no %s", a.line, name)
				}
				worded = worded || strings.Contains(script, a.words)
			}
			if !worded {
				t.Errorf("line %d: none of %s has %q", a.line, a.held, a.words)
			}
		}
	}
}
