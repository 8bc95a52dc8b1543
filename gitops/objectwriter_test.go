package gitops

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func testSignature() Signature {
	return Signature{"A <evil>\n", " .a@example.com", time.Unix(1700000000, 0).In(time.FixedZone("", -12600))}
}

// fill makes one object of each type and returns them by what git shows.
func fill(t testing.TB, w *ObjectWriter, text string) (commit, tag Hash) {
	t.Helper()
	blob := w.Blob([]byte(text))
	sub := mustTree(t, w, []TreeEntry{{"x", ModeExec, blob}})
	tree := mustTree(t, w, []TreeEntry{
		{"a0", ModeFile, blob}, {"a", ModeTree, sub}, {"a.txt", ModeFile, blob}, {"link", ModeSymlink, blob},
	})
	c := CommitData{Tree: tree, Author: testSignature(), Committer: testSignature(), Message: text}
	first := w.Commit(c)
	c.Parents = []Hash{first}
	c.Extra = []ExtraHeader{{"encoding", "UTF-8"}, {"note", "two\nlines"}}
	commit = w.Commit(c)
	return commit, w.Tag(TagData{commit, TypeCommit, "v1", testSignature(), text})
}

func TestWriterFlush(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		for _, noGoGit := range []bool{false, true} {
			t.Run(fmt.Sprint(format, noGoGit), func(t *testing.T) {
				r := newObjRepo(t, "--object-format="+format)
				cfg := r.config(nil)
				cfg.SHA256, cfg.NoGoGit, cfg.Fsync = format == "sha256", noGoGit, true
				s := openStore(t, cfg)
				w := s.newWriter()
				commit, tag := fill(t, w, "text\n")
				if _, data, err := w.read(t.Context(), commit); err != nil || len(data) == 0 {
					t.Fatalf("unflushed: %q, %v", data, err)
				}
				kept, err := w.Flush(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				r.git("update-ref", "refs/tags/v1", string(tag))
				r.git("update-ref", "refs/heads/main", string(commit))
				r.fsck()
				r.sameAsGit(s.read)
				r.sameAsGit(w.read)
				if err := kept.Release(); err != nil {
					t.Fatal(err)
				}
				if err := kept.Release(); err != nil {
					t.Errorf("second release: %v", err)
				}
				r.git("gc", "-q", "--prune=now")
				r.sameAsGit(s.read)
				if got := r.git("log", "-1", "--format=%an|%ae|%ad", "--date=raw"); got != "A evil|a@example.com|1700000000 -0330" {
					t.Errorf("log: %s", got)
				}
			})
		}
	}
}

func TestWriterPackIsGits(t *testing.T) {
	r := newObjRepo(t)
	w := openStore(t, r.noGit()).newWriter()
	commit, tag := fill(t, w, "text\n")
	if _, err := w.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	pack := glob1(t, filepath.Join(r.objects(), "pack", "*.pack"))
	base := strings.TrimSuffix(pack, ".pack")
	r.git("verify-pack", base+".idx")
	r.git("index-pack", "--verify", pack)
	for _, suffix := range []string{".pack", ".idx", ".keep"} {
		info, err := os.Stat(base + suffix)
		if err != nil || info.Mode().Perm() != 0o444 {
			t.Errorf("%s: %v, %v", suffix, info.Mode(), err)
		}
	}
	ours, err := os.ReadFile(base + ".idx")
	if err != nil {
		t.Fatal(err)
	}
	r.git("index-pack", "-o", filepath.Join(r.dir, "gits.idx"), pack)
	gits, err := os.ReadFile(filepath.Join(r.dir, "gits.idx"))
	if err != nil || string(ours) != string(gits) {
		t.Errorf("index differs from git's: %v", err)
	}
	if got := r.git("cat-file", "-p", string(tag)); !strings.HasPrefix(got, "object "+string(commit)) {
		t.Errorf("tag: %s", got)
	}
}

// Hashes are those of git's own tree, commit and tag writers.
func TestWriterHashesAreGits(t *testing.T) {
	r := newObjRepo(t)
	w := openStore(t, r.config(nil)).newWriter()
	blob := w.Blob([]byte("x"))
	r.gitIn("x", "hash-object", "-w", "--stdin")
	sub := mustTree(t, w, []TreeEntry{{"f", ModeFile, blob}})
	r.gitIn("100644 blob "+string(blob)+"\tf\n", "mktree")
	var list strings.Builder
	var entries []TreeEntry
	for _, name := range []string{"a", "a-b", "a.b", "a0", "ab", "A", "é", "a b"} {
		e := TreeEntry{name, ModeTree, sub}
		if len(entries)%2 == 1 {
			e = TreeEntry{name, ModeFile, blob}
		}
		entries = append(entries, e)
		fmt.Fprintf(&list, "%06o %s %s\t%s\x00", e.Mode, map[Mode]string{ModeTree: "tree", ModeFile: "blob"}[e.Mode], e.Hash, e.Name)
	}
	tree := mustTree(t, w, entries)
	if got := r.gitIn(list.String(), "mktree", "-z"); got != string(tree) {
		t.Errorf("tree %s, git %s", tree, got)
	}
	author := Signature{"A", "a@example.com", time.Unix(1700000000, 0).In(time.FixedZone("", 3600))}
	committer := Signature{"C", "c@example.com", time.Unix(1700000001, 0).In(time.FixedZone("", -12600))}
	c := CommitData{Tree: tree, Author: author, Committer: committer, Message: "subject\n"}
	if got := r.gitIn("subject\n", "commit-tree", string(tree)); got != string(w.Commit(c)) {
		t.Errorf("commit %s, git %s", w.Commit(c), got)
	}
}

