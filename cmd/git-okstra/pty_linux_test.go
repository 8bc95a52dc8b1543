package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
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
	bytes  bytes.Buffer // what came on the terminal
	shows  *vt.Emulator // what a person sees of it
	before unix.Termios // how the terminal was
}

// at is how a command's terminal is to be.
type at struct {
	width, height int
	env           []string
	out           bool // standard output is the terminal too
}

// atTerminal starts git-okstra with a terminal of 80 by 24 as standard input and error.
func (b *bench) atTerminal(dir string, args ...string) *terminal {
	b.t.Helper()
	return b.atTerminalOf(at{width: 80, height: 24}, dir, args...)
}

func (b *bench) atTerminalOf(a at, dir string, args ...string) *terminal {
	b.t.Helper()
	term := &terminal{t: b.t, shows: vt.NewEmulator(a.width, a.height)}
	term.open()
	term.resize(a.width, a.height)
	term.follow()
	term.before = term.mode()
	term.cmd = exec.Command("git-okstra", args...)
	term.cmd.Dir, term.cmd.Env = dir, slices.Concat(b.repo.Env, []string{"TERM=xterm"}, a.env)
	term.cmd.Stdin, term.cmd.Stdout, term.cmd.Stderr = term.slave, &term.out, term.slave
	if a.out {
		term.cmd.Stdout = term.slave
	}
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
	if err != nil {
		term.t.Fatal(err)
	}
	term.slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		term.t.Fatal(err)
	}
	term.master = master
	term.t.Cleanup(func() { _, _, _ = term.shows.Close(), master.Close(), term.slave.Close() })
}

// resize gives the window another size; the command gets its signal by that.
func (term *terminal) resize(width, height int) {
	term.t.Helper()
	size := &unix.Winsize{Row: uint16(height), Col: uint16(width)}
	term.mu.Lock()
	defer term.mu.Unlock()
	term.shows.Resize(width, height)
	if err := unix.IoctlSetWinsize(int(term.master.Fd()), unix.TIOCSWINSZ, size); err != nil {
		term.t.Fatal(err)
	}
}

// follow shows what comes on the terminal, and answers as the emulator does.
func (term *terminal) follow() {
	go func() { _, _ = io.Copy(term.master, term.shows) }()
	go func() {
		buf := make([]byte, 4096)
		for {
			n, err := term.master.Read(buf)
			term.mu.Lock()
			term.bytes.Write(buf[:n])
			_, _ = term.shows.Write(buf[:n])
			term.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
}

// raw is everything that came on the terminal so far.
func (term *terminal) raw() string {
	term.mu.Lock()
	defer term.mu.Unlock()
	return term.bytes.String()
}

// screen is what is to be seen, a line for each that is not empty behind the last one.
func (term *terminal) screen() string {
	term.mu.Lock()
	defer term.mu.Unlock()
	var lines []string
	for line := range strings.Lines(term.shows.String()) {
		lines = append(lines, strings.TrimRight(line, " \r\n"))
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

// awaits waits until a text is to be seen.
func (term *terminal) awaits(text string) {
	term.t.Helper()
	for range 3000 {
		if strings.Contains(term.screen(), text) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	_ = term.cmd.Process.Kill()
	term.t.Fatalf("no %q on the terminal:\n%s", text, term.screen())
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
