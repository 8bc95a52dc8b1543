package main

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// bytesBelow is every file below a folder, with its mode and a digest of its bytes.
func bytesBelow(t *testing.T, dirs ...string) string {
	t.Helper()
	var all []string
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			line := path + " " + info.Mode().String()
			if info.Mode().IsRegular() {
				data, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				line += fmt.Sprintf(" %x %s", sha256.Sum256(data), info.ModTime().Format(time.RFC3339Nano))
			}
			all = append(all, line)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return strings.Join(all, "\n")
}

// changedLines lists what two lists of lines do not have in common.
func changedLines(before, after string) string {
	var out []string
	old, now := strings.Split(before, "\n"), strings.Split(after, "\n")
	for _, line := range old {
		if !slices.Contains(now, line) {
			out = append(out, "- "+line)
		}
	}
	for _, line := range now {
		if !slices.Contains(old, line) {
			out = append(out, "+ "+line)
		}
	}
	return strings.Join(out, "\n")
}

// TestHooksNeverWrite holds pre-commit and pre-push to leave every byte as it is: those of
// the git directory, the work tree and a stage's worktree, whether they end by
// themselves, by Ctrl-C or by a kill at any moment. Field report E17.
func TestHooksNeverWrite(t *testing.T) {
	b := newBench(t, 2)
	started := b.run(b.repo.Dir, "stage", "start", "1", "--print-path")
	if started.code != 0 {
		t.Fatalf("start: %+v", started)
	}
	stage := strings.TrimSpace(started.out)
	in := func(dir string, words ...string) {
		t.Helper()
		cmd := exec.Command("git", words...)
		cmd.Dir, cmd.Env = dir, b.repo.Env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v: %s", words, err, out)
		}
	}
	for dir, name := range map[string]string{stage: "db.go", b.repo.Dir: "bad.md"} {
		text := "package x\n\nimport \"database/sql\"\n\nvar _ = sql.Open\n"
		if name == "bad.md" {
			text = "# Bad\n\n## 5.5 Stage Map\n\nnothing\n"
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		in(dir, "add", name)
	}
	in(stage, "commit", "-qm", "db")
	in(stage, "reset", "-q", "--soft", "HEAD~1")
	tip := strings.TrimSpace(b.repo.Git("rev-parse", "HEAD"))
	zero := strings.Repeat("0", len(tip))
	push := "refs/heads/main " + tip + " refs/heads/main " + zero + "\nrefs/heads/x " + tip + " refs/heads/x " + zero + "\n(delete) " + zero + " refs/okstra/a " + tip + "\n"
	for _, c := range []struct {
		name, dir, input string
		words            []string
		code             int
	}{
		{"a bad plan", b.repo.Dir, "", []string{"hooks", "run", "pre-commit"}, 1},
		{"a stage's surfaces", stage, "", []string{"hooks", "run", "pre-commit"}, 1},
		{"a push", b.repo.Dir, push, []string{"hooks", "run", "pre-push", "origin", "../hub.git"}, 1},
		{"a push from a stage", stage, push, []string{"hooks", "run", "pre-push", "origin", "../hub.git"}, 1},
		{"a range", b.repo.Dir, "", []string{"ci", "--base", "HEAD~1"}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := bytesBelow(t, b.repo.Dir, stage)
			run := func(kill time.Duration, signal os.Signal) int {
				cmd := exec.Command("git-okstra", c.words...)
				cmd.Dir, cmd.Env, cmd.Stdin = c.dir, b.repo.Env, strings.NewReader(c.input)
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				if signal != nil {
					time.Sleep(kill)
					_ = cmd.Process.Signal(signal) // it may have ended by now
				}
				_ = cmd.Wait() // the code is looked at
				return cmd.ProcessState.ExitCode()
			}
			if code := run(0, nil); code != c.code {
				t.Errorf("exit %d, want %d", code, c.code)
			}
			for i := range 12 {
				signal := os.Signal(os.Kill)
				if i%2 == 1 {
					signal = os.Interrupt
				}
				run(time.Duration(i*i)*time.Millisecond, signal)
			}
			time.Sleep(50 * time.Millisecond) // a git that was left alone ends
			if after := bytesBelow(t, b.repo.Dir, stage); after != before {
				t.Errorf("changed:\n%s", changedLines(before, after))
			}
		})
	}
}
