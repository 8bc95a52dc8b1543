package gitops

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
)

// Against a plain map, over targets that share long prefixes.
func TestNotesModel(t *testing.T) {
	s := openStore(t, newObjRepo(t).noGit())
	w := s.newWriter()
	rng := rand.New(rand.NewPCG(1, 2))
	model := map[Hash]string{}
	var tree Hash
	var err error
	for i := range 1500 {
		target := Hash(fmt.Sprintf("%02x%02x%036x", 0xab, 0xcd, rng.IntN(9000)))
		model[target] = fmt.Sprint("text ", i)
		if tree, err = s.notesSet(t.Context(), w, tree, target, []byte(model[target])); err != nil {
			t.Fatal(err)
		}
	}
	for target, want := range model {
		if got, err := readNote(t.Context(), w, tree, target); err != nil || string(got) != want {
			t.Fatalf("%s: %q, %v, want %q", target, got, err, want)
		}
	}
	if _, err := w.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if list, err := s.notesList(t.Context(), tree); err != nil || len(list) != len(model) {
		t.Errorf("%d notes, %v, want %d", len(list), err, len(model))
	}
}

func benchNotes(b *testing.B) (*objRepo, Hash) {
	b.Helper()
	r := newObjRepo(b)
	tree := r.importFannedNotes(100_000)
	r.git("repack", "-adq")
	b.ResetTimer()
	return r, tree
}

// BenchmarkNotesContents lists and reads 100k notes, as a fresh process would.
func BenchmarkNotesContents(b *testing.B) {
	r, tree := benchNotes(b)
	for b.Loop() {
		s := newObjectStore(r.noGit())
		list, err := s.notesList(b.Context(), tree)
		if err != nil {
			b.Fatal(err)
		}
		if notes, err := s.notesContents(b.Context(), list); err != nil || len(notes) != 100_000 {
			b.Fatal(err)
		}
		_ = s.Close()
	}
}

// BenchmarkNotesAppend reads, changes and flushes one note among 100k.
func BenchmarkNotesAppend(b *testing.B) {
	r, tree := benchNotes(b)
	s := openStore(b, r.noGit())
	i := 0
	for b.Loop() {
		i++
		w := s.newWriter()
		target := noteTarget(i % 100_000)
		old, err := s.notesGet(b.Context(), tree, target)
		if err != nil {
			b.Fatal(err)
		}
		if tree, err = s.notesSet(b.Context(), w, tree, target, fmt.Appendf(old, "row %d\n", i)); err != nil {
			b.Fatal(err)
		}
		kept, err := w.Flush(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		if err := kept.Release(); err != nil {
			b.Fatal(err)
		}
	}
}

// A list whose blobs lie loose, in two packs and in a pack that vanished.
func TestNotesContentsFromEverywhere(t *testing.T) {
	r := newObjRepo(t)
	s := openStore(t, r.config(nil))
	var list []NoteEntry
	add := func(text string) {
		list = append(list, NoteEntry{noteTarget(len(list)), Hash(r.gitIn(text, "hash-object", "-w", "--stdin"))})
	}
	for i := range 3 {
		add(fmt.Sprint("packed ", i))
		r.git("tag", fmt.Sprint("t", i), string(list[i].Blob))
		r.git("repack", "-dq")
	}
	add("loose")
	check := func() {
		t.Helper()
		notes, err := s.notesContents(t.Context(), list)
		if err != nil || len(notes) != len(list) {
			t.Fatalf("%d notes, %v", len(notes), err)
		}
		for i, n := range notes {
			want := fmt.Sprint("packed ", i)
			if i == 3 {
				want = "loose"
			}
			if n.Target != list[i].Target || string(n.Content) != want {
				t.Errorf("%d: %q, want %q", i, n.Content, want)
			}
		}
	}
	check()
	r.git("repack", "-adq") // beneath the mappings
	check()
	s.packs.rescan()
	check()
}

func TestNotesContentsRefuses(t *testing.T) {
	r := newObjRepo(t)
	s := openStore(t, r.config(nil))
	w := s.newWriter()
	tree := mustTree(t, w, []TreeEntry{{"f", ModeFile, w.Blob([]byte("x"))}})
	if _, err := w.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.notesContents(t.Context(), []NoteEntry{{noteTarget(1), tree}}); err == nil || errors.Is(err, ErrMissing) {
		t.Errorf("a tree as note: %v", err)
	}
	if _, err := s.notesList(t.Context(), hashObject(false, TypeBlob, []byte("x"))); err == nil {
		t.Error("a blob as notes tree: no error")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.notesContents(ctx, []NoteEntry{{noteTarget(1), tree}}); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
	if notes, err := s.notesContents(t.Context(), nil); len(notes) != 0 || err != nil {
		t.Errorf("%v, %v", notes, err)
	}
}

func TestJoinNotes(t *testing.T) {
	for _, tt := range [][3]string{
		{"", "", ""}, {"a", "", "a"}, {"", "b\n", "b\n"}, {"a\n", "b\n", "a\n\nb\n"}, {"a", "b", "a\n\nb"}, {"a\n\n", "b", "a\n\n\nb"},
	} {
		if got := joinNotes([]byte(tt[0]), []byte(tt[1])); string(got) != tt[2] {
			t.Errorf("%q + %q = %q", tt[0], tt[1], got)
		}
	}
}
