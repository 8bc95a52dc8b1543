package gitops

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// bulkTarget draws ids that share their first digits, so that levels fill up.
func bulkTarget(t *rapid.T, label string) Hash {
	prefix := rapid.SampledFrom([]string{"abcd", "abce", "ab12", "ff00", ""}).Draw(t, label+" prefix")
	n := rapid.IntRange(0, 3000).Draw(t, label)
	if prefix == "" {
		return hashObject(false, TypeBlob, fmt.Append(nil, n))
	}
	return Hash(prefix + fmt.Sprintf("%036x", n))
}

// scattered lays notes by hand at the drawn depths, as other writers may.
func scattered(t *rapid.T, w *ObjectWriter) Hash {
	type dir struct {
		files map[string]Hash
		dirs  map[string]*dir
	}
	fresh := func() *dir { return &dir{map[string]Hash{}, map[string]*dir{}} }
	root := fresh()
	for i := range rapid.SampledFrom([]int{0, 1, 5, 5, 40, 300}).Draw(t, "standing") {
		rest, at := string(bulkTarget(t, "stands")), root
		for range rapid.IntRange(0, 3).Draw(t, "depth") {
			if at.dirs[rest[:2]] == nil {
				at.dirs[rest[:2]] = fresh()
			}
			at, rest = at.dirs[rest[:2]], rest[2:]
		}
		at.files[rest] = w.Blob(fmt.Appendf(nil, "stood %d\n", i))
	}
	var write func(d *dir) Hash
	write = func(d *dir) Hash {
		var entries []TreeEntry
		for name, blob := range d.files {
			entries = append(entries, TreeEntry{name, ModeFile, blob})
		}
		for name, sub := range d.dirs {
			entries = append(entries, TreeEntry{name, ModeTree, write(sub)})
		}
		tree, err := w.rawTree(entries)
		if err != nil {
			t.Fatal(err)
		}
		return tree
	}
	return write(root)
}

// contents lists a tree's notes through the writer.
func contents(t *rapid.T, w *ObjectWriter, tree Hash) map[Hash]string {
	l := noteLister{reader: w, digits: 40}
	if err := l.walk(t.Context(), tree, ""); err != nil {
		t.Fatal(err)
	}
	out := map[Hash]string{}
	for _, e := range l.out {
		text, err := readNote(t.Context(), w, tree, e.Target)
		if err != nil {
			t.Fatal(err)
		}
		out[e.Target] = string(text)
	}
	return out
}

// TestNotesBulkProperty: many notes set at once list the same as set one by one,
// whatever layout they meet, and what is no note stays.
func TestNotesBulkProperty(t *testing.T) {
	s := openStore(t, newObjRepo(t).noGit())
	rapid.Check(t, func(t *rapid.T) {
		w := s.newWriter()
		tree := scattered(t, w)
		list, seen := []Note{}, map[Hash]bool{}
		for i := range rapid.SampledFrom([]int{0, 1, 7, 7, 40, 40, 300, 1200}).Draw(t, "new") {
			target := bulkTarget(t, "target")
			if !seen[target] {
				seen[target] = true
				list = append(list, Note{target, fmt.Appendf(nil, "set %d\n", i)})
			}
		}
		bulk, err := s.notesSetAll(t.Context(), w, tree, list)
		if err != nil {
			t.Fatal(err)
		}
		single := tree
		for _, n := range list {
			if single, err = s.notesSet(t.Context(), w, single, n.Target, n.Content); err != nil {
				t.Fatal(err)
			}
		}
		if a, b := contents(t, w, bulk), contents(t, w, single); !maps.Equal(a, b) {
			t.Fatalf("%d notes at once, %d one by one, or other texts", len(a), len(b))
		}
	})
}

