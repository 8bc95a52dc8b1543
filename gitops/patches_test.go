package gitops

import (
	"bufio"
	"slices"
	"strings"
	"testing"

	"git-okstra/internal/testrepo"
)

// TestPatchesAsGit compares the ids with those of git's own pipe, and what the digests
// and paths say with what was done.
func TestPatchesAsGit(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"one-commit", "sha256"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			made := testrepo.New(t, format)
			repo := openRepo(t, made)
			commit := func(do func()) Hash {
				do()
				return Hash(made.Commit("x"))
			}
			commits := []Hash{
				commit(func() { made.Write("a", "1\n2\n3\n") }),
				commit(func() { made.Write("a", "1\n2\nx\n3") }),
				commit(func() { made.Write("b", "\x00"+strings.Repeat("long ", 1<<16)+"\n") }),
				commit(func() { made.Write("b", "\x00"+strings.Repeat("long ", 1<<16)+"y\n") }),
				commit(func() { made.Write("naïve \"file\"\n\t", "text\n") }),
				commit(func() { made.Write("empty", "") }),
				commit(func() { made.Git("rm", "-q", "a") }),
			}
			made.Git("commit", "-q", "--allow-empty", "-m", "nothing")
			commits = append(commits, Hash(made.Git("rev-parse", "HEAD")))
			var diffs []Diff
			for _, c := range commits {
				diffs = append(diffs, Diff{To: c})
			}
			diffs = append(diffs, Diff{From: commits[0], To: commits[3]}, Diff{From: commits[3], To: commits[0]}, Diff{To: commits[3]})
			got, err := repo.Patches(t.Context(), diffs)
			if err != nil {
				t.Fatal(err)
			}
			for i, c := range commits {
				made.Git("-c", "alias.id=!git diff-tree -p -U0 --root --text --full-index "+string(c)+" | git patch-id --stable >id", "id")
				want, _, _ := strings.Cut(made.Git("-c", "alias.show2=!cat id", "show2"), " ")
				if got[i].ID != want {
					t.Errorf("commit %d: id %q, git's %q", i, got[i].ID, want)
				}
			}
			var paths [][]string
			for _, p := range got {
				paths = append(paths, p.Paths())
			}
			want := [][]string{{"a"}, {"a"}, {"b"}, {"b"}, {"naïve \"file\"\n\t"}, {"empty"}, {"a"}, {}, {"a", "b"}, {"a", "b"}, {"b"}}
			if !slices.EqualFunc(paths, want, slices.Equal) {
				t.Errorf("paths %q", paths)
			}
			if !got[7].Empty() || got[7].Same(got[7]) || !got[3].Same(got[10]) || got[3].Same(got[2]) {
				t.Error("empty patches are the same, or equal ones are not")
			}
			if got[8].Inverse != got[9].Exact || got[9].Inverse != got[8].Exact || got[8].Exact == got[9].Exact {
				t.Error("a diff and its way back do not belong together")
			}
		})
	}
}

// TestPatchesOddly gives them what they cannot compare.
func TestPatchesOddly(t *testing.T) {
	t.Parallel()
	made, repo, c := repoWithHistory(t, 2)
	if got, err := repo.Patches(t.Context(), nil); got != nil || err != nil {
		t.Errorf("nothing: %v, %v", got, err)
	}
	for _, d := range []Diff{{To: ""}, {To: "--all"}, {From: "x", To: c[0]}, {To: Hash(strings.Repeat("1", 40))}, {To: Hash(made.Git("rev-parse", "HEAD^{tree}"))}} {
		if got, err := repo.Patches(t.Context(), []Diff{d}); err == nil {
			t.Errorf("%v: %v", d, got)
		}
	}
	for _, input := range []string{"diff --git a/a b/a\n", strings.Repeat("0", 40) + "\nsomething\n", strings.Repeat("0", 40) + "\n" + strings.Repeat("0", 40) + "\n", ""} {
		pr := newPatchReader(make([]Patch, 1), []int{0}, 40)
		var sink strings.Builder
		if err := readAll(pr, input, &sink); err == nil {
			t.Errorf("%q is taken", input)
		}
	}
}

// TestPatchesOfMany holds that a long list neither blocks nor mixes up what is whose.
func TestPatchesOfMany(t *testing.T) {
	t.Parallel()
	_, repo, c := repoWithHistory(t, 30)
	var diffs []Diff
	for i := range 600 {
		d := Diff{To: c[i%len(c)]}
		if i%7 == 0 && i%len(c) > 0 {
			d.From = c[0]
		}
		diffs = append(diffs, d)
	}
	got, err := repo.Patches(t.Context(), diffs)
	if err != nil {
		t.Fatal(err)
	}
	first := map[Diff]Patch{}
	for i, d := range diffs {
		if d.From == c[0] && d.To == c[1] {
			d.From = "" // the same diff
		}
		if was, ok := first[d]; !ok {
			first[d] = got[i]
		} else if !was.Same(got[i]) {
			t.Fatalf("diff %d %v: %+v, before %+v", i, d, got[i], was)
		}
	}
	if len(first) != 58 {
		t.Errorf("%d different diffs", len(first))
	}
}

// readAll runs a reader over a text.
func readAll(pr *patchReader, input string, sink *strings.Builder) error {
	w := bufio.NewWriter(sink)
	if err := pr.read(strings.NewReader(input), w); err != nil {
		return err
	}
	return pr.end()
}

// TestSameIsMoreThanAnID: commits that git's patch id takes for the same.
func TestSameIsMoreThanAnID(t *testing.T) {
	t.Parallel()
	made := testrepo.New(t, "one-commit")
	repo := openRepo(t, made)
	base := Hash(made.Git("rev-parse", "HEAD"))
	for name, text := range map[string][2]string{
		"spaces":              {"if x:\ny\n", "if x:\n  y\n"},
		"behind a zero byte":  {"\x00one\n", "\x00two\n"},
		"the end of the file": {"one\ntwo\n", "one\ntwo"},
	} {
		var diffs []Diff
		for _, content := range text {
			made.Git("checkout", "-q", "--detach", string(base))
			made.Write("file", content)
			diffs = append(diffs, Diff{To: Hash(made.Commit(name))})
		}
		got, err := repo.Patches(t.Context(), diffs)
		if err != nil || got[0].Empty() || got[0].Same(got[1]) || !got[0].Same(got[0]) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		if name != "the end of the file" && got[0].ID != got[1].ID {
			t.Errorf("%s: ids differ, so this shows nothing", name)
		}
	}
}
