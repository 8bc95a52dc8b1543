package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"git-okstra/internal/manual"
	"git-okstra/internal/testrepo"
)

// program is the description of the whole program, and its common options.
func program(t *testing.T) (manual.Command, []manual.Item) {
	t.Helper()
	c, common, err := (&app{std: streams{out: &bytes.Buffer{}, err: &bytes.Buffer{}}}).wholeManual()
	if err != nil {
		t.Fatal(err)
	}
	return c, common
}

// TestEveryCommandIsExplained: a command, an option or an argument without help fails
// here, as does a command without an example, and an example of no command.
func TestEveryCommandIsExplained(t *testing.T) {
	all, common := program(t)
	written, err := manual.ParseExamples(exampleText)
	if err != nil {
		t.Fatal(err)
	}
	sentence := func(of, text string) {
		if strings.TrimSpace(text) == "" {
			t.Errorf("%s is not explained", of)
		}
	}
	known := map[string]bool{"okstra": true}
	var walk func(c manual.Command)
	walk = func(c manual.Command) {
		known[c.Name] = true
		sentence(c.Call(), c.Help)
		for _, item := range append(slices.Clone(c.Arguments), c.Options...) {
			sentence(c.Call()+" "+item.Term, item.Text)
		}
		if len(c.Commands) == 0 && len(c.Examples) == 0 {
			t.Errorf("%s has no example: write one in help/examples.txt", c.Call())
		}
		for _, e := range c.Examples {
			if !strings.Contains(strings.Join(e.Run, "\n"), c.Call()) {
				t.Errorf("%s: the example %q does not call it", c.Call(), e.Does)
			}
		}
		for _, sub := range c.Commands {
			walk(sub)
		}
	}
	walk(all)
	for _, item := range common {
		sentence("a common option", item.Text)
	}
	for name := range written {
		if !known[name] {
			t.Errorf("help/examples.txt has examples of %q, which is no command", name)
		}
	}
	if n := len(all.Leaves()); n < 35 {
		t.Errorf("only %d commands", n)
	}
}

// exampleTools are what the hidden lines of examples may call.
const exampleTools = `set -e
finish() {
	(
		cd "$(git okstra stage start "$1" --resume --print-path 2>/dev/null || git okstra stage start "$1" --print-path)"
		echo "$1" >"work-$1" && git add . && git commit -qm "work of $1" && git okstra stage done -q
	)
}
`

// TestExamples runs the examples of every command.
func TestExamples(t *testing.T) {
	all, err := manual.ParseExamples(exampleText)
	if err != nil {
		t.Fatal(err)
	}
	asks := map[string]int{"stage pick": exitUsage} // what needs a terminal has none here
	for name, list := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := testrepo.New(t, "one-commit")
			r.Env = append(r.Env, "OKSTRA_HOME="+t.TempDir(), "TMPDIR="+t.TempDir())
			sh := func(script string) (string, int) {
				cmd := exec.CommandContext(t.Context(), "sh", "-c", exampleTools+script)
				cmd.Dir, cmd.Env = r.Dir, r.Env
				out, err := cmd.CombinedOutput()
				if cmd.ProcessState == nil {
					t.Fatal(err)
				}
				return string(out), cmd.ProcessState.ExitCode()
			}
			r.Write("plan.md", string(demoPlan))
			if out, code := sh("git add . && git commit -qm plan && git okstra plan approve -q plan.md && git commit -qam approved && " +
				"git init -q --bare ../hub.git && git remote add origin ../hub.git && git push -q origin main"); code != 0 {
				t.Fatalf("%d\n%s", code, out)
			}
			for _, e := range list {
				if out, code := sh(strings.Join(append(slices.Clone(e.Before), e.Run...), "\n")); code != asks[name] {
					t.Errorf("%s: exit %d\n%s", e.Does, code, out)
				}
			}
		})
	}
}

