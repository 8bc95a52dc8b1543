package gitops

import (
	"slices"
	"strings"
	"testing"
)

func TestIsAncestorAsGit(t *testing.T) {
	t.Parallel()
	made, r, c := repoWithHistory(t, 3)
	made.Git("checkout", "-q", "-b", "side", string(c[0]))
	made.Write("side", "x")
	side := Hash(made.Commit("side"))
	all := append(slices.Clone(c), side)
	yes := 0
	for _, a := range all {
		for _, b := range all {
			_, _, code := made.TryGit("merge-base", "--is-ancestor", string(a), string(b))
			got, err := r.IsAncestor(t.Context(), a, b)
			if err != nil || got != (code == 0) {
				t.Errorf("%s of %s: %v, %v; git exits %d", a.Short(), b.Short(), got, err, code)
			}
			if got {
				yes++
			}
		}
	}
	if yes != 8 {
		t.Errorf("%d pairs", yes)
	}
	if got, err := r.IsAncestor(t.Context(), c[0], Hash(strings.Repeat("1", 40))); err == nil || got {
		t.Errorf("a missing commit: %v, %v", got, err)
	}
}

// TestChangedPathsWhole sets every diff option that a user might have.
func TestChangedPathsWhole(t *testing.T) {
	t.Parallel()
	made, r, c := repoWithHistory(t, 1)
	for _, kv := range [][2]string{
		{"diff.renames", "copies"},
		{"diff.external", "false"},
		{"diff.noprefix", "true"},
		{"diff.relative", "true"},
		{"diff.ignoreSubmodules", "all"},
		{"core.quotePath", "true"},
		{"color.ui", "always"},
	} {
		made.Git("config", kv[0], kv[1])
	}
	made.Git("mv", "file", "moved file")
	made.Write("naïve/new\nline", "x")
	made.Write("sub/a", "x")
	made.Git("update-index", "--add", "--cacheinfo", "160000,"+string(c[0])+",module")
	made.Git("commit", "-q", "--allow-empty", "-m", "module")
	made.Git("add", "naïve", "sub")
	made.Git("commit", "-q", "-m", "rest")
	head := Hash(made.Git("rev-parse", "HEAD"))
	want := []string{"file", "module", "moved file", "naïve/new\nline", "sub/a"}
	got, err := r.ChangedPaths(t.Context(), c[0], head)
	slices.Sort(got)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("paths %q, %v; want %q", got, err, want)
	}
	if got, err := r.ChangedPaths(t.Context(), head, head); got != nil || err != nil {
		t.Errorf("same commit: %q, %v", got, err)
	}
}

func TestResolveCommit(t *testing.T) {
	t.Parallel()
	made, r, c := repoWithHistory(t, 2)
	made.Git("tag", "-a", "-m", "x", "v1", string(c[0]))
	made.Git("update-ref", "refs/heads/-f", string(c[0]))
	for rev, want := range map[string]Hash{
		"HEAD": c[1], "main": c[1], "v1": c[0], "HEAD~1": c[0], string(c[0])[:12]: c[0], "refs/heads/-f": c[0], "-f": c[0], ":/0": c[0],
	} {
		if got, err := r.ResolveCommit(t.Context(), rev); got != want || err != nil {
			t.Errorf("%q = %s, %v", rev, got, err)
		}
	}
	for _, rev := range []string{"", "none", "--all", "--git-dir", "HEAD:file", "HEAD HEAD", "HEAD\nHEAD", "HEAD..HEAD"} {
		if got, err := r.ResolveCommit(t.Context(), rev); err == nil {
			t.Errorf("%q = %s", rev, got)
		}
	}
	if _, err := lastHash([]byte("--end-of-options\n")); err == nil {
		t.Error("an answer without an id is accepted")
	}
}

func TestCurrentBranch(t *testing.T) {
	t.Parallel()
	made, r, _ := repoWithHistory(t, 1)
	for _, c := range []struct {
		args []string
		want RefName
	}{
		{[]string{"status"}, "refs/heads/main"},
		{[]string{"checkout", "-q", "-b", "feat/한국어"}, "refs/heads/feat/한국어"},
		{[]string{"checkout", "-q", "--orphan", "unborn"}, "refs/heads/unborn"},
		{[]string{"checkout", "-q", "--detach", "main"}, ""},
	} {
		made.Git(c.args...)
		if got, err := r.CurrentBranch(t.Context()); got != c.want || err != nil {
			t.Errorf("after %q: %q, %v", c.args, got, err)
		}
	}
	made.Write(".git/HEAD", "nonsense\n")
	if got, err := r.CurrentBranch(t.Context()); err == nil {
		t.Errorf("broken HEAD: %q", got)
	}
}

func TestFileOfARevision(t *testing.T) {
	t.Parallel()
	made, r, _ := repoWithHistory(t, 2)
	for rev, want := range map[string]string{"HEAD:file": "1", "HEAD~1:file": "0", ":file": "1"} {
		if got, err := r.File(t.Context(), rev); string(got) != want || err != nil {
			t.Errorf("%q = %q, %v", rev, got, err)
		}
	}
	made.Git("update-ref", "refs/heads/-f", "HEAD")
	for _, rev := range []string{"HEAD:none", "HEAD", "none:file", "", "--batch", "-f:none", "--textconv"} {
		if got, err := r.File(t.Context(), rev); err == nil {
			t.Errorf("%q = %q", rev, got)
		}
	}
}

func TestGitErrorSpeaksForPeople(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args         []string
		stderr, want string
	}{
		{[]string{"-c", "a=b", "-C", "x", "--bare", "status", "-s"}, "fatal: bad thing\nmore\n", "git status: bad thing"},
		{[]string{"add"}, "warning: w\nhint: h\n\nerror: that\n", "git add: that"},
		{[]string{"add"}, "", "git add: " + ErrMissing.Error()},
		{nil, "error: fatal: x", "git: fatal: x"},
		{[]string{"--version"}, "plain\n", "git : plain"},
	} {
		e := &GitError{Args: c.args, Stderr: c.stderr, Err: ErrMissing}
		if got := e.Error(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	if ExitCode(ErrMissing) != -1 {
		t.Error("exit code of no git error")
	}
}

func TestCommitsBetween(t *testing.T) {
	t.Parallel()
	made, r, c := repoWithHistory(t, 5)
	made.Git("config", "log.showSignature", "true")
	for _, most := range []int{0, 1, 3, 4, 5, 9} {
		want := strings.Fields(made.Git("rev-list", string(c[0])+".."+string(c[4])))
		got, more, err := r.CommitsBetween(t.Context(), c[0], c[4], most)
		if err != nil || more != (most < len(want)) || len(got) != min(most, len(want)) {
			t.Fatalf("at most %d: %v, more %v, %v", most, got, more, err)
		}
		for i, h := range got {
			if string(h) != want[i] {
				t.Errorf("at most %d: %v, want %v", most, got, want)
			}
		}
	}
	if got, more, err := r.CommitsBetween(t.Context(), c[2], c[2], 5); err != nil || more || len(got) != 0 {
		t.Errorf("nothing between: %v, %v, %v", got, more, err)
	}
	if _, _, err := r.CommitsBetween(t.Context(), "--all", c[2], 5); err == nil {
		t.Error("an option was taken for an id")
	}
	if _, _, err := r.CommitsBetween(t.Context(), Hash(strings.Repeat("1", 40)), c[2], 5); err == nil {
		t.Error("a missing commit is no error")
	}
}
