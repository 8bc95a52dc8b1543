package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"git-okstra/gitops"
)

// treePlan is a plan of twelve stages of which each depends on one before it at most.
func treePlan() string {
	deps := []int{0, 0, 1, 1, 2, 3, 3, 4, 5, 5, 6, 8}
	text := widePlan(len(deps))
	for i, d := range deps {
		if d != 0 {
			text = strings.Replace(text, fmt.Sprintf("| part %d | (none) |", i+1), fmt.Sprintf("| part %d | %d |", i+1, d), 1)
		}
	}
	return text
}

// chainWorker notes that it runs, and whether another one does in the same worktree; it
// commits its part once, however often it is begun.
const chainWorker = `
n=$OKSTRA_STAGE
old=$(cat "$STORM/pid-$n" 2>/dev/null)
if test -n "$old" && tr '\0' ' ' <"/proc/$old/cmdline" 2>/dev/null | grep -q worker.sh; then
	echo "stage $n: $$ beside $old" >>"$STORM/bad"
fi
echo $$ >"$STORM/new-$$" && mv "$STORM/new-$$" "$STORM/pid-$n"
echo "$n" >>"$STORM/ran"
if test "$OKSTRA_RESUMED" = 0 && git cat-file -e "HEAD:part-$n" 2>/dev/null; then echo "stage $n: lost its past" >>"$STORM/bad"; fi
sleep 0.0$((n % 4 + 1))
if ! git cat-file -e "HEAD:part-$n" 2>/dev/null; then
	echo "$n" >"part-$n" && git add "part-$n" && git commit -qm "part $n" || exit 1
fi
sleep 0.0$((n % 3 + 1))
`

// stormBench is a bench with the tree plan and the worker's script.
func stormBench(t *testing.T) (b *bench, storm string) {
	t.Helper()
	b = newBench(t, 1)
	b.repo.Write("plan.md", treePlan())
	b.must(b.repo.Dir, "plan", "approve", "plan.md")
	b.repo.Commit("the tree")
	storm = t.TempDir()
	if err := os.WriteFile(filepath.Join(storm, "worker.sh"), []byte(chainWorker), 0o666); err != nil {
		t.Fatal(err)
	}
	b.repo.Env = append(b.repo.Env, "STORM="+storm)
	return b, storm
}

// chainDone checks that each of the twelve stages was done exactly once, and that nothing
// is left of the way there.
func (b *bench) chainDone(storm string) {
	b.t.Helper()
	if bad, err := os.ReadFile(filepath.Join(storm, "bad")); err == nil {
		b.t.Errorf("%s", bad)
	}
	if n := b.rows("done"); n != 12 {
		b.t.Errorf("%d done rows", n)
	}
	if n := b.rows("started"); n != 12 {
		b.t.Errorf("%d started rows", n)
	}
	if n := b.rows("released"); n != 0 {
		b.t.Errorf("%d released rows", n)
	}
	prefix := "refs/okstra/" + benchKey
	refs := strings.Fields(b.repo.Git("for-each-ref", "--format=%(refname)", prefix+"/done", prefix+"/reserved", "refs/okstra-local/port", "refs/okstra-local/seen"))
	if len(refs) != 12 || slices.ContainsFunc(refs, func(r string) bool { return !strings.HasPrefix(r, prefix+"/done/") }) {
		b.t.Errorf("refs: %q", refs)
	}
	for n := 1; n <= 12; n++ {
		done := b.repo.Git("rev-parse", fmt.Sprintf("%s/done/%d", prefix, n))
		if tip := b.repo.Git("rev-parse", fmt.Sprintf("refs/heads/feat-HELLO-1-s%d", n)); tip != done {
			b.t.Errorf("stage %d is done at %s, its branch is at %s", n, done, tip)
		}
		if log := b.repo.Git("log", "--format=%s", done); strings.Count(log+"\n", fmt.Sprintf("part %d\n", n)) != 1 {
			b.t.Errorf("stage %d: %q", n, log)
		}
		if out := b.repo.Git("-C", b.stagePath(n), "status", "--porcelain"); out != "" {
			b.t.Errorf("stage %d: %s", n, out)
		}
		if pid, ok := workerOf(storm, n); ok && runsWorker(pid) {
			b.t.Errorf("the worker of stage %d still runs", n)
		}
	}
	if out, errOut, code := b.repo.TryGit("fsck", "--no-dangling"); code != 0 || strings.TrimSpace(out+errOut) != "" {
		b.t.Errorf("git fsck: %d %s%s", code, out, errOut)
	}
}

