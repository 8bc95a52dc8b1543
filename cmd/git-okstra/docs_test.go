package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"git-okstra/internal/testrepo"
)

// example is a command of a page and what it prints there.
type example struct{ command, want string }

// examples reads the console blocks of a page.
func examples(t *testing.T, page string) []example {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var out []example
	inside := false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		command, isCommand := strings.CutPrefix(line, "$ ")
		switch {
		case strings.HasPrefix(line, "```"):
			inside = line == "```console"
		case inside && isCommand:
			out = append(out, example{command: command})
		case inside:
			out[len(out)-1].want += line + "\n"
		}
	}
	return out
}

// matches compares output with a page's, where … is anything and a line of it alone
// any number of lines.
func matches(want, got string) bool {
	var pattern string
	for line := range strings.Lines(want) {
		if line == "…\n" {
			pattern += `(?s:.*)`
			continue
		}
		pattern += strings.ReplaceAll(regexp.QuoteMeta(line), "…", ".*")
	}
	return regexp.MustCompile(`\A` + pattern + `\z`).MatchString(got)
}

// TestInspectingPage runs the page about stock git. What needs jq is run where jq is
// installed; the gate sees to that.
func TestInspectingPage(t *testing.T) {
	r := testrepo.New(t, "one-commit")
	home := filepath.Join(t.TempDir(), "home")
	env := append(slices.Clone(r.Env), "OKSTRA_HOME="+home)
	sh := func(dir, command string) (string, error) {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
		cmd.Dir, cmd.Env = dir, env
		out, err := cmd.Output()
		return string(out), err
	}
	r.Write("plan.md", string(demoPlan))
	stage := filepath.Join(home, "worktrees", "demo", "greeter", "HELLO-1", "stage-1")
	for _, step := range []struct{ dir, command string }{
		{r.Dir, "git okstra plan approve -q plan.md && git okstra stage next -q"},
		{stage, "mkdir greet && echo hello >greet/rules.txt && git add . && git commit -qm 'greet by name' && git okstra stage done"},
		{r.Dir, "git okstra stage start -q 2"},
	} {
		if out, err := sh(step.dir, step.command); err != nil {
			t.Fatalf("%s: %v\n%s", step.command, err, out)
		}
	}
	runExamples(t, "../../docs/inspecting-with-stock-git.md", 10, func(command string) (string, error) { return sh(r.Dir, command) })
}

// TestWorktreesPage runs the page about the worktrees of stages.
func TestWorktreesPage(t *testing.T) {
	r := testrepo.New(t, "one-commit")
	r.Write("plan.md", string(demoPlan))
	sh := func(command string) (string, error) {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
		cmd.Dir, cmd.Env = r.Dir, append(slices.Clone(r.Env), "OKSTRA_HOME="+filepath.Join(filepath.Dir(r.Dir), "home"))
		out, err := cmd.Output()
		return string(out), err
	}
	if out, err := sh("git okstra plan approve -q plan.md"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	runExamples(t, "../../docs/worktrees.md", 10, sh)
}

// runExamples runs a page's examples, of which there have to be so many.
func runExamples(t *testing.T, page string, least int, sh func(command string) (string, error)) {
	t.Helper()
	list := examples(t, page)
	if len(list) < least {
		t.Fatalf("only %d examples", len(list))
	}
	_, noJQ := exec.LookPath("jq")
	for _, e := range list {
		if noJQ != nil && strings.Contains(e.command, "jq ") {
			t.Logf("jq is not installed, not run: %s", e.command)
			continue
		}
		got, err := sh(e.command)
		if err != nil || !matches(e.want, got) {
			t.Errorf("$ %s\n%v\n%s\nthe page has\n%s", e.command, err, got, e.want)
		}
	}
}
