package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"git-okstra/gitops"
)

// small is a settled repository of a few files in folders.
func small(t testing.TB) *world {
	t.Helper()
	w := newWorld(t, "empty")
	for _, name := range []string{"a.txt", "b.txt", "sub/c.txt", "sub/deep/d.txt"} {
		w.Write(name, "content of "+name+"\n")
	}
	w.Write("run", "#!/bin/sh\n")
	w.must(os.Chmod(w.path("run"), 0o755))
	w.Commit("first")
	w.settle()
	return w
}

func TestCleanSiblingIsCopiedWhole(t *testing.T) {
	t.Parallel()
	w := small(t)
	if res := w.sameAsGit("main"); res.Copied != 5 || res.Written != 0 {
		t.Errorf("result %+v", res)
	}
}

// TestSiblingStates changes one thing in the sibling after the commit. What is no
// longer provably as committed is written by git, the rest is copied; the result is
// always git's.
func TestSiblingStates(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		disturb func(*world)
		copied  int
	}{
		"edited, with size and time kept": {func(w *world) { w.edit("a.txt") }, 4},
		"edited in the second of the index, unseen": {func(w *world) {
			w.edit("a.txt")
			w.racy("a.txt")
		}, 4},
		"deleted":               {func(w *world) { w.must(os.Remove(w.path("a.txt"))) }, 4},
		"folder deleted":        {func(w *world) { w.must(os.RemoveAll(w.path("sub"))) }, 3},
		"replaced by a link":    {func(w *world) { w.replace("a.txt", "b.txt") }, 4},
		"replaced by a folder":  {func(w *world) { w.must(os.Remove(w.path("a.txt"))); w.Write("a.txt/in", "x") }, 4},
		"folder behind a link":  {func(w *world) { w.moveAway("sub") }, 3},
		"a deep one of those":   {func(w *world) { w.moveAway("sub/deep") }, 4},
		"mode changed":          {func(w *world) { w.must(os.Chmod(w.path("run"), 0o644)) }, 5},
		"mode changed, unseen":  {func(w *world) { w.modeUnseen() }, 5},
		"only touched":          {func(w *world) { w.must(os.Chtimes(w.path("a.txt"), time.Now(), time.Now())) }, 5},
		"read-only":             {func(w *world) { w.must(os.Chmod(w.path("a.txt"), 0o444)); w.settle() }, 5},
		"one inode, two paths":  {func(w *world) { w.hardLink("a.txt", "a-too.txt") }, 6},
		"untracked and ignored": {func(w *world) { w.Write("new", "x"); w.Write(".git/info/exclude", "new\n") }, 5},
		"edited and staged":     {func(w *world) { w.Write("a.txt", "other\n"); w.Git("add", "a.txt") }, 4},
		"removed from the index": {
			func(w *world) { w.Git("rm", "-q", "--cached", "a.txt") }, 4,
		},
		"assume-unchanged":  {func(w *world) { w.Git("update-index", "--assume-unchanged", "a.txt"); w.edit("a.txt") }, 0},
		"skip-worktree":     {func(w *world) { w.Git("update-index", "--skip-worktree", "a.txt"); w.edit("a.txt") }, 0},
		"index of a split":  {func(w *world) { w.Git("update-index", "--split-index") }, 0},
		"index v4":          {func(w *world) { w.Git("update-index", "--index-version=4") }, 0},
		"no index":          {func(w *world) { w.must(os.Remove(w.path(".git/index"))) }, 0},
		"index locked":      {func(w *world) { w.Write(".git/index.lock", "") }, 5},
		"on another branch": {func(w *world) { w.otherBranch() }, 4},
		"in a merge":        {func(w *world) { w.conflict() }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := small(t)
			c.disturb(w)
			if res := w.sameAsGit("main"); res.Copied != c.copied || res.Copied+res.Written != len(strings.Fields(w.Git("ls-tree", "-r", "--name-only", "main"))) {
				t.Errorf("result %+v, want %d copied", res, c.copied)
			}
		})
	}
}

// edit changes a file and puts size and time back.
func (w *world) edit(name string) {
	w.t.Helper()
	info, err := os.Stat(w.path(name))
	w.must(err)
	data, err := os.ReadFile(w.path(name))
	w.must(err)
	w.Write(name, strings.ToUpper(string(data)))
	w.must(os.Chtimes(w.path(name), info.ModTime(), info.ModTime()))
}

// racy makes the index hold exactly the file's stat data without having looked at its
// content, as in the race that git calls racily clean: everything but the content
// says that the file is as committed.
func (w *world) racy(name string) {
	w.t.Helper()
	repo := w.open()
	all, err := repo.Worktrees(w.t.Context())
	w.must(err)
	idx, err := repo.ReadIndex(all[0])
	w.must(err)
	for i := range idx.Entries {
		if e := &idx.Entries[i]; e.Name == name {
			info, err := os.Lstat(w.path(name))
			w.must(err)
			e.Stat = gitops.StatOf(info)
		}
	}
	w.must(repo.WriteIndex(all[0], idx.Entries))
	if got := w.Git("diff-files", "--name-only"); got != "" {
		w.t.Fatalf("git sees the change of %q", got)
	}
}

