package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// point is a place where a command can be killed: the call that is about to be
// made, the file that it is about, and the process that makes it.
type point struct {
	Call, Path, By string
	Git            bool // the process is one of git's
}

func (p point) String() string { return fmt.Sprintf("%s: %s %s", p.By, p.Call, p.Path) }

// traced is what became of a command under the tracer.
type traced struct {
	Points []point // up to the kill, if there was one
	Killed bool
	Code   int
	Out    string
}

// crash is a repository that is put back to the same state again and again.
type crash struct {
	*bench
	tr     transition
	kept   string // the copy that it is put back from
	before snapshotOfRefs
	left   map[string]int // what a killed command left, by kind
}

// TestKilledEverywhere kills each transition before every call that changes a file,
// in our own process and in git's, and before every start of git: once with all that
// it started, as a machine that stops would, and for git's calls once git alone. What
// is left must be a state of storage.md §4, and the same command, run again, must
// finish. The points come from a run that is not killed. OKSTRA_CRASH=all tries
// every one; otherwise an even sample of them.
func TestKilledEverywhere(t *testing.T) {
	if !canTrace {
		fmt.Fprintln(os.Stderr, "crash test: no tracer for this system, so kills inside of git are not tried; those around its calls are")
		return
	}
	for _, tr := range transitions() {
		t.Run(tr.name, func(t *testing.T) {
			t.Parallel()
			c := newCrash(t, tr)
			points := c.undisturbed()
			tried := 0
			for i := range points {
				for _, alone := range []bool{false, true} {
					if (points[i].Git || !alone) && chosen(points, i, alone) {
						tried++
						c.killAt(i+1, alone, points[i])
					}
				}
			}
			t.Logf("%d points, %d kills tried; left behind: %v", len(points), tried, c.left)
		})
	}
}

// chosen samples the points evenly, the more of them the fewer there are, and those
// where refs are written before all.
func chosen(points []point, i int, alone bool) bool {
	if os.Getenv("OKSTRA_CRASH") == "all" {
		return true
	}
	budget := 8
	if testing.Short() {
		budget = 4
	}
	step := max(1, len(points)/budget)
	shift := 0
	if alone {
		step, shift = 3*step, 1
	}
	return (i+shift)%step == 0 || !testing.Short() && refStep(points[i])
}

// refStep reports whether a call makes one of our refs change.
func refStep(p point) bool {
	return p.By == "git update-ref" && strings.HasPrefix(p.Path, ".git/refs/") &&
		(p.Call == "rename" || p.Call == "unlink" && !strings.HasSuffix(p.Path, ".lock"))
}

// newCrash makes the state before the transition and keeps a copy of it.
func newCrash(t *testing.T, tr transition) *crash {
	t.Helper()
	c := &crash{bench: newBench(t, 2), tr: tr, kept: t.TempDir(), left: map[string]int{}}
	tr.prepare(c.bench)
	for i, dir := range []string{c.repo.Dir, c.home} {
		copyTree(t, dir, filepath.Join(c.kept, fmt.Sprint(i)))
	}
	c.before = c.refs()
	return c
}

// putBack makes the repository and the worktrees what they were.
func (c *crash) putBack() {
	c.t.Helper()
	for i, dir := range []string{c.repo.Dir, c.home} {
		if err := os.RemoveAll(dir); err != nil {
			c.t.Fatal(err)
		}
		copyTree(c.t, filepath.Join(c.kept, fmt.Sprint(i)), dir)
	}
	c.repo.Git("update-index", "-q", "--refresh") // the files are new ones to it
}

