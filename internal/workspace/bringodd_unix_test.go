//go:build unix

package workspace

import (
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
)

// TestBroughtOddFiles: what cannot be copied is told, and the rest comes.
func TestBroughtOddFiles(t *testing.T) {
	t.Parallel()
	w := included(t, "folder", "*.ign")
	w.Write("folder/deep/file", "text\n")
	w.Write("folder/deep/.git/HEAD", "x\n")
	w.Write("folder/good", "text\n")
	w.Write("folder/closed/file", "text\n")
	w.Write("a\nb.ign", "odd name\n")
	w.Write(":(top)x.ign", "odd name\n")
	w.Write("\xff.ign", "odd name\n")
	w.must(syscall.Mkfifo(w.path("folder/pipe"), 0o666))
	w.must(os.Symlink("/", w.path("folder/root")))
	w.must(os.Chmod(w.path("folder/closed"), 0o555))
	t.Cleanup(func() { _ = os.Chmod(w.path("folder/closed"), 0o755) })
	target, res := w.mustProvision("HEAD")
	for _, name := range []string{"folder/good", "folder/closed/file", "folder/root", "a\nb.ign", ":(top)x.ign", "\xff.ign"} {
		if !exists(filepath.Join(target.Path, name)) {
			t.Errorf("%q did not come along", name)
		}
	}
	for _, name := range []string{"folder/deep", "folder/pipe"} {
		if exists(filepath.Join(target.Path, name)) {
			t.Errorf("%q came along", name)
		}
	}
	want := []string{
		`"folder/deep" was not copied: a repository of its own`,
		`"folder/pipe" was not copied: neither a file nor a folder nor a link`,
	}
	slices.Sort(res.Warnings)
	if !slices.Equal(res.Warnings, want) {
		t.Errorf("warnings %q", res.Warnings)
	}
	if got := w.Git("-C", target.Path, "status", "--porcelain"); got != "" {
		t.Errorf("status %q", got)
	}
	info, err := os.Stat(filepath.Join(target.Path, "folder/closed"))
	w.must(err)
	if info.Mode().Perm() != 0o755 { // it must be possible to empty it
		t.Errorf("mode %v", info.Mode())
	}
	w.Git("worktree", "remove", "--force", target.Path) // the closed folder too
}
