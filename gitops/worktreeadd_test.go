package gitops

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestAddBindRemoveWorktree(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("plain")
	s.git("plain", "branch", "feat/x")
	s.git("plain", "tag", "feat/x") // ambiguous, and the branch is meant
	head := Hash(s.git("plain", "rev-parse", "HEAD"))
	for _, from := range []string{"plain", "plain/.git"} {
		r := s.open(from)
		wt, err := r.AddWorktree(t.Context(), s.path("out/my stage"), "refs/heads/feat/x")
		if err != nil || wt.Branch != "refs/heads/feat/x" || wt.Path != s.path("out/my stage") {
			t.Fatal(wt, err)
		}
		if files, _ := os.ReadDir(wt.Path); len(files) != 1 {
			t.Errorf("files %v before any was written", files)
		}
		const name = "refs/worktree/okstra/p/g/t/1"
		bind(t, s, r, wt, name, head)
		if err := r.RemoveWorktree(t.Context(), wt.Path); err != nil {
			t.Fatal(err)
		}
		if got := gitWorktrees(s, "plain"); len(got) != 1 {
			t.Errorf("left: %q", got)
		}
	}
}

func bind(t *testing.T, s *sandbox, r *Repo, wt Worktree, name RefName, head Hash) {
	t.Helper()
	if refs, err := r.BoundRefs(t.Context(), wt, "refs/worktree"); len(refs) != 0 || err != nil {
		t.Errorf("bound before: %v, %v", refs, err)
	}
	for range 2 {
		if err := r.BindWorktree(t.Context(), wt, name, head); err != nil {
			t.Fatal(err)
		}
	}
	refs, err := r.BoundRefs(t.Context(), wt, string(name))
	if err != nil || !slices.Equal(refs, []Ref{{name, head}}) {
		t.Errorf("bound: %v, %v", refs, err)
	}
	if got := s.git("out/my stage", "rev-parse", string(name)); got != string(head) {
		t.Errorf("git sees %s in the worktree", got)
	}
	if got := s.git("plain", "for-each-ref", "refs/worktree"); got != "" {
		t.Errorf("the main worktree sees %s", got)
	}
	for _, bad := range []RefName{"refs/worktree/a b", "x", "refs/worktree/../y"} {
		if err := r.BindWorktree(t.Context(), wt, bad, head); err == nil {
			t.Errorf("bound %q", bad)
		}
	}
	if err := r.BindWorktree(t.Context(), wt, name, "HEAD"); err == nil {
		t.Error("bound to no id")
	}
}

// TestBoundRefsReadsNoOtherRepository is a worktree whose .git file is gone and whose
// folder lies in another repository.
func TestBoundRefsReadsNoOtherRepository(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("plain")
	s.repo("around")
	s.git("around", "update-ref", "refs/worktree/x", "HEAD")
	s.git("plain", "worktree", "add", "-q", "-b", "side", s.path("around/side"))
	if err := os.Remove(s.path("around/side/.git")); err != nil {
		t.Fatal(err)
	}
	r := s.open("plain")
	wt, ok, err := r.WorktreeAt(t.Context(), s.path("around/side"))
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	if refs, err := r.BoundRefs(t.Context(), wt, "refs/worktree"); len(refs) != 0 || err != nil {
		t.Errorf("refs %v, %v", refs, err)
	}
	main, _, err := r.WorktreeAt(t.Context(), s.path("plain"))
	if err != nil || PerWorktreeRef(main, "refs/worktree/x") != "main-worktree/refs/worktree/x" {
		t.Error(PerWorktreeRef(main, "refs/worktree/x"), err)
	}
	if err := os.RemoveAll(s.path("around/side")); err != nil {
		t.Fatal(err)
	}
	if refs, err := r.BoundRefs(t.Context(), wt, "refs/worktree"); refs != nil || err != nil {
		t.Errorf("folder gone: %v, %v", refs, err)
	}
}

