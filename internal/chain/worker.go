package chain

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// The files in a worktree's administrative folder that belong to workers.
const (
	lockFile   = "okstra-worker.held" // locked by the worker and what it started
	recordFile = "okstra-worker"      // which process group is at it
	briefFile  = "okstra-brief.md"
)

// Grace is how long workers and what they started may take to end.
type Grace struct {
	End  time.Duration // after they were told to
	Lock time.Duration // after the worker itself has ended
	// Hurry is closed once nobody wants to wait for that any more; nil: somebody does.
	Hurry <-chan struct{}
}

// stopped is why a worker was told to end; signal is how.
type stopped struct {
	signal os.Signal
	why    string
	state  State
}

func (s *stopped) Error() string { return s.why }

// errTimeout ends a worker whose time is over.
func errTimeout(limit time.Duration) error {
	return &stopped{os.Kill, fmt.Sprintf("it was stopped after its time limit of %s", limit), Failed}
}

// errInterrupted ends a worker because somebody ends the chain.
func errInterrupted(sig os.Signal) error {
	why := fmt.Sprintf("interrupted (%s)", sig)
	if sig == syscall.SIGPIPE {
		why = "interrupted: nobody reads the output any more"
	}
	return &stopped{sig, why, Failed}
}

// worker runs commands in one stage's worktree, never two at once: as long as it, or
// anything that a command left behind, has the lock, nobody else gets it.
type worker struct {
	job   *Job
	grace Grace
	lock  *os.File
	out   *output
	// groups is where the command is noted while it runs; nil for nowhere.
	groups *groups
}

// newWorker gets hold of a worktree. Errors: *Stop where a worker that was left behind
// there does not end.
func newWorker(ctx context.Context, j *Job, g Grace, line func([]byte)) (*worker, error) {
	w := &worker{job: j, grace: g}
	if err := w.takeLock(ctx, g.End+g.Lock, true); err != nil {
		return nil, err
	}
	out, err := openOutput(j.Log, j.Resumed, line)
	if err == nil {
		err = os.WriteFile(w.path(briefFile), []byte(j.Brief), 0o666)
	}
	if err != nil {
		w.close()
		return nil, err
	}
	w.out = out
	return w, nil
}

func (w *worker) path(name string) string { return filepath.Join(w.job.GitDir, name) }

// close gives the worktree back.
func (w *worker) close() {
	if w.out != nil {
		_ = w.out.log.Close()
	}
	if w.lock != nil {
		_ = w.lock.Close()
		w.lock = nil
	}
}

// run runs one command to its end. nil says that it ended with 0 and left no process
// behind; the cause of a context that ends ends the command's whole group.
func (w *worker) run(ctx context.Context, argv []string) error {
	if err := os.Remove(w.path(recordFile)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("forget the worker of before: %w", err)
	}
	brief, err := os.Open(w.path(briefFile))
	if err != nil {
		return fmt.Errorf("open the brief: %w", err)
	}
	defer func() { _ = brief.Close() }()
	read, write, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("make a pipe: %w", err)
	}
	cmd := wrapped(w.path(recordFile), argv)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = w.job.Worktree, w.job.Env, brief, write, write
	w.hand(cmd)
	err = cmd.Start()
	_ = write.Close()
	if err != nil {
		_ = read.Close()
		return fmt.Errorf("start the worker: %w", err)
	}
	forget := w.groups.add(cmd.Process.Pid)
	defer forget()
	w.letGo()
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		w.out.copyFrom(read)
	}()
	err = w.await(ctx, cmd)
	behind := w.takeLock(context.WithoutCancel(ctx), w.grace.Lock, false)
	select {
	case <-copied:
	case <-w.grace.Hurry:
	case <-time.After(w.grace.End): // somebody who has left the session writes on
	}
	_ = read.Close()
	<-copied
	return errors.Join(err, behind, w.out.err)
}

// await waits for the command, and ends its group where that is asked for, and what is
// left of it in any case.
func (w *worker) await(ctx context.Context, cmd *exec.Cmd) error {
	ended := make(chan struct{})
	var err error
	go func() {
		err = cmd.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		endRest(cmd.Process.Pid, w.grace)
		return exitReason(err)
	case <-ctx.Done():
	}
	cause := context.Cause(ctx)
	var stop *stopped
	var sig os.Signal
	if errors.As(cause, &stop) {
		sig = stop.signal
	}
	endGroup(cmd.Process.Pid, sig, w.grace)
	<-ended
	return cause
}

// exitReason says how a command ended.
func exitReason(err error) error {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return err
	}
	if code := exit.ExitCode(); code >= 0 {
		return &Stop{State: Failed, Message: fmt.Sprintf("the command ended with exit code %d", code)}
	}
	return &Stop{State: Failed, Message: fmt.Sprintf("the command was ended: %s", exit.ProcessState)}
}
