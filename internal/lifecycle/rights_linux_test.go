package lifecycle

import (
	"os"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// withoutRights takes from the rest of the test, which must not be spread over goroutines,
// the right to read a file: by its mode, and from root the capabilities that pass over
// modes, of this thread and until the test ends.
func withoutRights(t *testing.T, file string) {
	t.Helper()
	if err := os.Chmod(file, 0); err != nil {
		t.Fatal(err)
	}
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var had [2]unix.CapUserData
	if err := unix.Capget(&header, &had[0]); err != nil {
		t.Fatal(err)
	}
	left := had
	left[0].Effective &^= 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_DAC_READ_SEARCH
	if err := unix.Capset(&header, &left[0]); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Capset(&header, &had[0]); err != nil {
			t.Fatal(err)
		}
	})
	if f, err := os.Open(file); err == nil {
		_ = f.Close()
		t.Fatal("it can be read all the same")
	}
}
