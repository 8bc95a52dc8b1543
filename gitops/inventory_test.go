package gitops

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// inventory lists what a work tree holds beside its commit, as "kind path".
func (s *sandbox) inventory(r *Repo, sub string) []string {
	s.t.Helper()
	inv, err := r.Inventory(s.t.Context(), s.path(sub))
	if err != nil {
		s.t.Fatal(err)
	}
	var lines []string
	for _, c := range inv.Changes {
		lines = append(lines, string(c.Kind)+" "+c.Path)
	}
	slices.Sort(lines)
	return lines
}

func (s *sandbox) wantInventory(r *Repo, sub string, want ...string) {
	s.t.Helper()
	if got := s.inventory(r, sub); !slices.Equal(got, want) {
		s.t.Errorf("inventory of %s: %q, want %q", sub, got, want)
	}
}

func TestInventory(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r")
	for _, name := range []string{"staged", "changed", "gone", "both", "d/e"} {
		s.write("r/"+name, name+"\n")
	}
	s.git("r", "add", "-A")
	s.git("r", "commit", "-qm", "more")
	r := s.open("r")
	s.wantInventory(r, "r")
	s.write("r/.git/info/exclude", "*.log\nout/\n")
	s.write("r/staged", "other\n")
	s.git("r", "add", "staged")
	s.write("r/changed", "other\n")
	if err := os.Remove(s.path("r/gone")); err != nil {
		t.Fatal(err)
	}
	s.write("r/new file\n", "")
	s.write("r/deep/new", "")
	s.write("r/deep/x.log", "")
	s.write("r/out/x/y", "")
	s.git("r", "init", "-q", "nested")
	s.write("r/intended", "")
	s.git("r", "add", "-N", "intended")
	for _, config := range [][]string{nil, {"status.showUntrackedFiles", "no"}, {"status.relativePaths", "true"}, {"core.quotePath", "true"}, {"status.renames", "copies"}} {
		if config != nil {
			s.git("r", append([]string{"config"}, config...)...)
		}
		s.wantInventory(r, "r", "ignored deep/x.log", "ignored out/", "modified changed", "modified gone",
			"modified intended", "modified staged", "untracked deep/new", "untracked nested/", "untracked new file\n")
	}
	index, err := os.Stat(s.path("r/.git/index"))
	if err != nil {
		t.Fatal(err)
	}
	s.inventory(r, "r")
	if again, err := os.Stat(s.path("r/.git/index")); err != nil || !os.SameFile(index, again) || !again.ModTime().Equal(index.ModTime()) {
		t.Errorf("it wrote the index: %v", err)
	}
}

func TestInventoryUnmerged(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r")
	s.git("r", "checkout", "-qb", "side")
	s.write("r/file.txt", "side\n")
	s.git("r", "commit", "-qam", "side")
	s.git("r", "checkout", "-q", "main")
	s.write("r/file.txt", "main\n")
	s.git("r", "commit", "-qam", "main")
	if _, err := s.try("r", nil, "", "merge", "side"); err == nil {
		t.Fatal("no conflict")
	}
	s.wantInventory(s.open("r"), "r", "unmerged file.txt")
}

// TestInventoryLooksBehindMarks: git's status is blind to files that it was told not to
// TestInventoryTrustsNoTimes: behind marks only content proves that a file is as it was.
// Here the index has the committed blob and the size and times of another content.
func TestInventoryTrustsNoTimes(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r")
	s.write("r/skipped", "skipped\n")
	s.git("r", "add", "-A")
	s.git("r", "commit", "-qm", "more")
	s.write("r/skipped", "changed\n")
	long := time.Now().Add(-time.Hour)
	if err := os.Chtimes(s.path("r/skipped"), long, long); err != nil {
		t.Fatal(err)
	}
	s.git("r", "add", "skipped")
	r := s.open("r")
	wt, ok, err := r.WorktreeAt(t.Context(), s.path("r"))
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	idx, err := r.ReadIndex(wt)
	if err != nil {
		t.Fatal(err)
	}
	for i := range idx.Entries {
		if idx.Entries[i].Name == "skipped" {
			idx.Entries[i].Hash = Hash(s.git("r", "rev-parse", "HEAD:skipped"))
		}
	}
	if err := r.WriteIndex(wt, idx.Entries); err != nil {
		t.Fatal(err)
	}
	s.git("r", "update-index", "--skip-worktree", "skipped")
	s.wantInventory(r, "r", "hidden skipped")
}

// look at.
func TestInventoryLooksBehindMarks(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r")
	for _, name := range []string{"assumed", "skipped", "same", "sparse", "both"} {
		s.write("r/"+name, name+"\n")
	}
	s.git("r", "add", "-A")
	s.git("r", "commit", "-qm", "more")
	s.git("r", "update-index", "--assume-unchanged", "assumed", "same", "both")
	s.git("r", "update-index", "--skip-worktree", "skipped", "sparse", "both")
	r := s.open("r")
	s.wantInventory(r, "r")
	for _, name := range []string{"assumed", "skipped", "both"} {
		s.write("r/"+name, "changed\n")
	}
	if err := os.Remove(s.path("r/sparse")); err != nil {
		t.Fatal(err)
	}
	if out := s.git("r", "status", "--porcelain"); out != "" {
		t.Fatalf("git sees it: %q", out)
	}
	want := []string{"hidden assumed", "hidden both", "hidden skipped"}
	s.wantInventory(r, "r", want...)
	hidden, err := r.HiddenChanges(t.Context(), s.path("r"))
	if slices.Sort(hidden); err != nil || !slices.Equal(hidden, []string{"assumed", "both", "skipped"}) {
		t.Errorf("hidden: %q, %v", hidden, err)
	}
	s.git("r", "config", "core.splitIndex", "true")
	s.git("r", "update-index", "--split-index")
	s.wantInventory(r, "r", want...)
	s.git("r", "worktree", "add", "-q", "--detach", "../linked")
	s.git("linked", "update-index", "--skip-worktree", "skipped")
	s.write("linked/skipped", "changed\n")
	s.wantInventory(r, "linked", "hidden skipped")
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "okstra-index-*")); len(left) > 3 {
		t.Errorf("left over: %q", left)
	}
}

