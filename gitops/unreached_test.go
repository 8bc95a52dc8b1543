package gitops

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// subjects are those of commits, in order.
func subjects(list []CommitLine) string {
	var words []string
	for _, c := range list {
		words = append(words, c.Subject)
	}
	return strings.Join(words, ",")
}

// TestUnreached: a branch's commits are held by any other branch, tag or remote-tracking
// ref, by refs of the named prefixes, and by nothing else.
func TestUnreached(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r")
	s.git("r", "checkout", "-qb", "work")
	for _, text := range []string{"one", "two\x1b[31m", "three"} {
		s.git("r", "commit", "-q", "--allow-empty", "-m", text)
	}
	s.git("r", "checkout", "-q", "main")
	r := s.open("r")
	const work = RefName("refs/heads/work")
	tip := Hash(s.git("r", "rev-parse", "work"))
	ask := func(what, want string) {
		t.Helper()
		got, err := r.Unreached(t.Context(), []Hash{tip}, work, "refs/okstra")
		if err != nil || subjects(got) != want {
			t.Errorf("%s: %q %v, want %q", what, subjects(got), err, want)
		}
	}
	all := "three,two\x1b[31m,one"
	ask("alone", all)
	if got, err := r.Unreached(t.Context(), []Hash{tip}, ""); err != nil || len(got) > 0 {
		t.Errorf("on its branch: %v %v", got, err)
	}
	if got, err := r.Unreached(t.Context(), nil, ""); err != nil || len(got) > 0 {
		t.Errorf("of no tip: %v %v", got, err)
	}
	if _, err := r.Unreached(t.Context(), []Hash{"--all"}, ""); err == nil {
		t.Error("a tip that is none is taken")
	}
	for _, ref := range []string{"refs/heads/other", "refs/tags/t", "refs/remotes/origin/x", "refs/okstra/p/g/t/done/1"} {
		s.git("r", "update-ref", ref, "work~1")
		ask(ref, "three")
		s.git("r", "update-ref", "-d", ref)
	}
	for _, ref := range []string{"refs/notes/x", "refs/stash", "refs/original/x", "refs/okstra-local/x"} {
		s.git("r", "update-ref", ref, "work")
		ask(ref, all)
		s.git("r", "update-ref", "-d", ref)
	}
	s.git("r", "symbolic-ref", "refs/heads/alias", string(work))
	ask("a symbolic ref", all)
	s.git("r", "symbolic-ref", "-d", "refs/heads/alias")
	s.git("r", "tag", "-am", "annotated", "v1", "work")
	ask("an annotated tag", "")
	s.git("r", "tag", "-d", "v1")
	s.git("r", "tag", "blob", "main:file.txt")
	ask("a tag of a blob", all)
	s.git("r", "replace", "--graft", "main", "work") // main seems to lead to it
	ask("a replacement", all)
	s.git("r", "replace", "-d", "main")
	s.write("r/.git/refs/heads/broken", "garbage\n")
	if _, err := r.Unreached(t.Context(), []Hash{tip}, work); err == nil {
		t.Error("a broken ref counts as absent")
	}
}

func TestUnpushed(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("up")
	s.git(".", "clone", "-q", "up", "down")
	r := s.open("up")
	ask := func(what, want string) {
		t.Helper()
		got, err := r.Unpushed(t.Context(), s.path("down/.git"))
		if err != nil || subjects(got) != want {
			t.Errorf("%s: %q %v, want %q", what, subjects(got), err, want)
		}
	}
	ask("a fresh clone", "")
	s.git("down", "checkout", "-q", "--detach")
	s.git("down", "commit", "-q", "--allow-empty", "-m", "detached")
	ask("HEAD", "detached")
	s.git("down", "checkout", "-q", "main")
	ask("abandoned", "")
	s.git("down", "branch", "side", "HEAD@{1}")
	ask("a branch", "detached")
	s.git("down", "push", "-q", "origin", "side")
	ask("pushed", "")
	s.write("down/file.txt", "stashed\n")
	s.git("down", "stash", "-q")
	if got, err := r.Unpushed(t.Context(), s.path("down/.git")); err != nil || len(got) == 0 {
		t.Errorf("a stash: %v %v", got, err)
	}
	s.git("down", "stash", "drop", "-q")
	// where its work tree is gone, its commits are there all the same
	s.git("down", "config", "core.worktree", "../../nowhere")
	s.git("down", "--work-tree=.", "commit", "-q", "--allow-empty", "-m", "later")
	ask("without a work tree", "later")
	if _, err := r.Unpushed(t.Context(), s.path("nowhere")); err == nil {
		t.Error("no repository is no error")
	}
}

// TestModuleDirs finds the repositories of submodules, nested ones and those whose name
// has slashes.
func TestModuleDirs(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	for _, name := range []string{"a", "lib/b", "lib/b/modules/c"} {
		s.git(".", "init", "-q", "--bare", "r/modules/"+name)
	}
	s.write("r/modules/other/HEAD", "")
	got, err := Worktree{GitDir: s.path("r")}.ModuleDirs()
	want := []string{s.path("r/modules/a"), s.path("r/modules/lib/b"), s.path("r/modules/lib/b/modules/c")}
	if slices.Sort(got); err != nil || !slices.Equal(got, want) {
		t.Errorf("%q %v", got, err)
	}
	if got, err := (Worktree{GitDir: s.path("nowhere")}).ModuleDirs(); err != nil || len(got) > 0 {
		t.Errorf("%q %v", got, err)
	}
}

