package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestChainJSON is field report G1: whatever becomes of a chain, with --json every line on
// standard output is one of our objects, also with -v, and the last one says how it ended.
func TestChainJSON(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("its workers are shell scripts")
	}
	b := newBench(t, 3)
	b.repo.Git("config", "okstra.postProvision", "echo provisioned; echo provisioned >&2")
	b.repo.Write(".git/hooks/post-checkout", "#!/bin/sh\necho hook\necho hook >&2\n")
	b.repo.Write(".git/hooks/post-commit", "#!/bin/sh\necho hook\n")
	for _, hook := range []string{"post-checkout", "post-commit"} {
		if err := os.Chmod(filepath.Join(b.repo.Dir, ".git", "hooks", hook), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	const noise = `printf '{"a":\n\033[2J\377\000'; seq 3000; echo noise >&2; `
	for _, c := range []struct {
		name string
		args []string
		code int
		last string // event or schema of the last line
	}{
		{"no such flag", []string{"chain", "--json", "--nonsense"}, exitUsage, "okstra.error/v1"},
		{"no such stage", []string{"chain", "--json", "9", "--", "true"}, exitUsage, "okstra.error/v1"},
		{"no such plan", []string{"chain", "--json", "--plan", "none.md", "--", "true"}, exitUsage, "okstra.error/v1"},
		{"nothing to run", []string{"chain", "--json", "-v"}, 0, "okstra.chain-plan/v1"},
		{"fails", []string{"chain", "--json", "1", "-v", "--", "sh", "-c", noise + "exit 9"}, exitFindings, "summary"},
		{"time is over", []string{"chain", "--json", "1", "--timeout", "100ms", "--", "sh", "-c", noise + "sleep 600"}, exitFindings, "summary"},
		{"is not there", []string{"chain", "--json", "1", "--", "no-such-command"}, exitFindings, "summary"},
		{"given back", []string{"chain", "--json", "1", "--", "sh", "-c", noise + "git okstra stage release -q 1; sleep 600"}, exitFindings, "summary"},
		{"occupied", []string{"chain", "--json", "1", "-vv", "--", "sh", "-c", noise + "git okstra chain --json 1 -- true; git commit -q --allow-empty -m 1"}, 0, "summary"},
		{"lands", []string{"chain", "--json", "-v", "--land", "--validate", "2", "--", "sh", "-c", noise + "mkdir -p greet; echo x >greet/rules-2.txt; git add .; git commit -qm 2"}, 0, "summary"},
	} {
		o := b.run(b.repo.Dir, c.args...)
		if o.code != c.code {
			t.Errorf("%s: exit code %d\n%s%s", c.name, o.code, o.out, o.errOut)
		}
		var last string
		for line := range strings.Lines(o.out) {
			var got struct{ Schema, Event string }
			if err := json.Unmarshal([]byte(line), &got); err != nil || !strings.HasPrefix(got.Schema, "okstra.") {
				t.Errorf("%s: %v: %q", c.name, err, line)
			}
			last = got.Schema
			if got.Event != "" {
				last = got.Event
			}
		}
		if last != c.last {
			t.Errorf("%s: the last line is %s", c.name, last)
		}
	}
}

// TestChainBroken: where the repository itself cannot be read any more, the summary comes
// all the same, and the error behind it is an object too.
func TestChainBroken(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("its workers are shell scripts")
	}
	b := newBench(t, 1)
	config := filepath.Join(b.repo.Dir, ".git", "config")
	o := b.run(b.repo.Dir, "chain", "--json", "1", "--", "sh", "-c", `git commit -q --allow-empty -m 1; echo "[" >>"$0"`, config)
	var kinds []string
	for line := range strings.Lines(o.out) {
		var got struct{ Schema, Event string }
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			t.Errorf("%v: %q", err, line)
		}
		kinds = append(kinds, got.Schema+" "+got.Event)
	}
	want := []string{"okstra.chain/v1 queue", "okstra.chain/v1 started", "okstra.chain/v1 failed", "okstra.chain/v1 summary", "okstra.error/v1 "}
	if o.code != exitEnvironment || !slices.Equal(kinds, want) {
		t.Errorf("exit code %d: %q\n%s", o.code, kinds, o.errOut)
	}
}
