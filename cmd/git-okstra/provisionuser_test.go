//go:build unix

package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

const nobody = 65534

// asOrdinary gives the bench's repository to a user whom permissions hold back, and has
// commands run as that user: root may write everywhere.
func (b *bench) asOrdinary() func(args ...string) outcome {
	b.t.Helper()
	program := filepath.Join(b.t.TempDir(), "git-okstra")
	b.copyProgram(program)
	for _, dir := range []string{b.repo.Dir, b.home, filepath.Dir(program), b.envValue("HOME")} {
		b.giveAway(dir)
	}
	return func(args ...string) outcome {
		b.t.Helper()
		var out, errOut bytes.Buffer
		cmd := exec.Command(program, args...)
		cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = b.repo.Dir, b.repo.Env, &out, &errOut
		if os.Getuid() == 0 {
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		}
		err := cmd.Run()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			b.t.Fatal(err)
		}
		return outcome{cmd.ProcessState.ExitCode(), out.String(), errOut.String()}
	}
}

func (b *bench) envValue(name string) string {
	for _, kv := range b.repo.Env {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			return v
		}
	}
	return ""
}

// copyProgram puts the command where every user may run it.
func (b *bench) copyProgram(to string) {
	b.t.Helper()
	from, err := exec.LookPath("git-okstra")
	if err != nil {
		b.t.Fatal(err)
	}
	in, err := os.Open(from)
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		b.t.Fatal(err)
	}
	_, err = io.Copy(out, in)
	if err := errors.Join(err, out.Close(), os.Chmod(to, 0o755)); err != nil {
		b.t.Fatal(err)
	}
}

// giveAway makes a folder the ordinary user's, and the way to it open, and gives it back
// at the end.
func (b *bench) giveAway(dir string) {
	b.t.Helper()
	if os.Getuid() != 0 {
		return
	}
	b.sh("chown -R 65534:65534 " + dir)
	for up := dir; strings.HasPrefix(up, os.TempDir()+"/"); up = filepath.Dir(up) {
		b.sh("chmod a+rx " + up)
	}
	b.t.Cleanup(func() { b.sh("chmod -R u+w " + dir + "; chown -R 0:0 " + dir) })
}

func (b *bench) sh(script string) {
	b.t.Helper()
	cmd := exec.Command("sh", "-c", script)
	cmd.Dir, cmd.Env = b.repo.Dir, b.repo.Env
	if out, err := cmd.CombinedOutput(); err != nil {
		b.t.Fatalf("%s: %v: %s", script, err, out)
	}
}

// trusted lets git of this test's own user look at the repository.
func (b *bench) trusted() {
	b.t.Helper()
	b.repo.Git("config", "--global", "safe.directory", "*")
}

// TestReadOnlySource provisions from a source in which nothing may be written. The new
// worktree's files may be written all the same.
func TestReadOnlySource(t *testing.T) {
	t.Parallel()
	b := newBench(t, 1)
	b.trusted()
	run := b.asOrdinary()
	b.sh("chmod -R a-w plan.md src; chmod a-w .")
	b.old()
	t.Cleanup(func() { b.sh("chmod u+w . src") })
	o := run("stage", "start", "1", "-v")
	if o.code != 0 || !strings.Contains(o.errOut, "2 files copied, 0 written by git") {
		t.Fatalf("%+v", o)
	}
	info, err := os.Stat(filepath.Join(b.stagePath(1), "src", "main.txt"))
	if err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if got := b.repo.Git("-C", b.stagePath(1), "status", "--porcelain"); got != "" {
		t.Errorf("status %q", got)
	}
}

// TestNoPermission takes the right to write away from one place after the other.
func TestNoPermission(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"root":            `chmod a-w "$OKSTRA_HOME"`,
		"task's folder":   `mkdir -p "$OKSTRA_HOME/worktrees/demo/greeter/HELLO-1"; chmod a-w "$OKSTRA_HOME/worktrees/demo/greeter/HELLO-1"`,
		"git's worktrees": `mkdir -p .git/worktrees; chmod a-w .git/worktrees`,
		"git folder":      `chmod -R a-w .git`,
		"branches":        `chmod a-w .git/refs/heads`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, 1)
			b.trusted()
			run := b.asOrdinary()
			b.sh(`umask 0; ` + script + `; chown -R 65534:65534 "$OKSTRA_HOME" .git 2>/dev/null; true`)
			o := run("stage", "start", "1")
			if o.code != exitEnvironment || !strings.Contains(strings.ToLower(o.errOut), "permission denied") || strings.Count(o.errOut, "error: ") != 1 {
				t.Errorf("%+v", o)
			}
			b.sh(`chmod -R u+w .git "$OKSTRA_HOME"`)
			b.nothingOf(name)
			b.wholesome()
			if o := run("stage", "start", "1"); o.code != 0 {
				t.Errorf("when it may: %+v", o)
			}
		})
	}
}
