package gitops

import (
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
		{"plain", []string{home2}, false},
		{"nowhere", []string{home2}, false},
		{"plain", []string{"XDG_CONFIG_HOME=" + filepath.Join(s.dir, "xdg")}, false},
		{"plain", []string{"GIT_DIR=" + filepath.Join(s.dir, "set", ".git")}, false},
		{"plain", []string{"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=okstra.ruleset", "GIT_CONFIG_VALUE_0=8"}, false},
		{"plain", []string{"GIT_CONFIG_PARAMETERS='okstra.ruleset'='9'"}, false},
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
