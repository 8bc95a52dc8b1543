package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"git-okstra/internal/testrepo"
)

// TestMain lets the test binary stand in for the installed program, so that
// scripts run `git okstra` as users do: git finds git-okstra on PATH.
func TestMain(m *testing.M) {
	testscript.Main(crowd{m}, map[string]func(){
		"okstra-traced": traceMain,
		"git-okstra": func() {
			watchCalls()
			os.Exit(watchJSON(os.Args[1:], streams{in: os.Stdin, out: os.Stdout, err: os.Stderr}))
		},
	})
}

// crowd runs more tests at once than there are processors: many wait, for a lock's
// patience, a lease or a worker, and would hold the others up.
type crowd struct{ m *testing.M }

func (c crowd) Run() int {
	flag.Parse()
	// What ignores a signal (nohup, a shell's background) hands that on to its children, and
	// then nothing in the tests can be told to end. What is caught is not handed on.
	for _, sig := range []os.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM} {
		if signal.Ignored(sig) {
			signal.Notify(make(chan os.Signal, 1), sig)
		}
	}
	if f := flag.Lookup("test.parallel"); f.Value.String() == f.DefValue {
		if err := f.Value.Set(strconv.Itoa(2 * runtime.GOMAXPROCS(0))); err != nil {
			panic(err)
		}
	}
	return c.m.Run()
}

// TestScript runs every script in testdata/script over real git.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Setup:               setupScript,
		Condition:           gitCan,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":   exits,
			"folder":  fillFolder,
			"gone":    ended,
			"peer":    peer,
			"proving": makeProving,
			"repo":    makeRepo,
			"setenv":  setenv,
			"way":     way,
			"work":    makeWork,
			"lines":   lines,
		},
	})
}

// gitCan answers the conditions of scripts, by what the git that is here does:
//
//	[git:sparse]  a new worktree is as sparse as the main one (git 2.36, as is the option)
//	[git:owner]   a repository of somebody else is refused (git 2.35.2)
func gitCan(condition string) (bool, error) {
	dir, err := os.MkdirTemp("", "git-can-")
	if err != nil {
		return false, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
		return false, fmt.Errorf("%w: %s", err, out)
	}
	words := map[string][]string{
		"git:sparse": {"worktree", "list", "--porcelain", "-z"},
		"git:owner":  {"rev-parse", "--git-dir"},
	}[condition]
	if words == nil {
		return false, fmt.Errorf("no such condition: %s", condition)
	}
	cmd := exec.Command("git", words...)
	cmd.Dir = dir
	if condition == "git:owner" {
		cmd.Env = append(os.Environ(), "GIT_TEST_ASSUME_DIFFERENT_OWNER=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	}
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return false, err
	}
	return (err == nil) == (condition == "git:sparse"), nil
}

// setupScript gives a script the hermetic environment of testrepo, its own
// worktree root, and the demo's plan as plan.md.
func setupScript(env *testscript.Env) error {
	t, ok := env.T().(testing.TB)
	if !ok {
		return errors.New("no test to clean up after")
	}
	path := env.Getenv("PATH")
	for _, kv := range testrepo.Env(t) {
		name, value, _ := strings.Cut(kv, "=")
		env.Setenv(name, value)
	}
	env.Setenv("PATH", path)
	env.Setenv("OKSTRA_HOME", filepath.Join(env.WorkDir, ".okstra"))
	env.Setenv("GIT_CEILING_DIRECTORIES", env.WorkDir)
	home := filepath.Join(env.WorkDir, ".home")
	env.Setenv("HOME", home)
	env.Setenv("NL", "\n")
	env.Setenv("LS", "\u2028")
	env.Setenv("ESC", "\x1b")
	env.Setenv("FORGED", "x\nBy: somebody else")
	env.Setenv("W", filepath.Join(env.WorkDir, ".okstra", "worktrees", "demo", "greeter", "HELLO-1"))
	if err := os.MkdirAll(home, 0o777); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(env.WorkDir, "demo.md"), demoPlan, 0o666)
}

// exits runs a command that must end with the given code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// makeRepo makes a repository with one commit and the demo's plan approved in
// it, in the named folder.
func makeRepo(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: repo DIR")
	}
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o777))
	ts.Check(os.WriteFile(filepath.Join(dir, "plan.md"), demoPlan, 0o666))
	ts.Check(os.WriteFile(filepath.Join(dir, "README.md"), []byte("# a repository\n"), 0o666))
	for _, words := range [][]string{
		{"init", "-q", "-b", "main"},
		{"add", "."},
		{"commit", "-qm", "start"},
		{"okstra", "plan", "approve", "plan.md"},
		{"commit", "-qam", "approved"},
	} {
		ts.Check(ts.Exec("git", append([]string{"-C", dir}, words...)...))
	}
}

// setenv sets a variable to the last command's standard output, trimmed.
func setenv(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: setenv NAME")
	}
	ts.Setenv(args[0], strings.TrimSpace(ts.ReadFile("stdout")))
}

// lines demands that the last command's standard output, or a file, has exactly
// N lines.
func lines(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: lines FILE N")
	}
	want, err := strconv.Atoi(args[1])
	ts.Check(err)
	if got := strings.Count(ts.ReadFile(args[0]), "\n"); (got == want) == neg {
		ts.Fatalf("%s has %d lines, want %d (negated: %v)", args[0], got, want, neg)
	}
}
