package gitops

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestNotesWalk: the notes of one commit are listed with their places, those of
// another only as far as its trees are new.
func TestNotesWalk(t *testing.T) {
	t.Parallel()
	made, r, c := repoWithHistory(t, 3)
	for i, h := range c {
		made.Git("notes", "--ref=okstra/k", "add", "-m", fmt.Sprint("note ", i), string(h))
	}
	first := Hash(made.Git("rev-parse", "refs/notes/okstra/k"))
	made.Git("notes", "--ref=okstra/k", "append", "-m", "more", string(c[1]))
	second := Hash(made.Git("rev-parse", "refs/notes/okstra/k"))

	w := &NotesWalk{Repo: r}
	places, err := w.Add(t.Context(), first)
	if err != nil || len(places) != 3 {
		t.Fatalf("%v %v", places, err)
	}
	texts, err := r.NoteTexts(t.Context(), places)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range places {
		if want := fmt.Sprint("note ", slices.Index(c, p.Target), "\n"); string(texts[i]) != want || p.Depth != 0 || p.Mixed {
			t.Errorf("%+v: %q, want %q", p, texts[i], want)
		}
	}
	if again, err := w.Add(t.Context(), first); err != nil || len(again) != 0 {
		t.Errorf("the same tree again: %v %v", again, err)
	}
	if places, err = w.Add(t.Context(), second); err != nil || len(places) != 3 {
		t.Errorf("a new tree: %v %v", places, err)
	}
	if _, err := w.Add(t.Context(), Hash(strings.Repeat("12", 20))); err == nil {
		t.Error("a missing commit, and no error")
	}
	if _, err := w.Add(t.Context(), Hash(made.Git("rev-parse", "main:file"))); err == nil {
		t.Error("a blob, and no error")
	}
}

// TestNotesWalkFanout: places tell depths and mixed levels, and like subtrees at
// different places are different notes.
func TestNotesWalkFanout(t *testing.T) {
	t.Parallel()
	made, r, c := repoWithHistory(t, 1)
	blob := made.Git("hash-object", "-w", "--stdin")
	rest := string(c[0][2:])
	sub := mktree(t, r, "100644 blob "+blob+"\t"+rest+"\n")
	other := "ff"
	if strings.HasPrefix(string(c[0]), other) {
		other = "ee"
	}
	root := mktree(t, r, fmt.Sprintf("100644 blob %s\t%s\n040000 tree %s\t%s\n040000 tree %s\t%s\n100644 blob %s\tREADME\n",
		blob, c[0], sub, c[0][:2], sub, other, blob))
	places, err := (&NotesWalk{Repo: r}).Add(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range places {
		got = append(got, fmt.Sprintf("%s %d %v", p.Target, p.Depth, p.Mixed))
	}
	slices.Sort(got)
	want := []string{string(c[0]) + " 0 true", string(c[0]) + " 1 false", other + rest + " 1 false"}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// mktree makes a tree of lines as git mktree reads them.
func mktree(t *testing.T, r *Repo, lines string) Hash {
	t.Helper()
	out, err := r.run(t.Context(), r.common(), strings.NewReader(lines), "mktree")
	if err != nil {
		t.Fatal(err)
	}
	return Hash(strings.TrimSpace(string(out)))
}
