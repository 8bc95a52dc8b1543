package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
)

// TestChainView: at a terminal there is a line for each stage under way, with what it said
// last, made harmless; at the end only what is to stay is left.
func TestChainView(t *testing.T) {
	b := newBench(t, 2)
	stop := filepath.Join(t.TempDir(), "stop")
	const width, height = 60, 24
	term := &terminal{t: t, shows: vt.NewEmulator(width, height)}
	term.open()
	term.resize(width, height)
	term.follow()
	term.cmd = exec.Command("git-okstra", "chain", "-j", "2", "--", "sh", "-c",
		`printf 'first\nat \033[2J %s, and so on, a line that is longer than this terminal\n' $OKSTRA_STAGE; while ! test -e "$0"; do sleep 0.01; done; git commit -q --allow-empty -m x`, stop)
	term.cmd.Dir, term.cmd.Env = b.repo.Dir, slices.Concat(b.repo.Env, []string{"TERM=xterm"})
	term.cmd.Stdin, term.cmd.Stdout, term.cmd.Stderr = term.slave, term.slave, term.slave
	term.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 0}
	if err := term.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	term.awaits(`at \x1b[2J 1, and so on`)
	term.awaits(`at \x1b[2J 2, and so on`)
	lines := strings.Split(term.screen(), "\n")
	if len(lines) != 4 || lines[0] != "stage 1/2 started" || lines[1] != "stage 2/2 started" ||
		!strings.HasPrefix(lines[2], "stage 1  ") || !strings.HasPrefix(lines[3], "stage 2  ") || !strings.HasSuffix(lines[3], "…") {
		t.Errorf("the view:\n%s", term.screen())
	}
	b.repo.Git("init", "-q", "--bare", stop)
	if code := term.ends(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	term.awaits("done in ")
	screen := term.screen()
	if strings.Contains(screen, "so on") || strings.Count(screen, "done → ") != 2 || strings.Count(screen, "\n") != 4 {
		t.Errorf("at the end:\n%s", screen)
	}
}

// chainAt starts a chain of one stage at a terminal that is its own; without a worker, it
// is that of the configuration.
func (b *bench) chainAt(worker ...string) *terminal {
	b.t.Helper()
	const width, height = 100, 24
	term := &terminal{t: b.t, shows: vt.NewEmulator(width, height)}
	term.open()
	term.resize(width, height)
	term.follow()
	args := []string{"chain", "1"}
	if len(worker) > 0 {
		args = append(append(args, "--"), worker...)
	}
	term.cmd = exec.Command("git-okstra", args...)
	term.cmd.Dir, term.cmd.Env = b.repo.Dir, slices.Concat(b.repo.Env, []string{"TERM=xterm"})
	term.cmd.Stdin, term.cmd.Stdout, term.cmd.Stderr = term.slave, term.slave, term.slave
	term.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 0}
	if err := term.cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	return term
}

// TestChainTerminal: a worker has no terminal, so that asking there is a failure instead of
// a stop for ever; what is typed and what becomes of the terminal is for the chain.
func TestChainTerminal(t *testing.T) {
	b := newBench(t, 1)
	term := b.chainAt("sh", "-c", "read answer </dev/tty")
	term.types("yes\r")
	if code := term.ends(); code != exitFindings {
		t.Errorf("exit code %d:\n%s", code, term.screen())
	}
	term.awaits("error: stage 1: failed: the command ended with exit code ")

	mark := filepath.Join(t.TempDir(), "typed")
	term = b.chainAt("sh", "-c", chainLoop, mark)
	await(t, mark+".pid")
	term.types("\x03")
	if code := term.ends(); code != exitInterrupted {
		t.Errorf("exit code %d:\n%s", code, term.screen())
	}
	term.awaits("interrupted (interrupt)")
	noWorker(t, mark)

	mark = filepath.Join(t.TempDir(), "closed")
	term = b.chainAt("sh", "-c", chainLoop, mark)
	await(t, mark+".pid")
	if err := term.slave.Close(); err != nil {
		t.Error(err)
	}
	if err := term.master.Close(); err != nil {
		t.Error(err)
	}
	if code := term.ends(); code != exitInterrupted {
		t.Errorf("after the terminal was closed: exit code %d", code)
	}
	noWorker(t, mark)
	b.wholesome()
}

// TestChainSuspended: Ctrl-Z holds the worker as well, and both go on.
func TestChainSuspended(t *testing.T) {
	b := newBench(t, 1)
	mark := filepath.Join(t.TempDir(), "w")
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = null.Close() }()
	cmd := b.looping(mark, null, null, "")
	text, err := os.ReadFile(mark + ".pid")
	if err != nil {
		t.Fatal(err)
	}
	held := func(pid string, want bool) {
		t.Helper()
		for range 1000 {
			stat, err := os.ReadFile("/proc/" + pid + "/stat")
			if err != nil {
				t.Fatal(err)
			}
			if _, state, _ := strings.Cut(string(stat), ") "); strings.HasPrefix(state, "T") == want {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Fatalf("process %s is not held: %v", pid, !want)
	}
	chain, worker := fmt.Sprint(cmd.Process.Pid), strings.TrimSpace(string(text))
	for range 2 {
		for _, c := range []struct {
			sig  syscall.Signal
			held bool
		}{{syscall.SIGTSTP, true}, {syscall.SIGCONT, false}} {
			if err := cmd.Process.Signal(c.sig); err != nil {
				t.Error(err)
			}
			held(chain, c.held)
			held(worker, c.held)
		}
	}
	if err := os.WriteFile(mark+".stop", nil, 0o666); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil || b.rows("done") != 1 {
		t.Errorf("%v, %d done rows", err, b.rows("done"))
	}
}

// TestChainAsks: at a terminal it is asked whether a command may run; anything but yes is
// no, and what was agreed to is not asked again.
func TestChainAsks(t *testing.T) {
	b := newBench(t, 1)
	b.repo.Git("config", "okstra.executor", "git commit -q --allow-empty -m 'by \x1b[2J the executor'; exit 5")
	for _, c := range []struct {
		types string
		code  int
		then  string
	}{
		{"\r", exitGate, "hint: if you want that, run the same command once with --trust"},
		{"no\r", exitGate, "hint: if you want that"},
		{"\x04", exitGate, "hint: if you want that"},
		{"\x03", exitInterrupted, "interrupted"},
		{"Y\r", exitFindings, "the command ended with exit code 5"},
		{"", exitFindings, "the command ended with exit code 5"},
	} {
		term := b.chainAt()
		if c.types != "" {
			term.awaits("okstra.executor: git commit -q --allow-empty -m 'by \\x1b[2J the executor'")
			term.awaits("Let it run here from now on? [y/N]")
			term.types(c.types)
		}
		if code := term.ends(); code != c.code {
			t.Errorf("%q: exit code %d:\n%s", c.types, code, term.screen())
		}
		term.awaits(c.then)
	}
}
