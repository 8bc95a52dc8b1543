package main

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// wordsBench has one task with two stages, of which stage 1 is held, and names that a
// shell would run if it were let.
func wordsBench(t *testing.T) *bench {
	t.Helper()
	b := newBench(t, 3)
	b.must(b.repo.Dir, "stage", "start", "1")
	for _, branch := range []string{"x;touch${IFS}ran", "x$(touch${IFS}ran)", "x`touch${IFS}ran`", "x'y"} {
		b.repo.Git("branch", branch)
	}
	b.repo.Git("remote", "add", "hub", "nowhere")
	b.repo.Write("with blank.md", "")
	return b
}

// TestComplete: what may stand in place of the last word.
func TestComplete(t *testing.T) {
	b := wordsBench(t)
	for _, c := range []struct{ words, has, hasNot string }{
		{"|", "plan stage version completion", "pages complete --json"},
		{"st|", "stage", "plan"},
		{"stage|", "stage", ""},
		{"stage |", "list start done", "plan"},
		{"stage sta|", "start", "list"},
		{"stage start |", "1 2 3", ":files"},
		{"stage start 2 |", "1 2 3", ""},
		{"stage done |", "1", "2 3"},
		{"stage land |", "", "1 2 3"},
		{"stage start --|", "--resume --json --task", "--version"},
		{"--|", "--version --json", "--resume"},
		{"--ta|", "--task", "--json"},
		{"stage list --task |", "demo:greeter:HELLO-1", ""},
		{"stage list --task=d|", "--task=demo:greeter:HELLO-1", ""},
		{"--task nix:nix:NIX stage start |", "", "1"},
		{"--task HELLO-1 -q stage start |", "1", ""},
		{"stage start --onto |", "main x'y", ""},
		{"verify --record |", "accepted blocked", ""},
		{"plan explain S1|", "S1 S10a", "S2"},
		{"plan check |", ":files", ""},
		{"plan check --format |", "sarif github", ":files"},
		{"schema stage-l|", "stage-list stage-land", "stage-show"},
		{"completion |", "bash zsh fish powershell", ""},
		{"sync |", "hub", ""},
		{"chain -- |", ":files", ""},
		{"nix nix |", "", "plan"},
		{"stage start --nix=|", "", "1"},
		{"version |", "", "plan"},
	} {
		before, _ := strings.CutSuffix(c.words, "|")
		o := b.run(b.repo.Dir, append([]string{"complete", "--"}, strings.Split(before, " ")...)...)
		if o.code != 0 || o.errOut != "" {
			t.Errorf("%q: %+v", c.words, o)
		}
		var got []string
		for line := range strings.Lines(o.out) {
			word, _, _ := strings.Cut(line, "\t")
			got = append(got, word)
		}
		for _, w := range strings.Fields(c.has) {
			if !slices.Contains(got, w) {
				t.Errorf("%q: no %q in %q", c.words, w, got)
			}
		}
		for _, w := range strings.Fields(c.hasNot) {
			if slices.Contains(got, w) {
				t.Errorf("%q: %q in %q", c.words, w, got)
			}
		}
	}
	for _, dir := range []string{t.TempDir()} {
		if o := b.run(dir, "complete", "--", "stage", "start", ""); o.code != 0 || o.out != "" || o.errOut != "" {
			t.Errorf("outside a repository: %+v", o)
		}
	}
}

// shells are the scripts that ask a real shell; @ stands for the line so far.
var shells = map[string]func(line string) string{
	"bash": func(line string) string {
		words := strings.Split(strings.ReplaceAll(strings.ReplaceAll(line, ":", " : "), "=", " = "), " ")
		quoted := "'" + strings.Join(words, "' '") + "'"
		return `. /usr/share/bash-completion/completions/git
eval "$(git okstra completion bash)"
COMP_WORDS=(` + quoted + `) COMP_LINE='` + line + `'
COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_POINT=${#COMP_LINE}
if [ "${COMP_WORDS[0]}" = git ]; then __git_wrap__git_main; else __git_wrap_git_okstra; fi
for word in "${COMPREPLY[@]}"; do printf '%s\n' "$word"; done`
	},
	"zsh": func(line string) string {
		words := strings.Split(line, " ")
		if words[0] == "git" {
			words = words[1:]
		}
		return `git okstra completion zsh >_git-okstra && fpath=($PWD $fpath) && autoload -Uz _git-okstra
_files () { print -r -- FILES }
compadd () { print -rl -- "${(@q)values}" }
words=('` + strings.Join(words, "' '") + `') CURRENT=$#words
_git-okstra`
	},
	"fish": func(line string) string {
		return `git okstra completion fish | source
complete -C '` + line + `' | string replace -r '\t.*' ''`
	},
}

