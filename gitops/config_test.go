package gitops

import (
	"errors"
	"fmt"
	"os/user"
	"slices"
	"strings"
	"testing"
)

// TestConfigReadsWhatGitReads compares every key, its last and all its values with
// `git config` itself, over the forms that a file can have.
func TestConfigReadsWhatGitReads(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("a")
	s.write("included", "[okstra]\n\tfrom = include\n\tonce\n")
	s.write("a/.git/config", `[core]
	repositoryformatversion = 0
[okstra]
	empty =
	bare
	many = one
	Many = "two  "
	many = three\nwith a line\nand another
	quoted = "a \"b\" ; c" ; comment
[okstra "Sub.Section With=Signs"]
	Value = kept
[okstra "sub"]
	x = 1
[include]
	path = ../../included
[okstra]
	from = last
`)
	env := []string{
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=okstra.counted", "GIT_CONFIG_VALUE_0=x\ny",
		"GIT_CONFIG_PARAMETERS='okstra.dashed'='with '\\''quotes'\\''' 'okstra.noequals'",
	}
	c := s.open("a", env...).Config()
	ask := func(args ...string) []string {
		out, err := s.try("a", env, "", append([]string{"config", "-z"}, args...)...)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	}
	names := ask("--list", "--name-only")
	if len(c.entries) != len(names) || len(names) < 15 {
		t.Errorf("%d entries, git has %d", len(c.entries), len(names))
	}
	for _, key := range names {
		if got, want := c.All(key), ask("--get-all", key); !slices.Equal(got, want) {
			t.Errorf("%s: all = %q, git has %q", key, got, want)
		}
		if got, want := c.Get(key), ask("--get", key)[0]; got != want {
			t.Errorf("%s = %q, git has %q", key, got, want)
		}
	}
}

func TestConfigKeysAndScopes(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("a")
	s.git("a", "config", "Okstra.Sub.Key.NAME", "v")
	s.git("a", "config", "core.bare", "false")
	c := s.open("a", "GIT_CONFIG_PARAMETERS='core.bare'='true'").Config()
	for key, want := range map[string]string{
		"okstra.Sub.Key.name": "v", "OKSTRA.Sub.Key.Name": "v", "okstra.sub.key.name": "", "okstra.absent": "", "nodot": "",
		"CORE.BARE": "true",
	} {
		if got, there := c.Lookup(key); got != want || there != (want != "") {
			t.Errorf("%s = %q, %v", key, got, there)
		}
	}
	if c.sharedBare() {
		t.Error("the command line's core.bare is taken for the shared file's")
	}
	if !c.HasSection("okstra.") || c.HasSection("filter.") {
		t.Error("HasSection")
	}
	var scopes []string
	for _, e := range c.entries {
		if e.Key == "core.bare" {
			scopes = append(scopes, e.Scope)
		}
	}
	if !slices.Equal(scopes, []string{"local", "command"}) {
		t.Errorf("scopes of core.bare: %q", scopes)
	}
}

// TestConfigBoolAsGit asks git about each word.
func TestConfigBoolAsGit(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	words := []string{
		"true", "TRUE", "yes", "On", "false", "no", "oFF", "", "0", "1", "-1", "2", "+0", "00", "010", "09", "0x0", "0x1F", "0b1",
		"1_0", "1k", "0k", "1K", "3g", "1m", "1t", "2147483647", "2147483648", "-2147483648", "99999999999999999999", "maybe", "t", "1.5", "1 k",
	}
	var file strings.Builder
	file.WriteString("[b]\n\tbare\n")
	for i, w := range words {
		fmt.Fprintf(&file, "\tw%d = %q\n", i, w)
	}
	s.write("file", file.String())
	s.repo("a")
	s.git("a", "config", "include.path", s.path("file"))
	c := s.open("a").Config()
	for i, w := range words {
		key := fmt.Sprintf("b.w%d", i)
		out, err := s.try("a", nil, "", "config", "--type=bool", key)
		got, gotErr := c.Bool(key, false)
		if w == "-2147483648" && err == nil {
			err = errors.New("too low") // git takes the lowest number of all in newer releases (2.55), we do not
		}
		if (err == nil) != (gotErr == nil) || err == nil && strings.TrimSpace(out) != fmt.Sprint(got) {
			t.Errorf("%q: %v, %v; git has %q, %v", w, got, gotErr, out, err)
		}
		if gotErr != nil && !strings.Contains(gotErr.Error(), key) {
			t.Errorf("%q: the error does not name the key: %v", w, gotErr)
		}
	}
	if on, err := c.Bool("b.bare", false); !on || err != nil {
		t.Errorf("key without a value: %v, %v", on, err)
	}
	for _, def := range []bool{true, false} {
		if got, err := c.Bool("b.absent", def); got != def || err != nil {
			t.Errorf("absent: %v, %v", got, err)
		}
	}
}

func TestConfigPathAsGit(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("a")
	me, err := user.Current()
	if err != nil {
		t.Skip(err)
	}
	for i, value := range []string{"~", "~/x", "~/x/y z", "/abs", "rel/x", "./~", "~" + me.Username + "/deep", "~no-such-user-here/x"} {
		key := fmt.Sprintf("p.w%d", i)
		s.git("a", "config", key, value)
		out, gitErr := s.try("a", nil, "", "config", "--type=path", key)
		got, err := s.open("a").Config().Path(key)
		if (err == nil) != (gitErr == nil) || err == nil && strings.TrimSuffix(strings.TrimSpace(out), "/") != got {
			t.Errorf("%q: %q, %v; git has %q, %v", value, got, err, out, gitErr)
		}
	}
	if got, err := s.open("a").Config().Path("p.absent"); got != "" || err != nil {
		t.Errorf("absent: %q, %v", got, err)
	}
	if got, err := s.open("a", "HOME=").Config().Path("p.w1"); err == nil {
		t.Errorf("no home: %q", got)
	}
}

// TestConfigAt holds that a file which is included for one branch only counts
// there, and that git is not asked where nothing can differ.
func TestConfigAt(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("a")
	s.git("a", "worktree", "add", "-q", "-b", "side", "../b")
	r := s.open("a")
	calls := &callCount{}
	r.trace = calls.add
	if _, err := r.ConfigAt(t.Context(), s.path("b")); err != nil || calls.take() != 0 {
		t.Errorf("git was asked, %v", err)
	}
	s.write("side", "[okstra]\n\twhere = side\n")
	s.git("a", "config", "includeIf.onbranch:side.path", s.path("side"))
	r = s.open("a")
	c, err := r.ConfigAt(t.Context(), s.path("b"))
	if err != nil || c.Get("okstra.where") != "side" || r.Config().Get("okstra.where") != "" {
		t.Errorf("%q, %v", c.Get("okstra.where"), err)
	}
}
