package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// stagePath is where a stage's worktree of the bench stands.
func (b *bench) stagePath(n int) string {
	return filepath.Join(b.home, "worktrees", "demo", "greeter", "HELLO-1", fmt.Sprintf("stage-%d", n))
}

// must runs a command that has to succeed.
func (b *bench) must(dir string, args ...string) outcome {
	b.t.Helper()
	o := b.run(dir, args...)
	if o.code != 0 {
		b.t.Errorf("%q: %+v", args, o)
	}
	return o
}

// TestConfigLockedMeanwhile is field report D1: 12 stages are provisioned at
// once while somebody holds .git/config.lock; none fails, none leaves a branch.
func TestConfigLockedMeanwhile(t *testing.T) {
	n := 12
	if testing.Short() {
		n = 4
	}
	b := newBench(t, n)
	lock := filepath.Join(b.repo.Dir, ".git", "config.lock")
	if err := os.WriteFile(lock, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for i, o := range b.atOnce(n, func(i int) (string, []string) {
		return b.repo.Dir, []string{"stage", "start", fmt.Sprint(i + 1), "--print-path"}
	}) {
		if o.code != 0 || strings.TrimSpace(o.out) != b.stagePath(i+1) {
			t.Errorf("stage %d: %+v", i+1, o)
		}
	}
	if _, err := os.Stat(lock); err != nil {
		t.Errorf("somebody else's lock was taken away: %v", err)
	}
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	if got := strings.Fields(b.repo.Git("for-each-ref", "--format=%(refname:short)", "refs/heads")); len(got) != n+1 {
		t.Errorf("branches: %q", got)
	}
	for i := range n {
		if out := b.repo.Git("-C", b.stagePath(i+1), "status", "--porcelain"); out != "" {
			t.Errorf("stage %d: %s", i+1, out)
		}
	}
	b.wholesome()
}

// TestMaintenanceBesideStages: git packs refs and prunes in a loop while stages
// start and end; nothing is lost, nothing is seen twice.
func TestMaintenanceBesideStages(t *testing.T) {
	n := 10
	if testing.Short() {
		n = 3
	}
	b := newBench(t, n)
	stop := make(chan struct{})
	rounds := 0
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			for _, words := range [][]string{{"pack-refs", "--all"}, {"gc", "-q", "--prune=now"}, {"repack", "-adq"}} {
				select {
				case <-stop:
					if rounds >= 3 {
						return
					}
				default:
				}
				// It loses against a writer now and then, as it may.
				_, _, _ = b.repo.TryGit(words...)
				rounds++
			}
		}
	})
	for i := 1; i <= n; i++ {
		b.must(b.repo.Dir, "stage", "start", fmt.Sprint(i))
		b.commitBesidePrune(i)
		b.must(b.stagePath(i), "stage", "done")
	}
	close(stop)
	wg.Wait()
	if started, done := b.rows("started"), b.rows("done"); started != n || done != n {
		t.Errorf("%d started and %d done rows, want %d", started, done, n)
	}
	if o := b.must(b.repo.Dir, "stage", "list"); !strings.Contains(o.out, fmt.Sprintf("%d of %d stages done", n, n)) {
		t.Errorf("list: %s", o.out)
	}
	for i := 1; i <= n; i++ {
		if got := b.repo.Git("log", "-1", "--format=%s", fmt.Sprintf("refs/okstra/demo/greeter/HELLO-1/done/%d", i)); got != fmt.Sprint("stage ", i) {
			t.Errorf("done/%d is %q", i, got)
		}
	}
	if out, errOut, code := b.repo.TryGit("fsck", "--no-dangling"); code != 0 || strings.TrimSpace(out+errOut) != "" {
		t.Errorf("git fsck: %d %s%s", code, out, errOut)
	}
}

// commitBesidePrune commits with stock git, which loses a new object to a prune
// beside it now and then, as it may: then it is tried again.
func (b *bench) commitBesidePrune(i int) {
	b.t.Helper()
	for range 20 {
		if _, _, code := b.repo.TryGit("-C", b.stagePath(i), "commit", "-q", "--allow-empty", "-m", fmt.Sprint("stage ", i)); code == 0 {
			return
		}
	}
	b.t.Fatalf("stage %d: git cannot commit beside gc", i)
}

