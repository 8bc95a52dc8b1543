package workspace

import (
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// sameFateAs provisions rev, has git add a worktree of the same commit, and compares
// what came of it. It returns what it saw, for the count.
func (g *oracle) sameFateAs(rev string) []string {
	g.t.Helper()
	called := filepath.Join(g.root, "p", "g", "t", "called")
	target := g.target(rev)
	var res Result
	var err error
	g.whileWorking(func() { res, err = Provision(g.t.Context(), g.open(), target) })
	ourCall := g.takeCall(called, target.Path, string(target.Branch))
	twin := target.Path + "-by-git"
	branch := strings.TrimPrefix(string(target.Branch), "refs/heads/") + "-by-git"
	g.Git("branch", "--no-track", branch, rev)
	_, stderr, code := g.TryGit("worktree", "add", "-q", twin, branch)
	gitCall := g.takeCall(called, twin, branch)
	switch {
	case (err == nil) != (code == 0):
		g.t.Errorf("%s: %v; git exits %d: %s", rev, err, code, stderr)
		return nil
	case err != nil:
		g.sameRefusal(target, err, stderr)
		return []string{"refused"}
	}
	if ourCall != gitCall {
		g.t.Errorf("%s: the hook was called with\n%s\nby git with\n%s", rev, ourCall, gitCall)
	}
	if res.Copied == 0 || res.Written > 0 {
		g.aged(target.Path)
		g.aged(twin)
	}
	g.compareAll(target.Path, twin)
	if res.Copied > 0 && res.Written == 0 && g.old {
		g.needsNoRefresh(target.Path)
	}
	switch {
	case res.Copied > 0 && res.Written > 0:
		return []string{"copied", "partly copied"}
	case res.Copied > 0:
		return []string{"copied"}
	}
	return []string{"all by git"}
}

// aged makes a worktree's index younger than every file. Whether the last files and the
// index are of one tick of the clock is chance, and then git looks at what is in the
// file, which says "modified" where a conversion does not lead back.
func (g *oracle) aged(worktree string) {
	g.t.Helper()
	later := time.Now().Add(3 * time.Second)
	g.must(os.Chtimes(g.indexFile(worktree), later, later))
}

func (g *oracle) indexFile(worktree string) string {
	g.t.Helper()
	return g.Git("-C", worktree, "rev-parse", "--path-format=absolute", "--git-path", "index")
}

// takeCall is what the hook wrote down, without what has to differ.
func (g *oracle) takeCall(file, worktree, branch string) string {
	g.t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	g.must(os.Remove(file))
	return withoutNames(string(data), worktree, branch)
}

func withoutNames(text, worktree, branch string) string {
	text = strings.ReplaceAll(text, worktree, "WORKTREE")
	text = strings.ReplaceAll(text, "refs/heads/"+strings.TrimPrefix(branch, "refs/heads/"), "BRANCH")
	return strings.ReplaceAll(text, "worktrees/"+filepath.Base(worktree), "worktrees/ID")
}

// sameRefusal holds that ours has git's reason in it and leaves nothing.
func (g *oracle) sameRefusal(target Target, err error, stderr string) {
	g.t.Helper()
	said := false
	for line := range strings.Lines(stderr) {
		_, line, _ = strings.Cut(strings.TrimSpace(line), ": ")
		said = said || line != "" && strings.Contains(err.Error(), line)
	}
	if !said {
		g.t.Errorf("%v; git says %s", err, stderr)
	}
	g.nothingLeft(target)
}

// compareAll holds a worktree of ours against git's.
func (g *oracle) compareAll(ours, twin string) {
	g.t.Helper()
	if got, want := picture(g.t, ours), picture(g.t, twin); !slices.Equal(got, want) {
		g.t.Errorf("the tree differs from git's: only here %.600q, only there %.600q", less(got, want), less(want, got))
	}
	if got, want := g.admin(ours), g.admin(twin); !slices.Equal(got, want) {
		g.t.Errorf("the git folder: only here %.600q, only there %.600q", less(got, want), less(want, got))
	}
	if got, want := g.indexForm(ours), g.indexForm(twin); got != want {
		g.t.Errorf("index %s, git's %s", got, want)
	}
	for _, args := range [][]string{
		{"ls-files", "--sparse", "-s", "-v", "-z"},
		{"diff-files", "--name-only", "-z"},
		{"diff-index", "--cached", "--raw", "-z", "HEAD"},
		{"status", "--porcelain=v2", "--ignored", "--untracked-files=all", "-z"},
		{"diff", "--stat"},
		{"config", "--list"},
	} {
		a, _, codeA := g.TryGit(append([]string{"--no-optional-locks", "-C", ours}, args...)...)
		b, _, codeB := g.TryGit(append([]string{"--no-optional-locks", "-C", twin}, args...)...)
		if a != b || codeA != codeB {
			g.t.Errorf("git %q: %d %.600q, in git's worktree %d %.600q", args, codeA, a, codeB, b)
		}
	}
}

// admin is everything in a worktree's own git folder but its index and our mark.
func (g *oracle) admin(worktree string) []string {
	g.t.Helper()
	link, err := os.ReadFile(filepath.Join(worktree, ".git"))
	g.must(err)
	dir := strings.TrimSuffix(strings.TrimPrefix(string(link), "gitdir: "), "\n")
	head, err := os.ReadFile(filepath.Join(dir, "HEAD"))
	g.must(err)
	branch := strings.TrimSpace(strings.TrimPrefix(string(head), "ref: "))
	var out []string
	g.must(filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		name := strings.TrimPrefix(path, dir)
		switch {
		case err != nil || d.IsDir() && name != "/refs":
			return err
		case d.IsDir():
			return fs.SkipDir
		case strings.HasPrefix(name, "/sharedindex."):
			return nil
		}
		info, err := d.Info()
		g.must(err)
		if name == "/index" {
			out = append(out, fmt.Sprint(name, " ", info.Mode()))
			return nil
		}
		data, err := os.ReadFile(path)
		out = append(out, fmt.Sprint(name, " ", info.Mode(), " ", withoutNames(string(data), worktree, branch)))
		return err
	}))
	top, err := os.Stat(worktree)
	g.must(err)
	out = append(out, fmt.Sprint("top ", top.Mode()))
	return out
}

// indexForm is the version of a worktree's index and the names of its extensions. The
// tree cache is a help that git makes when it likes.
func (g *oracle) indexForm(worktree string) string {
	g.t.Helper()
	data, err := os.ReadFile(g.indexFile(worktree))
	g.must(err)
	version, count := binary.BigEndian.Uint32(data[4:]), binary.BigEndian.Uint32(data[8:])
	rest := data[12:]
	for range count {
		size := 62
		if rest[60]&0x40 != 0 {
			size += 2
		}
		if version == 4 {
			for rest[size]&0x80 != 0 {
				size++
			}
			size++
		}
		size += strings.IndexByte(string(rest[size:min(len(rest), size+5000)]), 0)
		if version == 4 {
			size++
		} else {
			size = (size + 8) &^ 7
		}
		rest = rest[size:]
	}
	form := fmt.Sprintf("version %d", version)
	for len(rest) > 20 {
		if name := string(rest[:4]); name != "TREE" {
			form += " " + name
		}
		rest = rest[8+binary.BigEndian.Uint32(rest[4:]):]
	}
	return form
}

// fsck is what git finds wrong with the repository.
func (g *oracle) fsck() []string {
	g.t.Helper()
	out, stderr, _ := g.TryGit("fsck", "--no-dangling")
	return slices.Collect(strings.Lines(out + stderr))
}
