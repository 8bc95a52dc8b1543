package gitops

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// bareEnv is an environment as people have it: no variable of git's configuration, a
// home of its own.
func (s *sandbox) bareEnv(more ...string) []string {
	var env []string
	for _, kv := range s.env {
		if !strings.HasPrefix(kv, "GIT_CONFIG") {
			env = append(env, kv)
		}
	}
	env = without(env, []string{"HOME", "XDG_CONFIG_HOME"})
	return append(append(env, "HOME="+filepath.Join(s.dir, "home")), more...)
}

// link makes a symbolic link to a place in the sandbox.
func (s *sandbox) link(target, name string) {
	s.t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(s.path(name)), 0o755), os.Symlink(s.path(target), s.path(name))); err != nil {
		s.t.Fatal(err)
	}
}

// TestConfigLacks compares with git in every kind of place: where git knows a key of
// ours we never say that there is none, and in plain places we do say so.
func TestConfigLacks(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.write("home/.gitconfig", "[user]\n\tname = U\n\temail = u@x\n")
	s.repo("plain")
	s.write("plain/sub/dir/f", "x")
	s.repo("set")
	s.git("set", "config", "okstra.ruleset", "0.99.0")
	s.git("set", "worktree", "add", "-q", "../linked")
	s.repo("upper")
	s.write("upper/.git/config", "[OKSTRA]\n\tRuleset = 1\n")
	s.repo("including")
	s.write("including/.git/extra", "[okstra]\n\truleset = 2\n")
	s.git("including", "config", "include.path", "extra")
	s.repo("perworktree")
	s.git("perworktree", "config", "extensions.worktreeConfig", "true")
	s.git("perworktree", "worktree", "add", "-q", "../own")
	s.git("own", "config", "--worktree", "okstra.ruleset", "3")
	s.git("", "clone", "-q", "--bare", "plain", "bare")
	s.git("", "clone", "-q", "--bare", "set", "bareset")
	s.git("bareset", "config", "okstra.ruleset", "4")
	s.git("", "init", "-q", "--separate-git-dir", "elsewhere", "separate")
	s.git("separate", "config", "okstra.ruleset", "5")
	s.write("nowhere/f", "x")
	s.write("home2/.gitconfig", "[okstra]\n\truleset = 6\n")
	s.write("xdg/git/config", "[okstra]\n\truleset = 7\n")
	s.git("perworktree", "worktree", "add", "-q", "../kept")
	s.git("kept", "config", "--worktree", "okstra.ruleset", "10")
	s.write("set/sub/f", "x")
	s.link("set/sub", "way")
	s.write("set/fake/.git/f", "x")
	s.write("set/like/HEAD", "x")
	s.write("set/like/objects", "x")
	s.write("plain/home/.gitconfig", "[okstra]\n\truleset = 11\n")
	s.write("plain/home/git/config", "[okstra]\n\truleset = 12\n")
	s.git("", "clone", "-q", "--bare", "bareset", "split")
	s.git("split", "config", "okstra.ruleset", "13")
	if err := os.Rename(s.path("split/objects"), s.path("split.objects")); err != nil {
		t.Fatal(err)
	}
	s.git("set", "worktree", "add", "-q", "../moved")
	s.link("set/.git/worktrees/moved", "moved.gitdir")
	s.write("moved/.git", "gitdir: ../moved.gitdir\n")
	s.write("deep/real/inner/f", "x")
	s.git("", "clone", "-q", "--bare", "plain", "deep/real/r.git")
	s.git("deep/real/r.git", "config", "okstra.ruleset", "14")
	s.link("deep/real/inner", "around/way")
	s.write("around/.git", "gitdir: way/../r.git\n")
	home2 := "HOME=" + filepath.Join(s.dir, "home2")
	for _, c := range []struct {
		dir   string
		env   []string
		lacks bool
	}{
		{"plain", nil, true},
		{"plain/sub/dir", nil, true},
		{"plain/.git", nil, true},
		{"bare", nil, true},
		{"perworktree", nil, true},
		{"nowhere", nil, true},
		{"set", nil, false},
		{"linked", nil, false},
		{"upper", nil, false},
		{"including", nil, false},
		{"own", nil, false},
		{"bareset", nil, false},
		{"bareset/objects", nil, false},
		{"separate", nil, false},
		{"way", nil, false},
		{"set/fake", nil, false},
		{"set/like", nil, false},
		{"perworktree/.git/worktrees/kept", nil, false},
		{"plain/sub", []string{"HOME=home"}, false},
		{"plain/sub", []string{"XDG_CONFIG_HOME=home"}, false},
		{"split", []string{"GIT_OBJECT_DIRECTORY=" + filepath.Join(s.dir, "split.objects")}, false},
		{"moved", nil, false},
		{"around", nil, false},
		{"plain", []string{home2}, false},
		{"nowhere", []string{home2}, false},
		{"plain", []string{"XDG_CONFIG_HOME=" + filepath.Join(s.dir, "xdg")}, false},
		{"plain", []string{"GIT_DIR=" + filepath.Join(s.dir, "set", ".git")}, false},
		{"plain", []string{"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=okstra.ruleset", "GIT_CONFIG_VALUE_0=8"}, false},
		{"plain", []string{"GIT_CONFIG_PARAMETERS='okstra.ruleset'='9'"}, false},
		{"plain", []string{"GIT_CONFIG_PARAMETERS='OKSTRA.ruleset=9'"}, false},
		{"plain", []string{"GIT_CONFIG_PARAMETERS='core.bare'='false' 'okstra.ruleset'='9'"}, false},
		{"plain", []string{"GIT_CONFIG_PARAMETERS='include.path'='" + filepath.Join(s.dir, "home2", ".gitconfig") + "'"}, false},
		{"plain", []string{"GIT_CONFIG_PARAMETERS='core.hookspath'='/x/y'", "GIT_CONFIG_NOSYSTEM=1"}, true},
		{"set", []string{"GIT_CONFIG_PARAMETERS='core.hookspath'='/x/y'", "GIT_CONFIG_NOSYSTEM=1"}, false},
		{"plain", []string{"GIT_CONFIG_GLOBAL=" + filepath.Join(s.dir, "home2", ".gitconfig")}, false},
		{"plain", []string{"PATH=" + filepath.Join(s.dir, "home") + ":" + os.Getenv("PATH")}, true},
	} {
		env := s.bareEnv(c.env...)
		got := ConfigLacks(Options{Dir: filepath.Join(s.dir, c.dir), Env: env}, "okstra")
		cfg, err := ReadConfig(t.Context(), Options{Dir: filepath.Join(s.dir, c.dir), Env: env}, `^okstra\.`)
		if err != nil {
			t.Errorf("%s %q: %v", c.dir, c.env, err)
		}
		if knows := cfg.Get("okstra.ruleset") != ""; got && knows || !c.lacks && !knows {
			t.Errorf("%s %q: lacks %v, git knows %q", c.dir, c.env, got, cfg.Get("okstra.ruleset"))
		}
		if c.lacks && !got && usualGit(t) {
			t.Errorf("%s %q: a plain place is not known as one", c.dir, c.env)
		}
	}
}

