package gitops

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"git-okstra/internal/testrepo"
)

// sandbox is a folder with a hermetic environment for tests that build their own
// layout of repositories in it.
type sandbox struct {
	t   testing.TB
	dir string
	env []string
}

func newSandbox(t testing.TB) *sandbox {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &sandbox{t: t, dir: dir, env: testrepo.Env(t)}
}

// git runs git in a folder of the sandbox and returns its output without the last
// line end.
func (s *sandbox) git(sub string, args ...string) string {
	s.t.Helper()
	out, err := s.try(sub, nil, "", args...)
	if err != nil {
		s.t.Fatal(err)
	}
	return strings.TrimSuffix(out, "\n")
}

// try is git with more environment and input, and with its failure as an error.
func (s *sandbox) try(sub string, env []string, stdin string, args ...string) (string, error) {
	cmd := exec.CommandContext(s.t.Context(), "git", args...)
	cmd.Dir = filepath.Join(s.dir, sub)
	cmd.Env = append(append([]string(nil), s.env...), env...)
	cmd.Stdin = strings.NewReader(stdin)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return stdout.String(), fmt.Errorf("git %q: %w\n%s", args, err, stderr.String())
	}
	return stdout.String(), nil
}

// write makes a file, and the folders above it.
func (s *sandbox) write(name, text string) {
	s.t.Helper()
	path := filepath.Join(s.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		s.t.Fatal(err)
	}
}

// repo makes a repository with one commit in a folder of the sandbox.
func (s *sandbox) repo(sub string, initArgs ...string) {
	s.t.Helper()
	if err := os.MkdirAll(filepath.Join(s.dir, sub), 0o777); err != nil {
		s.t.Fatal(err)
	}
	s.git(sub, append([]string{"init", "-q", "-b", "main"}, initArgs...)...)
	s.write(sub+"/file.txt", "text\n")
	s.git(sub, "add", "-A")
	s.git(sub, "commit", "-q", "-m", "first")
}

// path is the absolute path of something in the sandbox.
func (s *sandbox) path(sub string) string { return filepath.Join(s.dir, sub) }

// open opens the repository around a folder of the sandbox.
func (s *sandbox) open(sub string, env ...string) *Repo {
	s.t.Helper()
	r, err := Open(s.t.Context(), Options{Dir: s.path(sub), Env: append(append([]string(nil), s.env...), env...)})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(r.Close)
	return r
}

// openRecipe opens a repository made from a recipe and counts its git processes.
func openRecipe(t testing.TB, recipe string) (*testrepo.Repo, *Repo, *callCount) {
	t.Helper()
	made := testrepo.New(t, recipe)
	calls := &callCount{}
	r, err := Open(t.Context(), Options{Dir: made.Dir, Env: made.Env, Trace: calls.add})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return made, r, calls
}

// callCount collects what Options.Trace is told.
type callCount struct {
	mu    sync.Mutex
	calls []Call
}

func (c *callCount) add(call Call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls = append(c.calls, call)
}

// take returns the number of calls since it was last asked.
func (c *callCount) take() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := len(c.calls)
	c.calls = nil
	return n
}
