package testrepo

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestSplit(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		line string
		want []string
		err  string
	}{
		{line: ""},
		{line: " \t "},
		{line: "# git init"},
		{line: "  # git init"},
		{line: "git init -b main", want: []string{"git", "init", "-b", "main"}},
		{line: "  git \t init\t", want: []string{"git", "init"}},
		{line: `commit "a message"`, want: []string{"commit", "a message"}},
		{line: `file "a\nb\"c\u00e9"`, want: []string{"file", "a\nb\"cé"}},
		{line: `git -c user.name="A B" log`, want: []string{"git", "-c", "user.name=A B", "log"}},
		{line: `x "" y`, want: []string{"x", "", "y"}},
		{line: `x a"b"c"d e"`, want: []string{"x", "abcd e"}},
		{line: `x a#b #c`, want: []string{"x", "a#b", "#c"}},
		{line: `x it's`, want: []string{"x", "it's"}},
		{line: `x "open`, err: "quotes at"},
		{line: `x "bad \q"`, err: "quotes at"},
	} {
		got, err := split(test.line)
		if !slices.Equal(got, test.want) || !matches(err, test.err) {
			t.Errorf("split(%q) = %q, %v; want %q, %q", test.line, got, err, test.want, test.err)
		}
	}
}

// FuzzSplit checks that words survive being quoted and split again.
func FuzzSplit(f *testing.F) {
	f.Add("git", "a b")
	f.Add(`"`, "\\\n")
	f.Add("", "#")
	f.Fuzz(func(t *testing.T, a, b string) {
		want := []string{"x", a, b}
		got, err := split("x " + strconv.Quote(a) + "\t" + strconv.Quote(b) + " ")
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("split = %q, %v; want %q", got, err, want)
		}
	})
}

func TestRecipeErrors(t *testing.T) {
	t.Parallel()
	for recipe, want := range map[string]string{
		"git init --quiet\nnonsense\n":         "line 2: no such statement: nonsense with 0 arguments",
		"git\n":                                "line 1: no such statement: git with 0 arguments",
		"file a b c\n":                         "line 1: no such statement: file with 3 arguments",
		"# none\nfile a\n":                     `line 2: no member "a"`,
		"exec a b\n-- a --\n":                  `line 1: no member "b"`,
		"import a\n":                           `line 1: no member "a"`,
		"file \"open\n":                        "line 1: quotes at",
		"git no-such-command\n":                "line 1: git [\"no-such-command\"]: exit status 1\ngit: 'no-such-command'",
		"git init --quiet\ncommit \"empty\"\n": "line 2: git [\"commit\"",
		"file a\nlink a b\n-- a --\n":          `line 2: link "a"`,
		"file a\nfile a/b a\n-- a --\n":        `line 2: make folder of "a/b"`,
		"file a/b a\nfile a\n-- a --\n":        `line 2: write "a"`,
	} {
		if err := fresh(t).follow([]byte(recipe)); !matches(err, want) {
			t.Errorf("%q: error %v, want %q", recipe, err, want)
		}
	}
}

func TestStatements(t *testing.T) {
	t.Parallel()
	r := fresh(t)
	recipe := "file one/two.txt\nexec tool one/two.txt\nlink one/up ../tool\n-- one/two.txt --\ncontent\n"
	if err := r.follow([]byte(recipe)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"one/two.txt", "tool", "one/up"} {
		text, err := os.ReadFile(filepath.Join(r.Dir, name))
		if err != nil || string(text) != "content\n" {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	if target, err := os.Readlink(filepath.Join(r.Dir, "one/up")); err != nil || target != "../tool" {
		t.Errorf("link: %q, %v", target, err)
	}
	for name, exec := range map[string]bool{"one/two.txt": false, "tool": true} {
		info, err := os.Stat(filepath.Join(r.Dir, name))
		if err != nil || (info.Mode()&0o100 != 0) != exec {
			t.Errorf("%s: mode %v, %v", name, info.Mode(), err)
		}
	}
}

func TestModuleRoot(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if root, err := moduleRoot(dir); err == nil {
		t.Errorf("moduleRoot found %s above a temporary folder", root)
	}
	deep := filepath.Join(dir, "a", "b")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if root, err := moduleRoot(deep); err != nil || root != dir {
		t.Errorf("moduleRoot = %q, %v; want %q", root, err, dir)
	}
}

// matches reports whether err is nil and want empty, or want is part of err.
func matches(err error, want string) bool {
	if err == nil || want == "" {
		return err == nil && want == ""
	}
	return strings.Contains(err.Error(), want)
}
