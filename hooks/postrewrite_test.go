package hooks

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"git-okstra/gitops"
	"git-okstra/internal/testrepo"
)

// kept is a carrier that remembers.
type kept struct {
	list []Rewrite
	why  string
	err  error
}

func (k *kept) Carry(_ context.Context, list []Rewrite, why string) error {
	k.list, k.why = list, why
	return k.err
}

func id(c string) string { return strings.Repeat(c, 40) }

// TestPostRewrite reads what git gives to the hook.
func TestPostRewrite(t *testing.T) {
	t.Parallel()
	made := testrepo.New(t, "one-commit")
	repo, err := gitops.Open(t.Context(), gitops.Options{Dir: made.Dir, Env: made.Env})
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	one, two, three := gitops.Hash(id("1")), gitops.Hash(id("2")), gitops.Hash(id("3"))
	for _, c := range []struct {
		word, in string
		during   string // a folder of an operation that is under way
		want     []Rewrite
		fails    bool
	}{
		{word: "amend", in: id("1") + " " + id("2") + "\n", want: []Rewrite{{one, two}}},
		{word: "rebase", in: id("1") + " " + id("3") + "\n" + id("2") + " " + id("3") + " more\n\n", want: []Rewrite{{one, three}, {two, three}}},
		{word: "rebase", in: id("1") + " " + id("2"), during: "rebase-merge", want: []Rewrite{{one, two}}},
		{word: "amend", in: id("1") + " " + id("2"), during: "rebase-merge"},
		{word: "amend", in: id("1") + " " + id("2"), during: "rebase-apply"},
		{word: "rebase", in: id("1") + " " + id("1") + "\n", want: nil},
		{word: "amend", in: ""},
		{word: "other", in: id("1") + " " + id("2"), want: []Rewrite{{one, two}}},
		{word: "amend", in: id("1") + "\n", fails: true},
		{word: "amend", in: "HEAD HEAD^\n", fails: true},
		{word: "amend", in: id("1") + " --all\n", fails: true},
		{word: "amend", in: strings.Repeat("x", 1<<17), fails: true},
	} {
		if c.during != "" {
			if err := os.Mkdir(filepath.Join(repo.GitDir(), c.during), 0o777); err != nil {
				t.Fatal(err)
			}
		}
		k := &kept{}
		err := PostRewrite(t.Context(), repo, c.word, strings.NewReader(c.in), k)
		if (err != nil) != c.fails || !slices.Equal(k.list, c.want) || c.want != nil && k.why != c.word {
			t.Errorf("%s %.90q: %v %q, %v", c.word, c.in, k.list, k.why, err)
		}
		if c.during != "" {
			if err := os.Remove(filepath.Join(repo.GitDir(), c.during)); err != nil {
				t.Fatal(err)
			}
		}
	}
	broken := errors.New("broken")
	if err := PostRewrite(t.Context(), repo, "amend", strings.NewReader(id("1")+" "+id("2")), &kept{err: broken}); !errors.Is(err, broken) {
		t.Errorf("the carrier's error is lost: %v", err)
	}
}
