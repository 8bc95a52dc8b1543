package gitops

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// alternateDir makes an object directory with that info/alternates.
func alternateDir(t *testing.T, dir, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(dir, "info"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "info", "alternates"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestObjectDirsDepth(t *testing.T) {
	top := realPath(t.TempDir())
	for i := range 10 {
		alternateDir(t, filepath.Join(top, fmt.Sprint(i)), fmt.Sprintf("../%d\n", i+1))
	}
	got := objectDirs([]string{filepath.Join(top, "0")})
	if len(got) != maxAlternates+1 || got[maxAlternates] != filepath.Join(top, fmt.Sprint(maxAlternates)) {
		t.Errorf("%q", got)
	}
}

// Links and detours do not hide that a directory was seen.
func TestObjectDirsOnce(t *testing.T) {
	top := realPath(t.TempDir())
	a, b, link := filepath.Join(top, "a"), filepath.Join(top, "b"), filepath.Join(top, "link")
	if err := os.Symlink(a, link); err != nil {
		t.Skip(err)
	}
	alternateDir(t, a, b+"\n"+link+"\n"+a+"/../b\n")
	alternateDir(t, b, link+"\n../a/./\n")
	if got := objectDirs([]string{link, a, b}); !slices.Equal(got, []string{a, b}) {
		t.Errorf("%q", got)
	}
}

func TestReadAlternatesSyntax(t *testing.T) {
	dir := t.TempDir()
	alternateDir(t, dir, "# comment\n\n/abs\nrel/x\n\"/quo\\tted\\303\\274\"\n\"/not closed\n/no newline")
	want := []string{"/abs", filepath.Join(dir, "rel/x"), "/quo\tted\u00fc", filepath.Join(dir, `"/not closed`), "/no newline"}
	if got := readAlternates(dir); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := readAlternates(filepath.Join(dir, "nope")); got != nil {
		t.Errorf("%q", got)
	}
}
