package gitops

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"git-okstra/internal/testrepo"
)

func openRepo(t *testing.T, made *testrepo.Repo) *Repo {
	t.Helper()
	repo, err := Open(t.Context(), Options{Dir: made.Dir, Env: made.Env})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(repo.Close)
	return repo
}

// numbered makes lines that differ.
func numbered(n int, changes map[int]string) string {
	var b strings.Builder
	for i := range n {
		if text, ok := changes[i]; ok {
			b.WriteString(text + "\n")
		} else {
			fmt.Fprintf(&b, "line %d\n", i)
		}
	}
	return b.String()
}

// TestReplays makes one change again on commits that changed other things.
func TestReplays(t *testing.T) {
	t.Parallel()
	made := testrepo.New(t, "one-commit")
	repo := openRepo(t, made)
	write := func(name, text string) Hash {
		made.Write(name, text)
		made.Git("add", "-A")
		made.Git("commit", "-q", "--allow-empty", "-m", name)
		return Hash(made.Git("rev-parse", "HEAD"))
	}
	from := write("a", numbered(30, nil))
	to := write("a", numbered(30, map[int]string{10: "mine"}))
	for _, c := range []struct {
		name, onto, result string
		replays            bool
	}{
		{"the same place", numbered(30, nil), numbered(30, map[int]string{10: "mine"}), true},
		{"moved down", "top\n" + numbered(30, nil), "top\n" + numbered(30, map[int]string{10: "mine"}), true},
		{"another place", numbered(30, nil), numbered(30, map[int]string{11: "mine"}), false},
		{"more than that", numbered(30, nil), numbered(30, map[int]string{10: "mine", 20: "too"}), false},
		{"other text", "top\n" + numbered(30, nil), "top\n" + numbered(30, map[int]string{10: "mine "}), false},
		{"there before", numbered(30, map[int]string{10: "mine"}), numbered(30, map[int]string{10: "mine"}), true},
		{"the same line", numbered(30, map[int]string{10: "theirs"}), numbered(30, map[int]string{10: "mine"}), false},
	} {
		onto := write("a", c.onto)
		result := write("a", c.result)
		if c.onto == c.result {
			result = onto
		}
		got, err := repo.Replays(t.Context(), Diff{From: from, To: to}, onto, result, []string{"a"}, nil)
		if err != nil || got != c.replays {
			t.Errorf("%s: %v, %v", c.name, got, err)
		}
		if c.onto == c.result {
			continue
		}
		got, err = repo.Remakes(t.Context(), Diff{From: from, To: to}, onto, result)
		if err != nil || got != c.replays {
			t.Errorf("%s, by git's merge: %v, %v", c.name, got, err)
		}
		got, err = remakesAsOfOld(t, repo, Diff{From: from, To: to}, onto, result)
		if err != nil || got != c.replays {
			t.Errorf("%s, by git's merge as of old: %v, %v", c.name, got, err)
		}
	}
	if out := made.Git("fsck", "--no-progress"); out != "" {
		t.Errorf("left behind: %s", out)
	}
	if got := made.Git("count-objects", "-v"); !strings.Contains(got, "garbage: 0") {
		t.Error(got)
	}
}

// remakesAsOfOld is what Remakes does with a git before 2.38.
func remakesAsOfOld(t *testing.T, repo *Repo, change Diff, onto, result Hash) (bool, error) {
	t.Helper()
	tree, err := repo.treeOf(t.Context(), result)
	if err != nil {
		t.Fatal(err)
	}
	return repo.remakesHere(t.Context(), change, onto, tree)
}

