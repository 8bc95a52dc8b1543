package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-okstra/gitops"
	"git-okstra/plan"
)

// TestLayouts provisions in each layout that people keep repositories in; git decides
// what is right.
func TestLayouts(t *testing.T) {
	t.Parallel()
	for name, w := range map[string]*world{
		"bare with worktrees":  newWorld(t, "bare-layout"),
		"sha256":               newWorld(t, "sha256"),
		"kinds of file":        newWorld(t, "many-files"),
		"shared bare":          sharedBare(t),
		"submodule inside":     withSubmodule(t),
		"sparse":               sparse(t, "--no-cone", "/sub/", "/a.txt"),
		"sparse cone":          sparse(t, "--cone", "sub/deep"),
		"sparse, not yet here": sparseLater(t),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w.t = t
			res := w.sameAsGit("main")
			if want := strings.Count(w.Git("ls-tree", "-r", "-z", "main"), "\x00"); res.Copied+res.Written != want {
				t.Errorf("result %+v for %d files", res, want)
			}
		})
	}
}

// sharedBare has the setting that makes git take every worktree for bare.
func sharedBare(t testing.TB) *world {
	w := newWorld(t, "bare-layout")
	w.Git("config", "core.repositoryFormatVersion", "1")
	w.Git("worktree", "remove", "feature")
	w.Git("worktree", "remove", "main")
	w.Git("config", "extensions.worktreeConfig", "true")
	return w
}

func withSubmodule(t testing.TB) *world {
	w := small(t)
	w.Git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", small(t).Dir, "module")
	w.Commit("module")
	w.settle()
	return w
}

func sparse(t testing.TB, patterns ...string) *world {
	w := small(t)
	w.Git(append([]string{"sparse-checkout", "set"}, patterns...)...)
	return w
}

// sparseLater has patterns by hand, as before git sparse-checkout, which the sibling
// has not followed yet.
func sparseLater(t testing.TB) *world {
	w := small(t)
	w.Git("config", "core.sparseCheckout", "true")
	w.Write(".git/info/sparse-checkout", "/sub/\n")
	return w
}

// TestFromEverywhere provisions with the caller in other places than the main
// worktree's top, git's variables set as in a hook.
func TestFromEverywhere(t *testing.T) {
	t.Parallel()
	w := small(t)
	w.Git("worktree", "add", "-q", "-b", "side", filepath.Join(w.root, "side"))
	for _, c := range []struct {
		dir string
		env []string
	}{
		{w.path("sub/deep"), nil},
		{filepath.Join(w.root, "side"), nil},
		{w.path(".git"), nil},
		{w.root, []string{"GIT_DIR=" + w.path(".git"), "GIT_WORK_TREE=" + w.Dir, "GIT_INDEX_FILE=" + w.path(".git/index")}},
		{filepath.Join(w.root, "side"), []string{"GIT_DIR=" + w.path(".git/worktrees/side"), "GIT_INDEX_FILE=index.tmp", "GIT_PREFIX=sub/"}},
	} {
		repo, err := gitops.Open(t.Context(), gitops.Options{Dir: c.dir, Env: append(append([]string(nil), w.Env...), c.env...)})
		w.must(err)
		target := w.target("main")
		if _, err := Provision(t.Context(), repo, target); err != nil {
			t.Errorf("%s: %v", c.dir, err)
			continue
		}
		repo.Close()
		if got := w.Git("-C", target.Path, "status", "--porcelain", "--branch"); got != "## "+strings.TrimPrefix(string(target.Branch), "refs/heads/") {
			t.Errorf("%s: status %q", c.dir, got)
		}
	}
}

// TestGitWorksOnIt holds that real git moves, locks, repairs and removes what we made.
func TestGitWorksOnIt(t *testing.T) {
	t.Parallel()
	w := small(t)
	target, _ := w.mustProvision("main")
	moved := filepath.Join(w.root, "moved")
	w.Git("worktree", "move", target.Path, moved)
	w.Git("worktree", "lock", moved)
	w.Git("worktree", "unlock", moved)
	w.must(os.Rename(moved, target.Path))
	w.Git("worktree", "repair", target.Path)
	w.Git("-C", target.Path, "commit", "-q", "--allow-empty", "-m", "work")
	if got := w.Git("-C", target.Path, "reflog", "--format=%gs"); !strings.Contains(got, "commit: work") {
		t.Errorf("reflog %q", got)
	}
	if got := w.Git("fsck"); got != "" {
		t.Errorf("fsck %q", got)
	}
	w.Git("worktree", "remove", target.Path)
	w.nothingLeft(target)
}

// TestAwkwardTargetPaths have blanks, other scripts and a line end in them.
func TestAwkwardTargetPaths(t *testing.T) {
	t.Parallel()
	w := small(t)
	for _, name := range []string{"with space", "한국어", "new\nline", "-dash", "quote'd\""} {
		target := w.target("main")
		target.Path = filepath.Join(w.root, name, "stage-1")
		for _, existed := range []bool{false, true} {
			if res, err := Provision(t.Context(), w.open(), target); err != nil || res.Existed != existed {
				t.Errorf("%q: %+v, %v", name, res, err)
			}
		}
		if got := w.Git("-C", target.Path, "status", "--porcelain"); got != "" {
			t.Errorf("%q: status %q", name, got)
		}
	}
}

func TestRootAndNames(t *testing.T) {
	t.Parallel()
	w := small(t)
	home := ""
	for _, kv := range w.Env {
		if v, ok := strings.CutPrefix(kv, "HOME="); ok {
			home = v
		}
	}
	for _, c := range []struct{ setting, env, want string }{
		{"", "A=1", filepath.Join(home, ".okstra/worktrees")},
		{"", "OKSTRA_HOME=/abs", "/abs/worktrees"},
		{"", "OKSTRA_HOME=rel", w.path("rel/worktrees")},
		{"/set/../up", "OKSTRA_HOME=/abs", "/up"},
		{"../side", "OKSTRA_HOME=/abs", filepath.Join(filepath.Dir(w.Dir), "side")},
		{"~/mine", "A=1", filepath.Join(home, "mine")},
	} {
		if c.setting != "" {
			w.Git("config", "okstra.worktreeRoot", c.setting)
		}
		repo, err := gitops.Open(t.Context(), gitops.Options{Dir: w.path("sub"), Env: append(append([]string(nil), w.Env...), c.env)})
		w.must(err)
		if got, err := Root(repo); got != c.want || err != nil {
			t.Errorf("%q, %q: %q, %v; want %q", c.setting, c.env, got, err, c.want)
		}
		repo.Close()
	}
	w.Git("config", "--unset", "okstra.worktreeRoot")
	repo, err := gitops.Open(t.Context(), gitops.Options{Dir: w.Dir, Env: append(append([]string(nil), w.Env...), "HOME=")})
	w.must(err)
	defer repo.Close()
	if got, err := Root(repo); err == nil {
		t.Errorf("no home: %q", got)
	}
	rel := Relative(plan.TaskKey{Project: "My App", Group: "a/b", Task: "..x"}, 12)
	if rel != "My-App/a-b/x/stage-12" || Path("/top", rel) != "/top/My-App/a-b/x/stage-12" {
		t.Errorf("relative %q", rel)
	}
}
