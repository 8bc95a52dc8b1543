package testrepo

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Repo is a repository that lives as long as its test.
type Repo struct {
	// Dir is the absolute folder that the recipe ran in, symbolic links resolved.
	Dir string
	// Env is the environment that git and our own command run in; see [Env].
	// A test may append to it: the last value of a name wins.
	Env []string

	t       testing.TB
	commits int
}

// New makes a repository from testdata/repos/RECIPE.txtar of the module.
func New(t testing.TB, recipe string) *Repo {
	t.Helper()
	root, err := moduleRoot(".")
	if err != nil {
		t.Fatalf("find the module: %v", err)
	}
	text, err := os.ReadFile(filepath.Join(root, "testdata", "repos", recipe+".txtar"))
	if err != nil {
		t.Fatalf("read recipe: %v", err)
	}
	r := fresh(t)
	if err := r.follow(text); err != nil {
		t.Fatalf("recipe %s: %v", recipe, err)
	}
	return r
}

// fresh is a Repo over an empty folder.
func fresh(t testing.TB) *Repo {
	t.Helper()
	return &Repo{Dir: tempDir(t), Env: Env(t), t: t}
}

// Git runs git in Dir and returns its standard output without the last newline. A
// failing git fails the test.
func (r *Repo) Git(args ...string) string {
	r.t.Helper()
	out, err := r.git(nil, nil, args...)
	if err != nil {
		r.t.Fatal(err)
	}
	return strings.TrimSuffix(out, "\n")
}

// TryGit runs git in Dir and returns both outputs, unchanged, and the exit code.
// Only a git that cannot be started or is killed fails the test.
func (r *Repo) TryGit(args ...string) (stdout, stderr string, code int) {
	r.t.Helper()
	stdout, stderr, err := r.run(nil, nil, args...)
	var exit *exec.ExitError
	switch {
	case err == nil:
		return stdout, stderr, 0
	case errors.As(err, &exit) && exit.Exited():
		return stdout, stderr, exit.ExitCode()
	}
	r.t.Fatalf("run git %q: %v", args, err)
	return "", "", -1
}

// Write writes a file, with the folders above it; name is slash-separated and
// relative to Dir. The mode of a file that exists stays.
func (r *Repo) Write(name, content string) {
	r.t.Helper()
	if err := r.write(name, []byte(content), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

// Commit stages everything under Dir and commits it, one [Tick] after the last
// commit made this way, and returns the new commit's object id.
func (r *Repo) Commit(message string) string {
	r.t.Helper()
	if err := r.commit(message); err != nil {
		r.t.Fatal(err)
	}
	return r.Git("rev-parse", "HEAD")
}

func (r *Repo) commit(message string) error {
	if _, err := r.git(nil, nil, "add", "--all"); err != nil {
		return err
	}
	r.commits++
	_, err := r.git(dates(r.commits), nil, "commit", "--quiet", "--message", message)
	return err
}

func (r *Repo) write(name string, content []byte, mode os.FileMode) error {
	path := filepath.Join(r.Dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("make folder of %q: %w", name, err)
	}
	if err := os.WriteFile(path, content, mode); err != nil {
		return fmt.Errorf("write %q: %w", name, err)
	}
	return nil
}

// git is run with standard error in the error.
func (r *Repo) git(env []string, stdin io.Reader, args ...string) (string, error) {
	stdout, stderr, err := r.run(env, stdin, args...)
	if err != nil {
		return "", fmt.Errorf("git %q: %w\n%s", args, err, stderr)
	}
	return stdout, nil
}

func (r *Repo) run(env []string, stdin io.Reader, args ...string) (stdout, stderr string, err error) {
	var out, errout bytes.Buffer
	cmd := exec.CommandContext(r.t.Context(), "git", args...)
	cmd.Dir = r.Dir
	cmd.Env = append(append([]string(nil), r.Env...), env...)
	cmd.Stdin = stdin
	cmd.Stdout = &out
	cmd.Stderr = &errout
	err = cmd.Run()
	return out.String(), errout.String(), err
}

// moduleRoot walks up from dir to the folder that holds go.mod. A test runs in its
// package's folder, wherever the module was checked out.
func moduleRoot(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("absolute path of %q: %w", dir, err)
	}
	for at := abs; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			return at, nil
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("no go.mod in or above %q", abs)
		}
	}
}
