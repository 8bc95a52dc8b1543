package gitops

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// scribble changes a few files of the sandbox's repository at random: text, new files,
// removals, renames, folders in place of files.
func scribble(s *sandbox, rnd *rand.Rand, sub string) {
	s.t.Helper()
	names := []string{"a", "b", "c", "d/x", "d/y", "e"}
	for range 1 + rnd.IntN(4) {
		name := names[rnd.IntN(len(names))]
		path := s.path(sub + "/" + name)
		text, _ := os.ReadFile(path)
		lines := strings.Split(string(text), "\n")
		switch rnd.IntN(7) {
		case 0:
			_ = os.Remove(path)
		case 1:
			_ = os.Rename(path, path+".moved")
		case 2:
			if info, err := os.Stat(path); err == nil && !info.IsDir() && !strings.Contains(name, "/") {
				_ = os.Remove(path)
				s.write(sub+"/"+name+"/in", "in\n")
			}
		default:
			if info, err := os.Stat(path); err == nil && info.IsDir() {
				continue
			}
			lines[rnd.IntN(len(lines))] = fmt.Sprint("line ", rnd.IntN(4))
			s.write(sub+"/"+name, strings.Join(lines, "\n"))
		}
	}
}

// scribbled makes a repository with a commit that has all the files.
func scribbled(t *testing.T) *sandbox {
	t.Helper()
	s := newSandbox(t)
	s.repo("r")
	for _, name := range []string{"a", "b", "c", "d/x", "d/y", "e"} {
		var text strings.Builder
		for i := range 12 {
			fmt.Fprintf(&text, "%s%d\n", name, i)
		}
		s.write("r/"+name, text.String())
	}
	s.git("r", "add", "-A")
	s.git("r", "commit", "-q", "-m", "all")
	return s
}

func commitAll(s *sandbox, sub, message string) Hash {
	s.t.Helper()
	s.git(sub, "add", "-A")
	s.git(sub, "commit", "-q", "--allow-empty", "-m", message)
	return Hash(s.git(sub, "rev-parse", "HEAD"))
}

// TestForwardAsGit: in random states of a worktree, it follows its branch where git merge
// would, with the same files, index and status afterwards; and where git refuses, so do
// we, with nothing changed.
func TestForwardAsGit(t *testing.T) {
	t.Parallel()
	s := scribbled(t)
	repo := s.open("r")
	refused, followed := 0, 0
	for i := range uint64(30) {
		rnd := rand.New(rand.NewPCG(i, 1))
		s.git("r", "checkout", "-q", "-f", "-B", "from", "main")
		s.git("r", "clean", "-qfdx")
		s.git("r", "checkout", "-q", "-b", fmt.Sprint("to", i))
		for range 3 {
			scribble(s, rnd, "r")
		}
		from, to := Hash(s.git("r", "rev-parse", "from")), commitAll(s, "r", "to")
		s.git("r", "checkout", "-q", "from")
		if rnd.IntN(3) > 0 {
			scribble(s, rnd, "r")
			if rnd.IntN(3) == 0 {
				s.git("r", "add", "-A")
			}
		}
		if rnd.IntN(3) == 0 { // touched
			_ = os.Chtimes(s.path("r/b"), time.Unix(1e9, 0), time.Unix(1e9, 0))
		}
		before := s.git("r", "status", "--porcelain", "-uall")
		if err := os.RemoveAll(s.path("copy")); err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(s.path("copy"), os.DirFS(s.path("r"))); err != nil {
			t.Fatal(err)
		}
		_, gitErr := s.try("copy", nil, "", "merge", "-q", "--ff-only", string(to))
		wt, _, err := repo.WorktreeAt(t.Context(), s.path("r"))
		if err != nil {
			t.Fatal(err)
		}
		way, err := repo.InTheWay(t.Context(), wt, from, to)
		if err != nil {
			t.Fatal(err)
		}
		if len(way) > 0 {
			refused++
			if gitErr == nil {
				t.Errorf("%d: %q in the way, git merge goes on; status\n%s", i, way, before)
			}
			continue
		}
		err = repo.Forward(t.Context(), wt, from, to)
		if (err == nil) != (gitErr == nil) {
			t.Errorf("%d: %v, git merge %v; status\n%s", i, err, gitErr, before)
		}
		if err != nil {
			if now := s.git("r", "status", "--porcelain", "-uall"); now != before {
				t.Errorf("%d: refused and changed: %s, before %s", i, now, before)
			}
			continue
		}
		followed++
		s.git("r", "update-ref", "refs/heads/from", string(to))
		if err := wt.Forwarded(); err != nil {
			t.Fatal(err)
		}
		for _, words := range [][]string{{"status", "--porcelain", "-uall"}, {"ls-files", "-s"}, {"diff"}} {
			if got, want := s.git("r", words...), s.git("copy", words...); got != want {
				t.Errorf("%d: git %s:\n%s\nafter git merge\n%s", i, words[0], got, want)
			}
		}
	}
	if refused < 3 || followed < 5 {
		t.Errorf("%d refused, %d followed: too few to say anything", refused, followed)
	}
}

