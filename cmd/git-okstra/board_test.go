package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// TestBoardWatch: a watched board follows the refs and loads itself anew; the page that
// Ctrl-C leaves does not.
func TestBoardWatch(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no signals")
	}
	b := newBench(t, 2)
	file := filepath.Join(t.TempDir(), "b.html")
	cmd := exec.Command("git-okstra", "board", "--watch", "--out", file)
	cmd.Dir, cmd.Env = b.repo.Dir, b.repo.Env
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	page := func() string {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Error(err)
		}
		return string(text)
	}
	const reload, begun = `http-equiv="refresh"`, `<article id="stage-1" class="active"`
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != file+"\n" {
		t.Fatalf("%q %v", line, err)
	}
	if text := page(); !strings.Contains(text, reload) || strings.Contains(text, begun) {
		t.Error("the first page is not as it should be")
	}
	b.must(b.repo.Dir, "stage", "start", "1")
	told := bufio.NewReader(said)
	for line := ""; !strings.Contains(line, "1 active"); { // it may look between two of the start's steps
		if line, err = told.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	if text := page(); !strings.Contains(text, reload) || !strings.Contains(text, begun) {
		t.Error("the page did not follow")
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if text := page(); cmd.ProcessState.ExitCode() != exitInterrupted || strings.Contains(text, reload) || !strings.Contains(text, begun) {
		t.Errorf("exit code %d; the last page reloads: %v", cmd.ProcessState.ExitCode(), strings.Contains(text, reload))
	}
}

// TestBoardsAtOnce: of many that write one file each reader finds a whole page, and nothing
// is left beside it.
func TestBoardsAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "b.html")
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			text := strings.Repeat(string(rune('a'+i)), 1<<16)
			for range 20 {
				if err := writeWhole(file, []byte(text)); err != nil {
					t.Error(err)
				}
				got, err := os.ReadFile(file)
				if err != nil || len(got) != len(text) || strings.Trim(string(got), string(got[:1])) != "" {
					t.Errorf("%d bytes, %v", len(got), err)
				}
			}
		})
	}
	all.Wait()
	if list, err := os.ReadDir(dir); err != nil || len(list) != 1 {
		t.Errorf("%d files, %v", len(list), err)
	}
}