// TestClaimedIsNeverOffered is field report A5: a stage that is held is in no
// later answer of next, by whatever name and at whatever hour it is asked.
func TestClaimedIsNeverOffered(t *testing.T) {
	b := newBench(t, 2)
	b.must(b.repo.Dir, "stage", "next", "--run", "long")
	env := b.repo.Env
	rounds := 25
	if testing.Short() {
		rounds = 5
	}
	for i := range rounds {
		at := time.Now().Add(time.Duration(i-rounds/2) * 3 * time.Hour).Unix()
		b.repo.Env = append(slices.Clone(env), fmt.Sprintf("OKSTRA_ACTOR=agent %d", i),
			fmt.Sprintf("GIT_COMMITTER_DATE=%d +0000", at), fmt.Sprintf("GIT_AUTHOR_DATE=%d +0000", at))
		if o := b.must(b.repo.Dir, "stage", "next", "--dry-run", "--json"); !strings.Contains(o.out, `"stage":2,`) {
			t.Errorf("round %d: %s", i, o.out)
		}
		if o := b.must(b.repo.Dir, "stage", "list"); !strings.Contains(o.out, "1      active") || !strings.Contains(o.out, "2      ready") {
			t.Errorf("round %d: %s", i, o.out)
		}
	}
	b.repo.Env = env
	b.must(b.repo.Dir, "stage", "start", "2")
	for range 5 {
		if o := b.run(b.repo.Dir, "stage", "next"); o.code != exitNothing || !strings.Contains(o.errOut, "in progress: 1, 2") {
			t.Errorf("next: %+v", o)
		}
	}
}

// TestClockSkew: the clocks of hosts that are a day apart order nothing and make
// nothing stale; the log's own counter does.
func TestClockSkew(t *testing.T) {
	b := newBench(t, 3)
	env := b.repo.Env
	at := func(days int) {
		date := fmt.Sprintf("%d +0000", time.Now().Add(time.Duration(days)*24*time.Hour).Unix())
		b.repo.Env = append(slices.Clone(env), "GIT_COMMITTER_DATE="+date, "GIT_AUTHOR_DATE="+date)
	}
	at(+1)
	b.must(b.repo.Dir, "stage", "start", "1")
	at(-1)
	b.must(b.repo.Dir, "stage", "release", "1", "--why", "behind")
	b.must(b.repo.Dir, "stage", "start", "1")
	at(+400)
	b.repo.Git("-C", b.stagePath(1), "commit", "-q", "--allow-empty", "-m", "from the future")
	b.must(b.repo.Dir, "stage", "start", "2")
	at(-400)
	b.must(b.repo.Dir, "stage", "done", "1")
	at(0)
	o := b.must(b.repo.Dir, "log")
	var order []string
	for line := range strings.Lines(o.out) {
		words := strings.Fields(line)
		order = append(order, words[0]+words[4]+words[5])
	}
	want := "1 1started,2 1released,3 1started,4 2started,5 1done"
	want = strings.ReplaceAll(want, " ", "")
	if got := strings.Join(order, ","); got != want {
		t.Errorf("rows %s, want %s", got, want)
	}
	list := b.must(b.repo.Dir, "stage", "list").out
	if !strings.Contains(list, "1      done") || !strings.Contains(list, "2      active") || strings.Contains(list, "stale") {
		t.Errorf("list: %s", list)
	}
}

// TestApprovalsAtOnce: equal approvals are one revision; different ones stand in
// one line of history, none of them lost.
func TestApprovalsAtOnce(t *testing.T) {
	const n = 6
	b := newBench(t, 2)
	ref := "refs/okstra/demo/greeter/HELLO-1/plan"
	src, err := os.ReadFile(filepath.Join(b.repo.Dir, "plan.md"))
	if err != nil {
		t.Fatal(err)
	}
	b.repo.Write("same.md", strings.ReplaceAll(string(src), "part 2", "part two"))
	for _, o := range b.atOnce(n, func(int) (string, []string) { return b.repo.Dir, []string{"plan", "approve", "same.md"} }) {
		if o.code != 0 {
			t.Errorf("approve: %+v", o)
		}
	}
	if got := b.repo.Git("rev-list", "--count", ref); got != "2" {
		t.Errorf("%s revisions after equal approvals, want 2", got)
	}
	for i := range n {
		b.repo.Write(fmt.Sprintf("plan-%d.md", i), strings.ReplaceAll(string(src), "part 2", fmt.Sprintf("part 2 as of %d", i)))
	}
	for _, o := range b.atOnce(n, func(i int) (string, []string) {
		return b.repo.Dir, []string{"plan", "approve", fmt.Sprintf("plan-%d.md", i)}
	}) {
		if o.code != 0 {
			t.Errorf("approve: %+v", o)
		}
	}
	if got := b.repo.Git("rev-list", "--count", "--first-parent", ref); got != fmt.Sprint(n+2) {
		t.Errorf("%s revisions, want %d", got, n+2)
	}
	paths := strings.Fields(b.repo.Git("log", "--format=%(trailers:key=Okstra-Plan-Path,valueonly)", ref))
	seen := map[string]bool{}
	for _, p := range paths {
		seen[p] = true
	}
	if len(seen) != n+2 {
		t.Errorf("revisions of %q", paths)
	}
	b.wholesome()
}

