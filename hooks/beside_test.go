package hooks

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

// TestKilledLeftovers: what a killed process left beside a file goes with the next
// writer, install or uninstall; a living one's, and what only looks so, stays.
func TestKilledLeftovers(t *testing.T) {
	gone := exec.Command("git", "version")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	for name, act := range map[string]func(f Folder, h Hook) error{
		"install":   func(f Folder, h Hook) error { _, err := f.Install(h, "/opt"); return err },
		"uninstall": func(f Folder, h Hook) error { _, err := f.Uninstall(h); return err },
		"replace": func(_ Folder, h Hook) error {
			if err := os.WriteFile(h.Path, []byte("old"), 0o600); err != nil {
				return err
			}
			return replaceFile(h.Path, []byte("new"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			h := Hook{Name: "pre-commit", Path: filepath.Join(dir, "pre-commit")}
			dead := h.Path + newMark + strconv.Itoa(gone.Process.Pid)
			stay := []string{h.Path + newMark + strconv.Itoa(os.Getppid()), h.Path + newMark + "mine", h.Path + "x" + newMark + "1"}
			for _, path := range append(stay, dead) {
				if err := os.WriteFile(path, nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := act(Folder{Path: dir}, h); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Lstat(dead); err == nil {
				t.Errorf("%q is still there", dead)
			}
			for _, path := range stay {
				if _, err := os.Lstat(path); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
