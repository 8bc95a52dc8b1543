package gitops

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
)

// TestOpenFindsWhatGitFinds compares the facts of many places with git's own answers.
func TestOpenFindsWhatGitFinds(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("plain")
	s.write("plain/deep/er/x", "")
	s.repo("with space")
	s.repo("naïve/한국어")
	s.repo("new\nline")
	s.repo("ends in newline\n")
	s.repo("sha256", "--object-format=sha256")
	s.git("", "init", "-q", "-b", "main", "unborn")
	s.git("plain", "worktree", "add", "-q", "-b", "side", "../linked")
	s.git("plain", "worktree", "add", "-q", "-b", "odd", "../linked\nodd")
	s.git("", "clone", "-q", "--bare", "plain", "bare.git")
	s.git("", "clone", "-q", "--bare", "plain", "proj/.bare")
	s.write("proj/.git", "gitdir: ./.bare\n")
	s.git("proj", "worktree", "add", "-q", "main", "main")
	s.git("", "clone", "-q", "--separate-git-dir=elsewhere.git", "plain", "separate")
	s.repo("super")
	s.git("super", "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", s.path("plain"), "sub")
	for _, dir := range []string{
		"plain", "plain/deep/er", "plain/.git", "plain/.git/refs", "with space", "naïve/한국어",
		"new\nline", "ends in newline\n", "sha256", "unborn", "linked", "linked\nodd", "bare.git", "bare.git/refs",
		"proj", "proj/main", "proj/.bare", "separate", "elsewhere.git", "super/sub",
	} {
		sameFacts(t, s, dir)
	}
}

func sameFacts(t *testing.T, s *sandbox, dir string, env ...string) {
	t.Helper()
	r := s.open(dir, env...)
	ask := func(args ...string) string {
		out, err := s.try(dir, env, "", append([]string{"rev-parse", "--path-format=absolute"}, args...)...)
		if err != nil {
			return ""
		}
		return strings.TrimSuffix(out, "\n")
	}
	want := map[string]string{
		"git dir":    ask("--git-dir"),
		"common dir": ask("--git-common-dir"),
		"work tree":  ask("--show-toplevel"),
		"format":     ask("--show-object-format"),
	}
	if ask("--is-inside-work-tree") != "true" {
		want["work tree"] = ""
	}
	got := map[string]string{
		"git dir": r.GitDir(), "common dir": r.CommonDir(), "work tree": r.WorkTree(), "format": r.format,
	}
	for what, value := range want {
		if got[what] != value {
			t.Errorf("%q: %s = %q, git has %q", dir, what, got[what], value)
		}
	}
	if r.Linked() != (want["git dir"] != want["common dir"]) || r.Shallow() || want["format"] == "" {
		t.Errorf("%q: linked %v, shallow %v, format %q", dir, r.Linked(), r.Shallow(), want["format"])
	}
	if r.bare != (ask("--is-bare-repository") == "true") {
		t.Errorf("%q: bare = %v", dir, r.bare)
	}
}

func TestOpenFollowsGitsVariables(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("a")
	s.write("tree/file.txt", "")
	s.write("outside/x", "")
	sameFacts(t, s, "outside", "GIT_DIR="+s.path("a/.git"))
	sameFacts(t, s, "tree", "GIT_DIR="+s.path("a/.git"), "GIT_WORK_TREE="+s.path("tree"))
	sameFacts(t, s, "tree", "GIT_DIR=../a/.git", "GIT_WORK_TREE=.")
}

func TestOpenTakesTwoProcesses(t *testing.T) {
	t.Parallel()
	for _, recipe := range []string{"one-commit", "empty", "bare-layout", "sha256"} {
		if _, _, calls := openRecipe(t, recipe); calls.take() != 2 {
			t.Errorf("%s: not two git processes", recipe)
		}
	}
}

func TestOpenShallow(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("full")
	s.git("full", "commit", "-q", "--allow-empty", "-m", "second")
	s.git("", "clone", "-q", "--depth=1", "file://"+s.path("full"), "cut")
	if s.open("full").Shallow() || !s.open("cut").Shallow() {
		t.Error("shallow is not what git says")
	}
}

// TestOpenOutside holds that a folder which only looks a little like a repository
// is none: somebody's file HEAD, or a repository above the ceiling.
func TestOpenOutside(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.write("empty/in/x", "")
	s.write("head/HEAD", "a person's file\n")
	s.write("head/in/x", "")
	s.repo("above")
	s.write("above/in/x", "")
	for dir, env := range map[string]string{
		"empty/in": "A=1", "head": "A=1", "head/in": "A=1", "above/in": "GIT_CEILING_DIRECTORIES=" + s.path("above"),
	} {
		_, err := Open(t.Context(), Options{Dir: s.path(dir), Env: append(s.env, env)})
		if !errors.Is(err, ErrNotRepository) {
			t.Errorf("%s: %v", dir, err)
		}
	}
}

