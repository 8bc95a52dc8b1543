package gitops

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func isNote(path []byte) bool { return bytes.HasSuffix(path, []byte(".md")) }

// notesStaged is what git says: whether a file that is picked is staged.
func notesStaged(t interface{ Fatal(args ...any) }, s *sandbox, dir string, env ...string) bool {
	files, err := StagedOnHead(s.t.Context(), Options{Dir: s.path(dir), Env: append(slices.Clone(s.env), env...)})
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(files, func(f StagedFile) bool { return f.Mode != 0 && isNote([]byte(f.Path)) })
}

// asHead is the answer without git, at the top of a worktree.
func asHead(t interface{ Fatal(args ...any) }, s *sandbox, dir string, env ...string) bool {
	gitDir, err := GitDirOf(s.path(dir))
	if err != nil {
		t.Fatal(err)
	}
	return AsHead(s.t.Context(), Options{Dir: s.path(dir), Env: append(slices.Clone(s.env), env...)}, gitDir, isNote)
}

// noted makes a repository with Markdown at the top and below.
func (s *sandbox) noted(dir string, initArgs ...string) {
	s.t.Helper()
	s.write(dir+"/README.md", "one\n")
	s.write(dir+"/a/notes.md", "one\n")
	s.write(dir+"/a/b/code.go", "package b\n")
	s.write(dir+"/a-b/x.md", "one\n")
	s.repo(dir, initArgs...)
}

// TestAsHeadForms: in every form of a repository the answer without git is git's, or no
// answer, and in the usual ones it is an answer.
func TestAsHeadForms(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		init   []string
		setup  func(s *sandbox)
		dir    string
		env    []string
		answer bool
	}{
		{name: "plain", answer: true},
		{name: "packed", setup: func(s *sandbox) { s.git("r", "gc", "-q") }, answer: true},
		{name: "detached", setup: func(s *sandbox) { s.git("r", "checkout", "-q", "--detach") }, answer: true},
		{name: "version 4", setup: func(s *sandbox) { s.git("r", "update-index", "--index-version", "4") }, answer: true},
		{name: "no cache tree", setup: func(s *sandbox) { s.git("r", "read-tree", "--empty"); s.git("r", "add", ".") }, answer: true},
		{name: "linked", setup: func(s *sandbox) { s.git("r", "worktree", "add", "-q", "../w") }, dir: "w", answer: true},
		{name: "alternate", setup: func(s *sandbox) { s.git("", "clone", "-q", "--shared", "r", "c") }, dir: "c", answer: true},
		{name: "skip-worktree", setup: func(s *sandbox) { s.git("r", "update-index", "--skip-worktree", "README.md") }, answer: true},
		{name: "split", setup: func(s *sandbox) { s.git("r", "update-index", "--split-index") }},
		{name: "sparse", setup: func(s *sandbox) { s.git("r", "sparse-checkout", "set", "--cone", "--sparse-index", "a") }},
		{name: "sha256", init: []string{"--object-format=sha256"}},
		{name: "replaced", setup: func(s *sandbox) {
			s.git("r", "commit", "-q", "--allow-empty", "-m", "second")
			s.git("r", "replace", "HEAD", "HEAD~1")
		}},
		{name: "no index", setup: func(s *sandbox) { _ = os.Remove(s.path("r/.git/index")) }, answer: true},
		{name: "symbolic link", setup: func(s *sandbox) {
			s.git("r", "symbolic-ref", "refs/heads/other", "refs/heads/main")
			s.git("r", "symbolic-ref", "HEAD", "refs/heads/other")
		}},
		{name: "other variable", env: []string{"GIT_NAMESPACE=x"}},
		{name: "announced", setup: func(s *sandbox) { s.write("r/new.md", "x"); s.git("r", "add", "-N", "new.md") }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			s.noted("r", tc.init...)
			if tc.setup != nil {
				tc.setup(s)
			}
			if tc.dir == "" {
				tc.dir = "r"
			}
			s.write(tc.dir+"/a/b/code.go", "package c\n")
			s.git(tc.dir, "add", "a/b/code.go")
			if got := asHead(t, s, tc.dir, tc.env...); got != tc.answer || got && notesStaged(t, s, tc.dir, tc.env...) {
				t.Errorf("nothing staged but code: %v", got)
			}
			s.write(tc.dir+"/a/notes.md", "two\n")
			s.git(tc.dir, "add", "a/notes.md")
			if asHead(t, s, tc.dir, tc.env...) {
				t.Error("staged Markdown is not seen")
			}
		})
	}
}

// TestAsHeadIndexFile: a partial commit has an index of its own.
func TestAsHeadIndexFile(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.noted("r")
	s.write("r/README.md", "two\n")
	s.git("r", "add", "README.md")
	if asHead(t, s, "r") {
		t.Error("staged Markdown is not seen")
	}
	if _, err := s.try("r", []string{"GIT_INDEX_FILE=.git/other"}, "", "read-tree", "HEAD"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{".git/other", s.path("r/.git/other")} {
		if !asHead(t, s, "r", "GIT_INDEX_FILE="+name) {
			t.Errorf("%s is as HEAD", name)
		}
	}
	if asHead(t, s, "r", "GIT_INDEX_FILE=.git/none") {
		t.Error("an index that is not there answers")
	}
}

// TestAsHeadAgreesWithGit does what people do, in any order, and never says that nothing
// is staged where git knows better; without a conflict it always finds what git finds.
func TestAsHeadAgreesWithGit(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.noted("r")
	names := []string{"README.md", "a/notes.md", "a/b/code.go", "a/b/deep/z.md", "a-b/x.md", "a.md", "b/c.txt"}
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.SampledFrom(names).Draw(rt, "name")
		switch rapid.IntRange(0, 6).Draw(rt, "what") {
		case 0, 1, 2:
			s.write("r/"+name, fmt.Sprintf("%d\n", rapid.IntRange(0, 2).Draw(rt, "text")))
			s.git("r", "add", name)
		case 3:
			s.git("r", "rm", "-q", "-f", "--ignore-unmatch", "--", name)
		case 4:
			s.git("r", "commit", "-q", "--allow-empty", "-m", "next")
		case 5:
			s.git("r", "reset", "-q")
		case 6:
			s.git("r", "update-index", "--index-version", fmt.Sprint(rapid.IntRange(2, 4).Draw(rt, "version")))
		}
		if got, want := asHead(rt, s, "r"), !notesStaged(rt, s, "r"); got != want {
			rt.Fatalf("as HEAD: %v, git says %v", got, want)
		}
	})
}

// FuzzScanIndex: no bytes take a scan out of bounds, and what it reads of one cut short
// anywhere is no answer.
func FuzzScanIndex(f *testing.F) {
	s := newSandbox(f)
	s.noted("r")
	for _, version := range []string{"2", "4"} {
		s.git("r", "update-index", "--index-version", version)
		data, err := os.ReadFile(s.path("r/.git/index"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
		f.Add(data[:len(data)/2])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		scan, ok := scanIndex(data, isNote)
		if !ok {
			return
		}
		if len(scan.picked) > len(data)/indexFixed {
			t.Errorf("%d files in %d bytes", len(scan.picked), len(data))
		}
		_ = scan.tree.sub("a").sub("b")
	})
}
