//go:build unix

package prove

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"git-okstra/internal/testrepo"
)

// TestFolderOfAKilledRun leaves a folder as kill -9 does, with a process that still runs:
// the next run ends it and clears the folder away, and lets those that are in use be.
func TestFolderOfAKilledRun(t *testing.T) {
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		t.Skip("the system does not show environments: such a process is not found")
	}
	t.Setenv("TMPDIR", t.TempDir())
	dead, err := NewFolder()
	if err != nil {
		t.Fatal(err)
	}
	used, err := NewFolder()
	if err != nil {
		t.Fatal(err)
	}
	start := func(mark string) *exec.Cmd {
		cmd := exec.Command("sleep", "600")
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), mark}
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	left, running := start(dead.Mark()), start(used.Mark())
	if err := dead.lock.Close(); err != nil { // as the system does, when its process ends
		t.Fatal(err)
	}
	foreign := filepath.Join(os.TempDir(), folderPrefix+"without-a-lock")
	if err := os.Mkdir(foreign, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(foreign, filepath.Join(os.TempDir(), folderPrefix+"link")); err != nil {
		t.Fatal(err)
	}
	next, err := NewFolder()
	if err != nil {
		t.Fatal(err)
	}
	_ = left.Wait()
	if left.ProcessState.Success() {
		t.Error("what a killed run left behind ended by itself")
	}
	if _, err := os.Stat(dead.Path); !os.IsNotExist(err) {
		t.Errorf("the folder of a killed run is still there (%v)", err)
	}
	for _, at := range []string{used.Path, foreign, next.Path} {
		if _, err := os.Stat(at); err != nil {
			t.Errorf("%s: %v", at, err)
		}
	}
	if err := running.Process.Signal(syscall.Signal(0)); err != nil {
		t.Errorf("what another run started was ended: %v", err)
	}
	endLeftovers(0, used.Mark())
	_ = running.Wait()
	used.Remove()
	next.Remove()
	if _, err := os.Stat(used.Path); !os.IsNotExist(err) {
		t.Errorf("the folder is still there (%v)", err)
	}
}

// TestRemoveWithoutRights: what a script has locked up is removed all the same. It says
// nothing where root runs it.
func TestRemoveWithoutRights(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "x")
	if err := os.MkdirAll(filepath.Join(dir, "a", "b"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a/b", "a", ""} {
		if err := os.Chmod(filepath.Join(dir, name), 0); err != nil {
			t.Fatal(err)
		}
	}
	testrepo.ObeyModes(t)
	removeAll(dir)
	if _, err := os.Lstat(dir); !os.IsNotExist(err) {
		t.Errorf("it is still there (%v)", err)
	}
}