// TestFindMarked finds worktrees by their mark, whatever became of their folder.
func TestFindMarked(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r")
	s.git("r", "worktree", "add", "-q", "../one")
	s.git("r", "worktree", "add", "-q", "../two")
	s.git("one", "update-ref", "refs/worktree/okstra/p/g/t/1", "HEAD")
	s.git("one", "update-ref", "refs/worktree/okstra/p/g/t/12", "HEAD")
	s.git("two", "update-ref", "refs/worktree/okstra/p/g/t/12", "HEAD")
	r := s.open("r")
	find := func(name RefName) string {
		t.Helper()
		list, err := r.FindMarked(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, wt := range list {
			ids = append(ids, wt.ID)
		}
		return strings.Join(ids, ",")
	}
	if got := find("refs/worktree/okstra/p/g/t/1"); got != "one" {
		t.Errorf("one mark: %q", got)
	}
	if got := find("refs/worktree/okstra/p/g/t/12"); got != "one,two" {
		t.Errorf("two: %q", got)
	}
	if err := os.RemoveAll(s.path("one")); err != nil {
		t.Fatal(err)
	}
	if got := find("refs/worktree/okstra/p/g/t/1"); got != "one" {
		t.Errorf("its folder is gone: %q", got)
	}
	if got := find("refs/worktree/okstra/p/g/t"); got != "" {
		t.Errorf("a prefix: %q", got)
	}
	wt, _, err := r.WorktreeAt(t.Context(), s.path("two"))
	if err != nil {
		t.Fatal(err)
	}
	if own, err := r.OwnRefs(t.Context(), wt); err != nil || len(own) != 1 {
		t.Errorf("own refs: %v %v", own, err)
	}
}

// TestUsersOf: a branch is in use where it is checked out, and where an operation will
// come back to it.
func TestUsersOf(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r")
	s.git("r", "worktree", "add", "-q", "-b", "side", "../side")
	for _, text := range []string{"one", "two"} {
		for _, dir := range []string{"r", "side"} {
			s.write(dir+"/file.txt", text+" in "+dir+"\n")
			s.git(dir, "commit", "-q", "-a", "-m", text)
		}
	}
	r := s.open("r")
	used := func(what string, want ...string) {
		t.Helper()
		users, err := r.UsersOf(t.Context(), "refs/heads/side")
		var got []string
		for _, wt := range users {
			got = append(got, filepath.Base(wt.Path))
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q %v, want %q", what, got, err, want)
		}
	}
	used("checked out", "side")
	for _, args := range [][]string{{"rebase", "main"}, {"rebase", "--apply", "main"}} {
		if _, err := s.try("side", nil, "", args...); err == nil {
			t.Fatal("no conflict")
		}
		used(strings.Join(args, " "), "side")
		s.git("side", "rebase", "--abort")
	}
	s.git("side", "bisect", "start", "HEAD", "HEAD~2")
	used("bisect", "side")
	s.git("side", "bisect", "reset")
	s.git("side", "checkout", "-q", "--detach")
	used("left")
}

// TestForgetWorktree ends a registration whose folder is gone, and no other.
func TestForgetWorktree(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r")
	s.git("r", "worktree", "add", "-q", "../one")
	r := s.open("r")
	wt, _, err := r.WorktreeAt(t.Context(), s.path("one"))
	if err != nil || r.ForgetWorktree(t.Context(), wt) == nil {
		t.Fatalf("one that is there was forgotten, or %v", err)
	}
	if err := os.Rename(s.path("one"), s.path("away")); err != nil {
		t.Fatal(err)
	}
	s.git("r", "worktree", "lock", s.path("one"))
	if r.ForgetWorktree(t.Context(), wt) == nil {
		t.Error("a locked one was forgotten")
	}
	s.git("r", "worktree", "unlock", s.path("one"))
	if err := r.ForgetWorktree(t.Context(), wt); err != nil || exists(wt.GitDir) {
		t.Errorf("%v", err)
	}
}

// TestOperationsBetween: an am, and a sequence of picks between two of them.
func TestOperationsBetween(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r")
	s.git("r", "checkout", "-qb", "side")
	for _, text := range []string{"one", "two"} {
		s.write("r/file.txt", text+"\n")
		s.git("r", "commit", "-qam", text)
	}
	s.git("r", "checkout", "-q", "main")
	s.write("r/file.txt", "main\n")
	s.git("r", "commit", "-qam", "main")
	r := s.open("r")
	op := func() string {
		t.Helper()
		wt, _, err := r.WorktreeAt(t.Context(), s.path("r"))
		if err != nil {
			t.Fatal(err)
		}
		return wt.Operation()
	}
	patch := s.git("r", "format-patch", "-1", "--stdout", "side")
	if _, err := s.try("r", nil, patch+"\n", "am"); err == nil || op() != "patch series (am)" {
		t.Errorf("am: %q %v", op(), err)
	}
	s.git("r", "am", "--abort")
	if _, err := s.try("r", nil, "", "cherry-pick", "side~1", "side"); err == nil || op() != "cherry-pick" {
		t.Errorf("pick: %q %v", op(), err)
	}
	s.git("r", "add", "file.txt")
	s.git("r", "commit", "-qm", "resolved")
	if op() != "cherry-pick or revert" {
		t.Errorf("between: %q", op())
	}
	s.git("r", "cherry-pick", "--quit")
	if op() != "" {
		t.Errorf("ended: %q", op())
	}
}
