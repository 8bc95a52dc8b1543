package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"git-okstra/gitops"
)

// maxPlan is how much of a plan is read: one byte more than a plan may have, so
// that the rules see that it is too large.
const maxPlan = 16<<20 + 1

// planKeys are the settings that a check of a plan depends on.
const planKeys = `^okstra\.(ruleset|project\..*\.root)$`

// earlyConfig is git's configuration being read while the command line is still
// parsed and the plan read.
type earlyConfig struct {
	config gitops.Config
	err    error
	call   gitops.Call
	done   chan struct{}
}

// startConfig begins to read it if the words look like a check of a plan: the
// check is to be fast enough for every keystroke, and git would take half of its
// time. Where no file has any setting of ours git is not asked.
func startConfig(ctx context.Context, args []string) *earlyConfig {
	if len(args) < 2 || args[0] != "plan" || args[1] != "check" {
		return nil
	}
	e := &earlyConfig{done: make(chan struct{})}
	go func() {
		defer close(e.done)
		if !gitops.ConfigLacks(gitops.Options{}, "okstra") {
			e.config, e.err = gitops.ReadConfig(ctx, gitops.Options{Trace: func(c gitops.Call) { e.call = c }}, planKeys)
		}
	}()
	return e
}

// planConfig returns the settings that a check depends on.
func (a *app) planConfig() (gitops.Config, error) {
	if a.early == nil {
		return gitops.ReadConfig(a.ctx, gitops.Options{Trace: a.trace()}, planKeys)
	}
	select {
	case <-a.early.done:
	case <-a.ctx.Done():
		return gitops.Config{}, a.ctx.Err()
	}
	if a.flags.Verbose > 1 && a.early.call.Args != nil {
		a.traceGit(a.early.call)
	}
	return a.early.config, a.early.err
}

// fileOf is the file that a plan's name speaks of: the path of REV:PATH, else the
// name. As for git that path counts from the repository's top, and from the folder
// the caller stands in only if it begins with ./ or ../.
func fileOf(name string) (file string, fromTop bool) {
	rev, file, ok := strings.Cut(name, ":")
	if _, err := os.Lstat(name); err == nil || !ok {
		return name, false
	}
	if rev == "" && len(file) > 1 && file[0] >= '0' && file[0] <= '3' && file[1] == ':' {
		file = file[2:] // :0:PATH, a stage of the index
	}
	return file, !strings.HasPrefix(file, "./") && !strings.HasPrefix(file, "../")
}

// absolute is filepath.Abs, or the name where there is no working folder.
func absolute(name string) string {
	if abs, err := filepath.Abs(name); err == nil {
		return abs
	}
	return name
}

// readPlan reads a plan from a file, standard input or history.
func (a *app) readPlan(name string) ([]byte, error) {
	if name == "-" {
		if a.stdin != nil {
			return a.stdin, nil
		}
		src, err := a.interruptible(func() ([]byte, error) { return io.ReadAll(io.LimitReader(a.std.in, maxPlan)) })
		if err != nil {
			return nil, fmt.Errorf("read standard input: %w", err)
		}
		a.stdin = src
		return src, nil
	}
	src, err := a.interruptible(func() ([]byte, error) { return readFile(name) })
	if !isMissing(err) {
		return src, err
	}
	if strings.Contains(name, ":") {
		repo, openErr := a.open()
		if openErr != nil {
			return nil, openErr
		}
		src, revErr := repo.File(a.ctx, name)
		if revErr == nil {
			return src, nil
		}
	}
	return nil, &commandError{code: exitUsage, message: fmt.Sprintf("no plan at %q", name), hints: []string{"name a Markdown file, - for standard input, or REV:PATH"}}
}

// isMissing reports whether an error of the file system says that nothing has the
// name, or that nothing can have it.
func isMissing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ENAMETOOLONG)
}

// interruptible waits for a read that may block for ever (a terminal, a pipe) or
// for the signal that ends the command, whichever comes first.
func (a *app) interruptible(read func() ([]byte, error)) ([]byte, error) {
	type result struct {
		data []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		data, err := read()
		done <- result{data, err}
	}()
	select {
	case r := <-done:
		return r.data, r.err
	case <-a.ctx.Done():
		return nil, a.ctx.Err()
	}
}

// readFile reads a plan file, never more than a plan may have.
func readFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, &commandError{code: exitUsage, message: fmt.Sprintf("%q is a folder", name), hints: []string{"name the plan file in it"}}
	}
	src, err := io.ReadAll(io.LimitReader(f, maxPlan))
	if err != nil {
		return nil, fmt.Errorf("read plan: %w", err)
	}
	return src, nil
}
