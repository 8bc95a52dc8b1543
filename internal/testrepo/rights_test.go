package testrepo

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestObeyModes: a file without a mode cannot be read while the test runs, and can again, by
// who could before, when it has ended.
func TestObeyModes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(file, []byte("x"), 0); err != nil {
		t.Fatal(err)
	}
	_, before := os.ReadFile(file)
	t.Run("meanwhile", func(t *testing.T) {
		ObeyModes(t)
		if _, err := os.ReadFile(file); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("error %v", err)
		}
	})
	if _, after := os.ReadFile(file); (before == nil) != (after == nil) {
		t.Errorf("before %v, after %v", before, after)
	}
}
