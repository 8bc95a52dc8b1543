//go:build unix

package chain

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"git-okstra/gitops"
)

// TestWorkerGroups: what a worker starts in groups of its own, as timeout(1) and shells
// with job control do, is ended with it: by an interruption and where it was left.
func TestWorkerGroups(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only /proc tells which groups a session has")
	}
	const apart = `set -m; sleep 600 & echo $! >"$DIR/pid"; `
	j := jobIn(t)
	pid := filepath.Join(filepath.Dir(j.Log), "pid")
	if _, err := sh(t.Context(), t, j, Grace{End: time.Minute, Lock: time.Hour}, apart); err != nil {
		t.Error(err)
	}
	gone(t, pidIn(t, pid))

	j = jobIn(t)
	pid = filepath.Join(filepath.Dir(j.Log), "pid")
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		pidIn(t, pid)
		cancel(&stopped{syscall.SIGINT, "told", Failed})
	}()
	if _, err := sh(ctx, t, j, long, apart+"wait"); err == nil || err.Error() != "told" {
		t.Error(err)
	}
	gone(t, pidIn(t, pid))
}

// TestWorkerHurry: where somebody is in a hurry, a worker that does not listen is ended for
// good at once, and nothing that is left of it is waited for.
func TestWorkerHurry(t *testing.T) {
	t.Parallel()
	hurry := make(chan struct{})
	j := jobIn(t)
	pid := filepath.Join(filepath.Dir(j.Log), "pid")
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		pidIn(t, pid)
		cancel(&stopped{syscall.SIGINT, "told", Failed})
		close(hurry)
	}()
	g := Grace{End: time.Hour, Lock: time.Hour, Hurry: hurry}
	const deaf = `setsid sleep 600 & trap "" TERM INT; echo $! >"$DIR/daemon"; echo $$ >"$DIR/pid"; while :; do sleep 0.01; done`
	if _, err := sh(ctx, t, j, g, deaf); err == nil || !strings.HasPrefix(err.Error(), "told\n") {
		t.Error(err)
	}
	gone(t, pidIn(t, pid))
	if err := syscall.Kill(pidIn(t, filepath.Join(filepath.Dir(j.Log), "daemon")), syscall.SIGKILL); err != nil {
		t.Error(err)
	}
}

// TestWorkerHeld: a worker that stopped itself is ended when its time is over, and one that
// is held goes on.
func TestWorkerHeld(t *testing.T) {
	t.Parallel()
	d, s := newDesk(t, nil, 1), &story{}
	r := d.runner(s, `trap 'echo heard; exit 1' TERM; kill -STOP $$; sleep 600`)
	r.Timeout, r.Grace.End = 100*time.Millisecond, time.Hour
	report, err := r.Run(t.Context())
	if want := "1 failed: it was stopped after its time limit of 100ms"; err != nil || left(report) != want || len(s.lines) != 1 {
		t.Errorf("%v, %q, %q", err, left(report), s.lines)
	}

	d, s = newDesk(t, nil, 1), &story{}
	dir := t.TempDir()
	r = d.runner(s, `echo $$ >"`+dir+`/new"; mv "`+dir+`/new" "`+dir+`/pid"; while ! test -e "`+dir+`/stop"; do sleep 0.01; done`)
	held := make(chan struct{})
	go func() {
		defer close(held)
		pid := pidIn(t, filepath.Join(dir, "pid"))
		r.Suspend(func() {
			if err := os.WriteFile(filepath.Join(dir, "stop"), nil, 0o666); err != nil {
				t.Error(err)
			}
			for i := 0; i < 20; i++ { // it would see that and end
				time.Sleep(5 * time.Millisecond)
				if gitops.ProcessEnded(pid, "") {
					t.Error("the worker was not held")
				}
			}
		})
	}()
	if report, err := r.Run(t.Context()); err != nil || report.State != Finished {
		t.Errorf("%v, %q", err, left(report))
	}
	<-held
}

