package gitops

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// noteTarget is the i-th object id that the tests put notes on: the commit that
// importNotes makes.
func noteTarget(i int) Hash {
	who := fmt.Sprintf("C <c@example.com> %d +0000\n", 1_700_000_000+i)
	return hashObject(false, TypeCommit, []byte("tree "+string(emptyTreeSHA1)+"\nauthor "+who+"committer "+who+"\n"))
}

// importNotes lets git fast-import write n commits and their notes, in the
// fan-out that it chooses.
func (r *objRepo) importNotes(n int) Hash {
	r.t.Helper()
	var in strings.Builder
	for i := range n {
		fmt.Fprintf(&in, "reset refs/heads/t\ncommit refs/heads/t\nmark :%d\ncommitter C <c@example.com> %d +0000\ndata 0\n",
			i+1, 1_700_000_000+i)
	}
	in.WriteString("commit refs/notes/x\ncommitter C <c@example.com> 1700000000 +0000\ndata 1\nm\n")
	for i := range n {
		text := fmt.Sprintf("note %d\n", i)
		fmt.Fprintf(&in, "N inline :%d\ndata %d\n%s\n", i+1, len(text), text)
	}
	r.gitIn(in.String(), "fast-import", "--quiet")
	return Hash(r.git("rev-parse", "refs/notes/x^{tree}"))
}

// importFannedNotes lays n notes two levels deep, as fast-import would from 65536
// notes on, without their targets: git takes minutes to make that many commits.
func (r *objRepo) importFannedNotes(n int) Hash {
	r.t.Helper()
	var in strings.Builder
	in.WriteString("commit refs/notes/x\ncommitter C <c@example.com> 1700000000 +0000\ndata 1\nm\n")
	for i := range n {
		h, text := noteTarget(i), fmt.Sprintf("note %d\n", i)
		fmt.Fprintf(&in, "M 100644 inline %s/%s/%s\ndata %d\n%s\n", h[:2], h[2:4], h[4:], len(text), text)
	}
	r.gitIn(in.String(), "fast-import", "--quiet")
	return Hash(r.git("rev-parse", "refs/notes/x^{tree}"))
}

