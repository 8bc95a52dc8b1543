package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// terminal is a pseudo-terminal with a command at it.
type terminal struct {
	t      *testing.T
	master *os.File
	slave  *os.File
	cmd    *exec.Cmd
	out    bytes.Buffer // the command's standard output, which is no terminal
	mu     sync.Mutex
	shown  bytes.Buffer // what came on the terminal
}

// atTerminal starts git-okstra with a terminal of 80 by 24 as standard input and error.
func (b *bench) atTerminal(dir string, args ...string) *terminal {
	b.t.Helper()
	term := &terminal{t: b.t}
	term.open()
	term.cmd = exec.Command("git-okstra", args...)
	term.cmd.Dir, term.cmd.Env = dir, slices.Concat(b.repo.Env, []string{"TERM=xterm"})
	term.cmd.Stdin, term.cmd.Stdout, term.cmd.Stderr = term.slave, &term.out, term.slave
	term.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 0}
	if err := term.cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	return term
}

func (term *terminal) open() {
	term.t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		term.t.Fatal(err)
	}
	fd := int(master.Fd())
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80})
	}
	if err != nil {
		term.t.Fatal(err)
	}
	term.slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		term.t.Fatal(err)
	}
	term.master = master
	term.t.Cleanup(func() { _, _ = master.Close(), term.slave.Close() })
	go func() {
		buf := make([]byte, 4096)
		for {
			n, err := master.Read(buf)
			term.mu.Lock()
			term.shown.Write(buf[:n])
			term.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
}

// screen is everything that came on the terminal so far.
func (term *terminal) screen() string {
	term.mu.Lock()
	defer term.mu.Unlock()
	return term.shown.String()
}

// awaits waits until a text came on the terminal after its first skip bytes, and returns
// how many came until then.
func (term *terminal) awaits(skip int, text string) int {
	term.t.Helper()
	for range 3000 {
		if s := term.screen(); len(s) >= skip && strings.Contains(s[skip:], text) {
			return len(s)
		}
		time.Sleep(10 * time.Millisecond)
	}
	_ = term.cmd.Process.Kill()
	term.t.Fatalf("no %q on the terminal:\n%q", text, term.screen())
	return 0
}

// types sends keys.
func (term *terminal) types(keys string) {
	term.t.Helper()
	if _, err := term.master.WriteString(keys); err != nil {
		term.t.Error(err)
	}
}

// ends waits for the command and returns its exit code. One that does not end is killed,
// and then the code is -1.
func (term *terminal) ends() int {
	term.t.Helper()
	stuck := time.AfterFunc(time.Minute, func() { _ = term.cmd.Process.Kill() })
	defer stuck.Stop()
	_ = term.cmd.Wait()
	return term.cmd.ProcessState.ExitCode()
}

// mode is how the terminal is set.
func (term *terminal) mode() unix.Termios {
	term.t.Helper()
	m, err := unix.IoctlGetTermios(int(term.slave.Fd()), unix.TCGETS)
	if err != nil {
		term.t.Fatal(err)
	}
	return *m
}
