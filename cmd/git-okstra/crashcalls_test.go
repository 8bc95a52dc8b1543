package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// gitStandIn takes git's place on PATH for our own process alone (git finds itself
// elsewhere). It numbers the calls, two of which may run at once, by making a folder for
// each and, at the one that is named, kills its parent: before git runs, after it ran, or
// while it runs on without a parent.
const gitStandIn = `#!/bin/sh
n=1
while ! mkdir "$KILL_DIR/call.$n" 2>/dev/null; do n=$((n + 1)); done
if [ "$n" = "$KILL_AT" ]; then
	case $KILL_HOW in
	before) kill -9 $PPID; exit 1 ;;
	after) "$KILL_GIT" "$@"; kill -9 $PPID; exit 0 ;;
	beside)
		kill -9 $PPID
		"$KILL_GIT" "$@" >/dev/null 2>&1
		echo x >"$KILL_DIR/over"
		exit 0
		;;
	esac
fi
exec "$KILL_GIT" "$@"
`

// TestKilledAroundGit kills our process, and only it, at every one of its git calls.
// It needs no tracer. The number of calls comes from a run that is not killed.
func TestKilledAroundGit(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	for _, tr := range transitions() {
		t.Run(tr.name, func(t *testing.T) {
			t.Parallel()
			c := newCrash(t, tr)
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "git"), []byte(gitStandIn), 0o777); err != nil {
				t.Fatal(err)
			}
			k := callKiller{crash: c, dir: dir, git: git}
			n := k.calls(0, "")
			if n < 3 {
				t.Fatalf("only %d git calls", n)
			}
			tried := 0
			for at := 1; at <= n; at++ {
				for i, how := range []string{"before", "after", "beside"} {
					if !chosenCall(at, n, i) {
						continue
					}
					tried++
					k.calls(at, how)
					c.afterKill(fmt.Sprintf("killed %s git call %d", how, at))
				}
			}
			t.Logf("%d git calls, %d kills tried; left behind: %v", n, tried, c.left)
		})
	}
}

// chosenCall samples the calls, one way to be killed for each. Where there is a tracer,
// TestKilledEverywhere has killed before calls of git, and half of the rest will do.
func chosenCall(at, n, how int) bool {
	switch {
	case os.Getenv("OKSTRA_CRASH") == "all":
		return true
	case testing.Short():
		return at == 1+n/2 && how == at%3
	case canTrace:
		return at%2 == 0 && how == 1+at/2%2
	}
	return how == at%3
}

// callKiller runs a transition with the stand-in on PATH.
type callKiller struct {
	*crash
	dir, git string
}

// calls runs the transition from its beginning, killed at one call (0: at none), and
// returns how many calls there were.
func (k *callKiller) calls(at int, how string) int {
	k.t.Helper()
	k.putBack()
	for _, name := range append(k.made(), filepath.Join(k.dir, "over")) {
		_ = os.Remove(name)
	}
	cmd := exec.Command("git-okstra", k.tr.args...)
	cmd.Dir, cmd.Env = k.repo.Dir, append([]string{}, k.repo.Env...)
	cmd.Env = append(cmd.Env, "KILL_DIR="+k.dir, "KILL_GIT="+k.git, "KILL_HOW="+how,
		"PATH="+k.dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	if at > 0 {
		cmd.Env = append(cmd.Env, fmt.Sprintf("KILL_AT=%d", at))
	}
	out, err := cmd.CombinedOutput()
	if killed := cmd.ProcessState.ExitCode() == -1; killed != (at > 0) || at == 0 && (err != nil) != k.tr.fails {
		k.t.Fatalf("killed %s call %d: %v: %s", how, at, err, out)
	}
	for how == "beside" {
		if _, err := os.Stat(filepath.Join(k.dir, "over")); err == nil {
			break
		}
		time.Sleep(time.Millisecond)
	}
	return len(k.made())
}

// made lists the folders of the calls.
func (k *callKiller) made() []string {
	list, err := filepath.Glob(filepath.Join(k.dir, "call.*"))
	if err != nil {
		k.t.Fatal(err)
	}
	return list
}
