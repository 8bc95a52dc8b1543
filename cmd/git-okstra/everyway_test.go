package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"git-okstra/internal/manual"
	"git-okstra/internal/testrepo"
)

// calling is how a command may be called. call is what stands for git okstra in the words of
// its first example; it gets the words that follow as its own.
type calling struct {
	name, call string
	env        []string
	before     string // run first
	closed     bool   // nobody reads standard output
	anyCode    bool   // the example need not succeed this way
}

// everyWay are the ways of field reports G1, G2 and G4, and their kinds.
var everyWay = []calling{
	{name: "plain", call: `command git okstra "$@"`},
	{name: "json", call: `command git okstra --json "$@"`},
	{name: "no terminal, no input", call: `setsid -w git okstra "$@" <&-`, anyCode: true},
	{name: "closed pipe", call: `command git okstra "$@"`, closed: true},
	{name: "no colour", call: `command git -c color.ui=auto okstra "$@"`, env: []string{"NO_COLOR=1"}},
	{name: "french", call: `command git okstra "$@"`, env: []string{"LANGUAGE=fr", "LC_ALL=fr_FR.UTF-8"}},
	{name: "from a folder", call: `command git okstra "$@"`, before: "mkdir -p sub/folder && cp plan.md sub/folder && cd sub/folder", anyCode: true},
	{name: "another folder", call: `at=$PWD && (cd / && command git -C "$at" okstra "$@")`},
	{name: "alias", call: `command git -c alias.ok=okstra ok "$@"`},
	{name: "shell alias", call: `command git -c 'alias.ok=!git okstra' ok "$@"`},
}

// noObject are commands whose --json says what they print anyway, or print nothing.
var noObject = map[string]bool{"schema": true, "completion": true, "hooks run": true}

// TestEveryCommandEveryWay runs the first example of every command in every way: exit
// codes are those of the table, nothing panics, JSON is pure, no colour where none is
// wanted.
func TestEveryCommandEveryWay(t *testing.T) {
	all, _ := program(t)
	r := testrepo.New(t, "one-commit")
	r.Env = append(r.Env, "OKSTRA_HOME="+filepath.Join(t.TempDir(), "home"))
	r.Write("plan.md", string(demoPlan))
	cmd := exec.CommandContext(t.Context(), "sh", "-ec", "git add . && git commit -qm plan && git okstra plan approve -q plan.md && git commit -qam approved && "+
		"git init -q --bare ../hub.git && git remote add origin ../hub.git && git push -q origin main")
	cmd.Dir, cmd.Env = r.Dir, r.Env
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	ways := everyWay
	for _, leaf := range all.Leaves() {
		t.Run(leaf.Name, func(t *testing.T) {
			t.Parallel()
			if len(leaf.Examples) == 0 {
				t.Fatal("no example")
			}
			for _, w := range ways {
				w.try(t, r, leaf)
			}
			w := calling{name: "help", call: "command git okstra " + leaf.Name + " -h"}
			w.try(t, r, leaf)
		})
	}
}

// try runs the example in a copy of the repository.
func (w calling) try(t *testing.T, r *testrepo.Repo, leaf manual.Command) {
	t.Helper()
	top := t.TempDir()
	codes, outs := filepath.Join(top, "codes"), filepath.Join(top, "outs")
	e := leaf.Examples[0]
	script := "cp -R " + r.Dir + " r && cp -R " + filepath.Dir(r.Dir) + "/hub.git . && cd r && set -e\n" + strings.TrimPrefix(exampleTools, "set -e\n") +
		"{\n:\n" + strings.Join(e.Before, "\n") + "\n} >/dev/null\n" + w.before + "\nset +e\n" +
		"call() {\n" + w.call + "\n}\n" +
		"git() {\nif [ \"$1\" != okstra ]; then command git \"$@\"; return; fi\nshift\n{ call \"$@\"; echo $? >>" + codes + "; } "
	if w.closed {
		script += "\n" // its standard output is the pipe itself
	} else {
		script += "| tee -a " + outs + "\n"
	}
	script += "}\n" + strings.Join(e.Run, "\n") + "\n"
	var said bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "sh", "-c", script)
	cmd.Dir, cmd.Stderr = top, &said
	cmd.Env = append(append([]string{}, r.Env...), "OKSTRA_HOME="+top+"/home", "TMPDIR="+t.TempDir())
	cmd.Env = append(cmd.Env, w.env...)
	if w.closed {
		reader, writer, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = writer.Close() }()
		_ = reader.Close()
		cmd.Stdout = writer
	}
	_ = cmd.Run() // what counts is how each call ended
	out, _ := os.ReadFile(outs)
	ended, err := os.ReadFile(codes)
	if err != nil {
		t.Fatalf("%s: it was not called: %s", w.name, said.String())
	}
	w.judge(t, leaf.Name, strings.Fields(string(ended)), string(out), said.String())
}

// judge looks at the exit codes of the calls and at what they printed.
func (w calling) judge(t *testing.T, name string, codes []string, out, said string) {
	t.Helper()
	told := "exit codes " + strings.Join(codes, ", ") + "\n" + out + "\n" + said
	want := "0"
	if w.name != "help" && (name == "stage pick" || name == "demo" && w.name == "json") {
		want = "2"
	}
	for _, code := range codes {
		switch {
		case code == want, w.closed && code == "141":
		case w.anyCode && slices.Contains([]string{"0", "1", "2", "3", "4"}, code):
		default:
			t.Errorf("%s: %s", w.name, told)
		}
	}
	if strings.Contains(told, "panic: ") || strings.Contains(told, "goroutine ") || strings.Contains(told, "\x1b[") || w.closed && strings.Contains(said, "error: write") {
		t.Errorf("%s: %q", w.name, told)
	}
	if w.name == "json" && !noObject[name] {
		if err := validOutput([]byte(out)); err != nil || strings.TrimSpace(out) == "" {
			t.Errorf("%s: %v: %s", w.name, err, told)
		}
	}
	if w.name == "help" && !strings.HasPrefix(out, "usage: git okstra "+name) {
		t.Errorf("%s: %s", w.name, told)
	}
}
