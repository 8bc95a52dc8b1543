package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"git-okstra/internal/report"
	"git-okstra/plan"
)

// selfTestJSON is okstra.hooks-self-test/v1.
type selfTestJSON struct {
	Schema string      `json:"schema"`
	Folder string      `json:"folder"`
	Ways   []testedWay `json:"ways"`
	OK     bool        `json:"ok"`
}

// testedWay is one way of committing or pushing, and what ran in it.
type testedWay struct {
	Way  string   `json:"way"`
	OK   bool     `json:"ok"`
	Ran  []string `json:"ran"`  // in order: the hooks that were there before, and ours
	Said string   `json:"said"` // git's and the hooks' words where it did not work
}

// selfTester commits and pushes in a clone that is thrown away, through the hooks as
// they are: core.hooksPath leads to the real folder.
type selfTester struct {
	a     *app
	clone string
	told  string
	env   []string
}

func (a *app) selfTest(p hookPlace) error {
	dir, err := os.MkdirTemp("", "okstra-self-test-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	t := &selfTester{a: a, clone: filepath.Join(dir, "clone"), told: filepath.Join(dir, "told")}
	t.env = selfTestEnv(t.told)
	if err := t.prepare(dir, p.folder.Path); err != nil {
		return err
	}
	if err := t.configure(p, t.clone, filepath.Join(dir, "linked")); err != nil {
		return err
	}
	out := selfTestJSON{Schema: "okstra.hooks-self-test/v1", Folder: p.folder.Path, OK: true}
	linked := filepath.Join(dir, "linked")
	short := "PATH=/usr/bin:/bin"
	for _, w := range []struct {
		way, hook string
		dir, env  string
		words     []string
	}{
		{"git commit", "pre-commit", t.clone, "", []string{"commit", "-m", "plain"}},
		{"git commit -a", "pre-commit", t.clone, "", []string{"commit", "-a", "-m", "all"}},
		{"git commit --only", "pre-commit", t.clone, "", []string{"commit", "-m", "only", "--only", "--", "okstra-self-test"}},
		{"git commit in a linked worktree", "pre-commit", linked, "", []string{"commit", "-m", "linked"}},
		{"git commit with a short PATH", "pre-commit", t.clone, short, []string{"commit", "-m", "short"}},
		{"git push", "pre-push", t.clone, "", []string{"push", filepath.Join(dir, "hub"), "HEAD:refs/heads/okstra-self-test"}},
	} {
		tested, err := t.try(w.way, w.hook, w.dir, w.env, w.words)
		if err != nil {
			return err
		}
		out.OK = out.OK && tested.OK
		out.Ways = append(out.Ways, tested)
	}
	if !out.OK {
		a.code = exitFindings
	}
	a.saySelfTest(out)
	return nil
}

func (a *app) saySelfTest(out selfTestJSON) {
	if a.flags.JSON {
		writeJSON(a.std.out, out)
		return
	}
	rows := [][]string{}
	for _, w := range out.Ways {
		word := "ok"
		if !w.OK {
			word = "FAILED"
		}
		rows = append(rows, []string{word, w.Way, strings.Join(w.Ran, ", ")})
	}
	a.print("%s", report.Table(rows))
	for _, w := range out.Ways {
		if !w.OK && w.Said != "" {
			a.say("%s said:\n%s", w.Way, strings.TrimRight(indent(strings.TrimRight(w.Said, "\n")), "\n"))
		}
	}
}

// selfTestEnv is the caller's environment without what binds git to a repository.
func selfTestEnv(told string) []string {
	var env []string
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		if !strings.HasPrefix(name, "GIT_") || strings.HasPrefix(name, "GIT_CONFIG") || strings.HasPrefix(name, "GIT_AUTHOR") || strings.HasPrefix(name, "GIT_COMMITTER") {
			env = append(env, kv)
		}
	}
	// what the repository's own content breaks is no fault of the hooks
	return append(env, selfTestFile+"="+told, "GIT_EDITOR=:", "OKSTRA_SKIP=all")
}

