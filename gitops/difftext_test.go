package gitops

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// TestDiffTextWhole compares commits, the index and the work tree under every diff
// option that a user might have: whole files, plain prefixes, no colour, no renames.
func TestDiffTextWhole(t *testing.T) {
	made, r, c := repoWithHistory(t, 1)
	for _, kv := range [][2]string{
		{"diff.renames", "copies"},
		{"diff.external", "false"},
		{"diff.noprefix", "true"},
		{"diff.mnemonicPrefix", "true"},
		{"diff.relative", "true"},
		{"diff.context", "0"},
		{"diff.interHunkContext", "9"},
		{"diff.suppressBlankEmpty", "true"},
		{"diff.submodule", "log"},
		{"color.ui", "always"},
		{"core.quotePath", "false"},
	} {
		made.Git("config", kv[0], kv[1])
	}
	t.Setenv("GIT_DIFF_OPTS", "-u0")
	lines := "1\n\n3\n4\n5\n6\n7\n8\n"
	made.Write("ä", lines)
	made.Git("add", "ä")
	made.Git("commit", "-q", "-m", "lines")
	before := Hash(made.Git("rev-parse", "HEAD"))
	made.Git("mv", "ä", "b")
	made.Git("commit", "-q", "-m", "renamed")
	after := Hash(made.Git("rev-parse", "HEAD"))

	text := func(d DiffSides) string {
		t.Helper()
		out, err := r.DiffText(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	got := text(DiffSides{From: before, To: after})
	for _, want := range []string{
		"diff --git \"a/\\303\\244\" \"b/\\303\\244\"\ndeleted file mode 100644\n", "\n@@ -1,8 +0,0 @@\n-1\n-\n-3\n",
		"diff --git a/b b/b\nnew file mode 100644\n", "\n@@ -0,0 +1,8 @@\n+1\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	made.Write("b", strings.Replace(lines, "8", "eight", 1))
	if got := text(DiffSides{From: after, Staged: true}); got != "" {
		t.Errorf("nothing is staged:\n%s", got)
	}
	const whole = "@@ -1,8 +1,8 @@\n 1\n \n 3\n 4\n 5\n 6\n 7\n-8\n+eight\n"
	if got := text(DiffSides{From: after}); !strings.HasSuffix(got, whole) {
		t.Errorf("the work tree:\n%s", got)
	}
	made.Git("add", "b")
	made.Write("b", "other\n")
	if got := text(DiffSides{From: after, Staged: true}); !strings.HasSuffix(got, whole) {
		t.Errorf("the index:\n%s", got)
	}
	if got := text(DiffSides{To: c[0]}); !strings.Contains(got, "new file mode") || strings.Contains(got, "\n-") && !strings.Contains(got, "\n--- /dev/null") {
		t.Errorf("from nothing:\n%s", got)
	}
	if _, err := r.DiffText(t.Context(), DiffSides{From: Hash(strings.Repeat("1", 40)), To: after}); err == nil {
		t.Error("a missing commit: no error")
	}
}

// TestAttributesOfSides reads them where the To side has them, and leaves the index alone.
func TestAttributesOfSides(t *testing.T) {
	t.Parallel()
	made, r, _ := repoWithHistory(t, 1)
	made.Write("x/.gitattributes", "*.gen a b=c\n")
	made.Git("add", "x")
	made.Git("commit", "-q", "-m", "attributes")
	old := Hash(made.Git("rev-parse", "HEAD"))
	made.Write("x/.gitattributes", "*.gen -a\n")
	made.Git("add", "x")
	made.Git("commit", "-q", "-m", "others")
	made.Write("x/.gitattributes", "*.gen b=d\n")
	made.Git("add", "x")
	made.Write("x/.gitattributes", "*.gen b=e\n")
	index, err := os.ReadFile(filepath.Join(made.Dir, ".git", "index"))
	if err != nil {
		t.Fatal(err)
	}
	const path = "x/a \n.gen"
	for _, test := range []struct {
		sides DiffSides
		want  map[string]string
	}{
		{DiffSides{To: old}, map[string]string{"a": "set", "b": "c"}},
		{DiffSides{To: Hash(made.Git("rev-parse", "HEAD"))}, map[string]string{"a": "unset"}},
		{DiffSides{Staged: true}, map[string]string{"b": "d"}},
		{DiffSides{}, map[string]string{"b": "e"}},
	} {
		got, err := r.AttributesOf(t.Context(), test.sides, []string{path, "other"}, []string{"a", "b"})
		if want := (Attributes{path: test.want}); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v: %v, %v; want %v", test.sides, got, err, want)
		}
	}
	if got, err := r.AttributesOf(t.Context(), DiffSides{}, nil, []string{"a"}); err != nil || len(got) != 0 {
		t.Errorf("no paths: %v, %v", got, err)
	}
	if _, err := r.AttributesOf(t.Context(), DiffSides{To: Hash(strings.Repeat("1", 40))}, []string{"a"}, []string{"a"}); err == nil {
		t.Error("a missing commit: no error")
	}
	after, err := os.ReadFile(filepath.Join(made.Dir, ".git", "index"))
	if err != nil || string(after) != string(index) {
		t.Errorf("the index changed, or %v", err)
	}
}

// TestFileOnSides reads a file of each side, and tells what is not there.
func TestFileOnSides(t *testing.T) {
	t.Parallel()
	made, r, c := repoWithHistory(t, 1)
	made.Write("x/[a]", "committed")
	made.Git("add", "x")
	made.Git("commit", "-q", "-m", "x")
	head := Hash(made.Git("rev-parse", "HEAD"))
	made.Write("x/[a]", "staged")
	made.Write("x/a", "another")
	made.Git("add", "x")
	made.Write("x/[a]", "written")
	for _, test := range []struct {
		sides DiffSides
		want  string
	}{
		{DiffSides{To: head}, "committed"},
		{DiffSides{Staged: true}, "staged"},
		{DiffSides{}, "written"},
	} {
		got, err := r.FileOn(t.Context(), test.sides, "x/[a]")
		if err != nil || string(got) != test.want {
			t.Errorf("%+v: %q, %v; want %q", test.sides, got, err, test.want)
		}
		if _, err := r.FileOn(t.Context(), test.sides, "x/none"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%+v: %v", test.sides, err)
		}
	}
	if base, err := r.MergeBase(t.Context(), c[0], head); err != nil || base != c[0] {
		t.Errorf("merge base %q, %v", base, err)
	}
	if got, err := r.Head(t.Context()); err != nil || got != head {
		t.Errorf("HEAD is %q, %v", got, err)
	}
	made.Git("symbolic-ref", "HEAD", "refs/heads/unborn")
	if got, err := r.Head(t.Context()); err != nil || got != "" {
		t.Errorf("HEAD of a branch without a commit is %q, %v", got, err)
	}
}

func TestParseAttributes(t *testing.T) {
	t.Parallel()
	got, err := parseAttributes([]byte("a b\x00x\x00set\x00a b\x00y\x00unspecified\x00c\x00x\x00unset\x00"))
	want := Attributes{"a b": {"x": "set"}, "c": {"x": "unset"}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	if _, err := parseAttributes([]byte("a\x00b\x00")); err == nil {
		t.Error("half an answer is none")
	}
}
