//go:build !linux

package lifecycle

import (
	"os"
	"runtime"
	"testing"
)

// withoutRights takes from this user the right to read a file.
func withoutRights(t *testing.T, file string) {
	t.Helper()
	if runtime.GOOS == "windows" || os.Geteuid() == 0 {
		t.Skip("no mode of a file keeps this user from reading it")
	}
	if err := os.Chmod(file, 0); err != nil {
		t.Fatal(err)
	}
}
