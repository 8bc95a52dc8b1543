//go:build unix

package chain

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"git-okstra/gitops"
)

// record is the shell's part of starting a worker: it notes who it is before it becomes
// the command. So there is no moment at which a worker runs and nothing names it, whatever
// is killed when: who starts it could be gone before he could write it down.
const record = `(
	IFS= read -r me <"/proc/$$/stat" || me=$$
	printf '%s\n' "$me" >"$0"
) 2>/dev/null || exit 126
exec "$@"`

// longestPause is how long to wait at most before looking again.
const longestPause = 20 * time.Millisecond

// wrapped is a command that notes its number in a file first. It has a session of its
// own: it is out of reach of the terminal, which nobody sits at for it. Reading there
// would only suspend it for ever.
func wrapped(file string, argv []string) *exec.Cmd {
	cmd := exec.Command("sh", append([]string{"-c", record, file}, argv...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd
}

// hand lets a command have the lock. It is the open file that is locked, and the command
// and all that it starts have the same one.
func (w *worker) hand(cmd *exec.Cmd) { cmd.ExtraFiles = []*os.File{w.lock} }

// letGo leaves the lock to the command.
func (w *worker) letGo() {
	_ = w.lock.Close()
	w.lock = nil
}

// takeLock waits for the lock. What is left of the session of the worker that has it is
// ended; with end, also where that has let the lock go.
func (w *worker) takeLock(ctx context.Context, patience time.Duration, end bool) error {
	f, err := os.OpenFile(w.path(lockFile), os.O_CREATE|os.O_RDWR, 0o666)
	if !end && errors.Is(err, fs.ErrNotExist) {
		return nil // with the worktree, which is found out later
	}
	if err != nil {
		return &Stop{State: Failed, Message: fmt.Sprintf("the worktree cannot be locked: %s", err)}
	}
	deadline := time.Now().Add(patience)
	for pause := time.Millisecond; ; pause = min(2*pause, longestPause) {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if end || err != nil {
			if session, ours := w.leftover(err != nil); ours {
				endGroup(session, syscall.SIGTERM, w.grace)
			}
		}
		stray := 0
		if err == nil {
			if stray = w.stray(); stray == 0 {
				w.lock = f
				return nil
			}
			err = syscall.EWOULDBLOCK
		}
		switch {
		case !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR):
			_ = f.Close()
			return &Stop{State: Failed, Message: fmt.Sprintf("the worktree cannot be locked: %s", err)}
		case time.Now().After(deadline):
			_ = f.Close()
			return w.behind(stray)
		}
		select {
		case <-ctx.Done():
			_ = f.Close()
			return context.Cause(ctx)
		case <-w.grace.Hurry:
			deadline = time.Time{}
		case <-time.After(pause):
		}
	}
}

// behind is the stop for a process that has left its session and still runs.
func (w *worker) behind(stray int) error {
	which := fmt.Sprintf("it has %q open", w.path(lockFile))
	if stray != 0 {
		which = fmt.Sprintf("it is process %d", stray)
	}
	return &Stop{
		State: Failed, Message: "a process that a worker left behind still runs in the worktree",
		Hints: []string{"end it, then run the same command again; " + which},
	}
}

// stray finds a process that a worker of this worktree left at work in there, although it
// has let go of all files that it was given, as daemons do; 0 for none. Its environment
// tells it from a person who looks around. Only /proc knows of such.
func (w *worker) stray() int {
	if _, err := os.Lstat(w.path(recordFile)); err != nil {
		return 0 // no worker was ever here
	}
	for _, pid := range processes() {
		at, err := os.Readlink("/proc/" + pid + "/cwd")
		if err != nil || at != w.job.Worktree && !strings.HasPrefix(at, w.job.Worktree+"/") {
			continue
		}
		env, err := os.ReadFile("/proc/" + pid + "/environ")
		if err != nil || !slices.Contains(strings.Split(string(env), "\x00"), "OKSTRA_WORKTREE="+w.job.Worktree) {
			continue
		}
		if n, err := strconv.Atoi(pid); err == nil && n != os.Getpid() {
			return n
		}
	}
	return 0
}

// processes lists the numbers of all processes, as far as /proc says.
func processes() []string {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer func() { _ = dir.Close() }()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(names, func(name string) bool { return strings.Trim(name, "0123456789") != "" })
}

// leftover reads which session the last worker had, and whether something runs there that
// can be told to be his still: its leader is the process that was noted, or, where that has
// ended, something of the worker's has the lock, and then the number was not given to others.
func (w *worker) leftover(locked bool) (session int, ours bool) {
	text, err := os.ReadFile(w.path(recordFile))
	if err != nil {
		return 0, false
	}
	word, _, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
	pid, err := strconv.Atoi(word)
	if err != nil || pid < 2 || len(sessionGroups(pid)) == 0 {
		return 0, false
	}
	start := ""
	const startTime = 19 // as in proc(5), counted from behind the name
	if behind := strings.LastIndex(string(text), ") "); behind >= 0 {
		if fields := strings.Fields(string(text)[behind+2:]); len(fields) > startTime {
			start = fields[startTime]
		}
	}
	now := gitops.ProcessStart(pid)
	if now == "" || start == "" {
		return pid, locked
	}
	return pid, now == start
}

// sessionGroups lists the process groups of a worker's session in which something still
// runs: a worker is the leader of its session, and what it starts may have groups of its
// own there, as timeout(1) makes one. What has ended and was not waited for does not count:
// in a container, nobody may ever do that. Where there is no /proc, only the worker's own
// group is known.
func sessionGroups(session int) []int {
	pids := processes()
	if len(pids) == 0 {
		if errors.Is(syscall.Kill(-session, 0), syscall.ESRCH) {
			return nil
		}
		return []int{session}
	}
	var out []int
	for _, pid := range pids {
		text, err := os.ReadFile("/proc/" + pid + "/stat")
		behind := strings.LastIndex(string(text), ") ")
		if err != nil || behind < 0 {
			continue // it has ended meanwhile
		}
		const state, ofGroup, ofSession = 0, 2, 3 // as in proc(5), counted from behind the name
		fields := strings.Fields(string(text)[behind+2:])
		if len(fields) <= ofSession || fields[state] == "Z" || fields[state] == "X" || fields[ofSession] != strconv.Itoa(session) {
			continue
		}
		if group, err := strconv.Atoi(fields[ofGroup]); err == nil && group > 1 && !slices.Contains(out, group) {
			out = append(out, group)
		}
	}
	return out
}

// signal gives all groups of a session a signal, and says whether there was any.
func signal(session int, signals ...syscall.Signal) bool {
	groups := sessionGroups(session)
	for _, sig := range signals {
		for _, group := range groups {
			_ = syscall.Kill(-group, sig)
		}
	}
	return len(groups) > 0
}

func hold(session int) { signal(session, syscall.SIGSTOP) }

func goOn(session int) { signal(session, syscall.SIGCONT) }

// endRest ends what a worker that has ended left in its group. To look for the other groups
// of its session as well is for the case that something has the lock.
func endRest(session int, g Grace) {
	if !errors.Is(syscall.Kill(-session, 0), syscall.ESRCH) {
		endGroup(session, nil, g)
	}
}

// endGroup ends the processes of a worker's session: as it was asked for, politely where
// nothing was, and after a while, or in a hurry, for good.
func endGroup(session int, sig os.Signal, g Grace) {
	polite, ok := sig.(syscall.Signal)
	if !ok || polite == syscall.SIGKILL || polite == syscall.SIGPIPE {
		polite = syscall.SIGTERM
	}
	// what was stopped has to go on to hear of it
	if !signal(session, polite, syscall.SIGCONT) || wait(session, g.End, g.Hurry) {
		return
	}
	signal(session, syscall.SIGKILL)
	const reaped = 2 * time.Second // whoever has to wait for them may be slow
	wait(session, reaped, nil)
}

// wait waits for the end of a session, and reports whether it came.
func wait(session int, patience time.Duration, hurry <-chan struct{}) bool {
	over := time.After(patience)
	for pause := time.Millisecond; len(sessionGroups(session)) > 0; pause = min(2*pause, longestPause) {
		select {
		case <-over:
			return false
		case <-hurry:
			return false
		case <-time.After(pause):
		}
	}
	return true
}
