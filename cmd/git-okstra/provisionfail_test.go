package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// TestInterruptedAtEachCall sends Ctrl-C when a start calls git for the Nth time, before
// that git works and after it has. What is left is a stage that was never started, or a
// stage that the same command finishes.
func TestInterruptedAtEachCall(t *testing.T) {
	t.Parallel()
	const most = 40
	b := newBench(t, most)
	env := b.repo.Env
	interrupted, moments := 0, []string{"after", "before"}
	if testing.Short() {
		moments = moments[:1]
	}
	stage := 0
	for n, reached := 1, true; reached && stage < most; n++ {
		reached = false
		for _, when := range moments {
			stage++
			args := []string{"stage", "start", fmt.Sprint(stage), "--run", "r"}
			b.repo.Env = append(slices.Clone(env), b.interrupter(n, when)...)
			o := b.run(b.repo.Dir, args...)
			b.repo.Env = env
			what := fmt.Sprintf("%s call %d", when, n)
			calls, err := os.ReadDir(filepath.Join(b.home, "calls"))
			if err != nil {
				t.Fatal(err)
			}
			reached = reached || len(calls) >= n
			switch o.code {
			case exitInterrupted:
				interrupted++
				b.nothingOrHeld(what, stage)
			case 0:
			default:
				t.Errorf("%s: %+v", what, o)
			}
			b.must(b.repo.Dir, args...)
			if got := b.repo.Git("-C", b.stagePath(stage), "status", "--porcelain"); got != "" {
				t.Errorf("%s: status %q", what, got)
			}
		}
	}
	if interrupted < 5*len(moments) {
		t.Errorf("interrupted %d times only", interrupted)
	}
	b.wholesome()
}

// interrupter is the environment with a git that sends Ctrl-C to who calls it.
func (b *bench) interrupter(n int, when string) []string {
	b.t.Helper()
	dir, calls := filepath.Join(b.home, "bin"), filepath.Join(b.home, "calls")
	if err := os.RemoveAll(calls); err != nil {
		b.t.Fatal(err)
	}
	for _, d := range []string{dir, calls} {
		if err := os.MkdirAll(d, 0o777); err != nil {
			b.t.Fatal(err)
		}
	}
	stand := fmt.Sprintf(`#!/bin/sh
PATH=${PATH#*:}
n=1
while ! mkdir "%s/$n" 2>/dev/null; do n=$((n + 1)); done
[ $n -eq %d ] || exec git "$@"
if [ %s = before ]; then
	kill -INT $PPID
	sleep 0.05
	exec git "$@"
fi
git "$@"
code=$?
kill -INT $PPID
sleep 0.05
exit $code
`, calls, n, when)
	if err := os.WriteFile(filepath.Join(dir, "git"), []byte(stand), 0o777); err != nil {
		b.t.Fatal(err)
	}
	return []string{"PATH=" + dir + string(os.PathListSeparator) + os.Getenv("PATH")}
}

// nothingOrHeld holds that a stage is held, or else that nothing of it is there.
func (b *bench) nothingOrHeld(what string, n int) {
	b.t.Helper()
	o := b.must(b.repo.Dir, "stage", "list", "--json")
	_, of, _ := strings.Cut(o.out, fmt.Sprintf(`"stage":%d,`, n))
	if of, _, _ = strings.Cut(of, `"stage":`); strings.Contains(of, `"state":"active"`) {
		return
	}
	if !strings.Contains(of, `"state":"ready"`) {
		b.t.Errorf("%s: %s", what, o.out)
	}
	b.noTrace(what, n)
}

// nothingOf holds that stage 1 is free and left neither branch nor folder nor worktree.
func (b *bench) nothingOf(what string) {
	b.t.Helper()
	if o := b.must(b.repo.Dir, "stage", "list", "--json"); !strings.Contains(o.out, `"state":"ready"`) || strings.Contains(o.out, `"state":"active"`) {
		b.t.Errorf("%s: %s", what, o.out)
	}
	b.noTrace(what, 1)
}

func (b *bench) noTrace(what string, n int) {
	b.t.Helper()
	if got := b.repo.Git("for-each-ref", fmt.Sprintf("refs/heads/feat-HELLO-1-s%d", n)); got != "" {
		b.t.Errorf("%s: branch %s", what, got)
	}
	if got := b.repo.Git("worktree", "list", "--porcelain"); strings.Contains(got+"\n", fmt.Sprintf("/stage-%d\n", n)) {
		b.t.Errorf("%s: worktrees %s", what, got)
	}
	if _, err := os.Lstat(b.stagePath(n)); !os.IsNotExist(err) {
		b.t.Errorf("%s: folder: %v", what, err)
	}
}

// TestDiskFull provisions into a file system that is too small, once by copying and
// once by git, and starts a stage in a repository whose own disk is full.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ attributes, says string }{
		"copied": {"# none\n", "no space left"},
		"by git": {"*.big ident\n", "unable to write file"}, // git tells no more
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, 1)
			b.repo.Write("data.big", strings.Repeat("0123456789abcde\n", 40_000))
			b.repo.Write(".gitattributes", c.attributes)
			b.repo.Commit("big")
			b.old()
			o := b.onSmallDisk(b.home)
			if o.code != exitEnvironment || !strings.Contains(strings.ToLower(o.errOut), c.says) {
				t.Errorf("%+v", o)
			}
			if strings.Contains(o.out, "left over") {
				t.Errorf("on the small disk: %s", o.out)
			}
			b.nothingOf(name)
			b.wholesome()
			b.must(b.repo.Dir, "stage", "start", "1")
		})
	}
}

