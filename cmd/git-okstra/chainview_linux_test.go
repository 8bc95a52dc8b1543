package main

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

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