func (w *world) replace(name, target string) {
	w.must(os.Remove(w.path(name)))
	w.must(os.Symlink(target, w.path(name)))
}

// moveAway puts a link in a folder's place. Its files keep inode and times.
func (w *world) moveAway(dir string) {
	away := filepath.Join(w.root, "away")
	w.must(os.Rename(w.path(dir), away))
	w.must(os.Symlink(away, w.path(dir)))
}

// modeUnseen takes the executable bit while git does not look at modes.
func (w *world) modeUnseen() {
	w.must(os.Chmod(w.path("run"), 0o644))
	w.Git("config", "core.fileMode", "false")
	w.settle()
	w.Git("config", "--unset", "core.fileMode")
}

func (w *world) hardLink(old, name string) {
	w.must(os.Link(w.path(old), w.path(name)))
	w.Commit("linked")
	w.settle()
}

func (w *world) otherBranch() {
	w.Git("checkout", "-q", "-b", "other")
	w.Write("a.txt", "other\n")
	w.Write("only here", "x\n")
	w.Commit("other")
	w.settle()
}

func (w *world) conflict() {
	w.otherBranch()
	w.Git("checkout", "-q", "main")
	w.Write("a.txt", "main\n")
	w.Commit("main")
	w.Git("branch", "-f", "keep", "main^")
	if _, _, code := w.TryGit("merge", "other"); code == 0 {
		w.t.Fatal("no conflict")
	}
	w.settle()
}

// TestConversionOfThePast has files that git wrote under settings which are no longer
// in force. The sibling looks clean to git; a copy would carry its bytes on.
func TestConversionOfThePast(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ attributes, config string }{
		"attribute dropped":     {"*.txt eol=crlf\n", ""},
		"same size":             {"*.txt filter=up\n", ""},
		"configuration dropped": {"", "core.autocrlf"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := small(t)
			w.Git("config", "filter.up.smudge", "tr a-z A-Z")
			w.Git("config", "filter.up.clean", "tr A-Z a-z")
			if c.attributes != "" {
				w.Write(".gitattributes", c.attributes)
				w.Commit("attributes")
			} else {
				w.Git("config", c.config, "true")
			}
			w.Git("rm", "-q", "--cached", "-r", ".")
			w.Git("reset", "-q", "--hard")
			w.settle()
			if data, err := os.ReadFile(w.path("a.txt")); err != nil || string(data) == "content of a.txt\n" {
				t.Fatalf("not converted: %q, %v", data, err)
			}
			if c.attributes != "" {
				w.Git("rm", "-q", ".gitattributes")
				w.Git("commit", "-q", "-m", "no attributes")
			} else {
				w.Git("config", "--unset", c.config)
			}
			if got := w.Git("diff-files", "--name-only"); got != "" {
				t.Fatalf("the sibling is not clean to git: %q", got)
			}
			w.sameAsGit("main")
		})
	}
}

// TestSiblingOfOtherAttributes is a sibling on a branch whose attributes convert,
// while the wanted commit has none.
func TestSiblingOfOtherAttributes(t *testing.T) {
	t.Parallel()
	w := small(t)
	w.Git("checkout", "-q", "-b", "other")
	w.Write(".gitattributes", "*.txt eol=crlf\n")
	w.Commit("attributes")
	w.must(os.RemoveAll(w.path("a.txt")))
	w.Git("checkout", "-q", "--", "a.txt")
	w.settle()
	if data, err := os.ReadFile(w.path("a.txt")); err != nil || !strings.Contains(string(data), "\r\n") {
		t.Fatalf("not converted: %q, %v", data, err)
	}
	w.sameAsGit("main")
	w.sameAsGit("other")
}

// TestNearestSibling takes files from the linked worktree that has most of them.
func TestNearestSibling(t *testing.T) {
	t.Parallel()
	w := small(t)
	w.Git("worktree", "add", "-q", "-b", "far", filepath.Join(w.root, "far"))
	for i := range 20 {
		w.Write(fmt.Sprintf("more/%d", i), "x\n")
	}
	w.Commit("more")
	w.settle()
	w.Git("worktree", "add", "-q", "--detach", filepath.Join(w.root, "near"), "main")
	w.settle(filepath.Join(w.root, "near"))
	w.Git("checkout", "-q", "--orphan", "empty")
	w.Git("rm", "-q", "-r", "-f", ".")
	if res := w.sameAsGit("main"); res.Copied != 25 || res.Written != 0 {
		t.Errorf("result %+v", res)
	}
}
