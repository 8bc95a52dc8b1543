package workspace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"git-okstra/gitops"
)

// included is a repository whose .worktreeinclude lists the patterns, with a .gitignore
// that ignores *.ign and folder/.
func included(t *testing.T, patterns ...string) *world {
	t.Helper()
	w := newWorld(t, "one-commit")
	w.Write(".gitignore", "*.ign\nfolder/\n.worktreeinclude\n")
	w.Commit("ignores")
	w.Write(".worktreeinclude", strings.Join(patterns, "\n")+"\n")
	return w
}

// TestBroughtTree copies many folders, several at once, and the tree is the same.
func TestBroughtTree(t *testing.T) {
	t.Parallel()
	w := included(t, "/folder/")
	for i := range 300 {
		w.Write(fmt.Sprintf("folder/%d/%d/file-%d", i%7, i%31, i), strings.Repeat("x", i*37))
	}
	w.settle()
	target, res := w.mustProvision("HEAD")
	if res.BroughtFiles != 300 || res.Brought != 1 || len(res.Warnings) > 0 {
		t.Fatalf("%+v", res)
	}
	a, err := sumUp(w.path("folder"))
	b, err2 := sumUp(filepath.Join(target.Path, "folder"))
	if a != b || err != nil || err2 != nil {
		t.Errorf("the copies differ: %v, %v", err, err2)
	}
	infoA, _ := os.Stat(w.path("folder/3"))
	infoB, _ := os.Stat(filepath.Join(target.Path, "folder/3"))
	if !infoA.ModTime().Equal(infoB.ModTime()) || infoA.Mode() != infoB.Mode() {
		t.Errorf("folder/3: %v %v, want %v %v", infoB.ModTime(), infoB.Mode(), infoA.ModTime(), infoA.Mode())
	}
}

// TestBroughtBesideTracked: a commit that has files, links or submodules where the main
// worktree has ignored things keeps its own.
func TestBroughtBesideTracked(t *testing.T) {
	t.Parallel()
	w := included(t, "folder", "*.ign", "sub/")
	w.Write("folder/tracked", "of the commit\n")
	w.must(os.MkdirAll(w.path("else"), 0o777))
	w.must(os.Symlink("/", w.path("way")))
	w.Git("add", "-f", "folder/tracked", "way")
	w.Git("update-index", "--add", "--cacheinfo", "160000,"+w.Git("rev-parse", "HEAD")+",sub")
	w.Git("commit", "-qm", "with a folder, a link and a submodule")
	w.Git("branch", "with")
	w.Git("reset", "-q", "--hard", "HEAD~1")
	w.Write("folder/tracked", "of main\n")
	w.Write("folder/more/x", "of main\n")
	w.Write("way/x.ign", "of main\n")
	w.Write("sub/x.ign", "of main\n")
	target, res := w.mustProvision("with")
	text, err := os.ReadFile(filepath.Join(target.Path, "folder/tracked"))
	if err != nil || string(text) != "of the commit\n" {
		t.Errorf("%q, %v", text, err)
	}
	if !exists(filepath.Join(target.Path, "folder/more/x")) || exists("/x.ign") || exists(filepath.Join(target.Path, "sub/x.ign")) {
		t.Error("the wrong files came along")
	}
	if got := w.Git("-C", target.Path, "status", "--porcelain"); got != "" {
		t.Errorf("status %q", got)
	}
	if len(res.Warnings) != 3 {
		t.Errorf("warnings %q", res.Warnings)
	}
}

// TestBroughtByParts: a folder that the new commit ignores only in part comes in part.
func TestBroughtByParts(t *testing.T) {
	t.Parallel()
	w := included(t, "folder")
	w.Write(".gitignore", "folder/*\n!folder/b\n.worktreeinclude\n")
	w.Commit("other rules")
	w.Git("branch", "other")
	w.Git("reset", "-q", "--hard", "HEAD~1")
	w.Write("folder/a", "a\n")
	w.Write("folder/b", "b\n")
	w.Write("folder/c/d", "d\n")
	target, res := w.mustProvision("other")
	if !exists(filepath.Join(target.Path, "folder/a")) || exists(filepath.Join(target.Path, "folder/b")) || !exists(filepath.Join(target.Path, "folder/c/d")) {
		t.Errorf("%+v", res)
	}
	if got := w.Git("-C", target.Path, "status", "--porcelain"); got != "" || len(res.Warnings) != 1 {
		t.Errorf("status %q, warnings %q", got, res.Warnings)
	}
}