func TestAddWorktreeRefusals(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("plain")
	s.git("plain", "branch", "side")
	s.write("full/file", "somebody's\n")
	r := s.open("plain")
	for _, c := range []struct{ path, branch, says string }{
		{"new", "refs/heads/main", "already "}, // "checked out", or since 2.43 "used by worktree"
		{"full", "refs/heads/side", "already exists"},
		{"new", "refs/heads/none", "invalid reference"},
	} {
		if _, err := r.AddWorktree(t.Context(), s.path(c.path), RefName(c.branch)); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s at %s: %v", c.branch, c.path, err)
		}
	}
	if err := r.RemoveWorktree(t.Context(), s.path("full")); err == nil {
		t.Error("removed what is no worktree")
	}
	if got := gitWorktrees(s, "plain"); len(got) != 1 {
		t.Errorf("left: %q", got)
	}
}

// TestAddWorktreeWithSharedBare is the layout that makes git take every linked
// worktree for a bare repository.
func TestAddWorktreeWithSharedBare(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("src")
	s.git("", "clone", "-q", "--bare", "src", "bare.git")
	s.git("bare.git", "config", "core.repositoryFormatVersion", "1")
	s.git("bare.git", "config", "extensions.worktreeConfig", "true")
	s.git("bare.git", "branch", "side")
	r := s.open("bare.git")
	wt, err := r.AddWorktree(t.Context(), s.path("side"), "refs/heads/side")
	if err != nil {
		t.Fatal(err)
	}
	if err := r.ResetHard(t.Context(), wt.Path, 1); err != nil {
		t.Fatal(err)
	}
	if lines, err := r.Status(t.Context(), wt.Path); len(lines) != 0 || err != nil {
		t.Errorf("status %q, %v", lines, err)
	}
	if got := s.git("side", "rev-parse", "--is-inside-work-tree"); got != "true" {
		t.Errorf("inside a work tree: %s", got)
	}
}

// TestFinishAdding removes what a killed `git worktree add` leaves, which git alone
// refuses, and no lock that a person set.
func TestFinishAdding(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("plain")
	r := s.open("plain")
	for i, reason := range []string{"initializing", "initializing\n", "mine"} {
		name := fmt.Sprintf("wt%d", i)
		s.git("plain", "worktree", "add", "-q", "-b", name, "../"+name)
		s.write("plain/.git/worktrees/"+name+"/locked", reason)
		if err := os.Remove(s.path(name + "/.git")); err != nil {
			t.Fatal(err)
		}
		wt, _, err := r.WorktreeAt(t.Context(), s.path(name))
		if err != nil {
			t.Fatal(err)
		}
		if err := wt.FinishAdding(); err != nil {
			t.Fatal(err)
		}
		err = r.RemoveWorktree(t.Context(), wt.Path)
		if reason == "mine" && (err == nil || !strings.Contains(err.Error(), "lock reason: mine")) || reason != "mine" && err != nil {
			t.Errorf("locked as %q: %v", reason, err)
		}
	}
}

// TestNewWorktreesLogAsGits: what a new worktree's HEAD tells of its beginning is what it
// tells in one that git made from the same place, bare repositories included.
func TestNewWorktreesLogAsGits(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("plain")
	s.git("", "clone", "-q", "--bare", "plain", "project/.git")
	s.git("project/.git", "worktree", "add", "-q", "../main", "main")
	s.git("", "clone", "-q", "--bare", "plain", "never/.git")
	s.git("never/.git", "worktree", "add", "-q", "../main", "main")
	s.git("never/.git", "config", "core.logAllRefUpdates", "false")
	for i, from := range []string{"plain", "project/main", "project/.git", "never/main", "never/.git"} {
		ours, twin := fmt.Sprintf("ours%d", i), fmt.Sprintf("twin%d", i)
		s.git(from, "branch", ours, "main")
		s.git(from, "branch", twin, "main")
		s.git(from, "worktree", "add", "-q", s.path(twin), twin)
		r := s.open(from)
		wt, err := r.AddWorktree(t.Context(), s.path(ours), RefName("refs/heads/"+ours))
		if err == nil {
			err = r.RecordReset(t.Context(), wt, Hash(s.git(from, "rev-parse", ours)))
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"logs/HEAD", "ORIG_HEAD"} {
			got, gotErr := os.ReadFile(filepath.Join(wt.GitDir, name))
			want, wantErr := os.ReadFile(filepath.Join(filepath.Dir(wt.GitDir), twin, name))
			if string(got) != string(want) || (gotErr == nil) != (wantErr == nil) {
				t.Errorf("%s from %s: %q, %v; git has %q, %v", name, from, got, gotErr, want, wantErr)
			}
		}
	}
}
