package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestSyncKilledAroundGit kills a sync at every one of its git calls: another clone can
// go on from what is at the remote, the same command finishes what is left, and no row
// and no done commit is lost. The number of calls comes from a run that is not killed.
func TestSyncKilledAroundGit(t *testing.T) {
	t.Parallel()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	c := newSyncCrash(t)
	k := syncKiller{syncCrash: c, dir: t.TempDir(), git: git}
	if err := os.WriteFile(filepath.Join(k.dir, "git"), []byte(gitStandIn), 0o777); err != nil {
		t.Fatal(err)
	}
	n := k.calls(0, "")
	c.whole("undisturbed")
	if n < 8 {
		t.Fatalf("only %d git calls", n)
	}
	for at := 1; at <= n; at++ {
		for i, how := range []string{"before", "after", "beside"} {
			if os.Getenv("OKSTRA_CRASH") != "all" && (at%3 != i || at%2 != 0 || testing.Short() && at%4 != 0) {
				continue
			}
			k.calls(at, how)
			c.whole(fmt.Sprintf("killed %s git call %d", how, at))
		}
	}
	t.Logf("%d git calls", n)
}

// syncCrash is two clones with news for each other, put back to that again and again.
type syncCrash struct {
	*hub
	kept string
}

// newSyncCrash: both clones started a stage, ended another, and know nothing of each
// other yet; the first has a claim on a stage that the second published.
func newSyncCrash(t *testing.T) *syncCrash {
	c := &syncCrash{hub: newHub(t, 6, 2), kept: t.TempDir()}
	work := func(clone, done, open int) {
		dir := c.clones[clone]
		for _, n := range []int{done, open} {
			c.must(dir, "stage", "start", "-q", fmt.Sprint(n))
		}
		if clone == 0 { // the remote has the claim, so that its end is a deletion there
			c.must(dir, "sync", "-q")
		}
		tree := c.repo.Git("-C", dir, "config", "okstra.worktreeRoot") + "/" + benchKey + fmt.Sprintf("/stage-%d", done)
		c.repo.Git("-C", tree, "commit", "-q", "--allow-empty", "-m", fmt.Sprint("stage ", done))
		c.must(dir, "stage", "done", fmt.Sprint(done))
	}
	work(0, 1, 2)
	c.must(c.clones[1], "sync", "-q")
	work(1, 3, 4)
	c.must(c.clones[1], "stage", "start", "-q", "5")
	c.must(c.clones[1], "sync", "-q")
	c.must(c.clones[0], "stage", "start", "-q", "5")
	for i, dir := range append([]string{c.bare}, c.clones...) {
		copyTree(t, dir, filepath.Join(c.kept, fmt.Sprint(i)))
	}
	return c
}

func (c *syncCrash) putBack() {
	c.t.Helper()
	for i, dir := range append([]string{c.bare}, c.clones...) {
		if err := os.RemoveAll(dir); err != nil {
			c.t.Fatal(err)
		}
		copyTree(c.t, filepath.Join(c.kept, fmt.Sprint(i)), dir)
	}
}

// whole is what must hold after a kill, and be reached in the end.
func (c *syncCrash) whole(what string) {
	c.t.Helper()
	if out, errOut, code := c.repo.TryGit("-C", c.bare, "fsck", "--no-dangling"); code != 0 || out != "" || errOut != "" {
		c.t.Errorf("%s: git fsck of the remote: %d %q %q", what, code, out, errOut)
	}
	for n, ref := range strings.Fields(c.repo.Git("-C", c.bare, "for-each-ref", "--format=%(refname)", "refs/okstra/"+benchKey+"/done")) {
		if head := c.repo.Git("-C", c.bare, "rev-parse", ref); !strings.Contains(c.repo.Git("-C", c.bare, "notes", "--ref=okstra/"+benchKey, "show", head), `"status":"done"`) {
			c.t.Errorf("%s: done ref %d, %s, is at the remote before its row", what, n, ref)
		}
	}
	if o := c.run(c.clones[1], "sync"); o.code != 0 {
		c.t.Errorf("%s: the other clone: %+v", what, o)
	}
	if o := c.run(c.clones[1], "stage", "list"); strings.Contains(o.out, "\n1      ready") {
		c.t.Errorf("%s: a done stage looks free: %s", what, o.out)
	}
	if o := c.run(c.clones[0], "sync"); o.code != 0 {
		c.t.Errorf("%s: again: %+v", what, o)
	}
	c.agree()
	for _, dir := range c.clones {
		if o := c.must(dir, "stage", "list"); !strings.Contains(o.out, "2 of 6 stages done") || strings.Count(o.out, "active") != 3 {
			c.t.Errorf("%s: %s", what, o.out)
		}
		o := c.must(dir, "log")
		for words, want := range map[string]int{"  started  ": 6, "  done     ": 2, "  released ": 1} {
			if got := strings.Count(o.out, words); got != want {
				c.t.Errorf("%s: %d rows of %q, want %d:\n%s", what, got, words, want, o.out)
			}
		}
	}
}

// syncKiller runs the first clone's sync with the stand-in on PATH.
type syncKiller struct {
	*syncCrash
	dir, git string
}

// calls runs the sync from the beginning, killed at one call (0: at none), and returns
// how many calls there were.
func (k *syncKiller) calls(at int, how string) int {
	k.t.Helper()
	k.putBack()
	made := func() []string {
		list, err := filepath.Glob(filepath.Join(k.dir, "call.*"))
		if err != nil {
			k.t.Fatal(err)
		}
		return list
	}
	for _, name := range append(made(), filepath.Join(k.dir, "over")) {
		_ = os.Remove(name)
	}
	cmd := exec.Command("git-okstra", "sync")
	cmd.Dir, cmd.Env = k.clones[0], append([]string{}, k.repo.Env...)
	cmd.Env = append(cmd.Env, "KILL_DIR="+k.dir, "KILL_GIT="+k.git, "KILL_HOW="+how,
		"PATH="+k.dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	if at > 0 {
		cmd.Env = append(cmd.Env, fmt.Sprintf("KILL_AT=%d", at))
	}
	out, err := cmd.CombinedOutput()
	if killed := cmd.ProcessState.ExitCode() == -1; killed != (at > 0) || at == 0 && err != nil {
		k.t.Fatalf("killed %s call %d: %v: %s", how, at, err, out)
	}
	for how == "beside" {
		if _, err := os.Stat(filepath.Join(k.dir, "over")); err == nil {
			break
		}
		time.Sleep(time.Millisecond)
	}
	return len(made())
}
