package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"git-okstra/internal/testrepo"
)

// bench is a repository with an approved plan, for many processes at once.
type bench struct {
	t    *testing.T
	repo *testrepo.Repo
	home string
}

// outcome is how one process ended.
type outcome struct {
	code        int
	out, errOut string
}

// newBench makes a repository whose plan has n independent stages.
func newBench(t *testing.T, n int) *bench {
	t.Helper()
	r := testrepo.New(t, "empty")
	b := &bench{t: t, repo: r, home: t.TempDir()}
	r.Env = append(r.Env, "OKSTRA_HOME="+b.home)
	r.Write("plan.md", widePlan(n))
	r.Write("src/main.txt", "main\n")
	r.Commit("start")
	if o := b.run(r.Dir, "plan", "approve", "plan.md"); o.code != 0 {
		t.Fatalf("approve: %+v", o)
	}
	r.Commit("approved")
	return b
}

// widePlan is the demo's plan with n stages that depend on nothing.
func widePlan(n int) string {
	head, rest, _ := strings.Cut(string(demoPlan), "| 1 | [core]")
	_, section, _ := strings.Cut(rest, "## 5.5.1 Stage 1: ")
	section, _, _ = strings.Cut(section, "## 5.5.2 Stage 2: ")
	_, body, _ := strings.Cut(section, "\n")
	var b strings.Builder
	b.WriteString(head)
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "| %d | part %d | (none) | 2 | greet/rules-%d.txt |\n", i, i, i)
	}
	b.WriteString("\n")
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "## 5.5.%d Stage %d: part %d\n%s", i, i, i, strings.ReplaceAll(body, "greet/rules.txt", fmt.Sprintf("greet/rules-%d.txt", i)))
	}
	return b.String()
}

// run runs one git-okstra process.
func (b *bench) run(dir string, args ...string) outcome {
	b.t.Helper()
	var out, errOut bytes.Buffer
	cmd := exec.Command("git-okstra", args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, b.repo.Env, &out, &errOut
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		b.t.Errorf("run %q: %v", args, err)
	}
	return outcome{cmd.ProcessState.ExitCode(), out.String(), errOut.String()}
}

// atOnce starts n processes behind one barrier and waits for all.
func (b *bench) atOnce(n int, args func(i int) (dir string, words []string)) []outcome {
	b.t.Helper()
	out := make([]outcome, n)
	barrier := make(chan struct{})
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			dir, words := args(i)
			<-barrier
			out[i] = b.run(dir, words...)
		})
	}
	close(barrier)
	wg.Wait()
	return out
}

// wholesome checks what must hold after any storm.
func (b *bench) wholesome() {
	b.t.Helper()
	if out, errOut, code := b.repo.TryGit("fsck"); code != 0 || out != "" || errOut != "" {
		b.t.Errorf("git fsck: %d %q %q", code, out, errOut)
	}
	err := filepath.WalkDir(filepath.Join(b.repo.Dir, ".git"), func(path string, _ os.DirEntry, err error) error {
		if strings.HasSuffix(path, ".lock") || strings.HasSuffix(path, ".keep") || strings.Contains(path, "tmp_") {
			b.t.Errorf("left over: %s", path)
		}
		return err
	})
	if err != nil {
		b.t.Error(err)
	}
}

// rows counts the log's rows of one status.
func (b *bench) rows(status string) int {
	b.t.Helper()
	o := b.run(b.repo.Dir, "log", "--json")
	var log struct {
		Rows []struct{ Status, ID string }
	}
	if err := json.Unmarshal([]byte(o.out), &log); err != nil {
		b.t.Fatalf("log: %v: %+v", err, o)
	}
	n, seen := 0, map[string]bool{}
	for _, r := range log.Rows {
		if seen[r.ID] {
			b.t.Errorf("row %s stands twice", r.ID)
		}
		seen[r.ID] = true
		if r.Status == status {
			n++
		}
	}
	return n
}

// TestOneWinner is field reports A1 and A2: of any number of processes that
// start one stage at once, one wins; the others name it.
func TestOneWinner(t *testing.T) {
	for n, rounds := range storms(map[int]int{2: 3, 8: 3, 64: 2}) {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			b := newBench(t, rounds)
			for round := 1; round <= rounds; round++ {
				b.oneWinner(n, round)
			}
			b.wholesome()
		})
	}
}

// storms gives the number of processes and rounds: under the race detector (the
// gate runs it with -short) every process is many times slower, so fewer.
func storms(whole map[int]int) map[int]int {
	if testing.Short() {
		return map[int]int{2: 1, 12: 1}
	}
	return whole
}

