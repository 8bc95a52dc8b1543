package gitops

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"strconv"
)

// indexScan is what a look for some files in an index found.
type indexScan struct {
	picked []TreeEntry // in the index's order
	tree   cachedTree  // of the top; nothing where the index has none
}

// scanIndex looks through an index of SHA-1 for the files that are picked. Not ok where
// it cannot be read, one of them is in a conflict or only announced, or the index is
// split or sparse. As git does, it takes the checksum for granted.
func scanIndex(data []byte, picks func(path []byte) bool) (*indexScan, bool) {
	if len(data) < indexHeader+sha1Len || string(data[:4]) != "DIRC" {
		return nil, false
	}
	s := &indexScan{}
	e := scanned{version: binary.BigEndian.Uint32(data[4:])}
	rest := data[indexHeader : len(data)-sha1Len]
	for range binary.BigEndian.Uint32(data[8:]) {
		if !e.read(rest) {
			return nil, false
		}
		if picks(e.name) {
			if !e.plain {
				return nil, false
			}
			s.picked = append(s.picked, TreeEntry{
				Name: string(e.name), Mode: Mode(binary.BigEndian.Uint32(rest[24:])), Hash: Hash(hex.EncodeToString(rest[40:60])),
			})
		}
		rest = rest[e.size:]
	}
	ok := s.extensions(rest)
	return s, ok
}

// scanned is one entry: its name, its size in the file, and whether it is a plain one,
// without conflict, that will be committed.
type scanned struct {
	version uint32
	name    []byte // good until the next one is read
	size    int
	plain   bool
}

// read reads the entry that the data begins with. Of the name of the one before it
// version 4 takes the beginning. False where it is cut short or of another version.
func (e *scanned) read(data []byte) bool {
	if e.version < 2 || e.version > 4 || len(data) < indexFixed+2 {
		return false
	}
	flags := binary.BigEndian.Uint16(data[60:])
	e.plain = flags&flagStage == 0
	at := indexFixed
	if flags&flagExtended != 0 {
		e.plain = e.plain && binary.BigEndian.Uint16(data[at:])&extendedIntentToAdd == 0
		at += 2
	}
	keep := 0
	if e.version == 4 {
		strip, n := offsetInt(data[at:])
		if n == 0 || strip > len(e.name) {
			return false
		}
		at, keep = at+n, len(e.name)-strip
	}
	end := int(flags & indexNameLen)
	if e.version == 4 || end == indexNameLen {
		end = bytes.IndexByte(data[at:], 0)
	}
	if end <= 0 || len(data) <= at+end || data[at+end] != 0 {
		return false
	}
	e.size = at + end + 1
	if e.version == 4 {
		e.name = append(e.name[:keep], data[at:at+end]...)
		return true
	}
	e.name = data[at : at+end]
	e.size = (at + end + 8) &^ 7
	return e.size <= len(data)
}

// offsetInt reads git's number of variable length (gitformat-pack(5), "offset
// encoding") and how many bytes it takes, 0 where it is cut short or absurd.
func offsetInt(data []byte) (value, n int) {
	const most = 4
	for n < len(data) && n < most {
		b := int(data[n])
		n++
		value = value<<7 | b&0x7f
		if b&0x80 == 0 {
			return value, n
		}
		value++
	}
	return 0, 0
}

// extensions reads what follows the entries. False where one, whose name is not in
// capitals, changes what the entries mean, or one is cut short.
func (s *indexScan) extensions(rest []byte) bool {
	if knownExtensions(rest) != nil {
		return false
	}
	for len(rest) > 0 {
		const head = 8
		end := head + int(binary.BigEndian.Uint32(rest[4:]))
		if string(rest[:4]) == "TREE" {
			s.tree, _ = readCachedTree(rest[head:end])
		}
		rest = rest[end:]
	}
	return true
}

// cachedTree says which tree a folder of the index is (gitformat-index(5), "Cache
// tree"). The zero one knows nothing.
type cachedTree struct {
	name  []byte
	id    []byte // nil where something in it has changed since
	subs  int
	below []byte // the folders in it, and what follows
}

func (t cachedTree) is(tree Hash) bool {
	return t.id != nil && hex.EncodeToString(t.id) == string(tree)
}

// sub is a folder in it; nothing where that is not known.
func (t cachedTree) sub(name string) cachedTree {
	rest := t.below
	for range t.subs {
		sub, ok := readCachedTree(rest)
		if !ok || string(sub.name) == name {
			return sub
		}
		if rest, ok = sub.behind(0); !ok {
			return cachedTree{}
		}
	}
	return cachedTree{}
}

// behind is what follows the folder and all in it.
func (t cachedTree) behind(depth int) (rest []byte, ok bool) {
	rest = t.below
	for range t.subs {
		sub, ok := readCachedTree(rest)
		if !ok || depth > maxTreeDepth {
			return nil, false
		}
		if rest, ok = sub.behind(depth + 1); !ok {
			return nil, false
		}
	}
	return rest, true
}

// readCachedTree reads the folder that the data begins with.
func readCachedTree(data []byte) (t cachedTree, ok bool) {
	name, data, _ := bytes.Cut(data, []byte{0})
	numbers, data, ok := bytes.Cut(data, []byte{'\n'})
	first, second, _ := bytes.Cut(numbers, []byte{' '})
	count, err := strconv.Atoi(string(first))
	subs, wrong := strconv.Atoi(string(second))
	if !ok || err != nil || wrong != nil || subs < 0 {
		return cachedTree{}, false
	}
	t = cachedTree{name: name, subs: subs, below: data}
	if count >= 0 {
		if len(data) < sha1Len {
			return cachedTree{}, false
		}
		t.id, t.below = data[:sha1Len], data[sha1Len:]
	}
	return t, true
}
