package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"

	"git-okstra/gitops"
	"git-okstra/internal/lifecycle"
	"git-okstra/internal/workspace"
)

// TestExitCodes holds the exit-code table.
func TestExitCodes(t *testing.T) {
	refusal := func(k lifecycle.Kind) error {
		return fmt.Errorf("start: %w", &lifecycle.Refusal{Kind: k, Message: "no", Hints: []string{"do this"}})
	}
	for _, c := range []struct {
		name string
		err  error
		code int
	}{
		{"a rule", refusal(lifecycle.Refused), 1},
		{"usage", refusal(lifecycle.Usage), 2},
		{"a gate", refusal(lifecycle.Gate), 3},
		{"taken", refusal(lifecycle.Taken), 4},
		{"nothing ready", refusal(lifecycle.NothingReady), 4},
		{"the environment", refusal(lifecycle.Environment), 128},
		{"in the way", &workspace.ForeignPathError{Path: "p", What: "foreign"}, 1},
		{"no repository", gitops.ErrNotRepository, 128},
		{"interrupted", fmt.Errorf("x: %w", context.Canceled), 130},
		{"not ours to read", &fs.PathError{Op: "open", Path: "p", Err: fs.ErrPermission}, 128},
		{"git", &gitops.GitError{Args: []string{"fsck"}, ExitCode: 128, Stderr: "fatal: bad\n", Err: errors.New("exit")}, 128},
		{"anything else", errors.New("disk full"), 128},
		{"one of ours", &commandError{code: 7, message: "m"}, 7},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := classify(c.err).code; got != c.code {
				t.Errorf("exit code %d, want %d", got, c.code)
			}
		})
	}
}

// TestFailSaysItOnce: one error line and its hints on stderr, or one JSON value
// on stdout, never both.
func TestFailSaysItOnce(t *testing.T) {
	err := &lifecycle.Refusal{Kind: lifecycle.Taken, Message: "stage 1 is taken", Hints: []string{"wait"}}
	var out, errOut bytes.Buffer
	std := streams{out: &out, err: &errOut}
	if code := fail(std, false, err); code != exitNothing || out.Len() != 0 || errOut.String() != "error: stage 1 is taken\nhint: wait\n" {
		t.Errorf("text: %d %q %q", code, out.String(), errOut.String())
	}
	errOut.Reset()
	var got errorJSON
	if code := fail(std, true, err); code != exitNothing || errOut.Len() != 0 {
		t.Errorf("json: %d %q", code, errOut.String())
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil || got.Schema != "okstra.error/v1" || got.Exit != 4 || len(got.Hints) != 1 {
		t.Errorf("json: %v %+v", err, got)
	}
}

// TestForeignTextIsEscaped: what git or a repository says cannot drive the
// terminal.
func TestForeignTextIsEscaped(t *testing.T) {
	e := classify(&gitops.GitError{Args: []string{"x"}, Stderr: "fatal: \x1b[2J one\nmore \x1b]0;title\x07\n", Err: errors.New("exit")})
	for _, s := range append([]string{e.message}, e.hints...) {
		if strings.ContainsAny(s, "\x1b\x07") {
			t.Errorf("raw escape in %q", s)
		}
	}
	if len(e.hints) != 1 {
		t.Errorf("hints: %q", e.hints)
	}
}

// TestRowKeepsUnknownKeys: log --json prints what is stored, and the commit.
func TestRowKeepsUnknownKeys(t *testing.T) {
	raw, err := withCommit([]byte(`{"v":1,"id":"x","later":{"a":[1, 2]}}`), "abc")
	if err != nil || string(raw) != `{"v":1,"id":"x","later":{"a":[1, 2]},"commit":"abc"}` {
		t.Errorf("%s %v", raw, err)
	}
}

// TestDemo runs the demo whole, as a newcomer would, and looks for the
// three things it must end with.
func TestDemo(t *testing.T) {
	cmd := exec.Command("git-okstra", "demo")
	cmd.Dir = t.TempDir()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("demo: %v\n%s", err, out)
	}
	for _, want := range []string{
		"$ git log --graph --notes=okstra/demo/greeter/HELLO-1", "$ git for-each-ref refs/okstra", "$ git worktree list",
		"all 5 stages are done", "refs/okstra/demo/greeter/HELLO-1/done/5", `"status":"done"`,
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the demo does not show %q", want)
		}
	}
}