// TestRemakesByOldGit: the answer of git 2.37 to an option that it does not know leads to
// the other way.
func TestRemakesByOldGit(t *testing.T) {
	made := testrepo.New(t, "one-commit")
	repo := openRepo(t, made)
	made.Write("old", numbered(20, nil))
	from := Hash(made.Commit("from"))
	made.Write("old", numbered(20, map[int]string{3: "mine"}))
	to := Hash(made.Commit("to"))
	made.Git("checkout", "-q", "--detach", string(from))
	made.Git("mv", "old", "moved")
	onto := Hash(made.Commit("onto"))
	made.Write("moved", numbered(20, map[int]string{3: "mine"}))
	result := Hash(made.Commit("result"))
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	old := "#!/bin/sh\nfor word; do [ \"$word\" != --write-tree ] || exit 129; done\nexec '" + git + "' \"$@\"\n"
	if err := os.WriteFile(filepath.Join(dir, "git"), []byte(old), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	for h, want := range map[Hash]bool{result: true, onto: false} {
		if got, err := repo.Remakes(t.Context(), Diff{from, to}, onto, h); got != want || err != nil {
			t.Errorf("%v, %v; want %v", got, err, want)
		}
	}
}

// TestReplaysWholeFiles: files that come and go, modes, binary content and new names.
func TestReplaysWholeFiles(t *testing.T) {
	t.Parallel()
	made := testrepo.New(t, "one-commit")
	repo := openRepo(t, made)
	made.Write("old", numbered(20, nil))
	made.Write("bin", "\x00one")
	from := Hash(made.Commit("from"))
	made.Write("old", numbered(20, map[int]string{3: "mine"}))
	made.Write("new", "new\n")
	to := Hash(made.Commit("to"))
	made.Write("bin", "\x00two")
	bin := Hash(made.Commit("bin"))
	made.Git("checkout", "-q", "--detach", string(from))
	made.Git("mv", "old", "moved")
	onto := Hash(made.Commit("onto"))
	made.Write("moved", numbered(20, map[int]string{3: "mine"}))
	made.Write("new", "new\n")
	result := Hash(made.Commit("result"))
	names, err := repo.Renamed(t.Context(), from, result, []string{"old", "new", "bin"})
	if err != nil || len(names) != 1 || names["old"] != "moved" {
		t.Fatalf("%v, %v", names, err)
	}
	for _, c := range []struct {
		what         string
		change       Diff
		onto, result Hash
		paths        []string
		names        map[string]string
		want         bool
	}{
		{"under another name", Diff{from, to}, onto, result, []string{"old", "new"}, names, true},
		{"without the name", Diff{from, to}, onto, result, []string{"old"}, nil, false},
		{"a new file", Diff{from, to}, onto, result, []string{"new"}, nil, true},
		{"a file that is gone", Diff{to, from}, to, from, []string{"new"}, nil, true},
		{"still there", Diff{to, from}, to, to, []string{"new"}, nil, false},
		{"binary", Diff{to, bin}, from, bin, []string{"bin"}, nil, true},
		{"another binary", Diff{to, bin}, from, from, []string{"bin"}, nil, false},
		{"from nothing", Diff{"", to}, "", to, []string{"new"}, nil, true},
	} {
		got, err := repo.Replays(t.Context(), c.change, c.onto, c.result, c.paths, c.names)
		if err != nil || got != c.want {
			t.Errorf("%s: %v, %v", c.what, got, err)
		}
	}
	made.Git("config", "merge.renames", "false") // says nothing about what a rebase elsewhere has made
	repo = openRepo(t, made)
	if got, err := repo.Remakes(t.Context(), Diff{from, to}, onto, result); !got || err != nil {
		t.Errorf("git's merge with a rename: %v, %v", got, err)
	}
	if got, err := remakesAsOfOld(t, repo, Diff{from, to}, onto, result); !got || err != nil {
		t.Errorf("git's merge as of old with a rename: %v, %v", got, err)
	}
	gone := Hash(strings.Repeat("1", 40))
	if _, err := repo.Replays(t.Context(), Diff{from, gone}, onto, result, []string{"old"}, nil); err == nil {
		t.Error("a missing commit")
	}
	if _, err := repo.Remakes(t.Context(), Diff{from, to}, onto, gone); err == nil {
		t.Error("a missing commit, by git's merge")
	}
}

// TestCommitsAndTouching look at a small history.
func TestCommitsAndTouching(t *testing.T) {
	t.Parallel()
	made, repo, c := repoWithHistory(t, 5)
	nodes, more, err := repo.Commits(t.Context(), []Hash{c[4]}, []Hash{c[1]}, 0)
	if err != nil || more || len(nodes) != 3 || nodes[0].Hash != c[4] || nodes[2].Parents[0] != c[1] {
		t.Errorf("%v %v %v", nodes, more, err)
	}
	if nodes, more, err := repo.Commits(t.Context(), []Hash{c[4]}, nil, 2); err != nil || !more || len(nodes) != 2 {
		t.Errorf("%v %v %v", nodes, more, err)
	}
	if nodes, more, err := repo.Commits(t.Context(), []Hash{c[4]}, nil, 5); err != nil || more || len(nodes) != 5 {
		t.Errorf("%v %v %v", nodes, more, err)
	}
	if _, _, err := repo.Commits(t.Context(), []Hash{Hash(strings.Repeat("1", 40))}, nil, 0); err == nil {
		t.Error("a missing commit")
	}
	if base, err := repo.CommonBase(t.Context(), c[2], c[4], c[1]); err != nil || base != c[1] {
		t.Errorf("%s %v", base, err)
	}
	made.Git("checkout", "-q", "--orphan", "other")
	other := Hash(made.Commit("other"))
	if base, err := repo.CommonBase(t.Context(), c[2], other); err != nil || base != "" {
		t.Errorf("%s %v", base, err)
	}
	made.Write("*", "star\n")
	made.Write("sub/x y", "x\n")
	star := Hash(made.Commit("star"))
	for _, paths := range [][]string{{"*", "sub/x y"}, append(slices.Repeat([]string{strings.Repeat("long", 100)}, 100), "*", "sub/x y")} {
		got, err := repo.Touching(t.Context(), []Hash{c[1], star}, paths)
		if err != nil || len(got) != 1 || !slices.Equal(got[star], []string{"*", "sub/x y"}) {
			t.Errorf("%d paths: %q %v", len(paths), got, err)
		}
	}
	if repo.Partial() {
		t.Error("not a partial clone")
	}
	made.Git("config", "remote.origin.promisor", "true")
	if !openRepo(t, made).Partial() {
		t.Error("a partial clone")
	}
}