func TestWriterTreeRefuses(t *testing.T) {
	w := openStore(t, newObjRepo(t).config(nil)).newWriter()
	blob := w.Blob(nil)
	for _, name := range []string{"", ".", "..", ".git", ".GIT", ".GiT", "a/b", "/", "a\x00b"} {
		if _, err := w.Tree([]TreeEntry{{name, ModeFile, blob}}); err == nil {
			t.Errorf("%q: no error", name)
		}
	}
	for _, entries := range [][]TreeEntry{
		{{"a", ModeFile, blob}, {"a", ModeTree, blob}},
		{{"a", 0o100600, blob}},
		{{"a", ModeFile, "abc"}},
		{{"a", ModeFile, ""}},
		{{"a", ModeFile, emptyTreeSHA256}},
	} {
		if _, err := w.Tree(entries); err == nil {
			t.Errorf("%v: no error", entries)
		}
	}
	for _, name := range []string{".gitignore", "...", "a b", "\xff", "git"} {
		if _, err := w.Tree([]TreeEntry{{name, ModeFile, blob}}); err != nil {
			t.Error(err)
		}
	}
}

func TestWriterRefusesAtFlush(t *testing.T) {
	s := openStore(t, newObjRepo(t).config(nil))
	for name, add := range map[string]func(w *ObjectWriter) Hash{
		"tree":   func(w *ObjectWriter) Hash { return w.Commit(CommitData{Tree: "x\nparent y"}) },
		"parent": func(w *ObjectWriter) Hash { return w.Commit(CommitData{Tree: emptyTreeSHA1, Parents: []Hash{""}}) },
		"header": func(w *ObjectWriter) Hash {
			return w.Commit(CommitData{Tree: emptyTreeSHA1, Extra: []ExtraHeader{{"a\nparent", "b"}}})
		},
		"second tree": func(w *ObjectWriter) Hash {
			return w.Commit(CommitData{Tree: emptyTreeSHA1, Extra: []ExtraHeader{{"tree", "b"}}})
		},
		"target":   func(w *ObjectWriter) Hash { return w.Tag(TagData{TargetType: TypeBlob, Name: "n"}) },
		"type":     func(w *ObjectWriter) Hash { return w.Tag(TagData{Target: emptyTreeSHA1, TargetType: "x", Name: "n"}) },
		"tag name": func(w *ObjectWriter) Hash { return w.Tag(TagData{emptyTreeSHA1, TypeTree, "a\nb", Signature{}, ""}) },
	} {
		w := s.newWriter()
		if h := add(w); h != "" {
			t.Errorf("%s: %s", name, h)
		}
		if _, err := w.Flush(t.Context()); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestWriterEmptyFlush(t *testing.T) {
	r := newObjRepo(t)
	kept, err := openStore(t, r.noGit()).newWriter().Flush(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(kept.Release(), kept.Discard()); err != nil {
		t.Error(err)
	}
	if found, _ := filepath.Glob(filepath.Join(r.objects(), "pack", "*")); len(found) > 0 {
		t.Errorf("files: %q", found)
	}
}

func TestWriterDiscard(t *testing.T) {
	r := newObjRepo(t)
	s := openStore(t, r.config(nil))
	w := s.newWriter()
	blob := w.Blob([]byte("text"))
	kept, err := w.Flush(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.read(t.Context(), blob); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := kept.Discard(); err != nil {
			t.Fatal(err)
		}
	}
	if found, _ := filepath.Glob(filepath.Join(r.objects(), "pack", "*")); len(found) > 0 {
		t.Errorf("files: %q", found)
	}
	if _, _, err := s.read(t.Context(), blob); !errors.Is(err, ErrMissing) {
		t.Errorf("err = %v", err)
	}
}

// Two processes that write the same objects each own their pack.
func TestWriterSameObjectsTwice(t *testing.T) {
	r := newObjRepo(t)
	var kept [2]*KeptPack
	var commit Hash
	for i := range kept {
		w := openStore(t, r.config(nil)).newWriter()
		commit, _ = fill(t, w, "the same\n")
		var err error
		if kept[i], err = w.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	r.fsck()
	if err := kept[0].Discard(); err != nil {
		t.Fatal(err)
	}
	r.git("gc", "-q", "--prune=now")
	r.git("update-ref", "refs/heads/main", string(commit))
	r.fsck()
}

func TestWriterFlushFails(t *testing.T) {
	r := newObjRepo(t)
	cfg := r.config(nil)
	cfg.Dirs = []string{filepath.Join(r.dir, ".git", "HEAD")} // a file
	w := openStore(t, cfg).newWriter()
	h := w.Blob([]byte("text"))
	if _, err := w.Flush(t.Context()); err == nil {
		t.Error("no error")
	}
	if _, _, err := w.read(t.Context(), h); err != nil {
		t.Errorf("the object is lost: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.Flush(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
}
