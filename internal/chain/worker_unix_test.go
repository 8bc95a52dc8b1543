//go:build unix

package chain

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"git-okstra/gitops"
)

// short is a grace that tests need not wait long for; what must not take long has long.
var (
	short = Grace{End: 50 * time.Millisecond, Lock: 100 * time.Millisecond}
	long  = Grace{End: time.Minute, Lock: time.Minute}
)

// jobIn is a job in a folder of its own.
func jobIn(t *testing.T) *Job {
	t.Helper()
	dir := t.TempDir()
	j := &Job{
		Stage: 1, Worktree: filepath.Join(dir, "work"), GitDir: filepath.Join(dir, "git"), Log: filepath.Join(dir, "log"),
		Brief: "the brief\n", Env: append(os.Environ(), "DIR="+dir),
	}
	for _, d := range []string{j.Worktree, j.GitDir} {
		if err := os.Mkdir(d, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	return j
}

// sh runs a worker and tells how it ended and what it wrote.
func sh(ctx context.Context, t *testing.T, j *Job, g Grace, script string) (string, error) {
	t.Helper()
	w, err := newWorker(ctx, j, g, nil)
	if err != nil {
		return "", err
	}
	defer w.close()
	err = w.run(ctx, []string{"sh", "-c", script})
	text, readErr := os.ReadFile(j.Log)
	if readErr != nil {
		t.Error(readErr)
	}
	return string(text), err
}

// pidIn reads a process number out of a file that may not be there yet.
func pidIn(t *testing.T, file string) int {
	t.Helper()
	for range 2000 {
		text, err := os.ReadFile(file)
		if pid, convErr := strconv.Atoi(strings.TrimSpace(string(text))); err == nil && convErr == nil {
			return pid
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("no process number in %s", file)
	return 0
}

// gone waits until a process has ended.
func gone(t *testing.T, pid int) {
	t.Helper()
	for range 400 {
		if gitops.ProcessEnded(pid, "") {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
	t.Errorf("process %d still runs", pid)
}

func TestWorkerEnds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ script, out, err string }{
		{"cat; pwd | sed 's#.*/##'; echo $DIR >/dev/null", "the brief\nwork\n", ""},
		{"echo out; echo err >&2", "out\nerr\n", ""},
		{"exit 7", "", "the command ended with exit code 7"},
		{"kill -9 $$", "", "the command was ended: signal: killed"},
		{"exec 1>&- 2>&-", "", ""},
		{"exec 0<&-", "", ""},
	} {
		out, err := sh(t.Context(), t, jobIn(t), long, c.script)
		if out != c.out || (err == nil) != (c.err == "") || err != nil && err.Error() != c.err {
			t.Errorf("%s: %q, %v; want %q, %q", c.script, out, err, c.out, c.err)
		}
	}
}

// TestWorkerStarts: the words of a command reach it as they are, and one that is not
// there is a failure like any other.
func TestWorkerStarts(t *testing.T) {
	t.Parallel()
	j := jobIn(t)
	w, err := newWorker(t.Context(), j, long, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	if err := w.run(t.Context(), []string{"printf", "%s|", "a b", "$HOME", "", "-e", "'\""}); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(j.Log); err != nil || string(text) != `a b|$HOME||-e|'"|` {
		t.Errorf("%q, %v", text, err)
	}
	var stop *Stop
	if err := w.run(t.Context(), []string{"no-such-command"}); !errors.As(err, &stop) || stop.State != Failed {
		t.Errorf("not there: %v", err)
	}
	if err := os.RemoveAll(j.Worktree); err != nil {
		t.Fatal(err)
	}
	if err := w.run(t.Context(), []string{"true"}); err == nil {
		t.Error("a worker without a worktree")
	}
}

// TestWorkerIsEnded: a worker that does not mind SIGTERM, and what it started, ends all
// the same.
func TestWorkerIsEnded(t *testing.T) {
	t.Parallel()
	for name, sig := range map[string]os.Signal{"TERM": syscall.SIGTERM, "INT": syscall.SIGINT, "KILL": os.Kill} {
		j := jobIn(t)
		ctx, cancel := context.WithCancelCause(t.Context())
		pid := filepath.Join(filepath.Dir(j.Log), "pid")
		go func() {
			pidIn(t, pid)
			cancel(&stopped{sig, "told", Failed})
		}()
		out, err := sh(ctx, t, j, short, `trap 'echo TERM' TERM; trap 'echo INT' INT; sh -c 'trap "" TERM INT; echo $$ >"$DIR/pid.new"; mv "$DIR/pid.new" "$DIR/pid"; while :; do sleep 0.01; done' & while :; do sleep 0.01; done`)
		if err == nil || err.Error() != "told" {
			t.Errorf("%s: %v", name, err)
		}
		if want := strings.Replace(name, "KILL", "TERM", 1); !slices.Contains(strings.Split(out, "\n"), want) {
			t.Errorf("%s: it was told %q", name, out)
		}
		gone(t, pidIn(t, pid))
	}
}

// TestWorkerLeavesNothing: what a worker leaves in its group is ended; what has left the
// group keeps the worktree until it ends.
func TestWorkerLeavesNothing(t *testing.T) {
	t.Parallel()
	j := jobIn(t)
	pid := filepath.Join(filepath.Dir(j.Log), "pid")
	if _, err := sh(t.Context(), t, j, long, `sleep 60 & echo $! >"$DIR/pid"`); err != nil {
		t.Error(err)
	}
	gone(t, pidIn(t, pid))
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Log("no setsid here")
		return
	}
	if err := os.Remove(pid); err != nil {
		t.Fatal(err)
	}
	const daemon = `setsid sh -c 'echo $$ >"$DIR/pid"; exec sleep 60' & while ! test -s "$DIR/pid"; do sleep 0.01; done`
	var stop *Stop
	if _, err := sh(t.Context(), t, j, short, daemon); !errors.As(err, &stop) || !strings.Contains(stop.Message, "left behind") || len(stop.Hints) != 1 {
		t.Errorf("a daemon: %v", err)
	}
	if _, err := sh(t.Context(), t, j, short, "echo two at once"); !errors.As(err, &stop) || stop.State != Failed {
		t.Errorf("beside a daemon: %v", err)
	}
	other := pidIn(t, pid)
	if err := syscall.Kill(other, syscall.SIGKILL); err != nil {
		t.Error(err)
	}
	if _, err := sh(t.Context(), t, j, long, "true"); err != nil {
		t.Errorf("after the daemon: %v", err)
	}
}

// abandon starts a worker as a chain does, and goes away as after kill -9.
func abandon(t *testing.T, j *Job, script string) {
	t.Helper()
	w, err := newWorker(t.Context(), j, long, nil)
	if err != nil {
		t.Fatal(err)
	}
	cmd := wrapped(w.path(recordFile), []string{"sh", "-c", script})
	cmd.Dir, cmd.Env = j.Worktree, j.Env
	w.hand(cmd)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.letGo()
	w.close()
	go func() { _ = cmd.Wait() }()
}

// TestWorkerLeftBehind: a worker that a killed chain left is ended by the next one, also
// where only a child of it is left, and where it was still starting.
func TestWorkerLeftBehind(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"itself":      `echo $$ >"$DIR/pid"; exec sleep 60`,
		"its child":   `sleep 60 & echo $! >"$DIR/pid"`,
		"deaf":        `trap "" TERM; echo $$ >"$DIR/pid"; while :; do sleep 0.01; done`,
		"closed lock": `sleep 60 3>&- & echo $$ >"$DIR/pid"; wait`,
	} {
		j := jobIn(t)
		abandon(t, j, script)
		pid := pidIn(t, filepath.Join(filepath.Dir(j.Log), "pid"))
		j.Resumed = true
		out, err := sh(t.Context(), t, j, Grace{End: 100 * time.Millisecond, Lock: time.Minute}, "echo next")
		if err != nil || out != "next\n" {
			t.Errorf("%s: %q, %v", name, out, err)
		}
		gone(t, pid)
	}
	j := jobIn(t)
	abandon(t, j, `echo ran >>"$DIR/ran"; sleep 60`) // taken up before it may have noted who it is
	if out, err := sh(t.Context(), t, j, long, "echo next"); err != nil || out != "next\n" {
		t.Errorf("at once: %q, %v", out, err)
	}
}

// TestRecordOfOthers: a number that another process has by now is left alone.
func TestRecordOfOthers(t *testing.T) {
	t.Parallel()
	other := exec.Command("sleep", "60")
	other.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	pid := strconv.Itoa(other.Process.Pid)
	for name, text := range map[string]string{
		"of another start": pid + " (sh) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 1 0 0\n",
		"without one":      pid + "\n",
		"no number":        "x\n",
		"empty":            "",
		"everybody":        "-1\n",
		"init":             "1\n",
	} {
		j := jobIn(t)
		if err := os.WriteFile(filepath.Join(j.GitDir, recordFile), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := sh(t.Context(), t, j, short, "true"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if gitops.ProcessEnded(other.Process.Pid, "") {
		t.Error("a process of somebody else was ended")
	}
	_ = other.Process.Kill()
	_ = other.Wait()
}