// TestShellsComplete asks the real shells, those that are installed; the gate sees to it
// that all are. A name that a shell would run if it were let comes back quoted.
func TestShellsComplete(t *testing.T) {
	b := wordsBench(t)
	for shell, script := range shells {
		t.Run(shell, func(t *testing.T) {
			path, err := exec.LookPath(shell)
			if err != nil {
				t.Logf("%s is not installed, and not asked", shell)
				return
			}
			ask := func(line string) []string {
				t.Helper()
				args := []string{"-c", script(line)}
				if shell == "zsh" {
					args = append([]string{"-f"}, args...)
				}
				cmd := exec.CommandContext(t.Context(), path, args...)
				cmd.Dir = b.repo.Dir
				cmd.Env = append(slices.Clone(b.repo.Env), "HOME="+b.home, "XDG_CONFIG_HOME="+b.home, "XDG_DATA_HOME="+b.home)
				out, err := cmd.Output()
				if err != nil && len(out) == 0 && shell != "bash" {
					t.Logf("%s %q: %v", shell, line, err)
				}
				var got []string
				for word := range strings.Lines(string(out)) {
					got = append(got, strings.TrimRight(word, " \n"))
				}
				return got
			}
			for line, want := range map[string]string{
				"git okstra stage do":           "done",
				"git okstra stage sta":          "start",
				"git okstra stage done ":        "1",
				"git okstra stage start --resu": "--resume",
				"git okstra verify --record bl": "blocked",
				"git-okstra stage cle":          "clean",
			} {
				if got := ask(line); !slices.Contains(got, want) || slices.Contains(got, "list") {
					t.Errorf("%s: %q", line, got)
				}
			}
			if got := strings.Join(ask("git okstra stage list --task demo:gr"), " "); !strings.Contains(got, "greeter:HELLO-1") {
				t.Errorf("a task: %q", got)
			}
			if got := ask("git okstra stage start --onto x"); len(got) < 4 {
				t.Errorf("branches: %q", got)
			} else if shell != "fish" { // fish quotes a word when it inserts it
				out, err := exec.CommandContext(t.Context(), path, "-c", "printf '%s\\n' "+strings.Join(got, " ")).Output()
				if err != nil || !strings.Contains(string(out), "x$(touch${IFS}ran)\n") || !strings.Contains(string(out), "x;touch${IFS}ran\n") || !strings.Contains(string(out), "x'y\n") {
					t.Errorf("%q are not quoted: %s %v", got, out, err)
				}
			}
			if found, _ := filepath.Glob(filepath.Join(b.repo.Dir, "ran")); found != nil {
				t.Error("a name was run")
			}
		})
	}
}

// TestCompletionScripts: every shell of the command has its script, and what can be
// known of PowerShell without one: its brackets and quotes close.
func TestCompletionScripts(t *testing.T) {
	b := newBench(t, 1)
	for shell, has := range map[string]string{
		"bash": "_git_okstra ()", "zsh": "#compdef git-okstra\n", "fish": "complete -c git-okstra", "powershell": "Register-ArgumentCompleter",
	} {
		o := b.must(b.repo.Dir, "completion", shell)
		if !strings.Contains(o.out, has) || !strings.Contains(o.out, "okstra complete") {
			t.Errorf("%s: %s", shell, o.out)
		}
		if shell == "powershell" {
			for _, pair := range []string{"{}", "()", "[]"} {
				if strings.Count(o.out, pair[:1]) != strings.Count(o.out, pair[1:]) {
					t.Errorf("%s do not close", pair)
				}
			}
		}
	}
	if o := b.run(b.repo.Dir, "completion", "tcsh"); o.code != exitUsage {
		t.Errorf("%+v", o)
	}
}
