package workspace

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"git-okstra/gitops"
	"git-okstra/internal/testrepo"
)

// world is a repository whose worktrees are made by us and, to compare, by git.
type world struct {
	*testrepo.Repo
	t    testing.TB
	root string
	n    int // targets made

	settled int
}

func newWorld(t testing.TB, recipe string) *world {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &world{Repo: testrepo.New(t, recipe), t: t, root: root}
}

// settle gives every file of a worktree an old time and lets git see it so, or
// nothing could be copied: a file as young as the index proves nothing. Each call has
// a time of its own, for git may compare whole seconds only.
func (w *world) settle(worktree ...string) {
	w.t.Helper()
	dir := w.Dir
	if len(worktree) > 0 {
		dir = worktree[0]
	}
	w.settled++
	past := time.Now().Add(-time.Duration(w.settled) * time.Hour)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err == nil && d.Name() == ".git" && d.IsDir():
			return filepath.SkipDir
		case err == nil && d.Type().IsRegular():
			return os.Chtimes(path, past, past)
		}
		return err
	})
	w.must(err)
	w.TryGit("-C", dir, "update-index", "-q", "--refresh")
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// path is a file of the main worktree.
func (w *world) path(name string) string { return filepath.Join(w.Dir, name) }

func (w *world) open() *gitops.Repo {
	w.t.Helper()
	repo, err := gitops.Open(w.t.Context(), gitops.Options{Dir: w.Dir, Env: w.Env})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(repo.Close)
	return repo
}

// target makes a branch at rev and says where its worktree is to be.
func (w *world) target(rev string) Target {
	w.t.Helper()
	w.n++
	branch := fmt.Sprintf("stage-%d", w.n)
	w.Git("branch", "--no-track", branch, rev)
	head := gitops.Hash(w.Git("rev-parse", branch))
	return Target{
		Path: filepath.Join(w.root, "p", "g", "t", branch), Branch: gitops.RefName("refs/heads/" + branch), Head: head,
		Bind: gitops.RefName(fmt.Sprintf("refs/worktree/okstra/p/g/t/%d", w.n)), Base: head,
	}
}

// provision makes a worktree of rev by us.
func (w *world) provision(rev string) (Target, Result, error) {
	w.t.Helper()
	t := w.target(rev)
	res, err := Provision(w.t.Context(), w.open(), t)
	return t, res, err
}

// mustProvision is provision that has to succeed.
func (w *world) mustProvision(rev string) (Target, Result) {
	w.t.Helper()
	t, res, err := w.provision(rev)
	if err != nil {
		w.t.Fatal(err)
	}
	return t, res
}

// sameAsGit provisions rev, lets git add a worktree of it, and compares the two in
// everything that can be seen. It returns what Provision did.
func (w *world) sameAsGit(rev string) Result {
	w.t.Helper()
	t, res := w.mustProvision(rev)
	oracle := t.Path + "-by-git"
	w.Git("worktree", "add", "-q", "-b", fmt.Sprintf("oracle-%d", w.n), oracle, rev)
	w.compare(t.Path, oracle)
	if res.Written == 0 { // what git writes can be as young as its index
		w.needsNoRefresh(t.Path)
	}
	if res.Path != t.Path || res.Existed || res.HookErr != nil {
		w.t.Errorf("result %+v", res)
	}
	return res
}

func (w *world) compare(ours, oracle string) {
	w.t.Helper()
	got, want := picture(w.t, ours), picture(w.t, oracle)
	if !slices.Equal(got, want) {
		w.t.Errorf("the tree differs from git's: only here %.600q, only there %.600q", less(got, want), less(want, got))
	}
	if stale, _, _ := w.TryGit("-C", ours, "diff-files", "--name-only"); stale != "" {
		if same, _, _ := w.TryGit("-C", oracle, "diff-files", "--name-only"); stale != same {
			w.t.Errorf("to be refreshed: %.400q, in git's worktree %.400q", stale, same)
		}
	}
	for _, args := range [][]string{
		{"status", "--porcelain", "--ignored"},
		{"ls-files", "-s", "-v", "-z"},
	} {
		a, _, _ := w.TryGit(append([]string{"-C", ours}, args...)...)
		b, _, _ := w.TryGit(append([]string{"-C", oracle}, args...)...)
		if a != b {
			w.t.Errorf("git %q: %.400q, in git's worktree %.400q", args, a, b)
		}
	}
}

// needsNoRefresh holds that a status which may write the index has no reason to.
func (w *world) needsNoRefresh(dir string) {
	w.t.Helper()
	if on, _, _ := w.TryGit("config", "core.untrackedCache"); strings.TrimSpace(on) == "true" {
		return // each status writes down what it saw
	}
	index := w.Git("-C", dir, "rev-parse", "--path-format=absolute", "--git-path", "index")
	before, err := os.Stat(index)
	if err != nil {
		w.t.Fatal(err)
	}
	w.Git("-C", dir, "status", "--porcelain")
	if after, err := os.Stat(index); err != nil || !after.ModTime().Equal(before.ModTime()) || !os.SameFile(before, after) {
		w.t.Errorf("status wrote the index, %v", err)
	}
}

// less lists what is in a and not in b.
func less(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return slices.Contains(b, s) })
}

// picture is every path of a tree with its kind, permissions and content.
func picture(t testing.TB, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir || path == filepath.Join(dir, ".git") {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		content := ""
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			content, err = os.Readlink(path)
		case info.Mode().IsRegular():
			var data []byte
			data, err = os.ReadFile(path)
			content = string(data)
		}
		out = append(out, fmt.Sprintf("%s %s %s", strings.TrimPrefix(path, dir), info.Mode(), content))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// nothingLeft holds that a target has no folder, no registration and no mark.
func (w *world) nothingLeft(t Target) {
	w.t.Helper()
	if exists(t.Path) {
		w.t.Errorf("%s is left", t.Path)
	}
	if list := w.Git("worktree", "list", "--porcelain"); strings.Contains(list, t.Path) {
		w.t.Errorf("still registered:\n%s", list)
	}
	if refs := w.Git("for-each-ref", "refs/worktree"); refs != "" {
		w.t.Errorf("refs %s", refs)
	}
}
