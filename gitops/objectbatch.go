package gitops

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// batchReader owns at most one `git cat-file --batch`, one question at a time.
type batchReader struct {
	command func(context.Context) *exec.Cmd
	ended   func(*exec.Cmd, time.Time) // told of a process that has ended, with when it began; may be nil
	turn    chan struct{}              // a lock that a context can give up waiting for
	proc    *batchProc
}

// batchProc is one running process.
type batchProc struct {
	cmd  *exec.Cmd
	told func() // that it has ended
	in   io.WriteCloser
	out  *bufio.Reader
	errs errHead
}

func newBatchReader(command func(context.Context) *exec.Cmd) *batchReader {
	return &batchReader{command: command, turn: make(chan struct{}, 1)}
}

// read asks git. Any failure but "missing" ends the process, so that no answer
// is ever taken for the next question's; a process that died idle is replaced.
func (b *batchReader) read(ctx context.Context, h Hash, limit int64) (ObjectType, []byte, error) {
	select {
	case b.turn <- struct{}{}:
		defer func() { <-b.turn }()
	case <-ctx.Done():
		return "", nil, ctx.Err()
	}
	reused := b.proc != nil
	kind, data, err := b.ask(ctx, h, limit)
	if reused && errors.Is(err, errBatchDied) && ctx.Err() == nil {
		kind, data, err = b.ask(ctx, h, limit)
	}
	return kind, data, err
}

func (b *batchReader) ask(ctx context.Context, h Hash, limit int64) (ObjectType, []byte, error) {
	if b.proc == nil {
		began := time.Now()
		p, err := startBatch(b.command(context.WithoutCancel(ctx)))
		if err != nil {
			return "", nil, fmt.Errorf("start git cat-file: %w", err)
		}
		p.told = func() {
			if b.ended != nil {
				b.ended(p.cmd, began)
			}
		}
		b.proc = p
	}
	p := b.proc
	release := context.AfterFunc(ctx, p.kill)
	kind, data, err := p.ask(h, limit)
	interrupted := !release()
	if interrupted || (err != nil && !errors.Is(err, ErrMissing)) {
		b.proc = nil
		err = p.end(err)
	}
	if interrupted {
		return "", nil, ctx.Err()
	}
	return kind, data, err
}

// close ends the process; the next read would start another.
func (b *batchReader) close() error {
	b.turn <- struct{}{}
	defer func() { <-b.turn }()
	p := b.proc
	if p == nil {
		return nil
	}
	b.proc = nil
	_ = p.in.Close()
	err := p.cmd.Wait()
	p.told()
	if err != nil {
		return fmt.Errorf("end git cat-file: %w", err)
	}
	return nil
}

func startBatch(cmd *exec.Cmd) (*batchProc, error) {
	p := &batchProc{cmd: cmd}
	cmd.Stderr = &p.errs
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.in, p.out = in, bufio.NewReaderSize(out, 64<<10)
	return p, cmd.Start()
}

// kill stops the process; end still has to wait for it.
func (p *batchProc) kill() { _ = p.cmd.Process.Kill() }

// end stops the process and adds what it said to err.
func (p *batchProc) end(err error) error {
	_ = p.in.Close()
	p.kill()
	_ = p.cmd.Wait()
	p.told()
	if said := strings.TrimSpace(Mask(p.errs.String())); said != "" && err != nil {
		return fmt.Errorf("%w: %s", err, said)
	}
	return err
}

// errBatchDied says that the process closed its pipes instead of answering.
var errBatchDied = errors.New("git cat-file ended")

// ask sends one id and reads the answer (git-cat-file(1), "BATCH OUTPUT").
func (p *batchProc) ask(h Hash, limit int64) (ObjectType, []byte, error) {
	if _, err := io.WriteString(p.in, string(h)+"\n"); err != nil {
		return "", nil, fmt.Errorf("%w: %w", errBatchDied, err)
	}
	line, err := p.out.ReadString('\n')
	if err != nil {
		return "", nil, fmt.Errorf("%w: %w", errBatchDied, err)
	}
	f := strings.Fields(line)
	if len(f) == 2 && f[1] == "missing" {
		return "", nil, &MissingError{Hash: h}
	}
	if len(f) != 3 || f[0] != string(h) {
		return "", nil, fmt.Errorf("git cat-file answered %q for %q", line, h)
	}
	size, err := strconv.ParseInt(f[2], 10, 64)
	if err != nil || size < 0 {
		return "", nil, fmt.Errorf("git cat-file answered %q for %q", line, h)
	}
	if size > limit {
		return "", nil, fmt.Errorf("read object %q of %d bytes: %w", h, size, ErrTooLarge)
	}
	data := make([]byte, size+1)
	if _, err := io.ReadFull(p.out, data); err != nil {
		return "", nil, fmt.Errorf("read object %q: %w", h, err)
	}
	return ObjectType(f[1]), data[:size:size], nil
}

// errHead keeps the first 8 KiB that a process writes to standard error.
type errHead struct{ buf bytes.Buffer }

// Write never fails.
func (t *errHead) Write(b []byte) (int, error) {
	if room := 8<<10 - t.buf.Len(); room > 0 {
		t.buf.Write(b[:min(room, len(b))])
	}
	return len(b), nil
}

func (t *errHead) String() string { return t.buf.String() }
