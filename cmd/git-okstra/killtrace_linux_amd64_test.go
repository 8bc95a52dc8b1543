package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"unsafe"
)

// canTrace says that this file's tracer is there: it needs the system's call numbers.
const canTrace = true

// ptrace(2) and wait(2), as far as the standard library does not name it.
const (
	traceSeccomp  = 0x80 // PTRACE_O_TRACESECCOMP
	traceExitKill = 0x100000
	atSeccomp     = 7 // PTRACE_EVENT_SECCOMP
	waitAll       = 0x40000000
	atCwd         = -100

	prNoNewPrivs   = 38
	sysSeccomp     = 317
	seccompFilter  = 1
	seccompAll     = 1 // every thread
	seccompTrace   = 0x7ff00000
	seccompAllow   = 0x7fff0000
	watchedEnvName = "OKSTRA_TEST_WATCHED"
)

// watched are the calls that change files, with the places of their path and of
// the descriptor that it counts from (-1: it counts from the working folder).
var watched = map[uint64]struct {
	name     string
	at, path int
}{
	syscall.SYS_RENAME:    {"rename", -1, 1},
	syscall.SYS_RENAMEAT:  {"rename", 2, 3},
	316:                   {"rename", 2, 3}, // renameat2
	syscall.SYS_LINK:      {"link", -1, 1},
	syscall.SYS_LINKAT:    {"link", 2, 3},
	syscall.SYS_SYMLINK:   {"symlink", -1, 1},
	syscall.SYS_SYMLINKAT: {"symlink", 1, 2},
	syscall.SYS_UNLINK:    {"unlink", -1, 0},
	syscall.SYS_UNLINKAT:  {"unlink", 0, 1},
	syscall.SYS_RMDIR:     {"rmdir", -1, 0},
	syscall.SYS_MKDIR:     {"mkdir", -1, 0},
	syscall.SYS_MKDIRAT:   {"mkdir", 0, 1},
	syscall.SYS_OPEN:      {"create", -1, 0},
	syscall.SYS_OPENAT:    {"create", 0, 1},
	syscall.SYS_CREAT:     {"create", -1, 0},
	syscall.SYS_WRITE:     {"write", 0, -1},
	syscall.SYS_PWRITE64:  {"write", 0, -1},
	syscall.SYS_FTRUNCATE: {"truncate", 0, -1},
	syscall.SYS_EXECVE:    {"exec", -1, 0},
}

// watchCalls lets the tracer stop this process, and those that it starts, at the
// watched calls and at no others, which is much quicker than at all of them. Only a
// process that the tracer started has the variable: without one the calls would fail.
func watchCalls() {
	if os.Getenv(watchedEnvName) == "" {
		return
	}
	type instruction struct {
		code   uint16
		yes, n uint8
		k      uint32
	}
	const load, equal, bits, end = 0x20, 0x15, 0x45, 0x06
	program := []instruction{{load, 0, 0, 0}} // the call's number
	for nr := range watched {
		number := uint32(nr) //nolint:gosec // small
		switch flags := map[uint64]uint32{syscall.SYS_OPEN: 24, syscall.SYS_OPENAT: 32}[nr]; flags {
		case 0:
			program = append(program, instruction{equal, 0, 1, number}, instruction{end, 0, 0, seccompTrace})
		default:
			program = append(program, instruction{equal, 0, 4, number}, instruction{load, 0, 0, flags},
				instruction{bits, 0, 1, syscall.O_CREAT}, instruction{end, 0, 0, seccompTrace}, instruction{end, 0, 0, seccompAllow})
		}
	}
	program = append(program, instruction{end, 0, 0, seccompAllow})
	filter := struct {
		n       uint16
		program *instruction
	}{uint16(len(program)), &program[0]} //nolint:gosec // small
	_, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, prNoNewPrivs, 1, 0, 0, 0, 0)
	if errno == 0 {
		_, _, errno = syscall.RawSyscall(sysSeccomp, seccompFilter, seccompAll, uintptr(unsafe.Pointer(&filter)))
	}
	if errno != 0 {
		panic(errno)
	}
}

// tracer runs one command with all that it starts and sees every call that changes
// a file below its roots, before it is carried out.
type tracer struct {
	roots []string
	at    int  // kill at this point, counted from 1; 0: only list them
	alone bool // kill only the process that makes the call, if it is git's

	root   int
	tgid   map[int]int // of every thread that was seen
	result traced
}

// traceMain is the tracer as a process of its own, which may wait for any child: its
// arguments are the point, whether git is to be killed alone, the roots and, behind
// "--", the command. It prints a traced.
func traceMain() {
	runtime.LockOSThread() // all of ptrace(2) belongs to one thread
	cut := slices.Index(os.Args, "--")
	tr := &tracer{roots: os.Args[3:cut], alone: os.Args[2] == "true", tgid: map[int]int{}}
	var err error
	if tr.at, err = strconv.Atoi(os.Args[1]); err == nil {
		err = tr.run(os.Args[cut+1:])
	}
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(tr.result)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "tracer:", err)
		os.Exit(1)
	}
}

