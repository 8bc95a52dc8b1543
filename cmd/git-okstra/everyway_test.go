package main

import (
	"bytes"
	"encoding/json"
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
	traced     bool   // what git is told of languages is looked at
}

const fromFolder = "mkdir -p sub/folder && if ls *.md >/dev/null 2>&1; then cp *.md sub/folder; fi && cd sub/folder"

// everyWay are the ways of field reports G1, G2 and G4, and their kinds; what does not
// hide the other's fault is tried together.
var everyWay = []calling{
	{name: "json", call: `command git okstra --json "$@"`},
	{name: "closed pipe", call: `command git okstra "$@"`, closed: true},
	{
		name: "french, no colour", call: `command git -c color.ui=auto okstra "$@"`, traced: true,
		env: []string{"NO_COLOR=1", "LANGUAGE=fr", "LC_ALL=fr_FR.UTF-8", "LANG=fr_FR.UTF-8", "GIT_TRACE2_ENV_VARS=LC_ALL,LANGUAGE"},
	},
	{name: "no terminal, no input, from a folder", call: `setsid -w git okstra "$@" <&-`, before: fromFolder, anyCode: true},
	{name: "another folder, alias", call: `at=$PWD && (cd / && command git -C "$at" -c alias.ok=okstra ok "$@")`},
	{name: "shell alias from a folder", call: `command git -c 'alias.ok=!git okstra' ok "$@"`, before: fromFolder, anyCode: true},
	{name: "help"},
}

// noObject are commands whose --json says what they print anyway, or print nothing.
var noObject = map[string]bool{"schema": true, "completion": true, "hooks run": true}

// ownWorld are commands that run for a second in a repository of their own: how they are
// started is tried with a few ways.
var ownWorld = map[string][]string{"demo": {"json", "closed pipe", "help"}}

// startOthers are commands that start programs of the user's, which keep his language.
var startOthers = map[string]bool{"chain": true, "demo": true}

// TestEveryCommandEveryWay runs the first example of every command in every way: exit
// codes are those of the table, nothing panics, JSON is pure, no colour where none is
// wanted, no git of ours speaks another language.
func TestEveryCommandEveryWay(t *testing.T) {
	all, _ := program(t)
	r := testrepo.New(t, "one-commit")
	r.Env = append(r.Env, "OKSTRA_HOME="+filepath.Join(t.TempDir(), "home"))
	r.Write("plan.md", string(demoPlan))
	cmd := exec.CommandContext(t.Context(), "sh", "-ec", "git add . && git commit -qm plan && git okstra plan approve -q plan.md && git commit -qam approved && "+
		"git init -q --bare ../hub.git && git remote add origin ../hub.git && git push -q origin main && rm -rf .git/hooks ../hub.git/hooks")
	cmd.Dir, cmd.Env = r.Dir, r.Env
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, leaf := range all.Leaves() {
		t.Run(leaf.Name, func(t *testing.T) {
			t.Parallel()
			if len(leaf.Examples) == 0 {
				t.Fatal("no example")
			}
			m := newMoment(t, r, leaf)
			for _, w := range everyWay {
				if only := ownWorld[leaf.Name]; only != nil && !slices.Contains(only, w.name) {
					continue
				}
				if w.name == "help" {
					w.call = "command git okstra " + leaf.Name + " -h"
				}
				w.try(t, m, leaf)
			}
			wrongOption(t, leaf.Name)
		})
	}
}

// wrongOption: who mistypes an option gets exit code 2 and no page of help, with --json an object.
func wrongOption(t *testing.T, name string) {
	t.Helper()
	var out, said bytes.Buffer
	words := append(strings.Fields(name), "--json", "--no-such-option")
	if code := run(words, streams{in: strings.NewReader(""), out: &out, err: &said}); code != exitUsage || said.Len() > 0 {
		t.Errorf("%q: exit %d, %s", words, code, said.String())
	}
	oneObject(t, strings.Join(words, " "), out.String())
}

// moment is the repository as it is right before a command's example, kept beside so
// that each way finds it at the same place.
type moment struct {
	top string // has now and kept
	at  string // where the example is run
	env []string
}

func newMoment(t *testing.T, r *testrepo.Repo, leaf manual.Command) moment {
	t.Helper()
	m := moment{top: t.TempDir()}
	m.env = append(append([]string{}, r.Env...), "OKSTRA_HOME="+m.top+"/now/home", "TMPDIR="+t.TempDir())
	script := "mkdir now && cp -R " + r.Dir + " now/r && cp -R " + filepath.Dir(r.Dir) + "/hub.git now && cd now/r\n" +
		exampleTools + strings.Join(leaf.Examples[0].Before, "\n") + "\npwd >" + m.top + "/at\ncp -a " + m.top + "/now " + m.top + "/kept"
	cmd := exec.CommandContext(t.Context(), "sh", "-ec", script)
	cmd.Dir, cmd.Env = m.top, m.env
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	at, err := os.ReadFile(filepath.Join(m.top, "at"))
	if err != nil {
		t.Fatal(err)
	}
	m.at = strings.TrimSpace(string(at))
	return m
}

// try runs the example in the repository as it was before it.
func (w calling) try(t *testing.T, m moment, leaf manual.Command) {
	t.Helper()
	top := t.TempDir()
	codes, outs, trace := filepath.Join(top, "codes"), filepath.Join(top, "outs"), filepath.Join(top, "trace")
	script := "rm -rf now && cp -a kept now && cd '" + m.at + "' && set -e\n" + w.before + "\nset +e\n" +
		strings.TrimPrefix(exampleTools, "set -e\n") + "call() {\n" + w.call + "\n}\n" +
		"git() {\nif [ \"$1\" != okstra ]; then command git \"$@\"; return; fi\nshift\n{ call \"$@\"; echo $? >>" + codes + "; } "
	if !w.closed { // else its standard output is the pipe itself
		script += "| tee -a " + outs
	}
	script += "\n}\n" + strings.Join(leaf.Examples[0].Run, "\n") + "\n"
	var said bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "sh", "-c", script)
	cmd.Dir, cmd.Stderr = m.top, &said
	cmd.Env = append(slices.Clone(m.env), w.env...)
	if w.traced {
		cmd.Env = append(cmd.Env, "GIT_TRACE2_EVENT="+trace)
	}
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
	if w.traced && !startOthers[leaf.Name] {
		noForeignTongue(t, leaf.Name, trace)
	}
}

// noForeignTongue looks at the environment of every git that a git okstra started: git's
// prose in another language must not reach us.
func noForeignTongue(t *testing.T, name, trace string) {
	t.Helper()
	data, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		if !bytes.Contains(line, []byte(`"def_param"`)) {
			continue
		}
		var e struct{ Sid, Param, Value string }
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if strings.Contains(e.Sid, "/") && (e.Param == "LC_ALL" && e.Value != "C" || e.Param == "LANGUAGE") {
			t.Errorf("%s: a git of ours runs with %s=%s", name, e.Param, e.Value)
		}
	}
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
	if strings.Contains(told, "panic: ") || strings.Contains(told, "goroutine ") || strings.Contains(told, "\x1b[") || w.closed && want == "0" && strings.Contains(said, "error:") {
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
