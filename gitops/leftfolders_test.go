package gitops

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestLeftFolders: only what a merge of ours makes is listed; what was written to after
// the look is not removed.
func TestLeftFolders(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	old := time.Now().Add(-2 * time.Hour)
	folder := func(name string, mode os.FileMode) string {
		t.Helper()
		dir := filepath.Join(os.TempDir(), name)
		if err := os.MkdirAll(filepath.Join(dir, "objects"), mode); err != nil {
			t.Fatal(err)
		}
		for _, f := range []string{filepath.Join(dir, "objects"), dir} {
			if err := os.Chtimes(f, old, old); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	mine, used := folder("git-okstra-merge-1", 0o700), folder("git-okstra-merge-2", 0o700)
	folder("git-okstra-merge-3", 0o755)
	folder("git-okstra-other", 0o700)
	if err := os.WriteFile(filepath.Join(os.TempDir(), "git-okstra-merge-4"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	left := (&Repo{}).LeftFolders()
	if len(left) != 2 || left[0].Path != mine || left[1].Path != used || !left[0].Folder || left[0].Time.Unix() != old.Unix() {
		t.Fatalf("%+v", left)
	}
	if err := os.WriteFile(filepath.Join(used, "objects", "x"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := left[0].Remove(); err != nil || exists(mine) {
		t.Errorf("%v: it is there", err)
	}
	if err := left[0].Remove(); err != nil {
		t.Errorf("one that is gone: %v", err)
	}
	if err := left[1].Remove(); err == nil || !exists(used, "objects", "x") {
		t.Errorf("one in use: %v", err)
	}
}
