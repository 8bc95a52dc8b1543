//go:build unix

package prove

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"git-okstra/internal/conform/proof"
)

// long is a limit that no test reaches.
const long = time.Minute

// run runs a command with a mark of its own, and gives the lines that it printed.
func run(t *testing.T, c Command) (Outcome, []string, error) {
	t.Helper()
	c.Dir = t.TempDir()
	c.Mark = "OKSTRA_QA=" + c.Dir
	c.Env = append(os.Environ(), c.Mark)
	if c.Grace == 0 {
		c.Grace = 5 * time.Second
	}
	var mu sync.Mutex
	var said []string
	c.Line = func(line []byte, stderr bool) {
		mu.Lock()
		defer mu.Unlock()
		said = append(said, fmt.Sprintf("%t %s", stderr, line))
	}
	out, err := Run(t.Context(), c)
	return out, said, err
}

// alive reports whether the process whose number a command has written down still runs.
func alive(t *testing.T, file string) bool {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Sscan(string(text), &pid); err != nil {
		t.Fatal(err)
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err == nil {
		_, behind, _ := strings.Cut(string(stat), ") ")
		return !strings.HasPrefix(behind, "Z") && !strings.HasPrefix(behind, "X")
	}
	return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) && errors.Is(err, os.ErrPermission)
}

func TestRunSaysHowItEnded(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text, stopped string
		timeout             time.Duration
		output              int64
		code                int
	}{
		{"fine", "echo x", "", long, 0, 0},
		{"a failure", "exit 7", "", long, 0, 7},
		{"no such command", "no-such-command-here", "", long, 0, 127},
		{"ended by a signal", "kill -9 $$", "it was ended by signal: killed", long, 0, -1},
		{"it hangs", "sleep 600", "it was stopped after its time limit of 200ms", 200 * time.Millisecond, 0, -1},
		{"it hangs and does not want to end", "trap '' TERM; while :; do sleep 1; done", "it was stopped after its time limit of 200ms", 200 * time.Millisecond, 0, -1},
		{"it says PASS and hangs", "echo QA-RESULT: PASS; sleep 600", "it was stopped after its time limit of 1s", time.Second, 0, -1},
		{"it prints without end", "yes", "it was stopped for printing more than 100000 bytes", long, 100_000, -1},
		{"it prints without end on the other stream", "yes >&2", "it was stopped for printing more than 100000 bytes", long, 100_000, -1},
		{"it prints without end on one line", "tr '\\0' x < /dev/zero", "it was stopped for printing more than 100000 bytes", long, 100_000, -1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			out, _, err := run(t, Command{Text: tt.text, Timeout: tt.timeout, Output: tt.output, Grace: 300 * time.Millisecond})
			if err != nil || out.Exit.Stopped != tt.stopped || out.Exit.Code != tt.code {
				t.Errorf("%+v (%v), want code %d, %q", out.Exit, err, tt.code, tt.stopped)
			}
			if word, _, _ := out.Said.Judge(out.Exit, nil); word == proof.Pass {
				t.Error("it passes")
			}
		})
	}
}

func TestRunStreams(t *testing.T) {
	t.Parallel()
	out, said, err := run(t, Command{Text: `cat; echo one; sleep 0.1; printf 'QA-RESULT: PASS\nREQ a: PASS: x' ; echo err >&2; pwd; test "$OKSTRA_QA" = "$PWD" && echo same`, Timeout: long})
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(said, "\n")
	for _, want := range []string{"false one", "false QA-RESULT: PASS", "true err", "false same"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing from:\n%s", want, got)
		}
	}
	if word, _, reasons := out.Said.Judge(out.Exit, []string{"a"}); word != proof.Fail || !strings.Contains(reasons[0], "something follows") {
		t.Errorf("%s %q", word, reasons)
	}
	_, said, err = run(t, Command{Text: "head -c 20000 /dev/zero | tr '\\0' x; echo; printf 'a\\r\\n'", Timeout: long})
	if err != nil || len(said) != 4 || said[3] != "false a" || len(said[0]) != maxLine+len("false ") {
		t.Errorf("%d pieces (%v)", len(said), err)
	}
}

// TestRunEndsWhatItStarted tries forks: in the group, out of it, holding the output open,
// and saying PASS behind the command's back.
func TestRunEndsWhatItStarted(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"in the background":    "sleep 600 & echo $! > %[1]s; exit 0",
		"holds the output":     "(sleep 600; echo QA-RESULT: PASS) & echo $! > %[1]s; exit 0",
		"deaf to signals":      "(trap '' TERM HUP; sleep 600) & echo $! > %[1]s; exit 0",
		"left the group":       "setsid sh -c 'echo $$ > %[1]s; exec sleep 600' & while ! test -s %[1]s; do sleep 0.05; done",
		"left it, deaf, forks": "setsid sh -c 'trap \"\" TERM; (sleep 600 &) ; echo $$ > %[1]s; sleep 600' & while ! test -s %[1]s; do sleep 0.05; done",
		"and hangs itself":     "sleep 600 & echo $! > %[1]s; sleep 600",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "pid")
			limit := long
			if strings.HasSuffix(name, "itself") {
				limit = 2 * time.Second
			}
			out, _, err := run(t, Command{Text: fmt.Sprintf(text, file), Timeout: limit, Grace: time.Second})
			if err != nil {
				t.Fatal(err)
			}
			if alive(t, file) {
				t.Error("what it started is still there")
			}
			if word, _, _ := out.Said.Judge(out.Exit, nil); word == proof.Pass {
				t.Error("it passes")
			}
		})
	}
}

func TestRunInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	file := filepath.Join(t.TempDir(), "pid")
	c := Command{
		Text: "echo $$ > " + file + "; echo ready; sleep 600", Dir: t.TempDir(), Env: os.Environ(), Grace: time.Second,
		Line: func([]byte, bool) { cancel() },
	}
	if _, err := Run(ctx, c); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if alive(t, file) {
		t.Error("it is still there")
	}
	c.Dir = filepath.Join(t.TempDir(), "no-such-folder")
	if _, err := Run(t.Context(), c); err == nil || !strings.Contains(err.Error(), "run the conformance command") {
		t.Errorf("a folder that is not there: %v", err)
	}
}