// copyTree copies folders, files with mode and time, and links.
func copyTree(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		target := to + strings.TrimPrefix(path, from)
		if d.IsDir() {
			return os.MkdirAll(target, info.Mode().Perm()|0o700)
		}
		data, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(target, data, info.Mode().Perm())
		}
		if err == nil {
			err = os.Chtimes(target, info.ModTime(), info.ModTime())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// undisturbed runs the transition once to its end and returns the points where it
// could have been killed.
func (c *crash) undisturbed() []point {
	c.t.Helper()
	c.putBack()
	res := c.traced(0, false)
	if (res.Code == 0) == c.tr.fails {
		c.t.Fatalf("undisturbed: exit %d: %s", res.Code, res.Out)
	}
	if got, want := c.state(), c.tr.end(); got != want {
		c.t.Fatalf("undisturbed: %s, want %s", got, want)
	}
	if len(res.Points) < 5 {
		c.t.Fatalf("only %d points: %v", len(res.Points), res.Points)
	}
	return res.Points
}

// traced runs the transition under the tracer.
func (c *crash) traced(at int, alone bool) traced {
	c.t.Helper()
	words := append([]string{fmt.Sprint(at), fmt.Sprint(alone), c.repo.Dir, c.home, "--", "git-okstra"}, c.tr.args...)
	cmd := exec.Command("okstra-traced", words...)
	cmd.Dir, cmd.Env = c.repo.Dir, c.repo.Env
	var errOut strings.Builder
	cmd.Stderr = &errOut
	out, err := cmd.Output()
	var res traced
	if err == nil {
		err = json.Unmarshal(out, &res)
	}
	if err != nil {
		c.t.Fatalf("%v: %s%s", err, out, &errOut)
	}
	return res
}

// killAt kills the transition at one point, looks at what is left and tries again.
func (c *crash) killAt(at int, alone bool, p point) {
	c.t.Helper()
	c.putBack()
	what := fmt.Sprintf("killed at %d, %s", at, p)
	if alone {
		what = "git alone " + what
	}
	res := c.traced(at, alone)
	if !res.Killed {
		c.t.Errorf("%s: there were only %d points this time", what, len(res.Points))
	}
	if os.Getenv("OKSTRA_CRASH") == "all" {
		c.t.Logf("%s: exit %d %s", what, res.Code, strings.TrimSpace(res.Out))
	}
	c.afterKill(what)
}

// afterKill is what must hold wherever a command died, and what must be possible.
func (c *crash) afterKill(what string) {
	c.t.Helper()
	if got := c.state(); !slices.Contains(c.tr.prefixes(), got) {
		c.t.Errorf("%s: no state of a transaction that was cut short:\n  %s\nwant one of\n  %s", what, got, strings.Join(c.tr.prefixes(), "\n  "))
	}
	c.noErrors(what, true)
	if c.refs().has("plan") {
		if o := c.run(c.repo.Dir, "stage", "list"); o.code != 0 {
			c.t.Errorf("%s: list: %+v", what, o)
		}
	}
	c.dropLocks()
	c.grow()
	env := c.repo.Env
	defer func() { c.repo.Env = env }()
	later := fmt.Sprintf("%d +0000", time.Now().Unix())
	c.repo.Env = append(slices.Clone(env), "GIT_AUTHOR_DATE="+later, "GIT_COMMITTER_DATE="+later)
	o := c.run(c.repo.Dir, c.tr.args...)
	if c.tr.fails {
		if o.code == 0 {
			c.t.Errorf("%s: again: %+v, want it to be refused", what, o)
		}
		c.tr.mend(c.bench)
		o = c.run(c.repo.Dir, c.tr.args...)
	}
	over := c.tr.over != "" && c.state() == c.tr.end() && strings.Contains(o.errOut, c.tr.over)
	if o.code != 0 && !over {
		c.t.Errorf("%s: again: %+v", what, o)
		return
	}
	if got, want := c.state(), c.tr.final(); !slices.Contains(want, got) {
		c.t.Errorf("%s: in the end %s\nwant %s", what, got, strings.Join(want, "\n or "))
	}
	c.usable(what)
	c.removed(what)
	c.followed(what)
	c.noErrors(what+", finished", false)
	c.leftovers(what)
}

// noErrors demands that git finds nothing broken or missing. An object that nobody
// holds is not an error: a command that was killed may have written it. Right after
// a kill it may also complain of a worktree that git was about to make.
func (c *crash) noErrors(what string, killed bool) {
	c.t.Helper()
	out, errOut, code := c.repo.TryGit("fsck", "--no-dangling", "--no-progress")
	for _, unfinished := range []string{
		"error: worktrees/stage-1/HEAD: detached HEAD points at nothing",
		"error: invalid worktrees/stage-1/HEAD", "fatal: failed to read .git/worktrees/stage-1/commondir: Success",
	} {
		if killed && strings.TrimSpace(out+errOut) == unfinished {
			c.left["worktree that git has not finished"]++
			return
		}
	}
	if text := strings.TrimSpace(out + errOut); code != 0 || text != "" {
		c.t.Errorf("%s: git fsck: %d %s", what, code, text)
	}
}

// dropLocks removes git's lock files, as its own message tells a user to: git never
// does it itself after a kill, and nothing else can know that nobody holds them.
func (c *crash) dropLocks() {
	c.t.Helper()
	for _, path := range c.files(func(name string) bool { return strings.HasSuffix(name, ".lock") }) {
		kind := "lock of a ref"
		if !strings.HasPrefix(path, "refs/") {
			kind = "lock " + filepath.Base(path)
		}
		c.left[kind]++
		if err := os.Remove(filepath.Join(c.repo.Dir, ".git", path)); err != nil {
			c.t.Fatal(err)
		}
	}
}

// grow lets a worktree that git has not finished be old: nothing is at it any more,
// but a command waits for a while, since it cannot know.
func (c *crash) grow() {
	c.t.Helper()
	past := time.Now().Add(-time.Hour / 2)
	for _, path := range c.files(func(string) bool { return true }) {
		if strings.HasPrefix(path, "worktrees/") {
			if err := os.Chtimes(filepath.Join(c.repo.Dir, ".git", path), past, past); err != nil {
				c.t.Fatal(err)
			}
		}
	}
}

// leftovers counts what may stay: a pack that no ref came to hold, with its .keep,
// our and git's temporary files. Anything else is an error.
func (c *crash) leftovers(what string) {
	c.t.Helper()
	for _, path := range c.files(func(name string) bool {
		return strings.HasSuffix(name, ".lock") || strings.HasSuffix(name, ".keep") ||
			strings.HasPrefix(name, "tmp_") || strings.HasPrefix(name, ".okstra-")
	}) {
		switch name := filepath.Base(path); {
		case strings.HasSuffix(name, ".lock"):
			c.t.Errorf("%s: left over: %s", what, path)
		case strings.HasSuffix(name, ".keep"):
			c.left[".keep"]++
		default:
			c.left["temporary file"]++
		}
	}
	admins, _ := os.ReadDir(filepath.Join(c.repo.Dir, ".git", "worktrees"))
	for _, e := range admins {
		link, _ := os.ReadFile(filepath.Join(c.repo.Dir, ".git", "worktrees", e.Name(), "gitdir"))
		switch {
		case len(link) == 0:
			c.left["worktree of no path"]++ // goes with a later start
		case string(link) != c.stagePath(1)+"/.git\n":
			c.t.Errorf("%s: .git/worktrees/%s is for %q", what, e.Name(), link)
		}
	}
	for _, dir := range []string{c.repo.Dir, filepath.Dir(c.stagePath(1))} {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), ".okstra-") {
				c.left["temporary file"]++
			} else if !slices.Contains([]string{".git", "plan.md", "src", "stage-1", ".gitattributes", "x.bad", "work", "other", ".gitignore", ".worktreeinclude", ".env", "tools"}, e.Name()) {
				c.t.Errorf("%s: left over: %s", what, filepath.Join(dir, e.Name()))
			}
		}
	}
}