// TestMendForward: from wherever a Forward is left, the worktree gets its branch's tip and
// its own changes back.
func TestMendForward(t *testing.T) {
	t.Parallel()
	s := scribbled(t)
	repo := s.open("r")
	s.git("r", "checkout", "-q", "-b", "to")
	s.write("r/a", strings.Repeat("new\n", 400))
	s.write("r/n/new", strings.Repeat("new\n", 400))
	if err := os.RemoveAll(s.path("r/d")); err != nil {
		t.Fatal(err)
	}
	s.write("r/d", strings.Repeat("new\n", 400))
	if err := os.Remove(s.path("r/b")); err != nil {
		t.Fatal(err)
	}
	to := commitAll(s, "r", "to")
	s.git("r", "checkout", "-q", "main")
	from := Hash(s.git("r", "rev-parse", "main"))
	s.write("r/e", "mine\n")
	want := s.git("r", "status", "--porcelain", "-uall")
	wt, _, err := repo.WorktreeAt(t.Context(), s.path("r"))
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string) {
		t.Helper()
		if err := repo.MendForward(t.Context(), wt, from); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if got := s.git("r", "status", "--porcelain", "-uall"); got != want {
			t.Errorf("%s: status %q, want %q", what, got, want)
		}
		if _, _, ok := wt.Forwarding(); ok {
			t.Errorf("%s: the note stayed", what)
		}
	}
	check("nothing under way")
	if err := repo.Forward(t.Context(), wt, from, to); err != nil {
		t.Fatal(err)
	}
	check("done, but for the ref")
	for n, half := range []string{"", "new\nne", strings.Repeat("new\n", 400)} {
		if err := wt.noteForward(from, to); err != nil {
			t.Fatal(err)
		}
		s.write("r/a", half)
		s.write("r/n/new", half)
		if err := os.RemoveAll(s.path("r/d")); err != nil {
			t.Fatal(err)
		}
		if n > 0 {
			s.write("r/d", half)
		}
		_ = os.Remove(s.path("r/b"))
		check(fmt.Sprint("half written ", n))
	}
	if err := wt.noteForward(from, to); err != nil {
		t.Fatal(err)
	}
	s.write("r/a", "mine too\n")
	s.write("r/n/new", "mine as well\n")
	if err := repo.MendForward(t.Context(), wt, from); err != nil {
		t.Error(err)
	}
	for name, text := range map[string]string{"a": "mine too\n", "n/new": "mine as well\n"} {
		if got, err := os.ReadFile(s.path("r/" + name)); err != nil || string(got) != text {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// TestSketchAsGitMerge: random histories merge to what git merge makes of them, or
// conflict in the same paths.
func TestSketchAsGitMerge(t *testing.T) {
	t.Parallel()
	s := scribbled(t)
	repo := s.open("r")
	clean, conflicts := 0, 0
	for i := range uint64(24) {
		rnd := rand.New(rand.NewPCG(i, 2))
		var sides [2]Hash
		for k := range sides {
			s.git("r", "checkout", "-q", "-f", "--detach", "main")
			s.git("r", "clean", "-qfdx")
			for range 1 + rnd.IntN(2) {
				scribble(s, rnd, "r")
				sides[k] = commitAll(s, "r", fmt.Sprint(i, k))
			}
		}
		s.git("r", "checkout", "-q", "--detach", string(sides[0]))
		for _, how := range []string{"ort", "recursive"} {
			sk, err := repo.Sketch()
			if err != nil {
				t.Fatal(err)
			}
			sk.plain = how == "recursive"
			got, err := sk.Merge(t.Context(), sides[0], sides[1])
			if err != nil {
				t.Fatal(err)
			}
			sk.Close()
			_, failed := s.try("r", nil, "", "merge", "-q", "-s", how, "--no-commit", "--no-ff", string(sides[1]))
			if failed != nil {
				conflicts++
				var want []string
				for line := range strings.SplitSeq(s.git("r", "ls-files", "-u", "-z"), "\x00") {
					if _, path, ok := strings.Cut(line, "\t"); ok {
						want = append(want, path)
					}
				}
				// where a file and a folder meet, git gives one of them a name with its side in it
				stem := func(list []string) []string {
					var out []string
					for _, p := range list {
						p, _, _ = strings.Cut(p, "~")
						out = append(out, p)
					}
					return sortedPaths(out)
				}
				if !slices.Equal(stem(got.Conflicts), stem(want)) {
					t.Errorf("%d, %s: conflicts %q, git's %q", i, how, got.Conflicts, want)
				}
			} else if clean++; string(got.Tree) != s.git("r", "write-tree") {
				t.Errorf("%d, %s: %+v, git has another tree", i, how, got)
			}
			s.git("r", "reset", "-q", "--hard", string(sides[0]))
			s.git("r", "clean", "-qfdx")
		}
	}
	if clean < 8 || conflicts < 8 {
		t.Errorf("%d clean, %d with conflicts: too few to say anything", clean, conflicts)
	}
}