// commitNotes moves refs/notes/x to a tree that w holds, and git checks it.
func (r *objRepo) commitNotes(w *ObjectWriter, tree Hash) {
	r.t.Helper()
	if _, err := w.Flush(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
	r.git("update-ref", "refs/notes/x", r.git("commit-tree", "-m", "m", string(tree)))
}

// gitList is git's listing: target to blob.
func (r *objRepo) gitList() map[Hash]Hash {
	r.t.Helper()
	found := map[Hash]Hash{}
	for line := range strings.Lines(r.git("notes", "--ref=x", "list")) {
		f := strings.Fields(line)
		found[Hash(f[1])] = Hash(f[0])
	}
	return found
}

// sameNotes compares everything that we and git read from refs/notes/x.
func (r *objRepo) sameNotes(s *objectStore, n int) {
	r.t.Helper()
	tree := Hash(r.git("rev-parse", "refs/notes/x^{tree}"))
	list, err := s.notesList(r.t.Context(), tree)
	if err != nil {
		r.t.Fatal(err)
	}
	git := r.gitList()
	if len(list) != n || len(git) != n {
		r.t.Fatalf("%d notes, git %d, want %d", len(list), len(git), n)
	}
	for _, e := range list {
		if git[e.Target] != e.Blob {
			r.t.Fatalf("%v, git %s", e, git[e.Target])
		}
	}
	notes, err := s.notesContents(r.t.Context(), list)
	if err != nil || len(notes) != n {
		r.t.Fatalf("%d notes, %v", len(notes), err)
	}
	for i := 0; i < n; i += 1 + n/6 {
		got, err := s.notesGet(r.t.Context(), tree, notes[i].Target)
		if err != nil || !bytes.Equal(got, notes[i].Content) {
			r.t.Fatalf("%q, %v, want %q", got, err, notes[i].Content)
		}
		if want := r.git("notes", "--ref=x", "show", string(notes[i].Target)); want != strings.TrimSuffix(string(got), "\n") {
			r.t.Fatalf("%q, git %q", got, want)
		}
	}
}

// fanout is how deep most notes lie.
func (r *objRepo) fanout() int {
	r.t.Helper()
	paths := strings.Fields(r.git("ls-tree", "-r", "--name-only", "refs/notes/x"))
	return strings.Count(paths[len(paths)/2], "/")
}

func TestNotesAtEveryFanout(t *testing.T) {
	for _, tt := range []struct{ notes, fanout int }{{20, 0}, {300, 1}, {1_500, 2}} {
		t.Run(fmt.Sprint(tt.notes), func(t *testing.T) {
			r := newObjRepo(t)
			var tree Hash
			if tt.fanout < 2 {
				tree = r.importNotes(tt.notes)
			} else {
				tree = r.importFannedNotes(tt.notes)
			}
			if got := r.fanout(); got != tt.fanout {
				t.Fatalf("fan-out %d", got)
			}
			s := openStore(t, r.noGit())
			r.sameNotes(s, tt.notes)
			w := s.newWriter()
			var err error
			for _, i := range []int{0, tt.notes - 1, tt.notes, tt.notes + 1} { // two replaced, two new
				if tree, err = s.notesSet(t.Context(), w, tree, noteTarget(i), fmt.Appendf(nil, "set %d\n", i)); err != nil {
					t.Fatal(err)
				}
			}
			if len(w.order) > 30 {
				t.Errorf("%d objects for four notes", len(w.order))
			}
			r.commitNotes(w, tree)
			r.sameNotes(s, tt.notes+2)
			if got := r.fanout(); got != tt.fanout {
				t.Errorf("fan-out %d afterwards", got)
			}
			if got := r.git("notes", "--ref=x", "show", string(noteTarget(0))); got != "set 0" {
				t.Errorf("git shows %q", got)
			}
			if tt.notes > 1000 {
				return // the targets are not there, and git's append takes long
			}
			r.git("notes", "--ref=x", "append", "-m", "appended", string(noteTarget(1)))
			r.git("notes", "--ref=x", "append", "-m", "appended", string(noteTarget(0)))
			r.sameNotes(s, tt.notes+2)
			r.fsck()
		})
	}
}

// Few notes two levels deep, as only another writer leaves them: we follow, git
// folds them up again, and nothing is lost on either way.
func TestNotesDeepByHand(t *testing.T) {
	r := newObjRepo(t)
	r.importNotes(40)
	s := openStore(t, r.noGit())
	w := s.newWriter()
	byPrefix := map[string][]TreeEntry{}
	for i := range 20 {
		h := string(noteTarget(i))
		deep := mustTree(t, w, []TreeEntry{{h[4:], ModeFile, w.Blob(fmt.Appendf(nil, "note %d\n", i))}})
		byPrefix[h[:2]] = append(byPrefix[h[:2]], TreeEntry{h[2:4], ModeTree, deep})
	}
	var root []TreeEntry
	for prefix, entries := range byPrefix {
		root = append(root, TreeEntry{prefix, ModeTree, mustTree(t, w, entries)})
	}
	tree := mustTree(t, w, root)
	r.commitNotes(w, tree)
	r.sameNotes(s, 20)
	for i := range 40 {
		var err error
		if tree, err = s.notesSet(t.Context(), w, tree, noteTarget(i), fmt.Appendf(nil, "row %d\n", i)); err != nil {
			t.Fatal(err)
		}
	}
	r.commitNotes(w, tree)
	r.sameNotes(s, 40)
	for _, path := range strings.Fields(r.git("ls-tree", "-r", "--name-only", string(tree))) {
		if n := strings.Count(path, "/"); n < 1 || n > 2 {
			t.Errorf("note at %s", path)
		}
	}
	r.git("notes", "--ref=x", "append", "-m", "git's", string(noteTarget(3)))
	r.sameNotes(s, 40)
	r.fsck()
}

// A log that only we append to: git reads it at each step of its growth, and
// what one append writes stays small.
func TestNotesGrowth(t *testing.T) {
	r := newObjRepo(t)
	const most = 600
	r.importNotes(most) // the targets
	s := openStore(t, r.noGit())
	w := s.newWriter()
	var tree Hash
	var err error
	for i := range most {
		before := len(w.order)
		if tree, err = s.notesSet(t.Context(), w, tree, noteTarget(i), fmt.Appendf(nil, "row %d\n", i)); err != nil {
			t.Fatal(err)
		}
		if n := len(w.order) - before; n > 3 && i != maxFlatRoot {
			t.Fatalf("note %d: %d objects", i, n)
		}
		switch i + 1 {
		case 1, 100, maxFlatRoot, maxFlatRoot + 1, maxFlatRoot + 2, most:
			r.commitNotes(w, tree)
			r.sameNotes(s, i+1)
		}
	}
	r.git("notes", "--ref=x", "append", "-m", "git's", string(noteTarget(7)))
	r.sameNotes(s, most)
	r.fsck()
}

func TestNotesPreserveOthers(t *testing.T) {
	r := newObjRepo(t)
	s := openStore(t, r.config(nil))
	w := s.newWriter()
	blob := w.Blob([]byte("not a note"))
	sub := mustTree(t, w, []TreeEntry{{"f", ModeFile, blob}})
	others := []TreeEntry{
		{"README", ModeFile, blob},
		{"ab", ModeFile, blob},
		{"cd", ModeExec, blob},
		{"zz", ModeTree, sub},
		{"dir", ModeTree, sub},
		{strings.Repeat("g", 40), ModeFile, blob},
		{strings.Repeat("ab", 20), ModeTree, sub},
		{strings.Repeat("cd", 20), ModeSymlink, blob},
	}
	tree := mustTree(t, w, others)
	var err error
	for i := range 400 { // over the split
		if tree, err = s.notesSet(t.Context(), w, tree, noteTarget(i), []byte("n\n")); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := readTree(t.Context(), w, tree)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range others {
		if i := entryIndex(entries, want.Name); want.Name != "ab" && want.Name != "cd" && (i < 0 || entries[i] != want) {
			t.Errorf("%q is gone", want.Name)
		}
	}
	r.commitNotes(w, tree)
	list, err := s.notesList(t.Context(), tree)
	if err != nil || len(list) != 400 || len(r.gitList()) != 400 {
		t.Errorf("%d notes, %v", len(list), err)
	}
}

// A note at several depths is one, in git's order; setting it keeps one.
func TestNotesAtSeveralDepths(t *testing.T) {
	r := newObjRepo(t)
	target := Hash(r.gitIn("target", "hash-object", "-w", "--stdin"))
	s := openStore(t, r.noGit())
	w := s.newWriter()
	text := func(s string) Hash { return w.Blob([]byte(s)) }
	a, b, rest := string(target[:2]), string(target[2:4]), string(target[4:])
	deep := mustTree(t, w, []TreeEntry{{rest, ModeFile, text("deep\n")}})
	middle := mustTree(t, w, []TreeEntry{{b, ModeTree, deep}, {b + rest, ModeFile, text("middle")}})
	tree := mustTree(t, w, []TreeEntry{{a, ModeTree, middle}, {string(target), ModeFile, text("root\n")}})
	r.commitNotes(w, tree)
	want := "deep\n\nmiddle\n\nroot\n"
	got, err := s.notesGet(t.Context(), tree, target)
	if err != nil || string(got) != want || r.git("notes", "--ref=x", "show", string(target))+"\n" != want {
		t.Fatalf("%q, %v", got, err)
	}
	list, err := s.notesList(t.Context(), tree)
	if err != nil || len(list) != 3 {
		t.Fatalf("%v, %v", list, err)
	}
	if notes, err := s.notesContents(t.Context(), list); err != nil || len(notes) != 1 || string(notes[0].Content) != want {
		t.Fatalf("%q, %v", notes, err)
	}
	for content, want := range map[string]string{
		want + "new\n": want + "new\n",             // made from what was read: replaced
		"middle\n":     "middle\n\nroot\n\ndeep\n", // made without it: nothing is lost
	} {
		next, err := s.notesSet(t.Context(), w, tree, target, []byte(content))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := readNote(t.Context(), w, next, target); err != nil || string(got) != want {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
		r.commitNotes(w, next)
		if list, err := s.notesList(t.Context(), next); err != nil || len(list) != 1 {
			t.Errorf("%v, %v", list, err)
		}
		w = s.newWriter()
	}
}

func TestNotesSHA256(t *testing.T) {
	r := newObjRepo(t, "--object-format=sha256")
	target := Hash(r.gitIn("target", "hash-object", "-w", "--stdin"))
	r.git("notes", "--ref=x", "add", "-m", "git's", string(target))
	cfg := r.config(nil)
	cfg.SHA256 = true
	s := openStore(t, cfg)
	r.sameNotes(s, 1)
	w := s.newWriter()
	tree := Hash(r.git("rev-parse", "refs/notes/x^{tree}"))
	other := Hash(r.gitIn("other", "hash-object", "-w", "--stdin"))
	tree, err := s.notesSet(t.Context(), w, tree, other, []byte("ours\n"))
	if err != nil {
		t.Fatal(err)
	}
	r.commitNotes(w, tree)
	r.sameNotes(s, 2)
}

func TestNotesRefuse(t *testing.T) {
	s := openStore(t, newObjRepo(t).config(nil))
	w := s.newWriter()
	if _, err := s.notesSet(t.Context(), w, "", noteTarget(1), nil); err == nil {
		t.Error("no error for empty content")
	}
	if _, err := s.notesSet(t.Context(), w, "", "abc", []byte("x")); err == nil {
		t.Error("no error for a bad target")
	}
	absent := noteTarget(99)
	if _, err := s.notesGet(t.Context(), absent, noteTarget(1)); !errors.Is(err, ErrMissing) {
		t.Errorf("err = %v", err)
	}
	if _, err := s.notesContents(t.Context(), []NoteEntry{{noteTarget(1), absent}}); !errors.Is(err, ErrMissing) {
		t.Errorf("err = %v", err)
	}
	if got, err := s.notesGet(t.Context(), "", noteTarget(1)); got != nil || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if list, err := s.notesList(t.Context(), ""); list != nil || err != nil {
		t.Errorf("%v, %v", list, err)
	}
}