// TestHelpIsShort: help fits a terminal of 80 columns and, but for the longest, one
// screen or two; it names every command or option, and needs no repository.
func TestHelpIsShort(t *testing.T) {
	all, _ := program(t)
	ask := func(words ...string) string {
		t.Helper()
		var out, said bytes.Buffer
		if code := run(append(words, "-h"), streams{in: strings.NewReader(""), out: &out, err: &said}); code != 0 || said.Len() != 0 {
			t.Errorf("%q: exit %d, %s", words, code, said.String())
		}
		return out.String()
	}
	t.Chdir(t.TempDir())
	check := func(name, text string, most int, has ...string) {
		t.Helper()
		lines := strings.Split(text, "\n")
		if len(lines) > most {
			t.Errorf("%s: %d lines of help\n%s", name, len(lines), text)
		}
		for _, l := range lines {
			if len([]rune(l)) > 80 && !strings.HasPrefix(l, "  ") {
				t.Errorf("%s: too wide: %s", name, l)
			}
			if strings.TrimRight(l, " ") != l {
				t.Errorf("%s: blanks at the end of %q", name, l)
			}
		}
		for _, h := range has {
			if !strings.Contains(text, h) {
				t.Errorf("%s: nothing of %q\n%s", name, h, text)
			}
		}
	}
	top := ask()
	const screens = 66
	check("okstra", top, screens, "usage: git okstra [--version] COMMAND [options]\n", "--json", "approve, show")
	for _, c := range all.Commands {
		check("okstra", top, screens, "\n  "+c.Name+" ")
		var words []string
		for _, leaf := range c.Leaves() {
			terms := []string{"usage: git okstra " + leaf.Usage + "\n", "-h"}
			if len(leaf.Examples) > 0 { // TestEveryCommandIsExplained asks for one
				terms = append(terms, leaf.Examples[0].Does)
			}
			for _, o := range append(leaf.Options, leaf.Arguments...) {
				terms = append(terms, "  "+o.Term)
			}
			check(leaf.Name, ask(strings.Fields(leaf.Name)...), screens, terms...)
			words = append(words, "\n  "+strings.TrimPrefix(leaf.Name, c.Name+" ")+" ")
		}
		if len(c.Commands) > 0 {
			check(c.Name, ask(c.Name), screens, words...)
		}
	}
}

// TestHelpFollowsTheTerminal: lines are as long as there is room for, within reason.
func TestHelpFollowsTheTerminal(t *testing.T) {
	all, common := program(t)
	for _, width := range []int{1, 40, 80, 100} {
		for _, leaf := range all.Leaves() {
			text := leaf.Text(width, common)
			body, _, _ := strings.Cut(text, "Examples:\n")
			for _, l := range strings.Split(body, "\n")[1:] {
				if n := len([]rune(l)); n > max(width, 28+20+30) {
					t.Errorf("%s at %d columns: %d in %q", leaf.Name, width, n, l)
				}
			}
		}
	}
}

// TestVersionAndHelpWords: the words that git itself knows.
func TestVersionAndHelpWords(t *testing.T) {
	ask := func(words ...string) (int, string) {
		var out, said bytes.Buffer
		code := run(words, streams{in: strings.NewReader(""), out: &out, err: &said})
		return code, out.String() + said.String()
	}
	for _, c := range []struct{ words, same string }{
		{"--version", "version"},
		{"--version --json", "version --json"},
		{"help", "-h"},
		{"help stage start", "stage start -h"},
	} {
		code, out := ask(strings.Fields(c.words)...)
		wantCode, want := ask(strings.Fields(c.same)...)
		if code != 0 || wantCode != 0 || out != want || out == "" {
			t.Errorf("%q: %d %s\n%q: %d %s", c.words, code, out, c.same, wantCode, want)
		}
	}
	if code, out := ask("help", "nix"); code != exitUsage || !strings.Contains(out, "error:") {
		t.Errorf("help nix: %d %s", code, out)
	}
}

// TestReference holds docs/cli.md to the program.
func TestReference(t *testing.T) {
	all, common := program(t)
	got := manual.Markdown(all, common, manual.ParseSections(sectionText))
	const page = "../../docs/cli.md"
	if *update {
		if err := os.WriteFile(page, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(page)
	if err != nil || string(want) != got {
		t.Errorf("docs/cli.md is not what the program says (%v): go test ./cmd/git-okstra -run TestReference -update", err)
	}
}

// TestSettingsAreExplained: each setting that the code reads is in the manual.
func TestSettingsAreExplained(t *testing.T) {
	read := regexp.MustCompile(`(?:Get|All|Int|Bool|Path|Values)\("(okstra\.[A-Za-z]+)"`)
	found := 0
	for _, room := range []string{".", "../../internal/*", "../../hooks", "../../gitops"} {
		files, err := filepath.Glob(filepath.Join(room, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range read.FindAllStringSubmatch(string(text), -1) {
				found++
				if !strings.HasSuffix(file, "_test.go") && !strings.Contains(sectionText, "\n"+m[1]+" | ") {
					t.Errorf("%s reads %s, of which help/general.txt says nothing", file, m[1])
				}
			}
		}
	}
	if found < 8 {
		t.Errorf("only %d places read a setting", found)
	}
}
