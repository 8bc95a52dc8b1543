package testrepo

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// recipes is every recipe file, with what its users count on. The commit ids are
// pinned: they change when a recipe, the identity or the clock does.
var recipes = map[string]struct{ head, commits string }{
	"empty":       {},
	"one-commit":  {"0ce4c4a132fff2d9e6e823a821936de4e011b688", "1"},
	"linear":      {"949e2ff19acd7ba033b9bddfe4242090a99707a2", "4"},
	"many-files":  {"f3f043b84658b201e74638c5f2485df770ea9520", "1"},
	"bare-layout": {"d1603a338e6e8a57582d15a60e8b5c41b4361319", "1"},
	"sha256":      {"96693e7799c20a0954babf18ef054bc94b06065f2108c592cf2bb1c929ff7432", "2"},
}

func TestRecipes(t *testing.T) {
	root, err := moduleRoot(".")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(root, "testdata", "repos", "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != len(recipes) {
		t.Errorf("%d recipe files, %d in the table", len(files), len(recipes))
	}
	for _, file := range files {
		recipe := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(recipe, func(t *testing.T) {
			t.Parallel()
			want, ok := recipes[recipe]
			if !ok {
				t.Fatal("not in the table")
			}
			r := New(t, recipe)
			r.Git("fsck", "--strict")
			if want.head == "" {
				if _, _, code := r.TryGit("rev-parse", "--verify", "--quiet", "HEAD"); code != 1 {
					t.Errorf("exit code of rev-parse HEAD = %d, want 1", code)
				}
				return
			}
			if head := r.Git("rev-parse", "refs/heads/main"); head != want.head {
				t.Errorf("main = %s, want %s", head, want.head)
			}
			if n := r.Git("rev-list", "--count", "main"); n != want.commits {
				t.Errorf("commits = %s, want %s", n, want.commits)
			}
			if recipe == "bare-layout" {
				return // its folder is no worktree; TestBareLayout looks at those
			}
			if status := r.Git("status", "--porcelain"); status != "" {
				t.Errorf("not clean:\n%s", status)
			}
		})
	}
}

func TestManyFilesKinds(t *testing.T) {
	t.Parallel()
	r := New(t, "many-files")
	got := map[string]string{}
	for line := range strings.SplitSeq(strings.TrimSuffix(r.Git("ls-files", "-s", "-z"), "\x00"), "\x00") {
		meta, name, _ := strings.Cut(line, "\t")
		got[name] = meta[:6]
	}
	for name, mode := range map[string]string{
		"bin/run.sh":                 "100755",
		"latest":                     "120000",
		"src/up":                     "120000",
		"with space.txt":             "100644",
		"quote\"d 'name'.txt":        "100644",
		"new\nline.txt":              "100644",
		"-dash.txt":                  "100644",
		"naïve/한국어.md":               "100644",
		"src/deep/er/still/leaf.txt": "100644",
		"empty":                      "100644",
	} {
		if got[name] != mode {
			t.Errorf("mode of %q = %q, want %s", name, got[name], mode)
		}
	}
}

func TestBareLayout(t *testing.T) {
	t.Parallel()
	r := New(t, "bare-layout")
	if got := r.Git("rev-parse", "--is-bare-repository"); got != "true" {
		t.Errorf("top folder: bare = %s, want true", got)
	}
	for _, branch := range []string{"main", "feature"} {
		if got := r.Git("-C", branch, "symbolic-ref", "HEAD"); got != "refs/heads/"+branch {
			t.Errorf("HEAD of %s = %s", branch, got)
		}
		if got := r.Git("-C", branch, "status", "--porcelain"); got != "" {
			t.Errorf("worktree %s is not clean:\n%s", branch, got)
		}
	}
}

func TestCommitsAreInOrder(t *testing.T) {
	t.Parallel()
	r := New(t, "linear")
	r.Write("new/file.txt", "x\n")
	head := r.Commit("one more")
	if got := r.Git("rev-parse", "HEAD"); got != head {
		t.Errorf("Commit returned %s, HEAD is %s", head, got)
	}
	got := r.Git("log", "--reverse", "--format=%at %ct %an %ce")
	want := "1767323105 1767323105 Test Person test@example.com\n" +
		"1767323165 1767323165 Test Person test@example.com\n" +
		"1767323225 1767323225 Test Person test@example.com\n" +
		"1767323285 1767323285 Test Person test@example.com\n" +
		"1767323345 1767323345 Test Person test@example.com"
	if got != want {
		t.Errorf("log:\n%s\nwant:\n%s", got, want)
	}
}

