//go:build unix

package prove

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// shell is a command in a process group of its own, without standard input.
func shell(text string) *exec.Cmd {
	cmd := exec.Command("sh", "-c", text)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

// endPolitely asks a group to end, and after a while does not ask.
func endPolitely(group int, ended <-chan struct{}, grace time.Duration) {
	_ = syscall.Kill(-group, syscall.SIGTERM)
	select {
	case <-ended:
	case <-time.After(grace):
		_ = syscall.Kill(-group, syscall.SIGKILL)
		<-ended
	}
}

// endLeftovers ends what a command left behind: the rest of its group (0: not known), and,
// where the system shows environments, what left the group and has the mark.
func endLeftovers(group int, mark string) {
	const rounds = 50 // something may start others while it is being ended
	for range rounds {
		left := group > 0 && !errors.Is(syscall.Kill(-group, syscall.SIGKILL), syscall.ESRCH)
		for _, pid := range marked(mark) {
			left = true
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		if !left {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// marked lists the processes that have an entry in their environment.
func marked(entry string) []int {
	if entry == "" {
		return nil
	}
	names, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		return nil
	}
	var out []int
	for _, name := range names {
		env, err := os.ReadFile(name)
		if err != nil || !bytes.Contains(append([]byte{0}, env...), append([]byte("\x00"+entry), 0)) {
			continue // it is somebody else's, or has ended
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		if err == nil && pid != os.Getpid() {
			out = append(out, pid)
		}
	}
	return out
}

// tryLock locks a file until it is closed, if nobody else has it locked. The commands that
// are started do not get it.
func tryLock(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

// abandoned takes the lock of a folder of ours whose process has ended.
func abandoned(folder string) (*os.File, bool) {
	info, err := os.Lstat(folder)
	if err != nil {
		return nil, false
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); !ok || int(stat.Uid) != os.Geteuid() {
		return nil, false
	}
	f, err := os.OpenFile(filepath.Join(folder, lockName), os.O_RDWR|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, false // it is somebody else's, or just being made
	}
	return f, tryLock(f)
}
