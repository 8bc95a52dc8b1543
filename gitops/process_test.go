package gitops

import (
	"os"
	"os/exec"
	"runtime"
	"testing"
)

// TestProcessEnded: a process is told from one that has ended, from one that nobody
// waited for yet, and from a newer one of the same number.
func TestProcessEnded(t *testing.T) {
	pid, start := os.Getpid(), ProcessStart(os.Getpid())
	if ProcessEnded(pid, start) || ProcessEnded(pid, "") {
		t.Error("this process has ended")
	}
	if ProcessEnded(0, "") || ProcessEnded(-1, "1") {
		t.Error("no process has ended")
	}
	cmd := exec.Command("git", "--version")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	if !ProcessEnded(cmd.Process.Pid, "") {
		t.Error("a process that was waited for runs")
	}
	if runtime.GOOS != "linux" {
		return
	}
	if start == "" || !ProcessEnded(pid, start+"0") {
		t.Errorf("start time %q and another one are the same process", start)
	}
	zombie := exec.Command("git", "hash-object", "--stdin")
	in, err := zombie.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := zombie.Start(); err != nil {
		t.Fatal(err)
	}
	born := ProcessStart(zombie.Process.Pid)
	if born == "" || ProcessEnded(zombie.Process.Pid, born) {
		t.Errorf("a process that started at %q has ended", born)
	}
	_ = in.Close()
	for state := ""; state != "Z"; state, _ = processStat(zombie.Process.Pid) {
		runtime.Gosched()
	}
	if !ProcessEnded(zombie.Process.Pid, born) {
		t.Error("a process that has ended, and that nobody waited for, runs")
	}
	_ = zombie.Wait()
}
