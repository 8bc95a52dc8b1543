package gitops

import (
	"bufio"
	"errors"
	"slices"
	"strings"
	"testing"

	"git-okstra/internal/testrepo"
)

// TestPatchesAsGit compares the ids with those of git's own pipe, and what the digests
// and paths say with what was done.
func TestPatchesAsGit(t *testing.T) {
	t.Parallel()
	// patch-id before 2.39 misreads a hunk of one line, unless it says so: TestHunksSayTheirLines.
	const counted = ` | sed -E 's/^(@@ -[0-9]+) /\1,1 /; s/^(@@ -[0-9,]+ \+[0-9]+) /\1,1 /'`
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
				made.Git("-c", "alias.id=!git diff-tree -p -U0 --root --text --full-index "+string(c)+counted+" | git patch-id --stable >id", "id")
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
	if err := errors.Join(pr.read(strings.NewReader(input), w), w.Flush()); err != nil {
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

// TestHunksSayTheirLines: patch-id of git before 2.39 reads "@@ -7 +8 @@" as eight lines.
func TestHunksSayTheirLines(t *testing.T) {
	t.Parallel()
	id := strings.Repeat("1", 40)
	for given, want := range map[string]string{
		"@@ -7 +8 @@":                  "@@ -7,1 +8,1 @@",
		"@@ -7 +8,2 @@ func f(a, b) {": "@@ -7,1 +8,2 @@ func f(a, b) {",
		"@@ -7,0 +8 @@ @@ -1 +1 @@":    "@@ -7,0 +8,1 @@ @@ -1 +1 @@",
		"@@ -7,2 +8,3 @@":              "@@ -7,2 +8,3 @@",
	} {
		var passed strings.Builder
		diff := id + "\ndiff --git a/a b/a\nindex 1..2 100644\n--- a/a\n+++ b/a\n" + given + "\n-@@ -1 +1 @@\n+b\n"
		if err := readAll(newPatchReader(make([]Patch, 1), []int{0}, 40), diff, &passed); err != nil {
			t.Fatal(err)
		}
		if _, got, _ := strings.Cut(passed.String(), "+++ b/a\n"); got != want+"\n-@@ -1 +1 @@\n+b\n" {
			t.Errorf("%q was passed on as %q", given, got)
		}
	}
}

// TestPatchesOfSmallHunks: the id of a change is the same wherever in the file it is, with
// one line or more, and any git says the same for the diff as it is passed on.
func TestPatchesOfSmallHunks(t *testing.T) {
	t.Parallel()
	made := testrepo.New(t, "one-commit")
	repo := openRepo(t, made)
	var diffs []Diff
	for _, above := range []string{"", "top\n", strings.Repeat("line\n", 50)} {
		made.Write("a", above+numbered(30, nil))
		made.Commit("before")
		made.Write("a", above+numbered(30, map[int]string{5: "five", 6: "six", 17: "seventeen", 29: "end\nand more"}))
		diffs = append(diffs, Diff{To: Hash(made.Commit("after"))})
	}
	got, err := repo.Patches(t.Context(), diffs)
	if err != nil {
		t.Fatal(err)
	}
	const known = "18c2142e9ceefcd457aa9ed840cd5c2959e662c8"
	for i, p := range got {
		if p.ID != known || !p.Same(got[0]) {
			t.Errorf("%d: %+v, not the same as %+v", i, p, got[0])
		}
	}
}