// TestHalfBroughtIsRedone: what a killed start has brought is not foreign, in whatever
// state it is; what else lies there is.
func TestHalfBroughtIsRedone(t *testing.T) {
	t.Parallel()
	w := included(t, "folder", "*.ign")
	w.Write("folder/deep/file", "text\n")
	w.Write("a.ign", "text\n")
	target, _ := w.mustProvision("HEAD")
	admin := gitops.Worktree{GitDir: w.Git("-C", target.Path, "rev-parse", "--absolute-git-dir"), Path: target.Path}
	again := func() (Result, error) {
		w.Git("-C", target.Path, "update-ref", "-d", string(target.Bind))
		return Provision(t.Context(), w.open(), target)
	}
	w.put(target.Path+"/folder/deep/file", "te") // cut short
	w.must(os.Remove(target.Path + "/a.ign"))
	list, err := readProvided(admin)
	w.must(err)
	for i := range list {
		list[i].sum = ""
	}
	w.must(writeProvided(admin, list)) // as before the first copy
	if res, err := again(); err != nil || res.Existed {
		t.Fatalf("%+v, %v", res, err)
	}
	for _, name := range []string{"/folder/deep/file", "/a.ign"} {
		if text, err := os.ReadFile(target.Path + name); err != nil || string(text) != "text\n" {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	w.put(target.Path+"/mine.ign", "precious")
	var foreign *ForeignPathError
	if _, err := again(); !errors.As(err, &foreign) || foreign.Path != target.Path+"/mine.ign" {
		t.Errorf("%v", err)
	}
}

// TestProvided tells what was brought from what was made or changed since.
func TestProvided(t *testing.T) {
	t.Parallel()
	w := included(t, "folder", "*.ign")
	w.Git("config", "okstra.sync", "link:folder") // listed in both: the link wins
	w.Write("folder/file", "text\n")
	w.Write("a.ign", "text\n")
	w.Write("b.ign", "text\n")
	w.Write("c.ign", "text\n")
	target, _ := w.mustProvision("HEAD")
	wt, ok, err := w.open().WorktreeAt(t.Context(), target.Path)
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	state := func() string {
		list, err := Provided(wt)
		w.must(err)
		var words []string
		for _, p := range list {
			words = append(words, fmt.Sprintf("%s link=%v unchanged=%v", p.Path, p.Link, p.Unchanged))
		}
		slices.Sort(words)
		return strings.Join(words, "\n")
	}
	want := "a.ign link=false unchanged=true\nb.ign link=false unchanged=true\nc.ign link=false unchanged=true\nfolder link=true unchanged=true"
	if got := state(); got != want {
		t.Errorf("at first\n%s", got)
	}
	w.put(target.Path+"/a.ign", "tex2\n")
	w.must(os.Chtimes(target.Path+"/b.ign", time.Now(), time.Now()))
	w.must(os.Remove(target.Path + "/c.ign"))
	w.put(target.Path+"/folder/more", "x")
	if got := state(); strings.Contains(got, "unchanged=true") {
		t.Errorf("then\n%s", got)
	}
	plain := newWorld(t, "one-commit")
	target, _ = plain.mustProvision("HEAD")
	wt, _, _ = plain.open().WorktreeAt(t.Context(), target.Path)
	if list, err := Provided(wt); len(list) > 0 || err != nil {
		t.Errorf("%v, %v", list, err)
	}
}

// TestUnsteadyFile: of a file that is written to while it is copied there is a whole
// copy or none.
func TestUnsteadyFile(t *testing.T) {
	t.Parallel()
	for _, often := range []int{2, 100} {
		w := newWorld(t, "one-commit")
		w.Write("big", strings.Repeat("x", 1<<16))
		from, err := os.OpenRoot(w.Dir)
		w.must(err)
		to, err := os.OpenRoot(w.root)
		w.must(err)
		c := newTreeCopier(1)
		n := 0
		c.between = func() {
			if n++; n <= often {
				w.must(os.WriteFile(w.path("big"), []byte(strings.Repeat("y", n)), 0o666))
			}
		}
		err = c.file(from, to, "big")
		text, _ := os.ReadFile(filepath.Join(w.root, "big"))
		if often == 2 && (err != nil || string(text) != "yy") {
			t.Errorf("%q, %v", text, err)
		}
		if often > 2 && (!errors.Is(err, errUnsteady) || exists(filepath.Join(w.root, "big"))) {
			t.Errorf("%q, %v", text, err)
		}
	}
}

// TestReadSync: what okstra.sync may say.
func TestReadSync(t *testing.T) {
	t.Parallel()
	for value, good := range map[string]bool{
		"link:a": true, "copy:a:b": true, "copy:/a/**/b": true,
		"": false, "a": false, "link": false, "link:": false, "copy:!a": false, "move:a": false,
	} {
		w := newWorld(t, "one-commit")
		w.Git("config", "okstra.sync", value)
		if _, err := readSync(w.open().Config()); (err == nil) != good {
			t.Errorf("%q: %v", value, err)
		}
	}
}

// TestLinkInCopiedFolder: a link that is asked for is there, and the copy of the folder
// around it goes by.
func TestLinkInCopiedFolder(t *testing.T) {
	t.Parallel()
	w := included(t, "folder")
	w.Git("config", "okstra.sync", "link:folder/big")
	w.Write("folder/big/file", "text\n")
	w.Write("folder/small", "text\n")
	target, res := w.mustProvision("HEAD")
	link, err := os.Readlink(target.Path + "/folder/big")
	if err != nil || link != w.path("folder/big") || !exists(target.Path+"/folder/small") || len(res.Warnings) > 0 {
		t.Errorf("%q, %v, %+v", link, err, res)
	}
}
