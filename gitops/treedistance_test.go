package gitops

import "testing"

// TestTreeDistance counts what a tree has and another has not, on both levels, and stops at
// the bound.
func TestTreeDistance(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("a")
	commit := func(files ...string) Hash {
		t.Helper()
		s.git("a", "rm", "-r", "-q", "-f", "--ignore-unmatch", ".")
		for _, f := range files {
			s.write("a/"+f, f)
		}
		s.git("a", "add", "-A")
		s.git("a", "commit", "-q", "--allow-empty", "-m", "x")
		return Hash(s.git("a", "rev-parse", "HEAD"))
	}
	all := commit("one", "sub/two", "sub/deep/three", "other/four", "other/five")
	r := s.open("a")
	for _, c := range []struct {
		have        Hash
		limit, want int
	}{
		{all, 9, 0},
		{commit("one", "sub/two", "sub/deep/three", "other/four", "other/five", "more", "sub/deep/more", "x/y"), 9, 0},
		{commit("one", "sub/two", "sub/deep/three", "other/four"), 9, 1},
		{commit("one", "sub/two", "sub/deep/other", "other/four"), 9, 2},
		{commit("one", "sub", "other/five"), 9, 3},
		{commit("nothing"), 9, 5},
		{commit("nothing"), 2, 2},
		{commit(), 9, 5},
	} {
		if got, err := r.TreeDistance(t.Context(), all, c.have, c.limit); err != nil || got != c.want {
			t.Errorf("%s: %d, %v, want %d", s.git("a", "ls-tree", "-r", "--name-only", string(c.have)), got, err, c.want)
		}
	}
	if _, err := r.TreeDistance(t.Context(), all, Hash(s.git("a", "rev-parse", "HEAD:")+"0"), 9); err == nil {
		t.Error("no error for what is no object")
	}
}

// TestGuessTip asks for a branch as a file, packed, gone, and for a detached HEAD.
func TestGuessTip(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("a")
	head := Hash(s.git("a", "rev-parse", "HEAD"))
	r := s.open("a")
	on := func(branch RefName) Hash { return r.GuessTip(Worktree{Branch: branch}) }
	s.git("a", "branch", "-f", "x/y")
	s.git("a", "branch", "-f", "x/y.z")
	if got := on("refs/heads/x/y"); got != head {
		t.Errorf("a file: %q", got)
	}
	s.git("a", "pack-refs", "--all")
	if got := on("refs/heads/x/y"); got != head {
		t.Errorf("packed: %q", got)
	}
	for _, name := range []RefName{"refs/heads/x", "refs/heads/gone", "refs/../config", "../../x"} {
		if got := on(name); got != "" {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got := r.GuessTip(Worktree{Head: head}); got != head {
		t.Errorf("detached: %q", got)
	}
}