func TestTryGit(t *testing.T) {
	t.Parallel()
	r := New(t, "one-commit")
	stdout, stderr, code := r.TryGit("cat-file", "-e", "0000")
	if code != 128 || stdout != "" || !strings.HasPrefix(stderr, "fatal: ") {
		t.Errorf("TryGit = %q, %q, %d", stdout, stderr, code)
	}
	stdout, stderr, code = r.TryGit("show", "HEAD:README.md")
	if code != 0 || stdout != "# One commit\n" || stderr != "" {
		t.Errorf("TryGit = %q, %q, %d", stdout, stderr, code)
	}
}

// TestEnv sets what a person or a hook may have set and looks for it in the
// hermetic environment and in what git says.
func TestEnv(t *testing.T) {
	outer := New(t, "one-commit")
	t.Setenv("GIT_DIR", filepath.Join(outer.Dir, ".git"))
	t.Setenv("GIT_CONFIG_COUNT", "1")
	t.Setenv("GIT_CONFIG_KEY_0", "user.name")
	t.Setenv("GIT_CONFIG_VALUE_0", "Somebody Else")
	t.Setenv("OKSTRA_ACTOR", "someone")
	t.Setenv("XDG_CONFIG_HOME", outer.Dir)
	t.Setenv("NO_COLOR", "1")

	r := New(t, "empty")
	for _, entry := range r.Env {
		name, value, _ := strings.Cut(entry, "=")
		if value == os.Getenv(name) && !slices.Contains(kept, name) && name != "LC_ALL" && name != "TZ" {
			t.Errorf("%s is inherited", entry)
		}
		if strings.HasPrefix(name, "OKSTRA_") || strings.HasPrefix(name, "XDG_") || name == "NO_COLOR" {
			t.Errorf("%s is there", entry)
		}
	}
	if got, want := r.Git("rev-parse", "--absolute-git-dir"), filepath.Join(r.Dir, ".git"); got != want {
		t.Errorf("git dir = %s, want %s", got, want)
	}
	if got := r.Git("config", "--list", "--show-scope", "--name-only"); strings.Contains(got, "system") ||
		strings.Contains(got, "command") || strings.Count(got, "global") != 2 {
		t.Errorf("config:\n%s", got)
	}
}

// TestNoRepositoryAbove runs git in a folder that lies in a repository.
func TestNoRepositoryAbove(t *testing.T) {
	t.Parallel()
	r := fresh(t)
	if stdout, _, code := r.TryGit("rev-parse", "--git-dir"); code != 128 {
		t.Errorf("rev-parse = %q, exit %d; want 128", stdout, code)
	}
}

func TestSetenv(t *testing.T) {
	t.Setenv("GIT_DIR", "elsewhere")
	t.Setenv("OKSTRA_RUN", "7")
	t.Run("inside", func(t *testing.T) {
		env := Env(t)
		Setenv(t, env)
		for _, name := range []string{"GIT_DIR", "OKSTRA_RUN"} {
			if value, ok := os.LookupEnv(name); ok {
				t.Errorf("%s = %q is still there", name, value)
			}
		}
		for _, entry := range env {
			if !slices.Contains(os.Environ(), entry) {
				t.Errorf("%s is not there", entry)
			}
		}
	})
	if os.Getenv("GIT_DIR") != "elsewhere" || os.Getenv("OKSTRA_RUN") != "7" {
		t.Error("the environment was not restored")
	}
}

func TestBigTree(t *testing.T) {
	t.Parallel()
	for _, files := range []int{0, 1, 250} {
		r := BigTree(t, files)
		if got := strings.Count(r.Git("ls-files", "-z"), "\x00"); got != files {
			t.Errorf("BigTree(%d) has %d files", files, got)
		}
		if got := r.Git("status", "--porcelain"); got != "" {
			t.Errorf("BigTree(%d) is not clean:\n%s", files, got)
		}
		if files == 250 {
			if got := r.Git("show", "HEAD:d0002/f0249.txt"); got != "file 249" {
				t.Errorf("last file = %q", got)
			}
		}
	}
}

func BenchmarkBigTree(b *testing.B) {
	for b.Loop() {
		BigTree(b, 10_000)
	}
}
