package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
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

// brokenWriter takes nothing.
type brokenWriter struct{ err error }

func (w brokenWriter) Write([]byte) (int, error) { return 0, w.err }

// TestOutputThatIsLost: an output that did not arrive is a failure, but for a reader
// that went away.
func TestOutputThatIsLost(t *testing.T) {
	t.Parallel()
	for err, want := range map[error]int{
		syscall.ENOSPC: exitEnvironment, errors.New("gone"): exitEnvironment, syscall.EPIPE: 0, syscall.EBADF: 0,
	} {
		for _, args := range [][]string{{"plan", "new"}, {"plan", "rules", "--json"}, {"version", "-h"}} {
			var errOut bytes.Buffer
			code := run(args, streams{in: strings.NewReader(""), out: brokenWriter{err}, err: &errOut})
			if code != want || (want != 0) != (errOut.String() == "error: write standard output: "+err.Error()+"\n") {
				t.Errorf("%q with %v: exit code %d, %s", args, err, code, errOut.String())
			}
		}
	}
}
