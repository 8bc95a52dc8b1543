//go:build !linux

package testrepo

import (
	"os"
	"runtime"
	"testing"
)

// ObeyModes ends the test where the modes of files do not count for this user.
func ObeyModes(t testing.TB) {
	t.Helper()
	if runtime.GOOS == "windows" || os.Geteuid() == 0 {
		t.Skip("modes of files do not count for this user")
	}
}
