package gitops

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// TestLookAtWreck: refs are seen as git showed them while it still could, from the main
// worktree, a folder in it and a linked one.
func TestLookAtWreck(t *testing.T) {
	t.Setenv("GIT_CEILING_DIRECTORIES", "")
	top := t.TempDir()
	sh := func(script string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "sh", "-ec", script)
		cmd.Dir = top
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	sh(`git init -q r; cd r; git commit -q --allow-empty -m one; git worktree add -q ../w
for n in 1 2 3; do git update-ref refs/okstra/a/b/c/done/$n HEAD; done; git update-ref refs/other/x HEAD
git pack-refs --all; git commit -q --allow-empty -m two; git update-ref refs/okstra/a/b/c/done/2 HEAD
git update-ref refs/okstra/a/b/c/plan HEAD; mkdir sub; git for-each-ref --format='%(objectname) %(refname)' refs/okstra >../want
echo rubbish >.git/refs/okstra/a/b/c/base; rm .git/HEAD`)
	want, err := os.ReadFile(filepath.Join(top, "want"))
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{"r", "r/sub", "w", "r/.git"} {
		w := LookAtWreck(filepath.Join(top, at), "refs/okstra")
		var got string
		for _, ref := range w.Refs {
			got += string(ref.Hash) + " " + string(ref.Name) + "\n"
		}
		if got != string(want) || !slices.Equal(w.Broken, []RefName{"refs/okstra/a/b/c/base"}) || !slices.Equal(w.Lacks, []string{"HEAD"}) {
			t.Errorf("%s: %+v\nwant\n%s", at, w, want)
		}
	}
	t.Setenv("GIT_DIR", filepath.Join(top, "r", ".git"))
	if w := LookAtWreck(top, "refs/okstra/"); len(w.Refs) != 4 {
		t.Errorf("by GIT_DIR: %+v", w)
	}
	t.Setenv("GIT_DIR", "")
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(top))
	if w := LookAtWreck(top, "refs/okstra"); w.GitDir != "" || w.Refs != nil {
		t.Errorf("outside: %+v", w)
	}
}