func (b *bench) oneWinner(n, stage int) {
	b.t.Helper()
	winners := 0
	for _, o := range b.atOnce(n, func(int) (string, []string) {
		return b.repo.Dir, []string{"stage", "start", fmt.Sprint(stage)}
	}) {
		switch o.code {
		case 0:
			winners++
		case exitNothing:
			if !strings.Contains(o.errOut, fmt.Sprintf("stage %d is taken by %s <%s> since", stage, testrepo.Name, testrepo.Email)) {
				b.t.Errorf("a loser does not name the winner: %q", o.errOut)
			}
		default:
			b.t.Errorf("exit %d: %s", o.code, o.errOut)
		}
	}
	if winners != 1 {
		b.t.Errorf("stage %d: %d winners of %d", stage, winners, n)
	}
	if trees := strings.Count(b.repo.Git("worktree", "list"), "\n") + 1; trees != stage+1 {
		b.t.Errorf("%d worktrees after stage %d", trees, stage)
	}
	if got := b.rows("started"); got != stage {
		b.t.Errorf("%d started rows after stage %d", got, stage)
	}
}

// TestNextGivesEachItsOwn is field report A3: 20 callers of next, 20 stages.
func TestNextGivesEachItsOwn(t *testing.T) {
	n := 20
	if testing.Short() {
		n = 6
	}
	b := newBench(t, n)
	seen := map[int]bool{}
	for _, o := range b.atOnce(n, func(int) (string, []string) {
		return b.repo.Dir, []string{"stage", "next", "--json"}
	}) {
		var got struct {
			Stages []struct{ Stage int }
		}
		if err := json.Unmarshal([]byte(o.out), &got); err != nil || o.code != 0 || len(got.Stages) != 1 {
			t.Fatalf("next: %v: %+v", err, o)
		}
		if seen[got.Stages[0].Stage] {
			t.Errorf("stage %d was given twice", got.Stages[0].Stage)
		}
		seen[got.Stages[0].Stage] = true
	}
	if o := b.run(b.repo.Dir, "stage", "next"); o.code != exitNothing {
		t.Errorf("a 21st next: %+v", o)
	}
	b.allDone(n)
	b.wholesome()
}

// allDone is field report B1: n done at once, n rows.
func (b *bench) allDone(n int) {
	b.t.Helper()
	dir := func(i int) string {
		return filepath.Join(b.home, "worktrees", "demo", "greeter", "HELLO-1", fmt.Sprintf("stage-%d", i+1))
	}
	for i := range n {
		if out, errOut, code := b.repo.TryGit("-C", dir(i), "commit", "-q", "--allow-empty", "-m", fmt.Sprintf("stage %d", i+1)); code != 0 {
			b.t.Fatalf("commit: %s%s", out, errOut)
		}
	}
	for _, o := range b.atOnce(n, func(i int) (string, []string) { return dir(i), []string{"stage", "done"} }) {
		if o.code != 0 {
			b.t.Errorf("done: %+v", o)
		}
	}
	if got := b.rows("done"); got != n {
		b.t.Errorf("%d done rows, want %d", got, n)
	}
	if o := b.run(b.repo.Dir, "stage", "next"); o.code != 0 || !strings.Contains(o.out, fmt.Sprintf("all %d stages are done", n)) {
		b.t.Errorf("next after all: %+v", o)
	}
}

// TestDoneTwiceAtOnce: the same done from many processes is one row.
func TestDoneTwiceAtOnce(t *testing.T) {
	b := newBench(t, 1)
	if o := b.run(b.repo.Dir, "stage", "next"); o.code != 0 {
		t.Fatalf("next: %+v", o)
	}
	wt := filepath.Join(b.home, "worktrees", "demo", "greeter", "HELLO-1", "stage-1")
	b.repo.Git("-C", wt, "commit", "-q", "--allow-empty", "-m", "one")
	for _, o := range b.atOnce(8, func(int) (string, []string) { return wt, []string{"stage", "done"} }) {
		if o.code != 0 {
			t.Errorf("done: %+v", o)
		}
	}
	if got := b.rows("done"); got != 1 {
		t.Errorf("%d done rows", got)
	}
	b.wholesome()
}

// TestSameRunAtOnce: equal callers with one run id all get the one worktree.
func TestSameRunAtOnce(t *testing.T) {
	b := newBench(t, 1)
	for _, o := range b.atOnce(6, func(int) (string, []string) {
		return b.repo.Dir, []string{"stage", "start", "1", "--run", "r1", "--print-path"}
	}) {
		if o.code != 0 {
			t.Errorf("start: %+v", o)
		}
	}
	wt := filepath.Join(b.home, "worktrees", "demo", "greeter", "HELLO-1", "stage-1")
	if out := b.repo.Git("-C", wt, "status", "--porcelain"); out != "" {
		t.Errorf("status: %s", out)
	}
	if got := b.rows("started"); got != 1 {
		t.Errorf("%d started rows", got)
	}
	b.wholesome()
}