// TestInventoryBelievesNoMonitor: a file system monitor that says that nothing changed
// is not asked, nor is a hook run.
func TestInventoryBelievesNoMonitor(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r")
	s.write("r/.git/hooks/liar", "#!/bin/sh\nprintf 'token\\0'\n")
	s.write("r/.git/hooks/post-index-change", "#!/bin/sh\n: >ran\n")
	for _, name := range []string{"liar", "post-index-change"} {
		if err := os.Chmod(s.path("r/.git/hooks/"+name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	past := time.Now().Add(-time.Hour)
	if err := os.Chtimes(s.path("r/file.txt"), past, past); err != nil {
		t.Fatal(err)
	}
	s.git("r", "update-index", "--refresh")
	s.git("r", "config", "core.fsmonitor", ".git/hooks/liar")
	s.git("r", "update-index", "--fsmonitor")
	s.git("r", "status", "--porcelain")
	s.write("r/file.txt", "other text\n")
	s.write("r/new", "")
	_ = os.Remove(s.path("r/ran"))
	if out := s.git("r", "status", "--porcelain", "--untracked-files=no"); out != "" {
		t.Fatalf("git sees it: %q", out)
	}
	s.wantInventory(s.open("r"), "r", "modified file.txt", "untracked new")
	s.git("r", "update-index", "--assume-unchanged", "file.txt")
	_ = os.Remove(s.path("r/ran"))
	s.wantInventory(s.open("r"), "r", "hidden file.txt", "untracked new")
	if exists(s.path("r/ran")) {
		t.Error("a hook was run")
	}
}

func TestParseChange(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]Change{
		"1 .M N... 100644 100644 100644 1 2 a b":           {Modified, "a b"},
		"u UU N... 100644 100644 100644 100644 1 2 3 a  b": {Unmerged, "a  b"},
		"? x y": {Untracked, "x y"},
		"! d/":  {Ignored, "d/"},
		"2 R. N... 100644 100644 100644 1 2 R100 b": {},
		"1 .M": {},
		"? ":   {},
		"z":    {},
	} {
		got, ok := parseChange(line)
		if got != want || ok != (want.Path != "") {
			t.Errorf("%q: %v %v", line, got, ok)
		}
	}
	if _, _, _, err := parseTagged([]byte("H 100644 1\tx\x00")); err == nil {
		t.Error("a line without its stage is taken")
	}
	inv, assumed, skipped, err := parseTagged([]byte("H 100644 1 0\ta\tb\x00s 160000 2 0\tsub\x00S 100644 1 0\tc\x00"))
	if err != nil || !slices.Equal(inv.Gitlinks, []string{"sub"}) || !slices.Equal(assumed, []string{"sub"}) || !slices.Equal(skipped, []string{"sub", "c"}) {
		t.Errorf("%v %v %v %v", inv, assumed, skipped, err)
	}
}

func FuzzParseChange(f *testing.F) {
	f.Add("1 .M N... 100644 100644 100644 1 2 a b")
	f.Add("? x")
	f.Fuzz(func(t *testing.T, line string) {
		if line == "" {
			return
		}
		if c, ok := parseChange(line); ok && (c.Path == "" || !strings.HasSuffix(line, " "+c.Path)) {
			t.Errorf("%q: %+v", line, c)
		}
	})
}

func TestGitDirOf(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r")
	s.git("r", "worktree", "add", "-q", "../linked")
	s.write("odd/.git", "not a link\n")
	s.write("relative/.git", "gitdir: ../r/.git\n")
	s.write("file", "")
	for sub, want := range map[string]string{
		"r": "r/.git", "linked": "r/.git/worktrees/linked", "relative": "r/.git", "odd": "", ".": "", "nowhere": "",
	} {
		got, err := GitDirOf(s.path(sub))
		if want != "" {
			want = s.path(want)
		}
		if got != want || err != nil {
			t.Errorf("%s: %q %v, want %q", sub, got, err, want)
		}
	}
	if got, err := GitDirOf(s.path("file")); got != "" || err == nil {
		t.Errorf("of a file: %q %v", got, err)
	}
}

// TestInventoryOfJustThatFolder: neither core.worktree nor a .git that is none leads git
// elsewhere, and a file whose name is that of another but for the case is seen.
func TestInventoryOfJustThatFolder(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r")
	s.repo("other")
	s.write("r/.git/info/exclude", "Out/\n")
	r := s.open("r")
	s.git("r", "config", "core.ignoreCase", "true")
	s.git("r", "config", "core.worktree", s.path("other"))
	s.write("r/FILE.txt", "mine\n")
	s.write("r/out/x", "mine\n") // Out/ is for it as well, for this git
	s.wantInventory(r, "r", "ignored out/", "untracked FILE.txt")
	s.git("r", "config", "--unset", "core.ignoreCase")
	s.write("r/file.TXT", "mine\n")
	s.wantInventory(r, "r", "untracked FILE.txt", "untracked file.TXT", "untracked out/x")
	if err := os.Mkdir(s.path("r/out/.git"), 0o777); err != nil {
		t.Fatal(err)
	}
	if inv, err := r.Inventory(t.Context(), s.path("r/out")); err == nil {
		t.Errorf("of a folder with an empty .git: %v", inv)
	}
}
