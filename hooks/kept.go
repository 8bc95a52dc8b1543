package hooks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
)

// Call is how git called a hook: nothing of it is ours.
type Call struct {
	Path  string // the hook's file, as git named it; "" where something else called us
	Name  string
	Args  []string
	Input []byte // what git wrote to it, nil where it gave no input
}

// TakesInput reports whether git writes something to the hook.
func TakesInput(name string) bool { return name == "pre-push" || name == "post-rewrite" }

// RunKept runs the hook that was there before ours, with what git gave to it; ran is
// false where there is none, or none that git would have run. code is its exit code.
// Ctrl-C reaches it by itself: it is waited for.
func (c Call) RunKept(ctx context.Context, stdout, stderr io.Writer) (code int, ran bool, err error) {
	if c.Path == "" {
		return 0, false, nil
	}
	kept := KeptOf(c.Path)
	info, err := os.Stat(kept)
	if err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
		return 0, false, nil //nolint:nilerr // git runs nothing that is not there
	}
	err = c.start(ctx, stdout, stderr, kept)
	if errors.Is(err, syscall.ENOEXEC) { // no "#!": a shell's, as git has it
		err = c.start(ctx, stdout, stderr, "sh", kept)
	}
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0, true, nil
	case !errors.As(err, &exit):
		return 1, true, fmt.Errorf("run %q: %w", kept, err)
	}
	const killed = 128
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return killed + int(status.Signal()), true, nil
	}
	return exit.ExitCode(), true, nil
}

func (c Call) start(ctx context.Context, stdout, stderr io.Writer, words ...string) error {
	cmd := exec.CommandContext(context.WithoutCancel(ctx), words[0], append(words[1:], c.Args...)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, stdout, stderr
	if TakesInput(c.Name) {
		cmd.Stdin = bytes.NewReader(c.Input)
	}
	return cmd.Run()
}
