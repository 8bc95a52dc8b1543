package gitops

import (
	"os"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// TestConfigBlockLeavesNoTrace: whatever the file looks like, setting and removing a
// block gives it back byte by byte, and git reads the values in between.
func TestConfigBlockLeavesNoTrace(t *testing.T) {
	t.Parallel()
	values := []ConfigValue{
		{"notes.displayref", "refs/notes/okstra/*"},
		{"remote.origin.fetch", "+refs/okstra/*:refs/okstra-remote/origin/state/*"},
		{"remote.origin.fetch", "+refs/notes/okstra/*:x"},
		{`remote.a "b"\c # ; d.fetch`, `quoted "okstra" \ # ; ` + "\t\nvalue "},
	}
	s := newSandbox(t)
	s.repo("a")
	r := s.open("a")
	plain, err := os.ReadFile(r.ConfigFile())
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		string(plain), string(plain[:len(plain)-1]), string(plain) + "\n\n", string(plain) + "[user]\r\n\tname = x\r\n",
		string(plain) + "# no line end", string(plain) + "\t; okstra",
		string(plain) + "\tx = y\\", string(plain) + "\tx = y\\\n", string(plain) + "\tx = y\\\r\n", string(plain) + "\tx = y\\\\\n", string(plain) + "# \\\n",
	} {
		s.write("a/.git/config", text)
		for range 2 { // the second time it replaces itself
			if err := r.SetConfigBlock("test block", values); err != nil {
				t.Fatal(err)
			}
			for _, v := range values {
				cfg, err := ReadConfig(t.Context(), Options{Dir: s.path("a"), Env: s.env}, ".")
				if err != nil || !slices.Contains(cfg.All(v.Key), v.Value) {
					t.Errorf("%q: git reads %q as %q, %v", text, v.Key, cfg.All(v.Key), err)
				}
			}
			if got, err := r.ConfigBlock("test block"); err != nil || !slices.Equal(got, values) {
				t.Errorf("%q: read back %+v, %v", text, got, err)
			}
		}
		if err := r.RemoveConfigBlock("test block"); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(r.ConfigFile()); err != nil || string(got) != text {
			t.Errorf("%q came back as %q, %v", text, got, err)
		}
	}
}

// TestConfigBlockKeepsForeignLines: git adds to the last section of a name, so lines of
// others come into the block.
func TestConfigBlockKeepsForeignLines(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("a")
	r := s.open("a")
	s.git("a", "remote", "add", "origin", "elsewhere")
	if err := r.SetConfigBlock("b", []ConfigValue{{"remote.origin.fetch", "+refs/okstra/*:refs/okstra-remote/origin/state/*"}}); err != nil {
		t.Fatal(err)
	}
	s.git("a", "config", "--add", "remote.origin.fetch", "+refs/pull/*:refs/pull/*")
	s.git("a", "config", "branch.main.remote", "origin")
	for range 2 {
		if err := r.RemoveConfigBlock("b"); err != nil {
			t.Fatal(err)
		}
	}
	if got := s.git("a", "config", "--get-all", "remote.origin.fetch"); got != "+refs/heads/*:refs/remotes/origin/*\n+refs/pull/*:refs/pull/*" {
		t.Errorf("%q", got)
	}
	if got := s.git("a", "config", "branch.main.remote"); got != "origin" {
		t.Errorf("%q", got)
	}
}

// TestCutBlock: a block cut out of any text leaves the text.
func TestCutBlock(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`([a-z \t#\\]{0,8}\r?\n){0,4}[a-z\\]{0,4}`).Draw(t, "text")
		block := renderBlock("n", []ConfigValue{{"a.okstra", rapid.String().Draw(t, "value")}}, openEnds(text))
		if got := cutBlock(text+block, "n"); got != text {
			t.Fatalf("%q came back as %q", text, got)
		}
	})
}

// TestConfigBlockWritersAtOnce: all get their turn, and what is written is whole.
func TestConfigBlockWritersAtOnce(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("a")
	r := s.open("a")
	before, err := os.ReadFile(r.ConfigFile())
	if err != nil {
		t.Fatal(err)
	}
	values := []ConfigValue{{"notes.displayref", "refs/notes/okstra/*"}}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if err := r.SetConfigBlock("n", values); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got, err := os.ReadFile(r.ConfigFile()); err != nil || string(got) != string(before)+renderBlock("n", values, 0) {
		t.Errorf("%q, %v", got, err)
	}
	if err := r.RemoveConfigBlock("n"); err != nil {
		t.Fatal(err)
	}
	s.write("a/.git/config.lock", "")
	if err := r.RemoveConfigBlock("n"); err != nil {
		t.Errorf("nothing to remove, and a lock: %v", err)
	}
}
