package gitops

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// forked makes a repository where two branches go apart: each commits some files, nil
// content removes one.
func forked(t *testing.T, ours, theirs map[string]string) (*Repo, string) {
	t.Helper()
	dir := t.TempDir()
	sh := func(args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir, cmd.Env = dir, forkEnv()
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	write := func(files map[string]string) {
		for name, text := range files {
			path := filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		sh("add", "-A")
		sh("commit", "-q", "--allow-empty", "-m", "x")
	}
	sh("init", "-q", "-b", "ours")
	write(map[string]string{"deep/er/file": "1\n2\n3\n4\n5\n6\n7\n", "same": "same\n", "moved": strings.Repeat("a line that stays\n", 9)})
	sh("checkout", "-q", "-b", "theirs")
	write(theirs)
	sh("checkout", "-q", "ours")
	write(ours)
	r, err := Open(t.Context(), Options{Dir: dir, Env: forkEnv()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r, dir
}

func forkEnv() []string {
	return append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull,
		"GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t")
}

func tips(t *testing.T, r *Repo) (ours, theirs Hash) {
	t.Helper()
	values, err := r.RefValues(t.Context(), "refs/heads/ours", "refs/heads/theirs")
	if err != nil {
		t.Fatal(err)
	}
	return values["refs/heads/ours"], values["refs/heads/theirs"]
}

// mergeWays are with git's merge-tree, and with a git that has none.
var mergeWays = map[string]func(*Repo, *testing.T, Hash, Hash) (Hash, []string, error){
	"merge-tree": func(r *Repo, t *testing.T, a, b Hash) (Hash, []string, error) { return r.MergeTree(t.Context(), a, b) },
	"beside": func(r *Repo, t *testing.T, a, b Hash) (Hash, []string, error) {
		return r.mergeBeside(t.Context(), a, b)
	},
}

func TestMergeTree(t *testing.T) {
	t.Parallel()
	for name, merge := range mergeWays {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, dir := forked(t, map[string]string{"deep/er/file": "0\n1\n2\n3\n4\n5\n6\n7\n", "a": "a\n"}, map[string]string{"deep/er/file": "1\n2\n3\n4\n5\n6\n7\n8\n", "b/c": "c\n"})
			ours, theirs := tips(t, r)
			before, err := os.ReadDir(filepath.Join(dir, ".git"))
			if err != nil {
				t.Fatal(err)
			}
			tree, conflicts, err := merge(r, t, ours, theirs)
			if err != nil || len(conflicts) > 0 {
				t.Fatalf("%v %v", conflicts, err)
			}
			list, err := r.FlattenTree(t.Context(), tree)
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, e := range list {
				names = append(names, e.Name)
			}
			if !slices.Equal(names, []string{"a", "b/c", "deep/er/file", "moved", "same"}) {
				t.Errorf("merged %q", names)
			}
			w := r.NewObjects()
			if err := r.KeepTree(t.Context(), w, tree, ours, theirs); err != nil {
				t.Fatal(err)
			}
			// The root, two folders on the way and the one file that neither side has so.
			if len(w.order) != 4 || w.content(tree) == nil {
				t.Errorf("kept %d objects", len(w.order))
			}
			after, err := os.ReadDir(filepath.Join(dir, ".git"))
			if err != nil || len(after) != len(before) {
				t.Errorf("left over: %v, was %v", after, before)
			}
			if same, _, err := merge(r, t, ours, ours); err != nil || same == "" {
				t.Errorf("with itself: %q %v", same, err)
			}
		})
	}
}

func TestMergeTreeConflicts(t *testing.T) {
	t.Parallel()
	for name, merge := range mergeWays {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, dir := forked(t, map[string]string{"deep/er/file": "ours\n", "new\nline": "a\n"}, map[string]string{"deep/er/file": "theirs\n", "new\nline": "b\n", "other": "b\n"})
			ours, theirs := tips(t, r)
			tree, conflicts, err := merge(r, t, ours, theirs)
			if err != nil || tree != "" || !slices.Equal(conflicts, []string{"deep/er/file", "new\nline"}) {
				t.Errorf("%q %q %v", tree, conflicts, err)
			}
			if _, err := os.Stat(filepath.Join(dir, ".git", "MERGE_HEAD")); err == nil {
				t.Error("a merge is under way")
			}
			if entries, _ := os.ReadDir(filepath.Join(dir, ".git", "worktrees")); len(entries) > 0 {
				t.Errorf("worktrees %v", entries)
			}
		})
	}
}

func TestMergeTreeRefuses(t *testing.T) {
	t.Parallel()
	r, _ := forked(t, nil, nil)
	ours, _ := tips(t, r)
	for name, merge := range mergeWays {
		if _, _, err := merge(r, t, ours, Hash(strings.Repeat("1", 40))); err == nil {
			t.Errorf("%s: a missing commit was merged", name)
		}
	}
	if _, _, err := r.MergeTree(t.Context(), ours, "--help"); err == nil {
		t.Error("an option was merged")
	}
}