// TestWorkerStray: a daemon that let go of everything it was given is still found by where
// it works, and keeps the next worker out; who only looks around there does not.
func TestWorkerStray(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only /proc tells where a process works")
	}
	j := jobIn(t)
	j.Env = append(j.Env, "OKSTRA_WORKTREE="+j.Worktree)
	looks := exec.Command("sleep", "600")
	looks.Dir = j.Worktree
	if err := looks.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = looks.Process.Kill(), looks.Wait() }()
	if _, err := sh(t.Context(), t, j, long, "true"); err != nil {
		t.Errorf("beside a person: %v", err)
	}
	const daemon = `mkdir -p deep; cd deep; setsid sh -c 'echo $$ >"$DIR/pid"; exec sleep 600' 0<&- 1>&- 2>&- 3>&- & while ! test -s "$DIR/pid"; do sleep 0.01; done`
	var stop *Stop
	for _, script := range []string{daemon, "echo two at once"} {
		_, err := sh(t.Context(), t, j, short, script)
		if !errors.As(err, &stop) || !strings.Contains(stop.Message, "left behind") || !strings.Contains(stop.Hints[0], "it is process ") {
			t.Errorf("%s: %v", script, err)
		}
	}
	if err := syscall.Kill(pidIn(t, filepath.Join(filepath.Dir(j.Log), "pid")), syscall.SIGKILL); err != nil {
		t.Error(err)
	}
	if out, err := sh(t.Context(), t, j, long, "true"); err != nil || strings.Contains(out, "two at once") {
		t.Errorf("after it: %q, %v", out, err)
	}
}

// TestWorkerPipe: who has left the session and holds only the output is not waited for, and
// is cut off from it.
func TestWorkerPipe(t *testing.T) {
	t.Parallel()
	j := jobIn(t)
	const holds = `setsid sh -c 'echo $$ >"$DIR/pid"; cd /; trap "" HUP; while echo more; do sleep 0.01; done' 3>&- & while ! test -s "$DIR/pid"; do sleep 0.01; done`
	if out, err := sh(t.Context(), t, j, short, holds); err != nil || !strings.Contains(out, "more") {
		t.Errorf("%q, %v", out, err)
	}
	gone(t, pidIn(t, filepath.Join(filepath.Dir(j.Log), "pid")))
}

// TestWorkerDiskFull: output that cannot be kept is a failure that says so, however the
// worker ended; so is a brief that cannot be written.
func TestWorkerDiskFull(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full here")
	}
	for _, full := range []func(j *Job) string{
		func(j *Job) string { return j.Log },
		func(j *Job) string { return filepath.Join(j.GitDir, briefFile) },
	} {
		j := jobIn(t)
		if err := os.Symlink("/dev/full", full(j)); err != nil {
			t.Fatal(err)
		}
		w, err := newWorker(t.Context(), j, long, nil)
		if err == nil {
			err = w.run(t.Context(), []string{"echo", "something"})
			w.close()
		}
		if !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("%s is full: %v", filepath.Base(full(j)), err)
		}
	}
}

// TestStageTakenAway: a stage that somebody else got ends its worker, also without a lease;
// what cannot be looked at is told once.
func TestStageTakenAway(t *testing.T) {
	t.Parallel()
	d, s := newDesk(t, nil, 1), &story{}
	d.heldFirst = errors.New("cannot be read")
	d.loseAt = 5
	r := d.runner(s, "sleep 600")
	r.Watch = 5 * time.Millisecond
	report, err := r.Run(t.Context())
	if err != nil || report.State != Failed || left(report) != "1 lost: somebody else has it" {
		t.Errorf("%v, %q", err, left(report))
	}
	if got := s.String(); got != "started 1, warning 1, lost 1" {
		t.Error(got)
	}
	if !strings.Contains(s.events[1].Why, "cannot be read") {
		t.Errorf("%+v", s.events[1])
	}
}
