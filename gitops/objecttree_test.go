package gitops

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
)

// lsTree is git's own flattening.
func (r *objRepo) lsTree(tree Hash) []TreeEntry {
	r.t.Helper()
	var entries []TreeEntry
	for _, line := range strings.Split(strings.TrimSuffix(r.git("ls-tree", "-rz", string(tree)), "\x00"), "\x00") {
		var e TreeEntry
		var kind string
		head, name, _ := strings.Cut(line, "\t")
		if _, err := fmt.Sscanf(head, "%o %s %s", &e.Mode, &kind, &e.Hash); err != nil {
			r.t.Fatal(err)
		}
		e.Name = name
		entries = append(entries, e)
	}
	return entries
}

func TestFlattenTree(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		r := newObjRepo(t, "--object-format="+format)
		for _, name := range []string{"a", "a-b/x", "a.b", "a0/deep/deeper/x", "ab", "é/ü", "sp ace/t\tab", "nl\nx", "same/x/f", "other/x/f"} {
			r.write(name, "text")
		}
		r.git("add", "-A")
		r.git("update-index", "--add", "--cacheinfo", "160000,"+r.git("hash-object", "a")+",sub/module")
		r.git("update-index", "--chmod=+x", "ab")
		tree := Hash(r.git("write-tree"))
		cfg := r.config(nil)
		cfg.SHA256 = format == "sha256"
		s := openStore(t, cfg)
		got, err := s.flattenTree(t.Context(), tree)
		if err != nil {
			t.Fatal(err)
		}
		want := r.lsTree(tree)
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("got  %v\nwant %v", got, want)
		}
		for _, e := range want {
			if got, err := s.lookupPath(t.Context(), tree, e.Name); err != nil || got != e {
				t.Errorf("%q: %v, %v", e.Name, got, err)
			}
		}
		for _, path := range []string{"nope", "a/b", "/a", "a/", "a0//deep", "a0/deep/", "é/ü/x", "sub/module/x", ".", ".."} {
			if e, err := s.lookupPath(t.Context(), tree, path); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%q: %v, %v", path, e, err)
			}
		}
		if e, err := s.lookupPath(t.Context(), tree, ""); err != nil || e.Hash != tree || e.Mode != ModeTree {
			t.Errorf("root: %v, %v", e, err)
		}
		if e, err := s.lookupPath(t.Context(), tree, "a0/deep"); err != nil || e.Mode != ModeTree {
			t.Errorf("directory: %v, %v", e, err)
		}
	}
}

// A tree that holds ten times a tree that holds ten times … ends with an error.
func TestFlattenTreeBomb(t *testing.T) {
	s := openStore(t, newObjRepo(t).config(nil))
	w := s.newWriter()
	tree := emptyTreeSHA1
	for range 12 {
		var entries []TreeEntry
		for i := range 10 {
			entries = append(entries, TreeEntry{fmt.Sprint("d", i), ModeTree, tree})
		}
		tree = mustTree(t, w, entries)
	}
	if _, err := w.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.flattenTree(t.Context(), tree); !errors.Is(err, errMalformed) {
		t.Errorf("err = %v", err)
	}
}

func TestFlattenTreeDepth(t *testing.T) {
	s := openStore(t, newObjRepo(t).config(nil))
	w := s.newWriter()
	tree := mustTree(t, w, []TreeEntry{{"f", ModeFile, w.Blob(nil)}})
	for range maxTreeDepth + 1 {
		tree = mustTree(t, w, []TreeEntry{{"d", ModeTree, tree}})
	}
	if _, err := w.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.flattenTree(t.Context(), tree); !errors.Is(err, errMalformed) {
		t.Errorf("err = %v", err)
	}
}

func TestFlattenNotATree(t *testing.T) {
	r := newObjRepo(t)
	blob := Hash(r.gitIn("x", "hash-object", "-w", "--stdin"))
	s := openStore(t, r.config(nil))
	if _, err := s.flattenTree(t.Context(), blob); err == nil {
		t.Error("no error for a blob")
	}
	if _, err := s.lookupPath(t.Context(), Hash(strings.Repeat("ab", 20)), "x"); !errors.Is(err, ErrMissing) {
		t.Errorf("err = %v", err)
	}
}

func TestParseTreeMalformed(t *testing.T) {
	id := strings.Repeat("i", 20)
	for _, text := range []string{
		"100644", "100644 a", "100644 a\x00short", "100644 \x00" + id, "\x00" + id, " a\x00" + id,
		"100648 a\x00" + id, "10064412 a\x00" + id, "-1 a\x00" + id, "100644 a\x00" + id + "x",
	} {
		if got, err := parseTree([]byte(text), 20); !errors.Is(err, errMalformed) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	if got, err := parseTree([]byte("040000 a\x00"+id), 20); err != nil || got[0].Mode != ModeTree {
		t.Errorf("old mode: %v, %v", got, err)
	}
}

// FuzzParseTree: what parses is written back the same, save order and old modes.
func FuzzParseTree(f *testing.F) {
	f.Add([]byte("100644 a\x00"+strings.Repeat("i", 20)+"40000 b\x00"+strings.Repeat("j", 20)), false)
	f.Add([]byte("160000 x\x00"+strings.Repeat("k", 32)), true)
	f.Fuzz(func(t *testing.T, data []byte, long bool) {
		n := sha1Len
		if long {
			n = 32
		}
		entries, err := parseTree(data, n)
		if err != nil {
			return
		}
		back, err := encodeTree(entries, n)
		if err != nil {
			t.Fatal(err)
		}
		again, err := parseTree(back, n)
		if err != nil || len(again) != len(entries) {
			t.Fatalf("%v, %v", again, err)
		}
		if second, _ := encodeTree(again, n); !bytes.Equal(back, second) {
			t.Errorf("%q, then %q", back, second)
		}
	})
}
