package main

import (
	"os"
	"os/exec"
	"os/signal"

	"golang.org/x/term"

	"git-okstra/gitops"
)

// pages says whether a command's output is something to read, which goes through the
// user's pager on a terminal as that of git log does.
func pages(command string) bool {
	switch command {
	case "log", "stage list", "stage show", "task list", "plan show", "plan graph", "plan diff", "plan rules", "plan explain",
		"conform touches", "conform check", "conform status", "conform rules", "conform explain":
		return true
	}
	return false
}

// pagerRun is a pager that reads what the command writes.
type pagerRun struct {
	cmd      *exec.Cmd
	in       *os.File
	terminal *os.File // what it shows it on
}

// startPager puts the user's pager behind standard output, and behind standard error
// where that is the terminal too, so that neither is written into the other's screen.
// Where there is none, or it cannot be started, the streams stay as they are.
func (a *app) startPager() {
	terminal, ok := a.terminal()
	if !ok || a.flags.JSON {
		return
	}
	command, err := gitops.Pager(a.ctx, gitops.Options{Trace: a.trace()})
	if err != nil || command == "" {
		return
	}
	out, in, err := os.Pipe()
	if err != nil {
		return
	}
	// A shell reads it, as in git: it is the user's own setting.
	p := &pagerRun{cmd: exec.Command("sh", "-c", command), in: in, terminal: terminal}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = out, terminal, os.Stderr
	p.cmd.Env = pagerEnv(os.Environ())
	err = p.cmd.Start()
	_ = out.Close()
	if err != nil {
		_ = in.Close()
		a.say("warning: cannot start the pager %q: %v", command, err)
		return
	}
	a.pager = p
	a.std.out.(*checkedWriter).w = in
	if f, ok := a.std.err.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		a.std.err = in
	}
}

// pagerEnv is what git gives a pager: less ends by itself where one screen is enough,
// shows colours and leaves the text on the screen.
func pagerEnv(env []string) []string {
	for _, v := range [][2]string{{"LESS", "FRX"}, {"LV", "-c"}} {
		if _, set := os.LookupEnv(v[0]); !set {
			env = append(env, v[0]+"="+v[1])
		}
	}
	return append(env, "GIT_PAGER_IN_USE=true")
}

// endPager waits until the reader has read. Ctrl-C is the pager's then.
func (a *app) endPager() {
	if a.pager == nil {
		return
	}
	signal.Ignore(os.Interrupt)
	_ = a.pager.in.Close()
	_ = a.pager.cmd.Wait() // how it ended says nothing of the command
}
