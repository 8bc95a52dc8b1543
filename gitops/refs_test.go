package gitops

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"git-okstra/internal/testrepo"
)

// refNames are names at every rule of git-check-ref-format(1).
var refNames = []string{
	"refs/heads/main", "refs/okstra/p/g/t/done/1", "a/b", "main", "", "/", "a//b", "/a/b", "a/b/", "a/b.", "a./b", "a/.b", ".a/b",
	"a/b.lock", "a.lock/b", "a/b.lock.x", "a/..b", "a/b..c", "a/b~1", "a/b^", "a/b:c", "a/b?", "a/b*", "a/[b", "a/b]", "a/b\\c",
	"a/b c", "a/\tb", "a/b\x7f", "a/\x01", "a/@", "@/a", "@", "a/@{b", "a/{b}", "a/b@", "refs/heads/-b", "refs/한국어/naïve",
	"a/\xff\xfe", "a/" + strings.Repeat("b", 300), "a/b\nc", "a/b.LOCK", "a/\u2028b", "a/\u00a0",
}

// gitAccepts asks the real git about one name.
func gitAccepts(s *sandbox, name string) bool {
	_, err := s.try("", nil, "", "check-ref-format", name)
	return err == nil
}

func TestValidRefNameAsGit(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	accepted := 0
	for _, name := range refNames {
		want := gitAccepts(s, name)
		if got := ValidRefName(RefName(name)); got != want {
			t.Errorf("%q: %v, git says %v", name, got, want)
		}
		if want {
			accepted++
		}
	}
	if accepted < 10 || accepted > len(refNames)-10 {
		t.Errorf("git accepts %d of %d: the table tries one side only", accepted, len(refNames))
	}
	if ValidRefName("a/b\x00c") {
		t.Error("a name with a NUL byte, which git cannot even be asked about")
	}
}

// TestValidRefNameProperty puts the awkward characters together at random.
func TestValidRefNameProperty(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	pieces := []string{"a", "b", "/", "/", ".", "..", ".lock", "@", "{", "@{", "-", " ", "~", "^", ":", "?", "*", "[", "\\", "\x7f", "é", "\t", "\n"}
	names := rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 6)
	for seed := range 80 {
		name := "a" + strings.Join(names.Example(seed), "") // a dash in front would be an option
		if got, want := ValidRefName(RefName(name)), gitAccepts(s, name); got != want {
			t.Errorf("%q: %v, git says %v", name, got, want)
		}
	}
}

func TestRefsListsPrefixesInGitsOrder(t *testing.T) {
	t.Parallel()
	made, r, calls := openRecipe(t, "linear")
	head := made.Git("rev-parse", "HEAD")
	made.Git("tag", "-a", "-m", "x", "annotated")
	for _, name := range []string{"refs/okstra/b/1", "refs/okstra/a/10", "refs/okstra/a/9", "refs/okstrax/no", "refs/worktree/mine"} {
		made.Git("update-ref", name, head)
	}
	made.Git("symbolic-ref", "refs/okstra/sym", "refs/heads/main")
	calls.take()
	refs, err := r.Refs(t.Context(), "refs/okstra", "refs/worktree", "refs/tags/annotated", "refs/absent")
	if err != nil || calls.take() != 1 {
		t.Fatalf("more than one process, or %v", err)
	}
	var got []string
	for _, ref := range refs {
		got = append(got, string(ref.Name))
		if want := made.Git("rev-parse", string(ref.Name)); string(ref.Hash) != want {
			t.Errorf("%s = %s, git has %s", ref.Name, ref.Hash, want)
		}
	}
	want := []string{
		"refs/okstra/a/10", "refs/okstra/a/9", "refs/okstra/b/1", "refs/okstra/sym", "refs/tags/annotated", "refs/worktree/mine",
	}
	if !slices.Equal(got, want) {
		t.Errorf("refs %q, want %q", got, want)
	}
}

// TestRefValuesAreExact holds that a name is neither a prefix nor a pattern.
func TestRefValuesAreExact(t *testing.T) {
	t.Parallel()
	made, r, _ := openRecipe(t, "one-commit")
	head := Hash(made.Git("rev-parse", "HEAD"))
	made.Git("update-ref", "refs/okstra/dir/below", string(head))
	got, err := r.RefValues(t.Context(), "refs/okstra/dir", "refs/heads/main", "refs/heads/mai", "refs/okstra/*/below")
	if err != nil || !maps.Equal(got, map[RefName]Hash{"refs/heads/main": head}) {
		t.Errorf("values %v, %v", got, err)
	}
}

// TestRefsWhileLocked lists while a writer holds lock files, as for-each-ref can.
func TestRefsWhileLocked(t *testing.T) {
	t.Parallel()
	made, r, _ := openRecipe(t, "one-commit")
	made.Write(".git/refs/heads/main.lock", "")
	made.Write(".git/packed-refs.lock", "")
	if refs, err := r.Refs(t.Context(), "refs/heads"); err != nil || len(refs) != 1 {
		t.Errorf("refs %v, %v", refs, err)
	}
}

func TestRefsFailureIsNoEmptyList(t *testing.T) {
	t.Parallel()
	made, r, _ := openRecipe(t, "one-commit")
	made.Write(".git/config", "[broken\n")
	if refs, err := r.Refs(t.Context(), "refs/heads"); err == nil || ExitCode(err) != 128 {
		t.Errorf("refs %v, %v", refs, err)
	}
	if _, err := r.RefValues(t.Context(), "refs/heads/main"); err == nil {
		t.Error("values without an error")
	}
}

func TestHashForms(t *testing.T) {
	t.Parallel()
	sha1, sha256 := strings.Repeat("0a", 20), strings.Repeat("0a", 32)
	for h, want := range map[string]bool{
		sha1: true, sha256: true, "": false, sha1[1:]: false, sha1 + "a": false, strings.ToUpper(sha1): false,
		sha1[1:] + "g": false, sha1[1:] + "\n": false, sha256[:63] + "/": false,
	} {
		if Hash(h).Valid() != want {
			t.Errorf("%q: %v", h, !want)
		}
	}
	for h, want := range map[Hash]string{"": "", "abc": "abc", Hash(sha1): sha1[:10]} {
		if h.Short() != want {
			t.Errorf("short %q = %q", h, h.Short())
		}
	}
}

func TestRepositoriesOfBothFormats(t *testing.T) {
	t.Parallel()
	for recipe, digits := range map[string]int{"one-commit": 40, "sha256": 64} {
		made, r, _ := openRecipe(t, recipe)
		head := Hash(made.Git("rev-parse", "HEAD"))
		tx := Transaction{Reason: "x"}
		tx.Create("refs/okstra/x", head)
		tx.Verify("refs/okstra/y", "")
		if err := r.Apply(t.Context(), tx); err != nil {
			t.Fatal(recipe, err)
		}
		values, err := r.RefValues(t.Context(), "refs/okstra/x")
		if err != nil || values["refs/okstra/x"] != head || len(head) != digits {
			t.Errorf("%s: %v, %v", recipe, values, err)
		}
	}
}

// repoWithHistory is a repository with a few commits on main, oldest first.
func repoWithHistory(t testing.TB, n int) (made *testrepo.Repo, r *Repo, commits []Hash) {
	t.Helper()
	made, r, _ = openRecipe(t, "empty")
	for i := range n {
		made.Write("file", fmt.Sprint(i))
		commits = append(commits, Hash(made.Commit(fmt.Sprint(i))))
	}
	return made, r, commits
}
