package reconcile

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-okstra/gitops"
	"git-okstra/internal/testrepo"
)

// fixture is a repository with a stage on a branch of its own.
type fixture struct {
	t    testing.TB
	made *testrepo.Repo
	repo *gitops.Repo
	base gitops.Hash
}

// text makes lines that differ from each other.
func text(name string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s line %d\n", name, i)
	}
	return b.String()
}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	f := &fixture{t: t, made: testrepo.New(t, "one-commit")}
	for _, name := range []string{"a", "b", "c"} {
		f.made.Write(name, text(name, 60))
	}
	f.base = gitops.Hash(f.made.Commit("files"))
	f.open()
	return f
}

func (f *fixture) open() {
	f.t.Helper()
	repo, err := gitops.Open(f.t.Context(), gitops.Options{Dir: f.made.Dir, Env: f.made.Env})
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(repo.Close)
	f.repo = repo
}

// edit changes one line of a file and commits.
func (f *fixture) edit(name string, line int, to string) gitops.Hash {
	f.t.Helper()
	lines := strings.SplitAfter(f.made.Git("show", "HEAD:"+name)+"\n", "\n")
	lines[line] = to + "\n"
	f.made.Write(name, strings.Join(lines, ""))
	return gitops.Hash(f.made.Commit(to))
}

// at checks a commit out, detached.
func (f *fixture) at(h gitops.Hash) {
	f.t.Helper()
	f.made.Git("checkout", "-q", "--detach", string(h))
}

func (f *fixture) head() gitops.Hash {
	f.t.Helper()
	return gitops.Hash(f.made.Git("rev-parse", "HEAD"))
}

func (f *fixture) find(head, tip gitops.Hash) Result {
	f.t.Helper()
	return f.findAll(tip, 0, Stage{Number: 1, Base: f.base, Head: head}).Results[0]
}

func (f *fixture) findAll(tip gitops.Hash, limit int, stages ...Stage) Answer {
	f.t.Helper()
	answer, err := Find(f.t.Context(), f.repo, stages, tip, limit)
	if err != nil {
		f.t.Fatal(err)
	}
	return answer
}

// want demands a verdict and a way.
func (f *fixture) want(r Result, v Verdict, how How) {
	f.t.Helper()
	if r.Verdict != v || r.How != how {
		f.t.Errorf("%+v, want %s %s", r, v, how)
	}
}

// executable sets a file's mode and commits.
func (f *fixture) executable(name string) {
	f.t.Helper()
	if err := os.Chmod(filepath.Join(f.made.Dir, name), 0o755); err != nil {
		f.t.Fatal(err)
	}
	f.made.Commit("executable")
}
