package gitops

import (
	"crypto/sha1" //nolint:gosec // git's own format
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"time"
)

// The layout of gitformat-index(5): the header, and of an entry what stands before its
// name.
const (
	indexHeader  = 12
	indexFixed   = 62
	indexNameLen = 0xfff

	flagAssumeValid = 0x8000
	flagExtended    = 0x4000
	flagStage       = 0x3000

	extendedSkipWorktree = 0x4000
	extendedIntentToAdd  = 0x2000
)

// decodeIndex reads the entries of an index that plainIndex has walked. It is read
// whole before every provisioning, so names and ids share one string each.
func decodeIndex(data []byte) ([]IndexEntry, error) {
	body := data[:len(data)-sha1Len]
	if sum := sha1.Sum(body); string(sum[:]) != string(data[len(body):]) { //nolint:gosec // as above
		return nil, fmt.Errorf("%w: checksum", errMalformed)
	}
	count := int(binary.BigEndian.Uint32(data[8:]))
	out := make([]IndexEntry, count)
	ids := make([]byte, 0, count*2*sha1Len)
	text := string(body)
	at := indexHeader
	for i := range out {
		name, size := out[i].decode(body[at:])
		out[i].Name = text[at+name : at+name+size]
		ids = hex.AppendEncode(ids, body[at+40:at+60])
		at += (name + size + 8) &^ 7
	}
	hashes := string(ids)
	for i := range out {
		out[i].Hash = Hash(hashes[i*2*sha1Len : (i+1)*2*sha1Len])
	}
	return out, knownExtensions(body[min(at, len(body)):])
}

// decode reads one entry but for its name and id, and says where the name stands in it.
func (e *IndexEntry) decode(b []byte) (name, size int) {
	word := func(i int) uint32 { return binary.BigEndian.Uint32(b[i:]) }
	e.Stat = Stat{
		CTime: time.Unix(int64(word(0)), int64(word(4))), MTime: time.Unix(int64(word(8)), int64(word(12))),
		Dev: word(16), Ino: word(20), UID: word(28), GID: word(32), Size: word(36), Known: true,
	}
	e.TreeEntry.Mode = Mode(word(24))
	flags := binary.BigEndian.Uint16(b[60:])
	e.Plain = flags&flagStage == 0
	name = indexFixed
	if flags&flagExtended != 0 {
		e.Plain = e.Plain && binary.BigEndian.Uint16(b[indexFixed:])&(extendedSkipWorktree|extendedIntentToAdd) == 0
		name += 2
	}
	if size = int(flags & indexNameLen); size == indexNameLen {
		for size = 0; b[name+size] != 0; size++ {
		}
	}
	return name, size
}

// knownExtensions walks what follows the entries. An extension whose name is not in
// capitals changes what the entries mean.
func knownExtensions(rest []byte) error {
	for len(rest) > 0 {
		const head = 8
		if len(rest) < head {
			return fmt.Errorf("%w: index cut short", errMalformed)
		}
		size := int64(binary.BigEndian.Uint32(rest[4:]))
		if size > int64(len(rest)-head) {
			return fmt.Errorf("%w: index cut short", errMalformed)
		}
		if c := rest[0]; c < 'A' || c > 'Z' {
			return fmt.Errorf("%w: index extension %q", errMalformed, rest[:4])
		}
		rest = rest[head+size:]
	}
	return nil
}
