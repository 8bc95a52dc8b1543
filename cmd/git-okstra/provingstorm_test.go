//go:build linux

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// newProving is a bench whose stage 1 declares tests, is started, and has a commit that
// touches what it declares. script is what proves it.
func newProving(t *testing.T, script string) *bench {
	t.Helper()
	b := newBench(t, 2)
	plan := widePlan(2)
	_, exempt, _ := strings.Cut(plan, "Conformance exemption:")
	exempt, _, _ = strings.Cut(exempt, "\n")
	exempt = "Conformance exemption:" + exempt
	b.repo.Write("plan.md", strings.Replace(plan, exempt, "Conformance tests: stage-1 — qa/scripts/stage-1.sh (requires=[db,http])", 1))
	b.repo.Write("qa/conformance-manifest.json", provingManifest)
	b.repo.Write("qa/scripts/stage-1.sh", script)
	b.must(b.repo.Dir, "plan", "approve", "plan.md")
	b.must(b.repo.Dir, "stage", "start", "1")
	wt := b.stagePath(1)
	if err := os.WriteFile(filepath.Join(wt, "work.go"), []byte(provingWork), 0o666); err != nil {
		t.Fatal(err)
	}
	b.repo.Git("-C", wt, "add", "work.go")
	b.repo.Git("-C", wt, "commit", "-q", "-m", "work")
	return b
}

const provingPass = "printf 'QA-RESULT: PASS\\nREQ R-1: PASS: x\\nREQ R-2: PASS: y\\n'\n"

// results counts the results that are recorded.
func (b *bench) results() int {
	b.t.Helper()
	o := b.run(b.repo.Dir, "stage", "show", "1", "--json")
	if o.code != 0 {
		b.t.Fatalf("stage show: %+v", o)
	}
	_, list, _ := strings.Cut(o.out, `"results":[`)
	list, _, _ = strings.Cut(list, `],"waivers"`)
	return strings.Count(list, `"status":"conformance"`)
}

// TestProvingInterrupted tells a run to end: what it started ends, and nothing of it is
// recorded.
func TestProvingInterrupted(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		b := newProving(t, provingPass+"echo $$ > \"$READY.new\" && mv \"$READY.new\" \"$READY\"\nsleep 600\n")
		ready := filepath.Join(t.TempDir(), "ready")
		cmd := exec.Command("git-okstra", "conform", "run", "1")
		cmd.Dir, cmd.Env = b.repo.Dir, append(slices.Clone(b.repo.Env), "READY="+ready)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
			if _, err := os.Stat(ready); err == nil {
				break
			}
			if time.Now().After(deadline) {
				t.Fatal("the command does not begin")
			}
		}
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code != exitInterrupted {
			t.Errorf("%s: exit code %d, want %d", sig, code, exitInterrupted)
		}
		pid, err := os.ReadFile(ready)
		if err != nil {
			t.Fatal(err)
		}
		if stat, err := os.ReadFile("/proc/" + strings.TrimSpace(string(pid)) + "/stat"); err == nil && !strings.Contains(string(stat), ") Z ") {
			t.Errorf("%s: the command is still there: %s", sig, stat)
		}
		if n := b.results(); n != 0 {
			t.Errorf("%s: %d results", sig, n)
		}
	}
}

// TestProvingKilled kills a run: the same command once more ends what the first one left
// running, takes its folder away, and records one result.
func TestProvingKilled(t *testing.T) {
	t.Parallel()
	temp := t.TempDir()
	ready := filepath.Join(temp, "ready")
	b := newProving(t, "test -e \"$READY\" || { echo $$ > \"$READY.new\"; mv \"$READY.new\" \"$READY\"; sleep 600; }\n"+provingPass)
	b.repo.Env = append(slices.Clone(b.repo.Env), "READY="+ready, "TMPDIR="+temp)
	cmd := exec.Command("git-okstra", "conform", "run", "1")
	cmd.Dir, cmd.Env = b.repo.Dir, b.repo.Env
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(ready); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the command does not begin")
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if o := b.run(b.repo.Dir, "conform", "run", "1"); o.code != 0 {
		t.Errorf("%+v", o)
	}
	if n := b.results(); n != 1 {
		t.Errorf("%d results", n)
	}
	pid, err := os.ReadFile(ready)
	if err != nil {
		t.Fatal(err)
	}
	if stat, err := os.ReadFile("/proc/" + strings.TrimSpace(string(pid)) + "/stat"); err == nil && !strings.Contains(string(stat), ") Z ") {
		t.Errorf("the command of the killed run is still there: %s", stat)
	}
	if left, _ := filepath.Glob(filepath.Join(temp, "okstra-qa-*")); len(left) != 0 {
		t.Errorf("left behind: %q", left)
	}
}

// TestAskedBeforeItRuns answers the question at a terminal, where nobody has agreed yet.
func TestAskedBeforeItRuns(t *testing.T) {
	t.Parallel()
	b := newProving(t, "touch \"$RAN\"\n"+provingPass)
	for name := range strings.FieldsSeq(b.repo.Git("for-each-ref", "--format=%(refname)", "refs/okstra-local/trusted")) {
		b.repo.Git("update-ref", "-d", name)
	}
	ran := filepath.Join(t.TempDir(), "ran")
	for _, step := range []struct {
		answer string
		code   int
		runs   bool
	}{
		{"n\n", exitGate, false},
		{"\n", exitGate, false},
		{"maybe\n", exitGate, false},
		{"yes\n", 0, true},
	} {
		term := b.atTerminalOf(at{width: 200, height: 24, env: []string{"RAN=" + ran}}, b.repo.Dir, "conform", "run", "1")
		term.awaits("conformance command of stage 1: sh")
		term.awaits("[y/N]")
		term.types(step.answer)
		if code := term.ends(); code != step.code {
			t.Errorf("%q: exit code %d, want %d", step.answer, code, step.code)
		}
		if _, err := os.Stat(ran); (err == nil) != step.runs {
			t.Errorf("%q: it ran: %v, want %v", step.answer, err == nil, step.runs)
		}
	}
	// What was agreed to is not asked about again, also without a terminal.
	b.must(b.repo.Dir, "conform", "run", "1")
}
