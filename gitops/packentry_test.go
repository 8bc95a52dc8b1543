package gitops

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func deflate(t testing.TB, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	if _, err := z.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// entry is a pack entry of one size byte.
func entry(t testing.TB, kind byte, base, data []byte) []byte {
	t.Helper()
	return append(append([]byte{kind<<4 | byte(len(data))}, base...), deflate(t, data)...)
}

// bodyPack is a pack whose index is one sorted list of names and offsets, for
// content that no well-meaning writer makes.
func bodyPack(t testing.TB, entries map[string]int64, body []byte) *pack {
	t.Helper()
	var names, offsets []byte
	var fanout [256]uint32
	for i := range 256 {
		for name, offset := range entries { // one name a first byte
			if int(name[0]) == i {
				names = append(names, name...)
				offsets = binary.BigEndian.AppendUint32(offsets, uint32(offset))
			}
		}
		fanout[i] = uint32(len(offsets) / 4)
	}
	sum := sha1.Sum(body)
	index := binary.BigEndian.AppendUint32([]byte("\377tOc"), 2)
	for _, n := range fanout {
		index = binary.BigEndian.AppendUint32(index, n)
	}
	index = append(append(append(index, names...), make([]byte, len(offsets))...), offsets...)
	index = append(append(index, sum[:]...), make([]byte, sha1Len)...)
	base := filepath.Join(t.TempDir(), "pack-x")
	for suffix, data := range map[string][]byte{".idx": index, ".pack": append(bytes.Clone(body), sum[:]...)} {
		if err := os.WriteFile(base+suffix, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := newPack(base, newDeltaCache(1<<20))
	t.Cleanup(p.close)
	return p
}

func packHead(count uint32) []byte {
	return binary.BigEndian.AppendUint32([]byte("PACK\x00\x00\x00\x02"), count)
}

// Two ref-deltas on each other: go-git's decoder would overflow the stack.
func TestPackDeltaCycle(t *testing.T) {
	a, b := strings.Repeat("a", sha1Len), strings.Repeat("b", sha1Len)
	delta := []byte{1, 1, 0x90, 1}
	body := append(packHead(2), entry(t, entryRef, []byte(b), delta)...)
	second := int64(len(body))
	body = append(body, entry(t, entryRef, []byte(a), delta)...)
	p := bodyPack(t, map[string]int64{a: packHeader, b: second}, body)
	if _, _, err := p.read(packHeader, 1000); !errors.Is(err, errBadPack) {
		t.Errorf("err = %v", err)
	}
}

func TestPackHostileEntries(t *testing.T) {
	delta := func(b ...byte) []byte { return entry(t, entryOfs, []byte{14}, b) }
	base := entry(t, entryBlob, nil, []byte("base"))
	for name, raw := range map[string][]byte{
		"type 0":          entry(t, 0, nil, []byte("x")),
		"type 5":          entry(t, 5, nil, []byte("x")),
		"endless size":    bytes.Repeat([]byte{0xff}, 40),
		"huge size":       append([]byte{0xbf, 0xff, 0xff, 0xff, 0xff, 0x0f}, deflate(t, []byte("x"))...),
		"not deflated":    []byte("\x35hello"),
		"longer":          append([]byte{0x31}, deflate(t, []byte("hello"))...),
		"shorter":         append([]byte{0x3f}, deflate(t, []byte("hello"))...),
		"base before":     entry(t, entryOfs, []byte{0xff, 0x7f}, []byte("x")),
		"base itself":     entry(t, entryOfs, []byte{0}, []byte("x")),
		"endless base":    append([]byte{0x61}, bytes.Repeat([]byte{0xff}, 40)...),
		"base elsewhere":  entry(t, entryRef, []byte(strings.Repeat("z", sha1Len)), []byte("x")),
		"cut ref":         []byte("\x71abc"),
		"no delta sizes":  delta(0x80),
		"no target size":  delta(4),
		"huge target":     delta(4, 0xff, 0xff, 0xff, 0xff, 0x7f),
		"copy outside":    delta(4, 9, 0x91, 200, 9),
		"delta of others": delta(9, 9, 9),
	} {
		body := append(packHead(1), base...)
		at := int64(len(body))
		p := bodyPack(t, map[string]int64{strings.Repeat("a", sha1Len): at}, append(body, raw...))
		if _, data, err := p.read(at, 1<<20); err == nil {
			t.Errorf("%s: read %q", name, data)
		}
	}
}

func TestPackOffsetOutside(t *testing.T) {
	body := append(packHead(1), entry(t, entryBlob, nil, []byte("x"))...)
	for _, offset := range []int64{-1, 0, 11, int64(len(body)), 1 << 60} {
		if _, err := readPackEntry(body, offset); !errors.Is(err, errBadPack) {
			t.Errorf("%d: err = %v", offset, err)
		}
	}
}

func TestDeltaCacheBound(t *testing.T) {
	c := newDeltaCache(100)
	for i := range 50 {
		c.put(deltaKey{nil, int64(i)}, TypeBlob, make([]byte, 20))
	}
	if _, _, ok := c.get(deltaKey{nil, 49}); !ok || c.size > 100 || len(c.at) != 5 || c.order.Len() != 5 {
		t.Errorf("size %d, %d keys", c.size, len(c.at))
	}
	if _, _, ok := c.get(deltaKey{nil, 0}); ok {
		t.Error("the oldest is still there")
	}
	c.put(deltaKey{nil, 99}, TypeBlob, make([]byte, 26))
	if _, _, ok := c.get(deltaKey{nil, 99}); ok {
		t.Error("kept a large one")
	}
}

// FuzzPackEntry reads hostile bytes as a delta on a small base.
func FuzzPackEntry(f *testing.F) {
	f.Add(entry(f, entryOfs, []byte{14}, []byte{4, 4, 0x90, 4}))
	f.Add(entry(f, entryBlob, nil, []byte("text")))
	base := entry(f, entryBlob, nil, []byte("base"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		body := append(append(packHead(2), base...), raw...)
		p := &pack{cache: newDeltaCache(1 << 20)}
		p.body = func() ([]byte, error) { return body, nil }
		p.index = func() (*packIndex, error) { return nil, errBadIndex }
		_, data, err := p.read(int64(packHeader+len(base)), 1<<16)
		if err == nil && len(data) > 1<<16 {
			t.Errorf("%d bytes", len(data))
		}
	})
}
