//go:build unix

package chain

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"git-okstra/gitops"
)

// record is the shell's part of starting a worker: it notes who it is before it becomes
// the command. So there is no moment at which a worker runs and nothing names it, whatever
// is killed when: who starts it could be gone before he could write it down.
const record = `cat /proc/$$/stat >"$0" 2>/dev/null || echo "$$" >"$0" || exit 126
exec "$@"`

// wrapped is a command that notes its process group in a file first.
func wrapped(file string, argv []string) *exec.Cmd {
	cmd := exec.Command("sh", append([]string{"-c", record, file}, argv...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
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

// takeLock waits for the lock. With end, the group of a worker that was left behind
// is ended first; without, it is only waited for.
func (w *worker) takeLock(ctx context.Context, patience time.Duration, end bool) error {
	f, err := os.OpenFile(w.path(lockFile), os.O_CREATE|os.O_RDWR, 0o666)
	if !end && errors.Is(err, fs.ErrNotExist) {
		return nil // with the worktree, which is found out later
	}
	if err != nil {
		return &Stop{State: Failed, Message: fmt.Sprintf("the worktree cannot be locked: %s", err)}
	}
	deadline := time.Now().Add(patience)
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if group, ours := w.leftover(err != nil); end && group > 0 && ours {
			endGroup(group, syscall.SIGTERM, w.grace.End)
		}
		switch {
		case err == nil:
			w.lock = f
			return nil
		case !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR):
			_ = f.Close()
			return &Stop{State: Failed, Message: fmt.Sprintf("the worktree cannot be locked: %s", err)}
		case time.Now().After(deadline):
			_ = f.Close()
			return w.behind()
		}
		select {
		case <-ctx.Done():
			_ = f.Close()
			return context.Cause(ctx)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// behind is the stop for a process that has left its group and still runs.
func (w *worker) behind() error {
	return &Stop{
		State: Failed, Message: "a process that a worker left behind still runs in the worktree",
		Hints: []string{fmt.Sprintf("end it, then run the same command again; it has %q open", w.path(lockFile))},
	}
}

// leftover reads which group the last worker had, and whether it can be told to be that
// one still: its leader is the process that was noted, or, where that has ended, something
// of the worker's has the lock, and then the number was not given to others.
func (w *worker) leftover(locked bool) (group int, ours bool) {
	text, err := os.ReadFile(w.path(recordFile))
	if err != nil {
		return 0, false
	}
	word, _, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
	pid, err := strconv.Atoi(word)
	if err != nil || pid < 2 || !groupRuns(pid) {
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

// groupRuns reports whether anything of a process group still runs. What has ended and was
// not waited for does not count: in a container, nobody may ever do that.
func groupRuns(group int) bool {
	if errors.Is(syscall.Kill(-group, 0), syscall.ESRCH) {
		return false
	}
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(stats) == 0 {
		return true
	}
	for _, name := range stats {
		text, err := os.ReadFile(name)
		behind := strings.LastIndex(string(text), ") ")
		if err != nil || behind < 0 {
			continue // it has ended meanwhile
		}
		fields := strings.Fields(string(text)[behind+2:])
		if len(fields) > 2 && fields[2] == strconv.Itoa(group) && fields[0] != "Z" && fields[0] != "X" {
			return true
		}
	}
	return false
}

// endGroup ends a process group: as it was asked for, politely where nothing was, and
// after a while for good.
func endGroup(group int, sig os.Signal, grace time.Duration) {
	if !groupRuns(group) {
		return
	}
	polite, ok := sig.(syscall.Signal)
	if !ok || polite == syscall.SIGKILL {
		polite = syscall.SIGTERM
	}
	_ = syscall.Kill(-group, polite)
	for deadline := time.Now().Add(grace); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if !groupRuns(group) {
			return
		}
	}
	_ = syscall.Kill(-group, syscall.SIGKILL)
	const reaped = 2 * time.Second // whoever has to wait for them may be slow
	for deadline := time.Now().Add(reaped); groupRuns(group) && time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
	}
}