// usualGit reports whether the git that runs here is where distributions put it, and
// its system configuration is plain: elsewhere git is always asked.
func usualGit(t *testing.T) bool {
	t.Helper()
	files, ok := (&Repo{dir: t.TempDir(), env: []string{"HOME=/nonexistent"}}).configFiles()
	for _, f := range files {
		ok = ok && !mayHold(f, "okstra")
	}
	return ok
}

// TestConfigLacksUnreadable: what cannot be read may hold anything.
func TestConfigLacksUnreadable(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("a")
	s.write("b/.git", "gitdir: \n")
	s.write("c/.git", "not a pointer\n")
	s.write("home/.gitconfig/folder", "x")
	for _, dir := range []string{"a", "c"} {
		if ConfigLacks(Options{Dir: filepath.Join(s.dir, dir), Env: s.bareEnv()}, "okstra") {
			t.Errorf("%s: nothing is certain here", dir)
		}
	}
}

// TestReadConfigErrors: a broken file is git's refusal, not an absence.
func TestReadConfigErrors(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("a")
	s.write("a/.git/config", "[broken\n")
	if _, err := ReadConfig(t.Context(), Options{Dir: filepath.Join(s.dir, "a"), Env: s.env}, `^okstra\.`); err == nil || ExitCode(err) < 2 {
		t.Errorf("error %v", err)
	}
}

// TestGitPrefix: git finds its commands' own folder first when it runs ours, and a
// script named git may do anything before it runs git.
func TestGitPrefix(t *testing.T) {
	s := newSandbox(t)
	usual, ok := gitPrefix()
	if !ok {
		t.Skip("git is elsewhere, or this is not Linux")
	}
	t.Setenv("PATH", s.git("", "--exec-path")+string(filepath.ListSeparator)+os.Getenv("PATH"))
	if got, ok := gitPrefix(); !ok || got != usual {
		t.Errorf("beside git's commands: %q %v, want %q", got, ok, usual)
	}
	s.write("git", "#!/bin/sh\nGIT_CONFIG_COUNT=1 exec /usr/bin/git \"$@\"\n")
	if isProgram(s.path("git")) || !isProgram("/proc/self/exe") {
		t.Error("a script is taken for a program, or a program for a script")
	}
}
