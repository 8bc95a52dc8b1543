package testrepo

import (
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// ObeyModes makes the modes of files count for the rest of the test, also for root: it takes
// from this thread, until the test ends, the capabilities that pass over them. Processes
// that are started meanwhile have them again. The test must not start goroutines for what
// it tries.
func ObeyModes(t testing.TB) {
	t.Helper()
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
}