// prepare makes the clone, a worktree beside it, and what is pushed to.
func (t *selfTester) prepare(dir, folder string) error {
	if err := os.WriteFile(t.told, nil, 0o600); err != nil {
		return err
	}
	head, err := t.a.repo.Head(t.a.ctx)
	if err != nil {
		return err
	}
	make := []string{"init", "-q", t.clone}
	if head != "" {
		make = []string{"clone", "-q", "--shared", "--no-tags", "--", t.a.repo.CommonDir(), t.clone}
	}
	none := "core.hooksPath=" + os.DevNull
	for _, words := range [][]string{
		append([]string{"-c", none}, make...),
		{"init", "-q", "--bare", filepath.Join(dir, "hub")},
	} {
		if out, err := t.git(dir, "", words...); err != nil {
			return fmt.Errorf("make a clone to try the hooks in: %w: %s", err, plan.Printable(strings.TrimSpace(out)))
		}
	}
	if err := t.change(t.clone); err != nil {
		return err
	}
	for _, words := range [][]string{
		{"-c", none, "commit", "-q", "--no-verify", "-m", "begin"},
		{"config", "core.hooksPath", folder},
		{"-c", none, "worktree", "add", "-q", "-b", "okstra-self-test-linked", filepath.Join(dir, "linked")},
	} {
		if out, err := t.git(t.clone, "", words...); err != nil {
			return fmt.Errorf("prepare a clone to try the hooks in: %w: %s", err, plan.Printable(strings.TrimSpace(out)))
		}
	}
	return nil
}

// configure gives the clone a manager's configuration as it is now, committed or not.
func (t *selfTester) configure(p hookPlace, dirs ...string) error {
	name, err := filepath.Rel(p.folder.Top, p.manager.Config)
	if info, statErr := os.Stat(p.manager.Config); err != nil || statErr != nil || !info.Mode().IsRegular() {
		return nil //nolint:nilerr // it has none here, or a folder of its own
	}
	text, err := os.ReadFile(p.manager.Config)
	for _, dir := range dirs {
		err = errors.Join(err, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777), os.WriteFile(filepath.Join(dir, name), text, 0o666))
	}
	return err
}

// change writes something to commit, and stages it.
func (t *selfTester) change(dir string) error {
	f, err := os.OpenFile(filepath.Join(dir, "okstra-self-test"), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	_, err = f.WriteString("a line\n")
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	out, err := t.git(dir, "", "add", "--force", "--", "okstra-self-test")
	if err != nil {
		return fmt.Errorf("stage a file: %w: %s", err, plan.Printable(out))
	}
	return nil
}

// try does one thing and reads what ran.
func (t *selfTester) try(way, hook, dir, env string, words []string) (testedWay, error) {
	out := testedWay{Way: way, Ran: []string{}}
	if err := os.Truncate(t.told, 0); err != nil {
		return out, err
	}
	if words[0] == "commit" {
		if err := t.change(dir); err != nil {
			return out, err
		}
	}
	said, err := t.git(dir, env, words...)
	told, readErr := os.ReadFile(t.told)
	if readErr != nil {
		return out, readErr
	}
	for line := range strings.Lines(string(told)) {
		words := strings.Fields(line)
		if len(words) != 3 {
			continue
		}
		ran := words[1]
		if words[0] == "kept" {
			ran += " as it was before"
		}
		if words[2] != "0" {
			ran += " (exit " + words[2] + ")"
		}
		out.Ran = append(out.Ran, ran)
		out.OK = out.OK || words[0] == "okstra" && words[1] == hook && words[2] == "0"
	}
	if out.OK = out.OK && err == nil; !out.OK {
		out.Said = said
	}
	return out, t.a.ctx.Err()
}

// git runs git outside of the caller's repository; env is one more variable.
func (t *selfTester) git(dir, env string, words ...string) (string, error) {
	cmd := exec.CommandContext(t.a.ctx, "git", append([]string{"-C", dir}, words...)...)
	cmd.Dir = dir
	cmd.Env = t.env
	if env != "" {
		cmd.Env = append(t.env[:len(t.env):len(t.env)], env)
	}
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	err := cmd.Run()
	return said.String(), err
}
