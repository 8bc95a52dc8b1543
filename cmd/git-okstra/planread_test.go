package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNamesAreTakenVerbatim: a file name is bytes, whatever they are.
func TestNamesAreTakenVerbatim(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "a\xff,\\b.md")
	if err := os.WriteFile(name, []byte("# A plan\n"), 0o600); err != nil {
		t.Skip(err) // some file systems take only UTF-8
	}
	var out, errOut bytes.Buffer
	code := run([]string{"plan", "check", "--ruleset", "0.100.0", name}, streams{in: strings.NewReader(""), out: &out, err: &errOut})
	if code != exitFindings || !strings.Contains(out.String(), `a\xff,\\b.md:1:1: error P3`) {
		t.Errorf("exit code %d\n%s%s", code, out.String(), errOut.String())
	}
}

// TestNamesThatNothingCanHave are missing like all others.
func TestNamesThatNothingCanHave(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"planread_test.go/plan.md", strings.Repeat("n", 300)} {
		for _, words := range [][]string{{"check"}, {"show"}} {
			var out, errOut bytes.Buffer
			code := run(append(append([]string{"plan"}, words...), name), streams{in: strings.NewReader(""), out: &out, err: &errOut})
			if code != exitUsage || !strings.HasPrefix(errOut.String(), "error: no plan at ") {
				t.Errorf("%q %s: exit code %d\n%s%s", words, name, code, out.String(), errOut.String())
			}
		}
	}
}