// workerOf reads the process number of a stage's last worker.
func workerOf(storm string, n int) (int, bool) {
	text, err := os.ReadFile(filepath.Join(storm, fmt.Sprintf("pid-%d", n)))
	if err != nil {
		return 0, false
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	return pid, err == nil
}

// runsWorker reports whether a process is a worker of a storm: its number may have been
// given to another one.
func runsWorker(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return err == nil && strings.Contains(string(text), "worker.sh") && !gitops.ProcessEnded(pid, "")
}

// TestTwoChains: two chains on one plan, started together, do each stage once in total;
// also with one run id for both.
func TestTwoChains(t *testing.T) {
	t.Parallel()
	b, storm := stormBench(t)
	args := []string{"chain", "-j", "2", "--run", "both", "--", "sh", filepath.Join(storm, "worker.sh")}
	outcomes := b.atOnce(2, func(int) (string, []string) { return b.repo.Dir, args })
	for i, o := range outcomes {
		if o.code != 0 {
			t.Errorf("chain %d: %+v", i, o)
		}
	}
	ran, err := os.ReadFile(filepath.Join(storm, "ran"))
	if words := strings.Fields(string(ran)); err != nil || len(words) != 12 {
		t.Errorf("%d workers: %q, %v", len(words), words, err)
	}
	b.chainDone(storm)
	b.wholesome()
}

// TestKilledChains kills chains, workers or both at random moments and runs the same
// command again, until all is done.
func TestKilledChains(t *testing.T) {
	t.Parallel()
	rounds := 20
	if testing.Short() {
		rounds = 2
	}
	if text := os.Getenv("OKSTRA_CHAIN_ROUNDS"); text != "" {
		var err error
		if rounds, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	for round := range rounds {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			t.Parallel()
			b, storm := stormBench(t)
			kills := [3]int{}
			for run := 0; ; run++ {
				if run == 200 {
					t.Fatal("200 runs were not enough")
				}
				after := time.Duration(rand.N(600)) * time.Millisecond
				if run > 6 { // it has to end some time
					after = time.Hour
				}
				o, what := b.killedChain(storm, after, rand.N(3))
				kills[what]++
				if o.code == 0 {
					break
				}
			}
			t.Logf("kills of chain, worker, both: %v", kills)
			b.chainDone(storm)
		})
	}
}

// killedChain runs a chain and kills it (0), its workers (1) or both (2) after a while.
func (b *bench) killedChain(storm string, after time.Duration, what int) (outcome, int) {
	b.t.Helper()
	var out, errOut strings.Builder
	cmd := exec.Command("git-okstra", "chain", "-j", "2", "--", "sh", filepath.Join(storm, "worker.sh"))
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = b.repo.Dir, b.repo.Env, &out, &errOut
	cmd.WaitDelay = time.Millisecond // what a killed chain has left has its output too
	if err := cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	kill := time.AfterFunc(after, func() {
		if what != 1 {
			_ = cmd.Process.Kill()
		}
		for try := 0; try < 100 && what != 0 && !killWorkers(storm); try++ {
			time.Sleep(5 * time.Millisecond) // none runs at this very moment
		}
	})
	_ = cmd.Wait()
	kill.Stop()
	return outcome{cmd.ProcessState.ExitCode(), out.String(), errOut.String()}, what
}

// killWorkers kills what runs of a storm's workers, and reports whether any did.
func killWorkers(storm string) (hit bool) {
	for n := 1; n <= 12; n++ {
		if pid, ok := workerOf(storm, n); ok && runsWorker(pid) {
			hit = syscall.Kill(pid, syscall.SIGKILL) == nil || hit
		}
	}
	return hit
}