// TestNotesBulkIsReadByGit: git lists and shows what was set at once, on an empty
// log and on its own, in both object formats.
func TestNotesBulkIsReadByGit(t *testing.T) {
	for _, n := range []int{1, maxFlatRoot, maxFlatRoot + 1, 2000} {
		r := newObjRepo(t)
		r.importNotes(n)
		r.git("update-ref", "-d", "refs/notes/x")
		s := openStore(t, r.noGit())
		w := s.newWriter()
		var list []Note
		for i := range n {
			list = append(list, Note{noteTarget(i), fmt.Appendf(nil, "row %d\n", i)})
		}
		tree, err := s.notesSetAll(t.Context(), w, "", list)
		if err != nil {
			t.Fatal(err)
		}
		r.commitNotes(w, tree)
		r.sameNotes(s, n)
		r.git("notes", "--ref=x", "append", "-m", "git's", string(noteTarget(0)))
		w = s.newWriter()
		if tree, err = s.notesSetAll(t.Context(), w, Hash(r.git("rev-parse", "refs/notes/x^{tree}")), []Note{{noteTarget(0), []byte("again\n")}}); err != nil {
			t.Fatal(err)
		}
		r.commitNotes(w, tree)
		if got := r.git("notes", "--ref=x", "show", string(noteTarget(0))); got != "again" {
			t.Errorf("git shows %q", got)
		}
		r.sameNotes(s, n)
		r.fsck()
	}
}

func TestNotesBulkPreservesOthers(t *testing.T) {
	r := newObjRepo(t)
	s := openStore(t, r.noGit())
	w := s.newWriter()
	blob := w.Blob([]byte("not a note"))
	sub := mustTree(t, w, []TreeEntry{{"f", ModeFile, blob}})
	others := []TreeEntry{
		{"README", ModeFile, blob},
		{"cd", ModeExec, blob},
		{"zz", ModeTree, sub},
		{"dir", ModeTree, sub},
		{strings.Repeat("ab", 20), ModeTree, sub},
		{strings.Repeat("cd", 20), ModeSymlink, blob},
	}
	var list []Note
	for i := range 400 {
		list = append(list, Note{noteTarget(i), []byte("n\n")})
	}
	tree, err := s.notesSetAll(t.Context(), w, mustTree(t, w, others), list)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := readTree(t.Context(), w, tree)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range others {
		if i := entryIndex(entries, want.Name); want.Name != "cd" && (i < 0 || entries[i] != want) {
			t.Errorf("%q is gone", want.Name)
		}
	}
	for _, bad := range []Note{{noteTarget(1), nil}, {"abc", []byte("x")}, {Hash(strings.Repeat("a", 64)), []byte("x")}} {
		if _, err := s.notesSetAll(t.Context(), w, "", []Note{bad}); err == nil {
			t.Errorf("no error for %+v", bad)
		}
	}
}

func TestResolveIDs(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		b := newSandbox(t)
		b.git("", "init", "-q", "--object-format="+format)
		b.git("", "commit", "-q", "--allow-empty", "-m", "one")
		head := b.git("", "rev-parse", "HEAD")
		tree := b.git("", "rev-parse", "HEAD^{tree}")
		alike := head[:8] + string("01"[strings.IndexByte("0", head[8])+1]) // no prefix of any id
		b.git("", "branch", alike)
		repo, err := Open(t.Context(), Options{Dir: b.dir, Env: b.env})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(repo.Close)
		gone := strings.Repeat("1", len(head))
		found, err := repo.ResolveIDs(t.Context(), []string{
			head, head[:7], strings.ToUpper(head[:10]), head, tree, gone, head[:6], "HEAD", "", "--batch", "a\nb", alike, head + "0",
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(found) != 3 || found[head] != Hash(head) || found[head[:7]] != Hash(head) || found[strings.ToUpper(head[:10])] != Hash(head) {
			t.Errorf("%s: %v", format, found)
		}
		if none, err := repo.ResolveIDs(t.Context(), []string{"x"}); err != nil || len(none) != 0 {
			t.Errorf("%v, %v", none, err)
		}
	}
}

// BenchmarkNotesSetAll sets notes on 20,000 targets in an empty log: at once, and one by
// one as before.
func BenchmarkNotesSetAll(b *testing.B) {
	s := openStore(b, newObjRepo(b).noGit())
	var list []Note
	for i := range 20_000 {
		list = append(list, Note{hashObject(false, TypeBlob, fmt.Append(nil, i)), fmt.Appendf(nil, "row %d\n", i)})
	}
	b.Run("bulk", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.notesSetAll(b.Context(), s.newWriter(), "", list); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("single", func(b *testing.B) {
		for b.Loop() {
			w, tree := s.newWriter(), Hash("")
			for _, n := range list {
				var err error
				if tree, err = s.notesSet(b.Context(), w, tree, n.Target, n.Content); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}
