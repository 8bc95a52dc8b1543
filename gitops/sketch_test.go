package gitops

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// twoSides makes a repository whose branches one and two have both changed file.txt at
// different ends, with a name that needs quoting; criss-cross if asked.
func twoSides(s *sandbox, initArgs ...string) {
	s.t.Helper()
	s.repo("r", initArgs...)
	lines := []string{}
	for i := range 12 {
		lines = append(lines, strings.Repeat("x", i+1))
	}
	put := func(first, last string) {
		l := slices.Clone(lines)
		l[0], l[11] = first, last
		s.write("r/ä \"file\".txt", strings.Join(l, "\n")+"\n")
		s.git("r", "add", "-A")
		s.git("r", "commit", "-q", "-m", first+last)
	}
	put("a", "z")
	s.git("r", "checkout", "-q", "-b", "one")
	put("one", "z")
	s.git("r", "checkout", "-q", "-b", "two", "main")
	put("a", "two")
}

// TestSketchMergesAsGit holds both ways of merging against git merge, in usual and
// SHA-256 repositories and across a criss-cross history; the repository gets nothing.
func TestSketchMergesAsGit(t *testing.T) {
	t.Parallel()
	for name, initArgs := range map[string][]string{"sha1": nil, "sha256": {"--object-format=sha256"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			twoSides(s, initArgs...)
			one, two := s.git("r", "rev-parse", "one"), s.git("r", "rev-parse", "two")
			s.git("r", "merge", "-q", "--no-edit", "one")
			s.git("r", "checkout", "-q", "one")
			s.git("r", "merge", "-q", "--no-edit", two) // criss-cross
			s.write("r/more", "more\n")
			s.git("r", "add", "-A")
			s.git("r", "commit", "-q", "-m", "more")
			s.git("r", "checkout", "-q", "-b", "three", "two")
			s.git("r", "mv", "file.txt", "moved.txt")
			s.git("r", "commit", "-q", "-m", "moved")
			s.git("r", "checkout", "-q", "-b", "want")
			s.git("r", "merge", "-q", "--no-edit", "one")
			want := Hash(s.git("r", "rev-parse", "HEAD^{tree}"))
			objects := s.git("r", "count-objects", "-v")
			repo := s.open("r")
			for _, plain := range []bool{false, true} {
				sk, err := repo.Sketch()
				if err != nil {
					t.Fatal(err)
				}
				sk.plain = plain
				m, err := sk.Merge(t.Context(), Hash(s.git("r", "rev-parse", "three")), Hash(s.git("r", "rev-parse", "one")))
				if err != nil || m.Tree != want || m.Conflicts != nil {
					t.Errorf("without merge-tree %v: %+v, %v, want %s", plain, m, err, want)
				}
				m, err = sk.Replay(t.Context(), Diff{From: Hash(s.git("r", "rev-parse", "main")), To: Hash(one)}, Hash(two))
				if twoMerged := Hash(s.git("r", "rev-parse", "two^{tree}")); err != nil || m.Tree != twoMerged {
					t.Errorf("without merge-tree %v: replayed %+v, %v, want %s", plain, m, err, twoMerged)
				}
				sk.Close()
				if _, err := os.Stat(sk.dir); !os.IsNotExist(err) {
					t.Errorf("%s stayed: %v", sk.dir, err)
				}
			}
			if got := s.git("r", "count-objects", "-v"); got != objects {
				t.Errorf("the repository has other objects now:\n%s\nbefore\n%s", got, objects)
			}
		})
	}
}

// TestSketchConflicts: the paths of a conflict are raw bytes, the same either way.
func TestSketchConflicts(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	twoSides(s)
	odd := "a\tb\nc \xff"
	for _, side := range []string{"one", "two"} {
		s.git("r", "checkout", "-q", side)
		s.write("r/"+odd, side+"\n")
		s.write("r/ä \"file\".txt", side+"\n")
		s.git("r", "add", "-A")
		s.git("r", "commit", "-q", "-m", side)
	}
	repo := s.open("r")
	for _, plain := range []bool{false, true} {
		sk, err := repo.Sketch()
		if err != nil {
			t.Fatal(err)
		}
		sk.plain = plain
		m, err := sk.Merge(t.Context(), Hash(s.git("r", "rev-parse", "one")), Hash(s.git("r", "rev-parse", "two")))
		if err != nil || m.Tree != "" || !slices.Equal(m.Conflicts, []string{odd, "ä \"file\".txt"}) {
			t.Errorf("without merge-tree %v: %q, %v", plain, m, err)
		}
		sk.Close()
	}
}

// TestSketchTaken: what was made in a sketch is readable through it, and in the repository
// once it was taken, less what a replay needed.
func TestSketchTaken(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	twoSides(s)
	repo := s.open("r")
	sk, err := repo.Sketch()
	if err != nil {
		t.Fatal(err)
	}
	defer sk.Close()
	one, two := Hash(s.git("r", "rev-parse", "one")), Hash(s.git("r", "rev-parse", "two"))
	m, err := sk.Replay(t.Context(), Diff{From: Hash(s.git("r", "rev-parse", "main")), To: one}, two)
	if err != nil {
		t.Fatal(err)
	}
	who := Signature{Name: "A U Thor", Email: "a@example.com"}
	made, err := sk.Commit(t.Context(), CommitData{Tree: m.Tree, Parents: []Hash{two}, Author: who, Committer: who, Message: "made\n"}, false, Signing{})
	if err != nil {
		t.Fatal(err)
	}
	if on, err := sk.IsAncestor(t.Context(), two, made); err != nil || !on {
		t.Errorf("in the sketch: %v, %v", on, err)
	}
	if _, err := repo.ReadCommit(t.Context(), made); err == nil {
		t.Error("it is in the repository before it was taken")
	}
	w := repo.NewObjects()
	if err := sk.Take(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	commits := 0
	for _, o := range w.pending {
		if o.kind == TypeCommit {
			commits++
		}
	}
	if commits != 1 {
		t.Errorf("%d commits were taken, want 1", commits)
	}
	tx := Transaction{Reason: "test"}
	tx.Create("refs/heads/made", made)
	if err := repo.ApplyObjects(t.Context(), w, tx); err != nil {
		t.Fatal(err)
	}
	if out, err := s.try("r", nil, "", "fsck", "--strict", "--no-dangling"); err != nil || out != "" {
		t.Errorf("fsck: %s %v", out, err)
	}
	s.git("r", "checkout", "-q", "made")
	s.git("r", "diff", "--quiet", "one", "made", "--", "file.txt")
}

// TestSketchAttributes: a tree cannot have attributes written anywhere else.
func TestSketchAttributes(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r")
	s.write("r/sub/.gitattributes", "log merge=union\n")
	if err := os.Symlink("/etc/passwd", s.path("r/.gitattributes")); err != nil {
		t.Fatal(err)
	}
	s.git("r", "add", "-A")
	s.git("r", "commit", "-q", "-m", "attributes")
	sk, err := s.open("r").Sketch()
	if err != nil {
		t.Fatal(err)
	}
	defer sk.Close()
	if err := sk.attributes(t.Context(), Hash(s.git("r", "rev-parse", "HEAD"))); err != nil {
		t.Fatal(err)
	}
	var names []string
	err = filepath.WalkDir(filepath.Join(sk.dir, "tree"), func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, strings.TrimPrefix(path, sk.dir))
		}
		return err
	})
	if err != nil || !slices.Equal(names, []string{"/tree/sub/.gitattributes"}) {
		t.Errorf("%q, %v", names, err)
	}
}
