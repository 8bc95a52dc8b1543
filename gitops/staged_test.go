package gitops

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"git-okstra/internal/testrepo"
)

func names(files []StagedFile) string {
	var out []string
	for _, f := range files {
		word := f.Path
		if f.Mode == 0 {
			word = "-" + word
		}
		out = append(out, word)
	}
	return strings.Join(out, " ")
}

// TestStaged lists what git will commit, whatever the user's settings say of diffs.
func TestStaged(t *testing.T) {
	t.Parallel()
	made := testrepo.New(t, "empty")
	opts := Options{Dir: made.Dir, Env: made.Env}
	if _, err := StagedOnHead(t.Context(), opts); err == nil {
		t.Error("no error without a HEAD")
	}
	made.Write("kept.txt", "kept")
	made.Write("gone.txt", "gone")
	made.Write("old name.txt", "a file that is moved\nwith some lines\nthat git knows again\n")
	made.Commit("one")
	made.Write("kept.txt", "changed")
	made.Write("new\nline \"quoted\".md", "new")
	made.Write("later.md", "later")
	made.Write("untracked.md", "untracked")
	for _, words := range [][]string{
		{"config", "diff.renames", "copies"},
		{"config", "diff.noprefix", "true"},
		{"config", "diff.relative", "true"},
		{"config", "diff.ignoreSubmodules", "all"},
		{"add", "kept.txt", "new\nline \"quoted\".md"},
		{"rm", "-q", "gone.txt"},
		{"mv", "old name.txt", "new name.txt"},
		{"add", "-N", "later.md"},
		{"update-index", "--add", "--cacheinfo", "160000," + strings.Repeat("1", 40) + ",sub"},
	} {
		made.Git(words...)
	}
	const want = "-gone.txt kept.txt new\nline \"quoted\".md new name.txt -old name.txt sub"
	sorted := func(files []StagedFile, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(files, func(a, b StagedFile) int { return strings.Compare(a.Path, b.Path) })
		return names(files)
	}
	if got := sorted(StagedOnHead(t.Context(), opts)); got != want {
		t.Errorf("on HEAD: %q, want %q", got, want)
	}
	repo, err := Open(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	head, err := repo.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := sorted(repo.Staged(t.Context(), head)); got != want {
		t.Errorf("on a commit: %q, want %q", got, want)
	}
	if got := sorted(repo.Staged(t.Context(), "")); got != "kept.txt new\nline \"quoted\".md new name.txt sub" {
		t.Errorf("on nothing: %q", got)
	}
	// another index, as git hands one to a hook
	other := filepath.Join(t.TempDir(), "index")
	data, err := os.ReadFile(filepath.Join(made.Dir, ".git", "index"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(other, data, 0o666); err != nil {
		t.Fatal(err)
	}
	made.Git("reset", "-q")
	if got := sorted(StagedOnHead(t.Context(), Options{Dir: made.Dir, Env: append(made.Env, "GIT_INDEX_FILE="+other)})); got != want {
		t.Errorf("in another index: %q, want %q", got, want)
	}
	if got := sorted(StagedOnHead(t.Context(), opts)); got != "" {
		t.Errorf("after a reset: %q", got)
	}
}

func TestParseRaw(t *testing.T) {
	t.Parallel()
	a, none := strings.Repeat("a", 40), strings.Repeat("0", 40)
	for _, c := range []struct {
		in    string
		want  []StagedFile
		fails bool
	}{
		{in: ""},
		{in: ":000000 100644 " + none + " " + a + " A\x00x y\x00", want: []StagedFile{{"x y", ModeFile, Hash(a)}}},
		{in: ":100644 000000 " + a + " " + none + " D\x00x\x00:100644 120000 " + a + " " + a + " T\x00y\x00", want: []StagedFile{{"x", 0, ""}, {"y", ModeSymlink, Hash(a)}}},
		{in: ":000000 100644 " + none + " " + a + " A\x00", fails: true},
		{in: ":000000 1006x4 " + none + " " + a + " A\x00x\x00", fails: true},
		{in: "nonsense\x00x\x00", fails: true},
	} {
		got, err := parseRaw([]byte(c.in))
		if !slices.Equal(got, c.want) || (err != nil) != c.fails {
			t.Errorf("%q: %v, %v", c.in, got, err)
		}
	}
}

// TestNewPaths lists what commits change that are not known yet.
func TestNewPaths(t *testing.T) {
	t.Parallel()
	made := testrepo.New(t, "empty")
	commit := func(name, text string) Hash {
		made.Write(name, text)
		made.Commit(name)
		return Hash(strings.TrimSpace(made.Git("rev-parse", "HEAD")))
	}
	first := commit("first", "1")
	made.Git("checkout", "-q", "-b", "side")
	side := commit("side", "1")
	made.Git("checkout", "-q", "main")
	second := commit("dir/second file", "1")
	made.Git("merge", "-q", "--no-commit", "side")
	made.Write("first", "2")
	made.Git("add", ".")
	made.Commit("merged")
	merged := Hash(strings.TrimSpace(made.Git("rev-parse", "HEAD")))
	made.Git("update-ref", "refs/remotes/up/main", string(second))
	repo, err := Open(t.Context(), Options{Dir: made.Dir, Env: made.Env})
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	for _, c := range []struct {
		name   string
		known  []Hash
		remote string
		want   string
	}{
		{"all", nil, "", "dir/second file first side"},
		{"from the first", []Hash{first}, "", "dir/second file first side"},
		{"both sides known", []Hash{side, second}, "", "first"},
		{"a remote", nil, "up", "first side"},
		{"a remote and a commit", []Hash{side}, "up", "first"},
		{"a remote of no refs", []Hash{second, side}, "none", "first"},
		{"a name that looks like a pattern", []Hash{second, side}, "u?", "first"},
		{"nothing new", []Hash{merged}, "", ""},
	} {
		paths, err := repo.NewPaths(t.Context(), merged, c.known, c.remote)
		slices.Sort(paths)
		if got := strings.Join(paths, " "); err != nil || got != c.want {
			t.Errorf("%s: %q, %v; want %q", c.name, got, err, c.want)
		}
	}
	for _, c := range []struct {
		paths []string
		want  string
	}{
		{nil, "dir/second file first side"},
		{[]string{}, ""},
		{[]string{"first", "gone", "dir"}, "first"},
		{[]string{"dir/second file", "*"}, "dir/second file"},
		{make([]string, maxNamed+1), ""},
	} {
		files, err := repo.TreeFiles(t.Context(), merged, c.paths)
		if got := names(files); err != nil || got != c.want {
			t.Errorf("%q: %q, %v; want %q", c.paths, got, err, c.want)
		}
	}
	if _, err := repo.NewPaths(t.Context(), Hash(strings.Repeat("1", 40)), nil, ""); err == nil {
		t.Error("no error for a commit that is not there")
	}
}

// TestAddTrailer puts a trailer where git has them, once.
func TestAddTrailer(t *testing.T) {
	t.Parallel()
	made := testrepo.New(t, "empty")
	made.Git("config", "trailer.ifexists", "replace")
	repo, err := Open(t.Context(), Options{Dir: made.Dir, Env: made.Env})
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	for text, want := range map[string]string{
		"subject\n":                          "subject\n\nOkstra-Stage: a:b:c#1\n",
		"subject\n\nSigned-off-by: x\n":      "subject\n\nSigned-off-by: x\nOkstra-Stage: a:b:c#1\n",
		"subject\n\nOkstra-Stage: a:b:c#1\n": "subject\n\nOkstra-Stage: a:b:c#1\n",
		"subject\n\nOkstra-Stage: a:b:c#2\n": "subject\n\nOkstra-Stage: a:b:c#2\nOkstra-Stage: a:b:c#1\n",
		"subject\n\n# a comment\n":           "subject\n\nOkstra-Stage: a:b:c#1\n\n# a comment\n",
	} {
		file := filepath.Join(t.TempDir(), "--message")
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := repo.AddTrailer(t.Context(), file, Trailer{"Okstra-Stage", "a:b:c#1"}); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != want {
			t.Errorf("%q became %q, %v; want %q", text, got, err, want)
		}
	}
	if err := repo.AddTrailer(t.Context(), "nowhere", Trailer{"A", "b"}); err == nil {
		t.Error("no error for a file that is not there")
	}
}
