package gitops

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"
)

// placeBlobs puts each text into a pack of its own.
func placeBlobs(t *testing.T, dir string, texts ...string) []*KeptPack {
	t.Helper()
	s := openStore(t, objectConfig{Dirs: []string{dir}})
	var kept []*KeptPack
	for _, text := range texts {
		w := s.newWriter()
		w.Blob([]byte(text))
		k, err := w.Flush(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		kept = append(kept, k)
	}
	return kept
}

func blobID(t *testing.T, text string) []byte {
	t.Helper()
	id, err := hex.DecodeString(string(hashObject(false, TypeBlob, []byte(text))))
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func newPackSet(t *testing.T, dir string) *packSet {
	t.Helper()
	s := &packSet{dirs: func() []string { return []string{dir} }, cache: newDeltaCache(1000)}
	t.Cleanup(s.close)
	return s
}

func TestPackSetRescan(t *testing.T) {
	dir := t.TempDir()
	s := newPackSet(t, dir)
	if _, _, ok := s.locate(blobID(t, "a")); ok || len(s.list()) != 0 {
		t.Error("found without packs")
	}
	placeBlobs(t, dir, "a", "b")
	if _, _, ok := s.locate(blobID(t, "a")); ok {
		t.Error("found without a scan")
	}
	s.rescan()
	before, _, ok := s.locate(blobID(t, "a"))
	if !ok || len(s.packs) != 2 {
		t.Fatalf("%v, %d packs", ok, len(s.packs))
	}
	s.rescan()
	if after, _, _ := s.locate(blobID(t, "a")); after != before {
		t.Error("a mapped pack was opened again")
	}
}

// A pack that vanished after it was mapped is read on; one that vanished before
// holds nothing, and is found when it comes back.
func TestPackSetVanished(t *testing.T) {
	dir := t.TempDir()
	kept := placeBlobs(t, dir, "mapped", "listed")
	s := newPackSet(t, dir)
	p, offset, ok := s.locate(blobID(t, "mapped"))
	if !ok {
		t.Fatal("not found")
	}
	if _, _, err := p.read(offset, 100); err != nil {
		t.Fatal(err)
	}
	s = newPackSet(t, dir)
	s.rescan()
	moved := filepath.Join(t.TempDir(), "idx")
	if err := os.Rename(kept[1].base+".idx", moved); err != nil {
		t.Fatal(err)
	}
	if _, _, ok := s.locate(blobID(t, "listed")); ok {
		t.Error("found in a pack without index")
	}
	if err := os.Rename(moved, kept[1].base+".idx"); err != nil {
		t.Fatal(err)
	}
	s.rescan()
	if _, _, ok := s.locate(blobID(t, "listed")); !ok {
		t.Error("not found again")
	}
	for _, k := range kept {
		if err := k.Discard(); err != nil {
			t.Fatal(err)
		}
	}
	if _, data, err := p.read(offset, 100); err != nil || string(data) != "mapped" {
		t.Errorf("%q, %v", data, err)
	}
}

func TestPackSetForget(t *testing.T) {
	dir := t.TempDir()
	kept := placeBlobs(t, dir, "a", "b")
	s := newPackSet(t, dir)
	if _, _, ok := s.locate(blobID(t, "a")); !ok {
		t.Fatal("not found")
	}
	s.forget(kept[0].base)
	if _, _, ok := s.locate(blobID(t, "a")); ok {
		t.Error("found in a forgotten pack")
	}
	if _, _, ok := s.locate(blobID(t, "b")); !ok {
		t.Error("forgot the wrong one")
	}
}

func TestPackBases(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"pack-1.idx", "pack-2.pack", "multi-pack-index", "tmp_idx_3", ".okstra-4", "other.idx", "pack-5.idx.tmp"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := packBases(dir); len(got) != 1 || filepath.Base(got[0]) != "pack-1" {
		t.Errorf("%q", got)
	}
	if got := packBases(filepath.Join(dir, "nope")); got != nil {
		t.Errorf("%q", got)
	}
}
