package main

import (
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

// plainCheck recognises the one command that is run on every keystroke: a check of
// files, without a flag. It needs neither the parser of the command line nor anything
// that ends it early, which together take as long as the check; nil where the words
// are anything else, or a file may keep the reader waiting.
func plainCheck(args []string) *planCheckCmd {
	const words = 2
	if len(args) <= words || args[0] != "plan" || args[1] != "check" {
		return nil
	}
	for _, name := range args[words:] {
		if strings.HasPrefix(name, "-") || !isRegular(name) {
			return nil
		}
	}
	return &planCheckCmd{Files: args[words:], Format: "text"}
}

func isRegular(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// planConfig returns the settings that a check depends on. Git would take half of a
// check's time; where no file has any setting of ours it is not asked.
func (a *app) planConfig() (gitops.Config, error) {
	if gitops.ConfigLacks(gitops.Options{}, "okstra") {
		return gitops.Config{}, nil
	}
	return gitops.ReadConfig(a.ctx, gitops.Options{Trace: a.trace()}, planKeys)
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
	src, err := a.readAny(name)
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

// readAny reads a file; one that is not regular may block for ever.
func (a *app) readAny(name string) ([]byte, error) {
	if isRegular(name) {
		return readFile(name)
	}
	return a.interruptible(func() ([]byte, error) { return readFile(name) })
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
