package main

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"git-okstra/plan"
)

//go:embed demo/plan.md
var demoPlan []byte

type demoCmd struct {
	Keep bool `help:"Keep the throw-away repository and say where it is."`
}

// demo is a run under way: every command is a real process, printed before its
// output.
type demo struct {
	a    *app
	self string // this program
	root string // the throw-away folder
	env  []string
	err  error // the first failure; the steps after it do nothing
}

// Run shows the whole flow on a repository made for it.
func (c demoCmd) Run(a *app) (err error) {
	if a.flags.JSON {
		return &commandError{code: exitUsage, message: "the demo tells a story, it has no data to print", hints: []string{"run it without --json"}}
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	root, err := os.MkdirTemp("", "git-okstra-demo-")
	if err != nil {
		return fmt.Errorf("make demo folder: %w", err)
	}
	if c.Keep {
		defer func() { a.say("the repository is kept in %s", root) }()
	} else {
		defer func() { err = errors.Join(err, os.RemoveAll(root)) }()
	}
	d := &demo{a: a, self: self, root: root, env: demoEnv(root)}
	d.prepare()
	d.plan()
	d.firstStage()
	d.otherStages()
	d.gate()
	d.show()
	return d.err
}

// demoEnv cuts the demo off from the user's repositories and settings.
func demoEnv(root string) []string {
	var env []string
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "GIT_") && !strings.HasPrefix(kv, "OKSTRA_") {
			env = append(env, kv)
		}
	}
	return append(env, "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "OKSTRA_HOME="+filepath.Join(root, "okstra"),
		"GIT_AUTHOR_NAME=Demo", "GIT_AUTHOR_EMAIL=demo@example.org", "GIT_COMMITTER_NAME=Demo", "GIT_COMMITTER_EMAIL=demo@example.org",
		"GIT_PAGER=cat", "GIT_TERMINAL_PROMPT=0")
}

func (d *demo) repo() string { return filepath.Join(d.root, "greeter") }

// stage is the worktree of a stage.
func (d *demo) stage(n int) string {
	return filepath.Join(d.root, "okstra", "worktrees", "demo", "greeter", "HELLO-1", fmt.Sprintf("stage-%d", n))
}

func (d *demo) title(text string) {
	if d.err == nil {
		d.a.print("\n── %s\n", text)
	}
}

// run runs one command in a folder and shows both; want is the exit code that
// is part of the story.
func (d *demo) run(dir string, want int, words ...string) {
	if d.err != nil {
		return
	}
	d.a.print("\n%s$ %s\n", d.where(dir), strings.Join(words, " "))
	cmd := d.command(words)
	cmd.Dir, cmd.Env = dir, d.env
	out, err := cmd.CombinedOutput()
	d.a.print("%s", bytes.ReplaceAll(out, []byte(d.root+string(filepath.Separator)), []byte("…/")))
	got := 0
	if err != nil {
		got = -1
	}
	if cmd.ProcessState != nil {
		got = cmd.ProcessState.ExitCode()
	}
	if got != want {
		d.err = fmt.Errorf("demo: %q ended with %d instead of %d: %w", strings.Join(words, " "), got, want, errors.Join(err, d.a.ctx.Err()))
	}
}

// command turns the words that are shown into the process that runs.
func (d *demo) command(words []string) *exec.Cmd {
	if len(words) > 1 && words[0] == "git" && words[1] == "okstra" {
		return exec.CommandContext(d.a.ctx, d.self, words[2:]...)
	}
	args := make([]string, len(words)-1)
	for i, w := range words[1:] {
		args[i] = strings.ReplaceAll(w, "'", "")
	}
	return exec.CommandContext(d.a.ctx, words[0], args...)
}

// where is the folder as the prompt shows it.
func (d *demo) where(dir string) string {
	return plan.Printable(filepath.Base(dir))
}

// write makes a file without showing it.
func (d *demo) write(dir, name, content string) {
	if d.err != nil {
		return
	}
	file := filepath.Join(dir, filepath.FromSlash(name))
	if d.err = os.MkdirAll(filepath.Dir(file), 0o777); d.err == nil {
		d.err = os.WriteFile(file, []byte(content), 0o666)
	}
}

// work does a stage's work: one file, one commit.
func (d *demo) work(n int, file, text, message string) {
	d.write(d.stage(n), file, text+"\n")
	d.run(d.stage(n), 0, "git", "add", file)
	d.run(d.stage(n), 0, "git", "commit", "-qm", "'"+message+"'")
}