func (tr *tracer) run(args []string) error {
	path, err := exec.LookPath(args[0])
	if err != nil {
		return err
	}
	out, err := os.CreateTemp("", "traced-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(out.Name()); _ = out.Close() }()
	null, err := os.Open(os.DevNull)
	if err != nil {
		return err
	}
	defer func() { _ = null.Close() }()
	tr.root, err = syscall.ForkExec(path, args, &syscall.ProcAttr{
		Env: append(os.Environ(), watchedEnvName+"=1"), Files: []uintptr{null.Fd(), out.Fd(), out.Fd()},
		Sys: &syscall.SysProcAttr{Ptrace: true},
	})
	if err != nil {
		return fmt.Errorf("trace a process (is ptrace forbidden here?): %w", err)
	}
	if err := tr.follow(); err != nil {
		return err
	}
	text, err := os.ReadFile(out.Name())
	tr.result.Out = string(text)
	return err
}

// follow goes from call to call until every process has ended.
func (tr *tracer) follow() error {
	var ws syscall.WaitStatus
	if _, err := syscall.Wait4(tr.root, &ws, waitAll, nil); err != nil {
		return fmt.Errorf("trace a process: %w", err)
	}
	tr.tgid[tr.root] = tr.root
	options := traceExitKill | traceSeccomp | syscall.PTRACE_O_TRACEFORK |
		syscall.PTRACE_O_TRACEVFORK | syscall.PTRACE_O_TRACECLONE | syscall.PTRACE_O_TRACEEXEC
	if err := syscall.PtraceSetOptions(tr.root, options); err != nil {
		return fmt.Errorf("trace a process: %w", err)
	}
	_ = syscall.PtraceCont(tr.root, 0)
	for {
		tid, err := syscall.Wait4(-1, &ws, waitAll, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.ECHILD):
			return nil
		case err != nil:
			return fmt.Errorf("wait for a traced process: %w", err)
		case !ws.Stopped():
			if tid == tr.root {
				tr.result.Code = ws.ExitStatus()
			}
			delete(tr.tgid, tid)
		default:
			_ = syscall.PtraceCont(tid, tr.stopped(tid, ws)) // it may be dead by now
		}
	}
}

// stopped looks at one stop and returns the signal to go on with.
func (tr *tracer) stopped(tid int, ws syscall.WaitStatus) int {
	_, known := tr.tgid[tid]
	if !known {
		tr.tgid[tid] = tgidOf(tid)
		if tr.result.Killed && !tr.alone {
			_ = syscall.Kill(tid, syscall.SIGKILL)
		}
	}
	switch sig := ws.StopSignal(); {
	case sig == syscall.SIGTRAP && ws.TrapCause() == atSeccomp:
		tr.call(tid)
		return 0
	case sig == syscall.SIGTRAP, sig == syscall.SIGSTOP && !known:
		return 0
	default:
		return int(sig)
	}
}

// call notes a call that is about to be made, if it counts, and kills where that
// was asked for.
func (tr *tracer) call(tid int) {
	var regs syscall.PtraceRegs
	if err := syscall.PtraceGetRegs(tid, &regs); err != nil || tr.result.Killed {
		return
	}
	w, args := watched[regs.Orig_rax], [4]uint64{regs.Rdi, regs.Rsi, regs.Rdx, regs.R10}
	path := ""
	if w.path >= 0 {
		path = readString(tid, args[w.path])
	}
	if !filepath.IsAbs(path) {
		from := "cwd"
		if w.at >= 0 && int32(args[w.at]) != atCwd { //nolint:gosec // a descriptor
			from = fmt.Sprintf("fd/%d", int32(args[w.at])) //nolint:gosec // a descriptor
		}
		base, _ := os.Readlink(fmt.Sprintf("/proc/%d/%s", tid, from))
		path = filepath.Join(base, path)
	}
	p := point{Call: w.name, Git: tr.tgid[tid] != tr.root}
	switch {
	case w.name == "exec":
		if !p.Git || filepath.Base(path) != "git" {
			return
		}
	case !tr.below(&path):
		return
	}
	if p.Path, p.By = path, "git-okstra"; p.Git {
		p.By = gitWords(tid)
	}
	tr.result.Points = append(tr.result.Points, p)
	if len(tr.result.Points) == tr.at {
		tr.kill(tid, p)
	}
}

// below reports whether a path lies in one of the roots, and shortens it.
func (tr *tracer) below(path *string) bool {
	for _, root := range tr.roots {
		if rest, ok := strings.CutPrefix(*path, root+"/"); ok {
			*path = rest
			return true
		}
	}
	return false
}

// kill ends everything, our own process first so that it cannot answer the death
// of its child; or only the one process, if it is git's.
func (tr *tracer) kill(tid int, p point) {
	tr.result.Killed = true
	if tr.alone && p.Git {
		_ = syscall.Kill(tr.tgid[tid], syscall.SIGKILL)
		return
	}
	tr.alone = false
	_ = syscall.Kill(tr.root, syscall.SIGKILL)
	for other := range tr.tgid {
		_ = syscall.Kill(other, syscall.SIGKILL)
	}
}

// tgidOf is the process that a thread belongs to.
func tgidOf(tid int) int {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", tid))
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, "Tgid:"); ok {
			if n, err := strconv.Atoi(strings.TrimSpace(value)); err == nil {
				return n
			}
		}
	}
	return tid
}

// readString reads a C string out of a stopped process.
func readString(tid int, addr uint64) string {
	mem, err := os.Open(fmt.Sprintf("/proc/%d/mem", tid))
	if err != nil {
		return ""
	}
	defer func() { _ = mem.Close() }()
	buf := make([]byte, 4096)
	n, _ := mem.ReadAt(buf, int64(addr)) //nolint:gosec // an address of the user's half
	text, _, _ := bytes.Cut(buf[:n], []byte{0})
	return string(text)
}

// gitWords is "git" and the subcommand that a process was started with. Before its
// exec it is still a copy of its parent.
func gitWords(tid int) string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", tid))
	words := strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00")
	for i := 1; i < len(words); i++ {
		switch {
		case words[i] == "-c" || words[i] == "-C":
			i++
		case !strings.HasPrefix(words[i], "-"):
			return filepath.Base(words[0]) + " " + words[i]
		}
	}
	return filepath.Base(words[0])
}
