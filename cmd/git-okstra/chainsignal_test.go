package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"git-okstra/gitops"
)

// TestChainInterrupted: Ctrl-C, SIGTERM and the end of a terminal are passed on to the worker, the stage stays
// as it was, and the same command goes on.
func TestChainInterrupted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals")
	}
	b := newBench(t, 3)
	const worker = `trap 'git commit -q --allow-empty -m "$0 told"; exit 0' INT TERM HUP; test $OKSTRA_RESUMED = 1 && exit 0; echo ready >"$0.ready"; while :; do sleep 0.01; done`
	for n, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
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
	if got := b.rows("started"); got != 3 || b.rows("taken-over") != 3 || b.rows("done") != 3 {
		t.Errorf("%d started rows", got)
	}
	b.wholesome()
}

// chainLoop is a worker that notes its number in "$0.pid" and talks on until "$0.stop" is
// there.
const chainLoop = `echo $$ >"$0.new" && mv "$0.new" "$0.pid"
seq 50000 # more than a pipe holds
while ! test -e "$0.stop"; do echo busy; sleep 0.01; done; git commit -q --allow-empty -m done`

// looping starts a chain of one stage with chainLoop.
func (b *bench) looping(mark string, out, errOut *os.File, before string) *exec.Cmd {
	b.t.Helper()
	cmd := exec.Command("sh", "-c", before+`exec git-okstra chain 1 -- sh -c "$0" "$1"`, chainLoop, mark)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = b.repo.Dir, b.repo.Env, out, errOut
	if err := cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	stuck := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	b.t.Cleanup(func() { stuck.Stop() })
	await(b.t, mark+".pid")
	return cmd
}

// noWorker waits for the end of a chainLoop.
func noWorker(t *testing.T, mark string) {
	t.Helper()
	text, err := os.ReadFile(mark + ".pid")
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		if gitops.ProcessEnded(pid, "") {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("the worker %d still runs", pid)
}

// pipe is a pipe whose ends are closed with the test.
func pipe(t *testing.T) (read, write *os.File) {
	t.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = read.Close(), write.Close() })
	return read, write
}

// TestChainUnread: a reader of the output that goes away ends the chain and its worker, as
// Ctrl-C does; one that stopped reading does not keep it from ending by a second Ctrl-C;
// and who never listened to errors misses nothing.
func TestChainUnread(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals")
	}
	b := newBench(t, 1)
	file, err := os.Create(filepath.Join(t.TempDir(), "err"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()

	read, write := pipe(t)
	mark := filepath.Join(t.TempDir(), "gone")
	cmd := b.looping(mark, write, file, "")
	_, _ = write.Close(), read.Close()
	_ = cmd.Wait()
	said, err := os.ReadFile(file.Name())
	if code := cmd.ProcessState.ExitCode(); err != nil || code != exitInterrupted || !strings.Contains(string(said), "interrupted: nobody reads the output any more") {
		t.Errorf("no reader: %s, %v\n%s", cmd.ProcessState, err, said)
	}
	noWorker(t, mark)

	_, write = pipe(t)
	mark = filepath.Join(t.TempDir(), "deaf")
	cmd = b.looping(mark, write, file, "")
	for range 2 {
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Error(err)
		}
		noWorker(t, mark)
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exitInterrupted {
		t.Errorf("no reading: %s", cmd.ProcessState)
	}

	read, write = pipe(t)
	mark = filepath.Join(t.TempDir(), "errors")
	if err := read.Close(); err != nil {
		t.Error(err)
	}
	cmd = b.looping(mark, file, write, "trap '' HUP; ")
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil { // as under nohup
		t.Error(err)
	}
	if err := os.WriteFile(mark+".stop", nil, 0o666); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("no errors wanted: %v", err)
	}
	if b.rows("done") != 1 || b.rows("started") != 1 || b.rows("taken-over") != 2 {
		t.Errorf("%d done rows", b.rows("done"))
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
