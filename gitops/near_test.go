package gitops

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// opened opens a repository of the sandbox and counts its git processes.
func (s *sandbox) opened(dir string) (*Repo, *int) {
	s.t.Helper()
	calls := 0
	r, err := Open(s.t.Context(), Options{Dir: s.path(dir), Env: s.env, Trace: func(Call) { calls++ }})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(r.Close)
	calls = 0
	return r, &calls
}

// commitOn makes a commit on parents and gives its id.
func (s *sandbox) commitOn(dir, text string, parents ...string) string {
	args := []string{"commit-tree", s.git(dir, "rev-parse", "HEAD^{tree}"), "-m", text}
	for _, p := range parents {
		args = append(args, "-p", p)
	}
	return s.git(dir, args...)
}

// TestNearAncestor: in a graph of any form the answer is git's, and what is near takes no
// process.
func TestNearAncestor(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r")
	commits := []string{s.git("r", "rev-parse", "HEAD")}
	var edges [][2]string
	for i := range 20 {
		parents := []string{commits[max(0, len(commits)-1-i%4)]}
		if i%3 == 0 && len(commits) > 5 {
			parents = append(parents, commits[len(commits)-5])
		}
		slices.Sort(parents)
		made := s.commitOn("r", strconv.Itoa(i), slices.Compact(parents)...)
		commits, edges = append(commits, made), append(edges, [2]string{parents[0], made})
	}
	other := s.commitOn("r", "root")
	commits = append(commits, other)
	r, calls := s.opened("r")
	for _, b := range commits {
		below := strings.Fields(s.git("r", "rev-list", b))
		for _, a := range commits {
			if yes, known := r.nearAncestor(t.Context(), Hash(a), Hash(b)); known && yes != slices.Contains(below, a) {
				t.Errorf("%s of %s: %v", a, b, yes)
			}
		}
	}
	for _, e := range edges {
		for want, pair := range map[bool][2]string{true: e, false: {e[1], e[0]}} {
			if got, err := r.IsAncestor(t.Context(), Hash(pair[0]), Hash(pair[1])); err != nil || got != want {
				t.Errorf("%q: %v, %v", pair, got, err)
			}
		}
	}
	if *calls != 0 {
		t.Errorf("%d processes for near commits", *calls)
	}
	if _, err := r.IsAncestor(t.Context(), Hash(other), Hash(commits[0])); err != nil || *calls != 1 {
		t.Errorf("other history: %d processes, %v", *calls, err)
	}
	if _, err := r.IsAncestor(t.Context(), Hash(strings.Repeat("1", 40)), Hash(commits[0])); err == nil {
		t.Error("a commit that is not there is compared")
	}
}

// TestNearAncestorCut: where git takes other parents than a commit names, git is asked.
func TestNearAncestorCut(t *testing.T) {
	t.Parallel()
	for name, cut := range map[string]func(s *sandbox, first, second string){
		"shallow": func(s *sandbox, _, second string) { s.write("r/.git/shallow", second+"\n") },
		"grafts":  func(s *sandbox, _, second string) { s.write("r/.git/info/grafts", second+"\n") },
		"replaced": func(s *sandbox, _, second string) {
			s.git("r", "replace", second, s.commitOn("r", "alone"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			s.repo("r")
			first := s.git("r", "rev-parse", "HEAD")
			second := s.commitOn("r", "second", first)
			r, calls := s.opened("r")
			cut(s, first, second)
			if got, err := r.IsAncestor(t.Context(), Hash(first), Hash(second)); err != nil || got || *calls == 0 {
				t.Errorf("%v, %v with %d processes", got, err, *calls)
			}
		})
	}
}

// TestTreeChangesAgreeWithGit: files, folders in their place, links, modes and submodules
// come and go, and both lists are the same.
func TestTreeChangesAgreeWithGit(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r")
	r, calls := s.opened("r")
	blob, commit := s.git("r", "rev-parse", "HEAD:file.txt"), s.git("r", "rev-parse", "HEAD")
	other, err := s.try("r", nil, "other", "hash-object", "-w", "--stdin")
	if err != nil {
		t.Fatal(err)
	}
	kinds := []string{"100644 " + blob, "100755 " + blob, "120000 " + blob, "100644 " + strings.TrimSpace(other), "160000 " + commit}
	names := []string{"a", "a/x", "a/y/z", "a-b", "a.c", "b/x", "b/y", "ü/한글"}
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same in every run
	draw := func() Hash {
		var in strings.Builder
		taken := map[string]bool{}
		for _, i := range random.Perm(len(names))[:random.IntN(len(names)+1)] {
			dir, _, below := strings.Cut(names[i], "/")
			if below && taken[dir] || taken[names[i]+"/"] {
				continue
			}
			taken[names[i]] = true
			if below {
				taken[dir+"/"] = true
			}
			fmt.Fprintf(&in, "%s\t%s\x00", kinds[random.IntN(len(kinds))], names[i])
		}
		s.git("r", "read-tree", "--empty")
		if _, err := s.try("r", nil, in.String(), "update-index", "-z", "--index-info"); err != nil {
			t.Fatal(err)
		}
		return Hash(s.git("r", "commit-tree", "-m", "x", s.git("r", "write-tree")))
	}
	var commits []Hash
	for range 12 {
		commits = append(commits, draw())
	}
	for i, from := range commits {
		for _, to := range commits[i:] {
			raw := s.git("r", "diff-tree", "-r", "--raw", "-z", "--no-renames", "--no-abbrev", string(from), string(to))
			got, err := r.between(t.Context(), from, to)
			if want := rawDiff([]byte(raw)); err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%v, %v\nwant %v", got, err, want)
			}
			var order []string
			for j, word := range strings.Split(strings.TrimSuffix(raw, "\x00"), "\x00") {
				if j%2 == 1 {
					order = append(order, word)
				}
			}
			if paths, err := r.ChangedPaths(t.Context(), from, to); err != nil || !slices.Equal(paths, order) {
				t.Errorf("%q, %v\nwant %q", paths, err, order)
			}
		}
	}
	if *calls != 0 {
		t.Errorf("%d processes", *calls)
	}
}

// TestCanonicalMode: modes that old writers left are as git shows them.
func TestCanonicalMode(t *testing.T) {
	t.Parallel()
	for mode, want := range map[Mode]Mode{0o100664: ModeFile, 0o100600: ModeFile, 0o100777: ModeExec, 0o40755: ModeTree, 0o120777: 0o120000, 0o160000: ModeGitlink, 0: 0} {
		if got := mode.canonical(); got != want {
			t.Errorf("%o is %o, want %o", mode, got, want)
		}
	}
}
