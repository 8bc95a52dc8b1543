package gitops

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// gitWorktrees is `git worktree list --porcelain -z` as a map from path to the branch
// or, detached, the commit. A bare repository is no worktree to us.
func gitWorktrees(s *sandbox, dir string) map[string]string {
	s.t.Helper()
	out := map[string]string{}
	list, err := s.try(dir, nil, "", "worktree", "list", "--porcelain", "-z")
	if err != nil { // before 2.36: a line that begins with no word of git's belongs to the path
		var lines []string
		for line := range strings.SplitSeq(s.git(dir, "worktree", "list", "--porcelain"), "\n") {
			word, _, _ := strings.Cut(line, " ")
			if slices.Contains([]string{"", "worktree", "HEAD", "branch", "detached", "bare", "locked", "prunable"}, word) {
				lines = append(lines, line)
			} else {
				lines[len(lines)-1] += "\n" + line
			}
		}
		list = strings.Join(lines, "\x00")
	}
	path := ""
	for line := range strings.SplitSeq(list, "\x00") {
		key, value, _ := strings.Cut(line, " ")
		switch key {
		case "worktree":
			path = value
		case "HEAD":
			out[path] = value
		case "branch":
			out[path] = value
		}
	}
	return out
}

func ourWorktrees(t *testing.T, r *Repo) map[string]string {
	t.Helper()
	list, err := r.Worktrees(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, wt := range list {
		out[wt.Path] = string(wt.Branch) + string(wt.Head)
		if (wt.ID == "") != (wt.GitDir == r.CommonDir()) {
			t.Errorf("id %q of git dir %q", wt.ID, wt.GitDir)
		}
		if again, ok, err := r.WorktreeAt(t.Context(), wt.Path); !ok || err != nil || again != wt {
			t.Errorf("at %q: %v, %v, %v", wt.Path, again, ok, err)
		}
	}
	return out
}

// TestWorktreesAsGitListsThem builds every odd worktree in one repository and asks
// from several of its places.
func TestWorktreesAsGitListsThem(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("plain")
	for _, args := range [][]string{
		{"add", "-q", "-b", "side", "../side"},
		{"add", "-q", "-b", "deep/branch/name", "../a b/c"},
		{"add", "-q", "--detach", "../detached"},
		{"add", "-q", "-b", "newline", "../new\nline"},
		{"add", "-q", "-b", "unicode", "../한국어"},
		{"add", "-q", "-b", "gone", "../gone"},
		{"add", "-q", "-b", "locked", "--lock", "--reason", "on a\nstick", "../locked"},
		{"add", "-q", "-b", "moved", "../before"},
		{"move", "../before", "../after"},
		{"add", "-q", "-b", "removed", "../removed"},
		{"remove", "../removed"},
	} {
		s.git("plain", append([]string{"worktree"}, args...)...)
	}
	if err := os.RemoveAll(s.path("gone")); err != nil {
		t.Fatal(err)
	}
	want := gitWorktrees(s, "plain")
	if len(want) != 9 {
		t.Fatalf("git lists %q", want)
	}
	for _, dir := range []string{"plain", "plain/.git", "side", "detached", "new\nline"} {
		if got := ourWorktrees(t, s.open(dir)); !maps.Equal(got, want) {
			t.Errorf("from %q: %q, git has %q", dir, got, want)
		}
	}
	if _, ok, err := s.open("plain").WorktreeAt(t.Context(), s.path("removed")); ok || err != nil {
		t.Errorf("removed: %v, %v", ok, err)
	}
}

func TestWorktreesOfBareRepositories(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("src")
	for _, at := range []string{"bare.git", "proj/.bare", "inner/.git"} {
		s.git("", "clone", "-q", "--bare", "src", at)
		s.git(at, "worktree", "add", "-q", s.path(at+"-main"), "main")
		want := gitWorktrees(s, at)
		for _, dir := range []string{at, at + "-main"} {
			if got := ourWorktrees(t, s.open(dir)); len(want) != 1 || !maps.Equal(got, want) {
				t.Errorf("from %q: %q, git has %q", dir, got, want)
			}
		}
	}
}

// TestWorktreesByOtherWays are layouts that `git worktree list` of 2.39 itself gets
// wrong or does not know.
func TestWorktreesByOtherWays(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("plain")
	s.git("plain", "worktree", "add", "-q", "-b", "side", "../side")
	s.write("plain/.git/worktrees/side/gitdir", "../../../../side/.git\n") // as newer git with relative paths
	if got := ourWorktrees(t, s.open("plain")); got[s.path("side")] != "refs/heads/side" {
		t.Errorf("relative: %q", got)
	}
	s.repo("super")
	s.git("super", "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", s.path("plain"), "sub")
	s.git("super/sub", "worktree", "add", "-q", "-b", "feature", s.path("feature"))
	for _, dir := range []string{"super/sub", "feature"} {
		want := map[string]string{s.path("super/sub"): "refs/heads/main", s.path("feature"): "refs/heads/feature"}
		if got := ourWorktrees(t, s.open(dir)); !maps.Equal(got, want) {
			t.Errorf("from %q: %q", dir, got)
		}
	}
	s.write("home/file.txt", "text\n")
	r := s.open("home", "GIT_DIR="+s.path("plain/.git"), "GIT_WORK_TREE="+s.path("home"))
	if got := ourWorktrees(t, r); got[s.path("home")] != "refs/heads/main" {
		t.Errorf("by variables: %q", got)
	}
}

// TestWorktreeAtThroughALink finds a worktree by another name, its folder there or not.
func TestWorktreeAtThroughALink(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("plain")
	s.write("real/x", "")
	if err := os.Symlink("real", s.path("link")); err != nil {
		t.Fatal(err)
	}
	s.git("plain", "worktree", "add", "-q", "-b", "side", "../real/deep/side")
	r := s.open("plain")
	for range 2 {
		for path, want := range map[string]bool{
			"real/deep/side": true, "link/deep/side": true, "link/deep/other": false, "link/deep": false, "deep/side": false,
		} {
			if _, ok, err := r.WorktreeAt(t.Context(), s.path(path)); ok != want || err != nil {
				t.Errorf("%s: %v, %v", path, ok, err)
			}
		}
		if err := os.RemoveAll(s.path("real/deep")); err != nil {
			t.Fatal(err)
		}
	}
}

func TestStatusNamesWhole(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("plain")
	s.write("plain/.gitignore", "ignored\n")
	s.write("plain/old name", "x\n")
	s.git("plain", "add", "-A")
	s.git("plain", "commit", "-q", "-m", "second")
	s.git("plain", "config", "status.showUntrackedFiles", "no")
	s.git("plain", "config", "status.renames", "copies")
	s.git("plain", "worktree", "add", "-q", "-b", "side", "../side")
	r := s.open("side", "GIT_DIR="+s.path("plain/.git/worktrees/side"), "GIT_INDEX_FILE="+s.path("none"))
	if lines, err := r.Status(t.Context(), s.path("plain")); len(lines) != 0 || err != nil {
		t.Fatalf("clean: %q, %v", lines, err)
	}
	s.write("plain/file.txt", "other\n")
	s.write("plain/new\nline", "x")
	s.write("plain/folder/한국어 x", "x")
	s.write("plain/ignored", "x")
	s.git("plain", "mv", "old name", "new name")
	lines, err := r.Status(t.Context(), s.path("plain"))
	want := []string{"A  new name", "D  old name", " M file.txt", "?? folder/", "?? new\nline"}
	slices.Sort(lines)
	slices.Sort(want)
	if err != nil || !slices.Equal(lines, want) {
		t.Errorf("status %q, %v; want %q", lines, err, want)
	}
	if _, err := r.Status(t.Context(), filepath.Dir(s.dir)); err == nil {
		t.Error("status of no worktree")
	}
}
