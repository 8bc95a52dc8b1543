package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestChainInterrupted: Ctrl-C and SIGTERM are passed on to the worker, the stage stays
// as it was, and the same command goes on.
func TestChainInterrupted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals")
	}
	b := newBench(t, 2)
	const worker = `trap 'git commit -q --allow-empty -m "$0 told"; exit 0' INT TERM; test $OKSTRA_RESUMED = 1 && exit 0; echo ready >"$0.ready"; while :; do sleep 0.01; done`
	for n, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		mark := filepath.Join(t.TempDir(), "w")
		args := []string{"chain", fmt.Sprint(n + 1), "--", "sh", "-c", worker, mark}
		var out, errOut strings.Builder
		cmd := exec.Command("git-okstra", args...)
		cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = b.repo.Dir, b.repo.Env, &out, &errOut
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		await(t, mark+".ready")
		if err := cmd.Process.Signal(sig); err != nil {
			t.Error(err)
		}
		_ = cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code != exitInterrupted || !strings.Contains(errOut.String(), "interrupted ("+sig.String()+")") ||
			!strings.Contains(out.String(), "go on with: git okstra chain") {
			t.Errorf("%s: exit code %d\n%s%s", sig, code, out.String(), errOut.String())
		}
		if got := b.repo.Git("log", "-1", "--format=%s", fmt.Sprintf("feat-HELLO-1-s%d", n+1)); got != mark+" told" {
			t.Errorf("%s: the branch is at %q", sig, got)
		}
		if got := b.rows("done"); got != n {
			t.Errorf("%s: %d done rows", sig, got)
		}
		b.must(b.repo.Dir, args...)
	}
	if got := b.rows("started"); got != 2 || b.rows("taken-over") != 2 || b.rows("done") != 2 {
		t.Errorf("%d started rows", got)
	}
	b.wholesome()
}

// await waits for a file.
func await(t *testing.T, file string) {
	t.Helper()
	for range 3000 {
		if found, _ := filepath.Glob(file); len(found) > 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("no %s", file)
}