// TestOpenRefusedByGit holds that a repository which git cannot or will not read
// is never taken for "no repository".
func TestOpenRefusedByGit(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	for _, name := range []string{"config", "format", "version", "gitfile", "owner"} {
		s.repo(name)
	}
	s.write("config/.git/config", "[core\n")
	s.write("format/.git/config", "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tmade = up\n")
	s.write("version/.git/config", "[core]\n\trepositoryformatversion = 9\n")
	if err := os.RemoveAll(s.path("gitfile/.git")); err != nil {
		t.Fatal(err)
	}
	s.write("gitfile/.git", "gitdir: ../gone\n")
	s.git("", "init", "-q", "--bare", "bare.git")
	owner := "dubious ownership" // what git 2.34.1 does not ask about, and some later ones call "unsafe"
	if _, err := s.try("owner", []string{"GIT_TEST_ASSUME_DIFFERENT_OWNER=1"}, "", "rev-parse"); err == nil {
		owner = ""
	} else if strings.Contains(err.Error(), "unsafe repository") {
		owner = "unsafe repository"
	}
	for dir, c := range map[string]struct{ env, says string }{
		"config":   {"A=1", "bad config"},
		"format":   {"A=1", "unknown repository extension"},
		"version":  {"A=1", "Expected git repo version"},
		"gitfile":  {"A=1", "not a git repository"},
		"owner":    {"GIT_TEST_ASSUME_DIFFERENT_OWNER=1", owner},
		"bare.git": {"GIT_TEST_ASSUME_DIFFERENT_OWNER=1", owner},
		"":         {"GIT_DIR=nowhere", "not a git repository"},
	} {
		_, err := Open(t.Context(), Options{Dir: s.path(dir), Env: append(s.env, c.env)})
		var ge *GitError
		if c.says == "" && err == nil {
			continue // this git reads it
		}
		if errors.Is(err, ErrNotRepository) || !errors.As(err, &ge) || ge.ExitCode != 128 || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: %v, want git's %q", dir, err, c.says)
		}
	}
}

func TestOpenCancelled(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("a")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Open(ctx, Options{Dir: s.path("a"), Env: s.env}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestOpenWithoutGit(t *testing.T) {
	s := newSandbox(t)
	t.Setenv("PATH", s.dir)
	if _, err := Open(t.Context(), Options{Dir: s.dir, Env: s.env}); err == nil || err.Error() != "git is not on PATH" {
		t.Errorf("error %v", err)
	}
}

func TestNameAndMainDir(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("plain")
	s.git("plain", "worktree", "add", "-q", "-b", "side", "../linked")
	s.git("", "clone", "-q", "--bare", "plain", "bare.git")
	s.git("", "clone", "-q", "--bare", "plain", "proj/.bare")
	s.git("", "clone", "-q", "--bare", "plain", "inner/.git")
	s.repo("super")
	s.git("super", "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", s.path("plain"), "sub")
	for dir, want := range map[string][2]string{
		"plain": {"plain", "plain"}, "linked": {"plain", "plain"}, "bare.git": {"bare", "bare.git"},
		"proj/.bare": {"proj", "proj"}, "inner/.git": {"inner", "inner"}, "super/sub": {"sub", "super/sub"},
	} {
		r := s.open(dir)
		if r.Name() != want[0] || r.MainDir() != s.path(want[1]) {
			t.Errorf("%s: %q, %q; want %q", dir, r.Name(), r.MainDir(), want)
		}
	}
}

// TestReplacedObjects reads through git where refs/replace changes what objects
// say, loose and packed, and not where that is switched off.
func TestReplacedObjects(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("a")
	old := s.git("a", "rev-parse", "HEAD")
	s.write("a/other.txt", "other\n")
	s.git("a", "add", "-A")
	s.git("a", "commit", "-q", "-m", "second")
	s.git("a", "replace", old, s.git("a", "rev-parse", "HEAD"))
	check := func(form string, files int, env ...string) {
		t.Helper()
		entries, err := s.open("a", env...).FlattenTree(t.Context(), Hash(old))
		if err != nil || len(entries) != files {
			t.Errorf("%s: %v, %v; want %d files", form, entries, err, files)
		}
	}
	check("loose", 2)
	check("off by variable", 1, "GIT_NO_REPLACE_OBJECTS=1")
	s.git("a", "pack-refs", "--all")
	if _, err := os.Stat(s.path("a/.git/refs/replace/" + old)); err == nil {
		t.Fatal("not packed")
	}
	check("packed", 2)
	s.git("a", "config", "core.useReplaceRefs", "false")
	check("off by configuration", 1)
}

// TestObjectDirectoryOfTheEnvironment reads an object that only a quarantine has.
func TestObjectDirectoryOfTheEnvironment(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("a")
	env := []string{"GIT_OBJECT_DIRECTORY=" + s.path("quarantine"), "GIT_ALTERNATE_OBJECT_DIRECTORIES=" + s.path("a/.git/objects")}
	if err := os.MkdirAll(s.path("quarantine"), 0o777); err != nil {
		t.Fatal(err)
	}
	out, err := s.try("a", env, "hidden", "hash-object", "-w", "--stdin")
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range []string{strings.TrimSpace(out), s.git("a", "rev-parse", "HEAD:file.txt")} {
		if _, _, err := s.open("a", env...).ReadObject(t.Context(), Hash(h)); err != nil {
			t.Error(err)
		}
	}
	if _, _, err := s.open("a").ReadObject(t.Context(), Hash(strings.TrimSpace(out))); !errors.Is(err, ErrMissing) {
		t.Errorf("without the variables: %v", err)
	}
	if r := s.open("a", "GIT_OBJECT_DIRECTORY=../quarantine"); r.objectDirs()[0] != s.path("quarantine") {
		t.Errorf("relative: %q", r.objectDirs())
	}
}
