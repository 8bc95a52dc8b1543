package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestKilledStartIsFinished kills `stage start` at random moments; the same
// command, run again, must end with a whole worktree on the right commit.
func TestKilledStartIsFinished(t *testing.T) {
	rounds := 12
	if testing.Short() {
		rounds = 4
	}
	b := newBench(t, rounds)
	for n := 1; n <= rounds; n++ {
		args := []string{"stage", "start", fmt.Sprint(n), "--run", fmt.Sprintf("r%d", n)}
		b.killed(args, time.Duration(rand.N(90))*time.Millisecond)
		var o outcome
		for range 50 { // a git child of the killed process may still be at it
			if o = b.run(b.repo.Dir, args...); o.code == 0 {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
		if o.code != 0 {
			t.Fatalf("stage %d after the kill: %+v", n, o)
		}
		wt := filepath.Join(b.home, "worktrees", "demo", "greeter", "HELLO-1", fmt.Sprintf("stage-%d", n))
		if out := b.repo.Git("-C", wt, "status", "--porcelain"); out != "" {
			t.Errorf("stage %d: status %q", n, out)
		}
		if got, want := b.repo.Git("-C", wt, "rev-parse", "HEAD"), b.repo.Git("rev-parse", "main"); got != want {
			t.Errorf("stage %d stands on %s, want %s", n, got, want)
		}
	}
	if got := b.rows("started"); got != rounds {
		t.Errorf("%d started rows, want %d", got, rounds)
	}
	if out, errOut, code := b.repo.TryGit("fsck", "--no-dangling"); code != 0 || strings.TrimSpace(out+errOut) != "" {
		t.Errorf("git fsck: %d %s%s", code, out, errOut)
	}
}

// TestInterruptedStartLeavesNothing: Ctrl-C while files are written gives the
// stage back and removes what was made.
func TestInterruptedStartLeavesNothing(t *testing.T) {
	b := newBench(t, 1)
	b.repo.Write("slow.dat", "slow\n")
	b.repo.Write(".gitattributes", "*.dat filter=slow\n")
	b.repo.Commit("a file whose filter takes long")
	b.repo.Git("config", "filter.slow.smudge", "sleep 60; cat")
	before := b.repo.Git("for-each-ref", "refs/heads")

	cmd := exec.Command("git-okstra", "stage", "next", "--json")
	cmd.Dir, cmd.Env = b.repo.Dir, b.repo.Env
	out := &strings.Builder{}
	cmd.Stdout = out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	wt := filepath.Join(b.home, "worktrees", "demo", "greeter", "HELLO-1", "stage-1")
	for range 500 { // until git is at work in there
		if _, err := os.Stat(filepath.Join(wt, "README.md")); err == nil {
			break
		}
		if _, err := os.Stat(filepath.Join(wt, ".git")); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	time.Sleep(50 * time.Millisecond)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exitInterrupted || !strings.Contains(out.String(), `"exit":130`) {
		t.Errorf("exit %d, %s", code, out)
	}
	if got := b.repo.Git("for-each-ref", "refs/heads"); got != before {
		t.Errorf("branches: %s", got)
	}
	if _, err := os.Stat(wt); !os.IsNotExist(err) {
		t.Errorf("the worktree stayed: %v", err)
	}
	if o := b.run(b.repo.Dir, "stage", "list", "--json"); !strings.Contains(o.out, `"state":"ready"`) {
		t.Errorf("the stage was not given back: %+v", o)
	}
	b.wholesome()
}

// TestInterruptedRead: a plan that never comes can be waited for, and given up.
func TestInterruptedRead(t *testing.T) {
	cmd := exec.Command("git-okstra", "plan", "check", "-")
	cmd.Dir = t.TempDir()
	in, err := cmd.StdinPipe() // stays open: the read blocks
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	errOut := &strings.Builder{}
	cmd.Stderr = errOut
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		for { // the first signals may come before it listens: then they end it as well
			select {
			case <-ended:
				return
			case <-time.After(50 * time.Millisecond):
				_ = cmd.Process.Signal(os.Interrupt)
			}
		}
	}()
	_ = cmd.Wait()
	close(ended)
	if code := cmd.ProcessState.ExitCode(); code != exitInterrupted && code != -1 {
		t.Errorf("exit %d: %s", code, errOut)
	}
}

// killed runs a command and kills it, and only it, after a while.
func (b *bench) killed(args []string, after time.Duration) {
	b.t.Helper()
	cmd := exec.Command("git-okstra", args...)
	cmd.Dir, cmd.Env = b.repo.Dir, b.repo.Env
	if err := cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	time.Sleep(after)
	if err := cmd.Process.Kill(); err != nil && !strings.Contains(err.Error(), "finished") {
		b.t.Error(err)
	}
	_ = cmd.Wait() // its exit code is of no interest: it was killed, or was quicker
}
