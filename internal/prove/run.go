// Package prove runs the conformance command of a stage: it lays out the pinned qa/
// folder, runs the command with limits, passes its output on, and ends all that the
// command started. What the run comes to is internal/conform/proof's to say.
package prove

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"

	"git-okstra/internal/conform/proof"
	"git-okstra/internal/lines"
)

// maxLine is the longest line that is passed on in one piece, in bytes.
const maxLine = 8 << 10

// Command is what is to run, and within which limits.
type Command struct {
	Text    string        // for a shell
	Dir     string        // where
	Env     []string      // all of the environment
	Mark    string        // an entry of it that no other process has: by it stray ones are found
	Timeout time.Duration // 0: none
	Output  int64         // how many bytes it may print, both streams together; 0: any
	Grace   time.Duration // between the wish to end and the end
	Line    func(line []byte, stderr bool)
}

// Outcome is what became of a command.
type Outcome struct {
	Exit     proof.Exit
	Duration time.Duration
	Said     *proof.Reader // of its standard output
}

// What ends a command before its time: it prints too much, or takes too long.
var (
	errOutput = errors.New("too much output")
	errLate   = errors.New("time is over")
)

// Run runs the command to its end, and ends what it left behind. A command that fails is
// no error. Errors: the context's, and those of starting it.
func Run(ctx context.Context, c Command) (Outcome, error) {
	out := Outcome{Said: &proof.Reader{}}
	limited, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if c.Timeout > 0 {
		timer := time.AfterFunc(c.Timeout, func() { cancel(errLate) })
		defer timer.Stop()
	}
	streams, err := openStreams(&c, out.Said, func() { cancel(errOutput) })
	if err != nil {
		return out, err
	}
	cmd := shell(c.Text)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = c.Dir, c.Env, streams.ends[0], streams.ends[1]
	start := time.Now()
	err = cmd.Start()
	streams.handedOver()
	if err != nil {
		streams.wait(0)
		return out, fmt.Errorf("run the conformance command: %w", err)
	}
	ended := make(chan struct{})
	var waited error
	go func() {
		defer close(ended)
		waited = cmd.Wait()
	}()
	stopped := false
	select {
	case <-ended:
		err = waited
	case <-limited.Done():
		stopped = true
		endPolitely(cmd.Process.Pid, ended, c.Grace)
		err = nil
	}
	out.Duration = time.Since(start)
	endLeftovers(cmd.Process.Pid, c.Mark)
	streams.wait(c.Grace)
	if ctx.Err() != nil {
		return out, ctx.Err()
	}
	out.Exit = exitOf(cmd, err, stopped)
	switch cause := context.Cause(limited); {
	case errors.Is(cause, errOutput): // also where it ended by itself then
		out.Exit.Stopped = fmt.Sprintf("it was stopped for printing more than %d bytes", c.Output)
	case stopped && errors.Is(cause, errLate):
		out.Exit.Stopped = fmt.Sprintf("it was stopped after its time limit of %s", c.Timeout)
	}
	return out, nil
}

// exitOf says how the command itself ended.
func exitOf(cmd *exec.Cmd, err error, stopped bool) proof.Exit {
	e := proof.Exit{Code: -1}
	if cmd.ProcessState != nil {
		e.Code = cmd.ProcessState.ExitCode()
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) && e.Code < 0 && !stopped {
		e.Stopped = "it was ended by " + exit.ProcessState.String()
	}
	return e
}

// streams are the two outputs of a command, read until their ends are closed.
type streams struct {
	ends  [2]*os.File // for the command
	ours  [2]*os.File
	done  sync.WaitGroup
	mu    sync.Mutex
	total atomic.Int64
}

func openStreams(c *Command, said *proof.Reader, tooMuch func()) (*streams, error) {
	s := &streams{}
	for i := range s.ours {
		r, w, err := os.Pipe()
		if err != nil {
			s.close()
			return nil, fmt.Errorf("run the conformance command: %w", err)
		}
		s.ours[i], s.ends[i] = r, w
	}
	for i, r := range s.ours {
		l := &lines.Splitter{Max: maxLine, Say: func(line []byte) {
			s.mu.Lock()
			defer s.mu.Unlock()
			if c.Line != nil {
				c.Line(line, i == 1)
			}
		}}
		s.done.Go(func() {
			defer l.Flush()
			s.copy(r, i == 0, c, said, l, tooMuch)
		})
	}
	return s, nil
}

// copy takes a stream until its end, or until there is too much of it: what comes then is
// taken and dropped, so that nothing waits for us.
func (s *streams) copy(r io.Reader, out bool, c *Command, said *proof.Reader, l *lines.Splitter, tooMuch func()) {
	buf := make([]byte, 32<<10)
	for {
		n, err := r.Read(buf)
		if over := c.Output > 0 && s.total.Add(int64(n)) > c.Output; over {
			tooMuch()
		} else {
			if out {
				_, _ = said.Write(buf[:n])
			}
			_, _ = l.Write(buf[:n])
		}
		if err != nil {
			return
		}
	}
}

// handedOver closes our copies of the command's ends.
func (s *streams) handedOver() {
	for _, f := range s.ends {
		_ = f.Close()
	}
}

// wait waits until all is read. What still has the other end open after a while is left
// alone, and not heard.
func (s *streams) wait(grace time.Duration) {
	deadline := time.Now().Add(grace)
	for _, f := range s.ours {
		_ = f.SetReadDeadline(deadline)
	}
	s.done.Wait()
	s.close()
}

func (s *streams) close() {
	for _, f := range append(s.ours[:], s.ends[:]...) {
		if f != nil {
			_ = f.Close()
		}
	}
}
