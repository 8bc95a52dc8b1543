package gitops

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// sampleIndex is a version 2 index made by our own writer.
func sampleIndex(t testing.TB) []byte {
	t.Helper()
	_, index, err := encodePack([]rawObject{
		{TypeBlob, []byte("a")}, {TypeBlob, []byte("b")}, {TypeBlob, nil}, {TypeTree, nil},
	})
	if err != nil {
		t.Fatal(err)
	}
	return index
}

func TestPackIndexFind(t *testing.T) {
	x, err := newPackIndex(sampleIndex(t))
	if err != nil || x.count != 4 {
		t.Fatalf("%v, %v", x, err)
	}
	for _, h := range []Hash{hashObject(false, TypeBlob, []byte("a")), emptyTreeSHA1} {
		id, _ := hex.DecodeString(string(h))
		if _, ok, err := x.find(id); !ok || err != nil {
			t.Errorf("%s: %v, %v", h, ok, err)
		}
		id[19] ^= 1
		if _, ok, err := x.find(id); ok || err != nil {
			t.Errorf("%x: %v, %v", id, ok, err)
		}
	}
}

func TestPackIndexMalformed(t *testing.T) {
	good := sampleIndex(t)
	change := func(f func(b []byte) []byte) []byte { return f(bytes.Clone(good)) }
	for name, data := range map[string][]byte{
		"empty":   nil,
		"short":   good[:1000],
		"cut":     good[:len(good)-1],
		"longer":  append(bytes.Clone(good), 0),
		"magic":   change(func(b []byte) []byte { b[1] = 'x'; return b }),
		"version": change(func(b []byte) []byte { b[7] = 3; return b }),
		"fanout":  change(func(b []byte) []byte { b[8] = 0xff; return b }),
		"count":   change(func(b []byte) []byte { b[idxNames-4] = 0xff; return b }),
	} {
		if _, err := newPackIndex(data); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestPackIndexLargeOffsets(t *testing.T) {
	good := sampleIndex(t)
	end := len(good) - idxTrailer
	large := func(offset uint64, k uint32) *packIndex {
		b := slices.Concat(good[:end], binary.BigEndian.AppendUint64(nil, offset), good[end:])
		at := idxNames + 4*(sha1Len+4)
		binary.BigEndian.PutUint32(b[at:], idxLargeBit|k)
		x, err := newPackIndex(b)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	if o, err := large(5<<32, 0).offset(0); o != 5<<32 || err != nil {
		t.Errorf("%d, %v", o, err)
	}
	if _, err := large(1<<63, 0).offset(0); err == nil {
		t.Error("no error for an offset that overflows")
	}
	if _, err := large(1, 1).offset(0); err == nil {
		t.Error("no error outside the table")
	}
}

func TestPackUnusableFiles(t *testing.T) {
	pack, index, err := encodePack([]rawObject{{TypeBlob, []byte("a")}})
	if err != nil {
		t.Fatal(err)
	}
	id, _ := hex.DecodeString(string(hashObject(false, TypeBlob, []byte("a"))))
	for name, files := range map[string][2][]byte{
		"another pack": {sampleIndex(t), pack}, "cut pack": {index, pack[:len(pack)-1]},
		"empty pack": {index, nil}, "empty index": {nil, pack}, "no pack": {index, []byte("PACK")},
	} {
		base := filepath.Join(t.TempDir(), "pack-1")
		for i, suffix := range []string{".idx", ".pack"} {
			if err := os.WriteFile(base+suffix, files[i], 0o600); err != nil {
				t.Fatal(err)
			}
		}
		p := newPack(base, newDeltaCache(100))
		if offset, ok := p.find(id); ok {
			if _, _, err := p.read(offset, 100); err == nil {
				t.Errorf("%s: no error", name)
			}
		}
		p.close()
	}
}

// FuzzIndex: whatever an .idx holds, looking up in it neither panics nor hangs,
// and a sorted one finds all its names.
func FuzzIndex(f *testing.F) {
	good := sampleIndex(f)
	f.Add(good, good[idxNames:idxNames+sha1Len])
	f.Add(good[:idxNames+idxTrailer], make([]byte, sha1Len))
	f.Fuzz(func(t *testing.T, data, id []byte) {
		x, err := newPackIndex(data)
		if err != nil {
			return
		}
		id = append(id, make([]byte, sha1Len)...)[:sha1Len]
		if _, ok, err := x.find(id); ok && err == nil && !bytes.Contains(x.names, id) {
			t.Errorf("found %x, which is not there", id)
		}
		for i := range x.count {
			_, _, _ = x.find(x.name(i))
			_, _ = x.offset(i)
		}
	})
}