// TestNarrowGrammar: the model of one command alone reads and helps exactly as the
// whole one does, which a flag before the command brings in.
func TestNarrowGrammar(t *testing.T) {
	ask := func(words ...string) (int, string) {
		var out, said bytes.Buffer
		code := run(words, streams{in: strings.NewReader(""), out: &out, err: &said})
		return code, out.String() + said.String()
	}
	var leaves [][]string
	for _, c := range commands() {
		leaves = append(leaves, []string{c.name})
		model := reflect.TypeOf(c.model).Elem()
		for i := range model.NumField() {
			if _, sub := model.Field(i).Tag.Lookup("cmd"); sub {
				leaves = append(leaves, []string{c.name, strings.ToLower(model.Field(i).Name)})
			}
		}
	}
	if len(leaves) < 15 {
		t.Fatalf("only %d commands", len(leaves))
	}
	for _, leaf := range leaves {
		for _, more := range [][]string{{"-h"}, {"--no-such-flag"}} {
			code, narrow := ask(append(slices.Clone(leaf), more...)...)
			fullCode, full := ask(append(append([]string{"-q"}, leaf...), more...)...)
			if code != fullCode || narrow != full {
				t.Errorf("%q: exit %d\n%s\nwith the whole model %d\n%s", append(leaf, more...), code, narrow, fullCode, full)
			}
		}
	}
	if code, said := ask("plan", "chekc"); code != exitUsage || !strings.Contains(said, `did you mean "check"`) {
		t.Errorf("%d %s", code, said)
	}
}

// TestPlainCheck: the short way through a check of files gives what the long one gives,
// and is taken only where nothing else can be meant.
func TestPlainCheck(t *testing.T) {
	t.Chdir(t.TempDir())
	bad := bytes.Replace(demoPlan, []byte("| 1 | 2 |"), []byte("| 7 | 2 |"), 1)
	for name, text := range map[string][]byte{"good.md": demoPlan, "bad.md": bad, "-h": demoPlan, "HEAD:x": demoPlan} {
		if err := os.WriteFile(name, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	ask := func(words ...string) (int, string, string) {
		var out, said bytes.Buffer
		code := run(words, streams{in: strings.NewReader(""), out: &out, err: &said})
		return code, out.String(), said.String()
	}
	for _, files := range [][]string{{"good.md"}, {"bad.md"}, {"good.md", "bad.md"}, {"HEAD:x"}} {
		if plainCheck(append([]string{"plan", "check"}, files...)) == nil {
			t.Errorf("%q is not taken for a plain check", files)
		}
		code, out, said := ask(append([]string{"plan", "check"}, files...)...)
		long, longOut, longSaid := ask(append([]string{"-v", "plan", "check"}, files...)...)
		if code != long || out != longOut || said != longSaid || out == "" {
			t.Errorf("%q: exit %d\n%s%s\nthe long way %d\n%s%s", files, code, out, said, long, longOut, longSaid)
		}
	}
	for _, words := range [][]string{
		{"plan", "check"},
		{"plan", "check", "-h"},
		{"plan", "check", "good.md", "--json"},
		{"plan", "check", "-"},
		{"plan", "check", "."},
		{"plan", "check", "missing.md"},
		{"plan", "approve", "good.md"},
		{"-q", "plan", "check", "good.md"},
	} {
		if plainCheck(words) != nil {
			t.Errorf("%q is taken for a plain check", words)
		}
	}
}

func TestShellWord(t *testing.T) {
	for name, want := range map[string]string{
		"plan.md": "plan.md", "docs/계획.md": "docs/계획.md", "a b.md": "'a b.md'", "-x.md": "./-x.md", "it's.md": `'it'\''s.md'`,
		"$(x).md": "'$(x).md'", "": "", "a\x1b.md": `'a\x1b.md'`,
	} {
		if got := shellWord(name); got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
}
