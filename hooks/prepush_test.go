package hooks

import (
	"slices"
	"strings"
	"testing"

	"git-okstra/gitops"
	"git-okstra/internal/testrepo"
)

func TestParsePushes(t *testing.T) {
	t.Parallel()
	a, b, none := id("a"), id("b"), id("0")
	long := strings.Repeat("c", 64)
	for _, c := range []struct {
		in    string
		want  []Push
		fails bool
	}{
		{in: ""},
		{in: "\n"},
		{in: "refs/heads/x " + a + " refs/heads/y " + b + "\n", want: []Push{{"refs/heads/x", gitops.Hash(a), "refs/heads/y", gitops.Hash(b)}}},
		{in: "HEAD@{1 day ago} " + a + " refs/heads/y " + none + "\n", want: []Push{{"HEAD@{1 day ago}", gitops.Hash(a), "refs/heads/y", ""}}},
		{in: "(delete) " + none + " refs/heads/y " + b, want: []Push{{"(delete)", "", "refs/heads/y", gitops.Hash(b)}}},
		{in: "x " + long + " refs/heads/y " + strings.Repeat("0", 64) + "\r\n", want: []Push{{"x", gitops.Hash(long), "refs/heads/y", ""}}},
		{in: "x " + a + " y " + b + "\nz " + b + " y " + none + "\n", want: []Push{{"x", gitops.Hash(a), "y", gitops.Hash(b)}, {"z", gitops.Hash(b), "y", ""}}},
		{in: "x " + a + " y\n", fails: true},
		{in: "x y z w\n", fails: true},
		{in: "x " + a[:10] + " y " + b + "\n", fails: true},
		{in: "--all\n", fails: true},
	} {
		got, err := ParsePushes([]byte(c.in))
		if !slices.Equal(got, c.want) || (err != nil) != c.fails {
			t.Errorf("%q: %v, %v", c.in, got, err)
		}
	}
}

func TestProtected(t *testing.T) {
	t.Parallel()
	for name, want := range map[gitops.RefName]bool{
		"refs/okstra/a/b/c/plan": true, "refs/notes/okstra/a/b/c": true, "refs/notes/okstra-qa/a/b/c": true,
		"refs/okstra-local/x": false, "refs/okstra-remote/origin/state/x": false, "refs/notes/commits": false, "refs/notes/okstra": false,
		"refs/heads/refs/okstra/x": false, "refs/heads/okstra/": false,
	} {
		if Protected(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}

// TestHarm judges pushes of protected refs over real commits and tags.
func TestHarm(t *testing.T) {
	t.Parallel()
	made := testrepo.New(t, "linear")
	made.Git("tag", "-a", "-m", "one", "one", "HEAD")
	made.Git("tag", "-a", "-m", "two", "two", "HEAD")
	made.Git("checkout", "-q", "--detach", "HEAD~1")
	made.Git("commit", "-q", "--allow-empty", "-m", "aside")
	repo, err := gitops.Open(t.Context(), gitops.Options{Dir: made.Dir, Env: made.Env})
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	at := func(rev string) gitops.Hash { return gitops.Hash(strings.TrimSpace(made.Git("rev-parse", rev))) }
	const ref = "refs/okstra/a/b/c/done/1"
	for _, c := range []struct {
		name string
		push Push
		want string
	}{
		{"new", Push{New: at("main"), Remote: ref}, ""},
		{"forward", Push{New: at("main"), Remote: ref, Old: at("main~1")}, ""},
		{"same", Push{New: at("main"), Remote: ref, Old: at("main")}, ""},
		{"deleted", Push{Remote: ref, Old: at("main")}, "would delete it"},
		{"back", Push{New: at("main~1"), Remote: ref, Old: at("main")}, "would take it back from "},
		{"aside", Push{New: at("HEAD"), Remote: ref, Old: at("main")}, "would take it back from "},
		{"unknown", Push{New: at("main"), Remote: ref, Old: gitops.Hash(id("1"))}, "which this clone does not have"},
		{"another tag", Push{New: at("two"), Remote: ref, Old: at("one")}, "by another tag"},
		{"a tag for a commit", Push{New: at("two"), Remote: ref, Old: at("main")}, "by another tag"},
		{"a branch", Push{Remote: "refs/heads/main", Old: at("main")}, ""},
	} {
		got, err := c.push.Harm(t.Context(), repo)
		if err != nil || (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, %v; want %q", c.name, got, err, c.want)
		}
	}
}

// TestPushedFiles holds what counts as new to what the remote does not have.
func TestPushedFiles(t *testing.T) {
	t.Parallel()
	made := testrepo.New(t, "empty")
	made.Write("old.md", "old")
	made.Write("code.go", "package x")
	made.Commit("one")
	made.Git("update-ref", "refs/remotes/up/main", "HEAD")
	made.Write("new.md", "new")
	made.Write("new.go", "package y")
	made.Write("plans/x.txt", "x")
	made.Commit("two")
	made.Git("config", "remote.up.url", "../up.git")
	repo, err := gitops.Open(t.Context(), gitops.Options{Dir: made.Dir, Env: made.Env})
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	at := func(rev string) gitops.Hash { return gitops.Hash(strings.TrimSpace(made.Git("rev-parse", rev))) }
	for _, c := range []struct {
		name, url string
		old       gitops.Hash
		remote    string
		want      string
	}{
		{"up", "../up.git", "", "up", "new.md plans/x.txt"},
		{"../up.git", "../up.git", "", "up", "new.md plans/x.txt"},
		{"../other.git", "../other.git", "", "", "code.go new.go new.md old.md plans/x.txt"},
		{"../other.git", "../other.git", at("HEAD~1"), "", "new.md plans/x.txt"},
		{"../other.git", "../other.git", at("HEAD"), "", ""},
		{"../other.git", "../other.git", gitops.Hash(id("1")), "", "code.go new.go new.md old.md plans/x.txt"},
	} {
		p := Push{New: at("HEAD"), Remote: "refs/heads/main", Old: c.old}
		pushed, err := NewPushed(t.Context(), repo, c.name, c.url, []Push{p})
		if err != nil {
			t.Fatal(err)
		}
		files, err := pushed.Files(t.Context(), p.New, PlanGlobs{"plans/*"})
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, f := range files {
			names = append(names, f.Path)
		}
		if got := strings.Join(names, " "); got != c.want || pushed.Remote != c.remote {
			t.Errorf("%s, %s: %q at %q, want %q at %q", c.name, c.old.Short(), got, pushed.Remote, c.want, c.remote)
		}
	}
}