// files lists what is in .git and fits by its base name.
func (c *crash) files(fits func(name string) bool) []string {
	c.t.Helper()
	var out []string
	top := filepath.Join(c.repo.Dir, ".git")
	err := filepath.WalkDir(top, func(path string, _ os.DirEntry, err error) error {
		if err == nil && fits(filepath.Base(path)) {
			out = append(out, strings.TrimPrefix(path, top+"/"))
		}
		return err
	})
	if err != nil {
		c.t.Fatal(err)
	}
	return out
}

// followed checks that the main worktree has what its branch has, if that was to move.
func (c *crash) followed(what string) {
	c.t.Helper()
	if !c.tr.lands {
		return
	}
	if out := c.repo.Git("status", "--porcelain"); out != "" {
		c.t.Errorf("%s: status %q", what, out)
	}
	if text, err := os.ReadFile(filepath.Join(c.repo.Dir, "src", "main.txt")); err != nil || string(text) != "mine\n" {
		c.t.Errorf("%s: landed %q, %v", what, text, err)
	}
	if left := c.files(func(name string) bool { return name == "okstra-forward" }); len(left) > 0 {
		c.t.Errorf("%s: left over: %v", what, left)
	}
}

// removed checks that nothing of the stage's worktree is left, if it was to go.
func (c *crash) removed(what string) {
	c.t.Helper()
	if !c.tr.removes {
		return
	}
	entries, err := os.ReadDir(filepath.Dir(c.stagePath(1)))
	if err != nil || len(entries) > 0 {
		c.t.Errorf("%s: left of the worktree: %v %v", what, entries, err)
	}
	if out := c.repo.Git("worktree", "list", "--porcelain"); strings.Count(out, "worktree ") != 1 {
		c.t.Errorf("%s: worktrees %s", what, out)
	}
}

// usable checks the stage's worktree, if the transition is to leave one: clean, on
// its branch and marked, and the only one.
func (c *crash) usable(what string) {
	c.t.Helper()
	if c.tr.worktrees == 0 {
		return
	}
	wt := c.stagePath(1)
	if out := c.repo.Git("-C", wt, "status", "--porcelain", "--branch"); out != "## "+stageBranch {
		c.t.Errorf("%s: status %q", what, out)
	}
	if out := c.repo.Git("-C", wt, "for-each-ref", "--format=%(refname)", "refs/worktree"); out != "refs/worktree/okstra/"+benchKey+"/1" {
		c.t.Errorf("%s: marks %q", what, out)
	}
	if c.tr.name == "start-ready" {
		var parts []string
		for _, name := range []string{".env", "tools/bin/run", "ready"} {
			text, _ := os.ReadFile(filepath.Join(wt, name))
			parts = append(parts, string(text))
		}
		if run := strings.Repeat("x", 5000); !slices.Equal(parts, []string{"KEY=1\n", run, "KEY=1\n" + run}) {
			c.t.Errorf("%s: brought %.100q", what, parts)
		}
	}
	refs := c.refs()
	if id, _, _ := strings.Cut(refs["refs/okstra/"+benchKey+"/reserved/1"], " "); id != "" && !strings.HasPrefix(refs["refs/okstra-local/port/0"], id) {
		c.t.Errorf("%s: the port slot has not the reservation", what)
	}
	if out := c.repo.Git("worktree", "list", "--porcelain"); strings.Count(out, "worktree ") != 2 || strings.Contains(out, "prunable") || strings.Contains(out, "locked") {
		c.t.Errorf("%s: worktrees %s", what, out)
	}
}
