package main

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestAgentsPage: the page shows the very text that init --agents writes.
func TestAgentsPage(t *testing.T) {
	t.Parallel()
	const page = "../../docs/agents.md"
	made(t, page, "the section: made by go test ./cmd/git-okstra -run TestAgentsPage -update", "end of the section", "\n"+agentsText+"\n")
}

// made holds the part of a page between two comments to what it is made from.
func made(t *testing.T, page, begin, end, want string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), "<!-- "+begin+" -->\n")
	got, after, more := strings.Cut(rest, "<!-- "+end+" -->\n")
	if !ok || !more {
		t.Fatalf("%s has no place for it", page)
	}
	if got == want {
		return
	}
	if !*update {
		t.Errorf("%s is not up to date: run the test with -update", page)
		return
	}
	text = []byte(before + "<!-- " + begin + " -->\n" + want + "<!-- " + end + " -->\n" + after)
	if err := os.WriteFile(page, text, 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestAgentsTextIsTrue holds what agents are told to the program: the commands are there,
// and exit codes mean what the manual says of them.
func TestAgentsTextIsTrue(t *testing.T) {
	all, _ := program(t)
	known := map[string]bool{}
	for _, leaf := range all.Leaves() {
		known[leaf.Name] = true
	}
	for _, m := range regexp.MustCompile("`(?:git okstra )?(stage [a-z]+)").FindAllStringSubmatch(agentsText, -1) {
		if !known[m[1]] {
			t.Errorf("there is no command %q", m[1])
		}
	}
	for _, code := range []int{0, exitFindings, exitUsage, exitGate, exitNothing, exitEnvironment} {
		if !strings.Contains(agentsText, fmt.Sprintf("\n| %d | ", code)) {
			t.Errorf("exit code %d is not explained", code)
		}
	}
	b := newBench(t, 2)
	for _, step := range []struct {
		dir, words string
		code       int
	}{
		{"", "stage start 1 --print-path", 0},
		{"", "stage start 1 --resume --print-path", 0},
		{"", "stage start 1", exitNothing},
		{"1", "stage done", exitFindings},
		{"", "stage release 1 --why tired", 0},
	} {
		dir := b.repo.Dir
		if step.dir != "" {
			dir = b.stagePath(1)
		}
		if o := b.run(dir, strings.Fields(step.words)...); o.code != step.code {
			t.Errorf("%s: %+v", step.words, o)
		}
	}
	var shown struct {
		PortBase int `json:"port_base"`
	}
	b.must(b.repo.Dir, "stage", "start", "2", "-q")
	if o := b.must(b.repo.Dir, "stage", "show", "2", "--json"); json.Unmarshal([]byte(o.out), &shown) != nil || shown.PortBase == 0 {
		t.Errorf("no ports: %s", o.out)
	}
}