// TestStartRacesApproval: a start and a revision of that very stage at once. In
// whatever order they win, no worker holds a stage that its plan does not have
// in that form: either the revision is refused, or the start's row names it.
func TestStartRacesApproval(t *testing.T) {
	const rounds = 5
	b := newBench(t, rounds)
	plan, err := os.ReadFile(filepath.Join(b.repo.Dir, "plan.md"))
	if err != nil {
		t.Fatal(err)
	}
	text := string(plan)
	for n := 1; n <= rounds; n++ {
		next := strings.ReplaceAll(text, fmt.Sprintf("part %d\n", n), fmt.Sprintf("part %d anew\n", n))
		next = strings.ReplaceAll(next, fmt.Sprintf("| part %d |", n), fmt.Sprintf("| part %d anew |", n))
		if next == text {
			t.Fatal("the revision changes nothing")
		}
		b.repo.Write("next.md", next)
		out := b.atOnce(2, func(i int) (string, []string) {
			return b.repo.Dir, [][]string{{"plan", "approve", "next.md"}, {"stage", "start", fmt.Sprint(n)}}[i]
		})
		if out[1].code != 0 {
			t.Fatalf("start: %+v", out[1])
		}
		tip := b.repo.Git("rev-parse", "refs/okstra/demo/greeter/HELLO-1/plan")
		o := b.must(b.repo.Dir, "log", "--json", "--stage", fmt.Sprint(n))
		named := strings.Contains(o.out, `"plan":"`+tip+`"`)
		switch out[0].code {
		case 0:
			text = next
			if !named {
				t.Errorf("round %d: approved %s, but the start built on another plan: %s", n, tip, o.out)
			}
		case exitFindings:
			if !named || !strings.Contains(out[0].errOut, fmt.Sprintf("the revision changes stage %d", n)) {
				t.Errorf("round %d: %+v, %s", n, out[0], o.out)
			}
		default:
			t.Errorf("round %d: approve: %+v", n, out[0])
		}
	}
	b.wholesome()
}

// TestReadersWriteNothing: what only looks works in a repository that cannot be
// written, and leaves every file of it as it was.
func TestReadersWriteNothing(t *testing.T) {
	b := newBench(t, 2)
	b.must(b.repo.Dir, "stage", "start", "1")
	b.repo.Git("gc", "-q")
	before := b.snapshot()
	b.chmodAll(0o555)
	t.Cleanup(func() { b.chmodAll(0o755) })
	for _, words := range []string{
		"plan check plan.md", "plan check HEAD:plan.md", "stage list", "stage list --json", "log", "log --json",
		"stage next --dry-run", "stage start 2 --dry-run --json", "stage start 1 --resume --dry-run", "version",
	} {
		b.must(b.repo.Dir, strings.Fields(words)...)
	}
	b.chmodAll(0o755)
	after := b.snapshot()
	for name, state := range after {
		if before[name] != state {
			t.Errorf("%s changed: %q, then %q", name, before[name], state)
		}
		delete(before, name)
	}
	if len(before) != 0 {
		t.Errorf("gone: %v", before)
	}
}

// snapshot tells size and time of every file of the repository and the root.
func (b *bench) snapshot() map[string]string {
	b.t.Helper()
	all := map[string]string{}
	for _, top := range []string{b.repo.Dir, b.home} {
		err := filepath.WalkDir(top, func(path string, d os.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err == nil {
				all[path] = fmt.Sprint(info.Size(), info.ModTime().UnixNano(), info.IsDir())
			}
			return err
		})
		if err != nil {
			b.t.Fatal(err)
		}
	}
	return all
}

// chmodAll sets the mode of all folders of the repository.
func (b *bench) chmodAll(mode os.FileMode) {
	b.t.Helper()
	for _, top := range []string{b.repo.Dir, b.home} {
		err := filepath.WalkDir(top, func(path string, d os.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				return os.Chmod(path, mode)
			}
			return err
		})
		if err != nil {
			b.t.Error(err)
		}
	}
}