// old makes every file older than the index, or none would be copied.
func (b *bench) old() {
	b.t.Helper()
	out, err := exec.Command("sh", "-c", "find "+b.repo.Dir+" -name .git -prune -o -type f -exec touch -d 2020-01-02 {} +").CombinedOutput()
	if err != nil {
		b.t.Fatalf("%v: %s", err, out)
	}
	b.repo.Git("update-index", "-q", "--refresh")
}

// onSmallDisk starts stage 1 with a file system of 200 kB at dir, in a mount namespace.
// Where the system permits none, the size of files is limited for git, which is told
// what a full disk would have it say.
func (b *bench) onSmallDisk(dir string) outcome {
	b.t.Helper()
	const try = `mount -t tmpfs -o size=200k none "$0" || exit 99
"$@"
code=$?
find "$0" -mindepth 1 ! -type d -printf 'left over: %p\n'
find "$0" -name 'stage-*' -printf 'left over: %p\n'
exit $code
`
	cmd := exec.Command("unshare", "-rm", "sh", "-c", try, dir, "git-okstra", "stage", "start", "1")
	var out, errOut strings.Builder
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = b.repo.Dir, b.repo.Env, &out, &errOut
	err := cmd.Run()
	if err == nil || cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == exitEnvironment {
		return outcome{cmd.ProcessState.ExitCode(), out.String(), errOut.String()}
	}
	b.t.Logf("no mount namespace here (%v: %s): git says that the disk is full", err, errOut.String())
	return b.gitSaysFull()
}

// gitSaysFull starts stage 1 with a git that writes a part of the files and then says
// that the disk is full.
func (b *bench) gitSaysFull() outcome {
	b.t.Helper()
	bin := b.t.TempDir()
	stand := `#!/bin/sh
PATH=${PATH#*:}
case "$*" in
*"reset --hard"* | *checkout-index*)
	echo part >data.big
	echo "fatal: unable to write file data.big: No space left on device" >&2
	exit 128
	;;
*update-ref*"reset: moving"*)
	echo "fatal: cannot lock ref 'ORIG_HEAD': No space left on device" >&2
	exit 128
	;;
esac
exec git "$@"
`
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte(stand), 0o777); err != nil {
		b.t.Fatal(err)
	}
	env := b.repo.Env
	defer func() { b.repo.Env = env }()
	b.repo.Env = append(slices.Clone(env), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	return b.run(b.repo.Dir, "stage", "start", "1")
}

// TestTwelveBesideALockedConfig is field report D1: 12 starts at once, while somebody
// holds the lock of the configuration file.
func TestTwelveBesideALockedConfig(t *testing.T) {
	t.Parallel()
	n := 12
	if testing.Short() {
		n = 4
	}
	b := newBench(t, n)
	lock := filepath.Join(b.repo.Dir, ".git", "config.lock")
	if err := os.WriteFile(lock, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, o := range b.atOnce(n, func(i int) (string, []string) {
		return b.repo.Dir, []string{"stage", "start", fmt.Sprint(i + 1)}
	}) {
		if o.code != 0 {
			t.Errorf("%+v", o)
		}
	}
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if got := b.repo.Git("-C", b.stagePath(i+1), "status", "--porcelain"); got != "" {
			t.Errorf("stage %d: status %q", i+1, got)
		}
	}
	if got := strings.Count(b.repo.Git("for-each-ref", "refs/heads/feat*"), "\n") + 1; got != n {
		t.Errorf("%d branches", got)
	}
	b.wholesome()
}

// TestSixteenBesideFetches is field report D2: while others fetch, each of 16 starts has
// the tip that the plan asks for. OKSTRA_ROUNDS repeats it.
func TestSixteenBesideFetches(t *testing.T) {
	t.Parallel()
	n, rounds := 16, 1
	if testing.Short() {
		n = 4
	}
	if v := os.Getenv("OKSTRA_ROUNDS"); v != "" {
		if _, err := fmt.Sscan(v, &rounds); err != nil {
			t.Fatal(err)
		}
	}
	for range rounds {
		b := newBench(t, n)
		upstream := filepath.Join(b.home, "upstream")
		b.repo.Git("clone", "-q", "--bare", b.repo.Dir, upstream)
		b.repo.Git("remote", "add", "origin", upstream)
		base := b.repo.Git("rev-parse", "main")
		stop := b.fetching("main", "+refs/heads/*:refs/remotes/origin/*")
		for _, o := range b.atOnce(n, func(i int) (string, []string) {
			return b.repo.Dir, []string{"stage", "start", fmt.Sprint(i + 1), "--json"}
		}) {
			if o.code != 0 || !strings.Contains(o.out, `"base":"`+base+`"`) {
				t.Errorf("%+v", o)
			}
		}
		stop()
		for i := range n {
			if got := b.repo.Git("-C", b.stagePath(i+1), "rev-parse", "HEAD"); got != base {
				t.Errorf("stage %d stands on %s, want %s", i+1, got, base)
			}
		}
		b.wholesome()
	}
}

// fetching fetches each of the refs in a loop of its own until it is stopped.
func (b *bench) fetching(refs ...string) (stop func()) {
	b.t.Helper()
	end := make(chan struct{})
	var wg sync.WaitGroup
	for _, ref := range refs {
		wg.Go(func() {
			for {
				select {
				case <-end:
					return
				default:
				}
				cmd := exec.Command("git", "fetch", "-q", "origin", ref)
				cmd.Dir, cmd.Env = b.repo.Dir, b.repo.Env
				// Git's fetch fails where it meets a worktree that git is just
				// adding ("bad object worktrees/stage-1/HEAD"), with git alone too.
				_ = cmd.Run()
			}
		})
	}
	return func() { close(end); wg.Wait() }
}
