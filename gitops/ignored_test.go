package gitops

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestIgnoredPaths holds which folders are told as a whole, and which by what is in them.
func TestIgnoredPaths(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.git("", "init", "-q", "-b", "main", "r")
	for name, text := range map[string]string{
		".gitignore": "whole/\n*.ign\nparts/*\n", "tracked.ign": "x", "plain": "x", "whole/a/b": "x", "whole/c.ign": "x",
		"only/a.ign": "x", "mixed/a.ign": "x", "mixed/b": "x", "parts/a": "x", "odd\nname.ign": "x", "sub/.git/HEAD": "ref: x",
	} {
		s.write("r/"+name, text)
	}
	s.git("", "init", "-q", "-b", "main", "r/own")
	s.write("r/own/x.ign", "x")
	s.git("r", "add", "-f", ".gitignore", "tracked.ign")
	s.git("r", "-c", "user.name=a", "-c", "user.email=b@c", "commit", "-qm", "x")
	dir := filepath.Join(s.dir, "r")
	repo, err := Open(t.Context(), Options{Dir: dir, Env: s.env})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(repo.Close)
	wt, ok, err := repo.WorktreeAt(t.Context(), dir)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	same := func(what string, got []string, err error, want ...string) {
		t.Helper()
		slices.Sort(got)
		slices.Sort(want)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v\nwant %q", what, got, err, want)
		}
	}
	got, err := repo.IgnoredPaths(t.Context(), wt)
	same("ignored", got, err, "whole/", "only/a.ign", "mixed/a.ign", "parts/a", "odd\nname.ign")
	got, err = repo.ListedPaths(t.Context(), wt, []string{"only", "*.ign", "!mixed"}, "")
	same("listed", got, err, "only/", "mixed/a.ign", "odd\nname.ign", "whole/c.ign")
	s.write("r/list", "plain\n/whole/a\n")
	got, err = repo.ListedPaths(t.Context(), wt, nil, "list")
	same("in a file", got, err, "plain", "whole/a/")
	got, err = repo.ListedPaths(t.Context(), wt, []string{"nothing"}, "")
	same("nothing", got, err)

	ask := []string{"whole/x", "whole", "new.ign", "tracked.ign", ":(top)z.ign", "odd\nname.ign", "plain", "parts"}
	ignored, err := repo.WouldIgnore(t.Context(), wt, ask)
	same("would", slices.Collect(maps.Keys(ignored)), err, "whole/x", "whole", "new.ign", ":(top)z.ign", "odd\nname.ign")
	ignored, err = repo.WouldIgnore(t.Context(), wt, []string{"plain"})
	same("would not", slices.Collect(maps.Keys(ignored)), err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := repo.WouldIgnore(ctx, wt, ask); err == nil {
		t.Error("a failure is no answer")
	}
	if _, err := repo.IgnoredPaths(ctx, wt); err == nil {
		t.Error("a failure is no answer")
	}
}

// TestEnvOutside: nothing that git calls local to a repository is left.
func TestEnvOutside(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.git("", "init", "-q", "-b", "main", "r")
	vars := strings.Fields(s.git("", "rev-parse", "--local-env-vars"))
	if len(vars) < 10 {
		t.Fatalf("%q", vars)
	}
	r := &Repo{}
	r.runner.env = []string{"HOME=/h", "GIT_CONFIG_KEY_0=a.b", "GIT_CONFIG_VALUE_0=c", "GIT_AUTHOR_NAME=me"}
	for _, v := range vars {
		r.runner.env = append(r.runner.env, v+"=x")
	}
	if got := r.EnvOutside(); !slices.Equal(got, []string{"HOME=/h", "GIT_AUTHOR_NAME=me"}) {
		t.Errorf("%q", got)
	}
}

// TestConfigInt reads numbers as git does.
func TestConfigInt(t *testing.T) {
	t.Parallel()
	c := parseConfig([]byte("local\x00a.n\n2k\x00local\x00a.bad\nmany\x00local\x00a.bare\x00"), os.TempDir())
	if n, err := c.Int("a.n", 1); n != 2048 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if n, err := c.Int("a.none", 7); n != 7 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	for _, key := range []string{"a.bad", "a.bare"} {
		if _, err := c.Int(key, 1); err == nil || !strings.Contains(err.Error(), key) {
			t.Errorf("%s: %v", key, err)
		}
	}
}
