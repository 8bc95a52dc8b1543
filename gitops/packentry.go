package gitops

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"

	gsync "github.com/go-git/go-git/v5/utils/sync"
)

// errBadPack marks a pack that does not hold what its index promises.
var errBadPack = errors.New("pack malformed")

// The entry types of gitformat-pack(5).
const (
	entryCommit = 1
	entryTree   = 2
	entryBlob   = 3
	entryTag    = 4
	entryOfs    = 6
	entryRef    = 7
)

// maxInflate is the greatest ratio that deflate can reach; a header that claims
// more than the rest of the pack could give is refused before memory is spent.
const maxInflate = 1032

// packEntry is one entry's header: what it is, how long, and where its data starts.
type packEntry struct {
	kind byte
	size int64  // inflated: of the object, or of the delta
	base int64  // entryOfs: offset of the base
	ref  []byte // entryRef: name of the base
	body []byte // deflated data and all that follows it in the pack
}

// readPackEntry reads the header at offset; body is the pack without its trailer.
func readPackEntry(body []byte, offset int64) (packEntry, error) {
	if offset < packHeader || offset >= int64(len(body)) {
		return packEntry{}, fmt.Errorf("%w: offset %d outside", errBadPack, offset)
	}
	rest := body[offset:]
	c := rest[0]
	e := packEntry{kind: c >> 4 & 7, size: int64(c & 15)}
	i := 1
	for shift := 4; c&0x80 != 0; shift += 7 {
		if i >= len(rest) || shift > 56 {
			return packEntry{}, fmt.Errorf("%w: entry size at %d", errBadPack, offset)
		}
		c = rest[i]
		i++
		e.size |= int64(c&0x7f) << shift
	}
	if e.size < 0 {
		return packEntry{}, fmt.Errorf("%w: entry size at %d", errBadPack, offset)
	}
	err := e.readBase(rest[i:], offset)
	return e, err
}

// readBase reads what stands between the size and the deflated data.
func (e *packEntry) readBase(rest []byte, offset int64) error {
	switch e.kind {
	case entryCommit, entryTree, entryBlob, entryTag:
		e.body = rest
	case entryOfs:
		back, n := ofsDistance(rest)
		if n == 0 || back <= 0 || back > offset-packHeader {
			return fmt.Errorf("%w: delta base of %d", errBadPack, offset)
		}
		e.base, e.body = offset-back, rest[n:]
	case entryRef:
		if len(rest) < sha1Len {
			return fmt.Errorf("%w: delta base of %d", errBadPack, offset)
		}
		e.ref, e.body = rest[:sha1Len], rest[sha1Len:]
	default:
		return fmt.Errorf("%w: entry type %d at %d", errBadPack, e.kind, offset)
	}
	return nil
}

// ofsDistance reads git's offset encoding; n is 0 if it is cut short or too great.
func ofsDistance(b []byte) (distance int64, n int) {
	for i, c := range b {
		if distance >= math.MaxInt64>>8 {
			return 0, 0
		}
		if i > 0 {
			distance++
		}
		distance = distance<<7 | int64(c&0x7f)
		if c&0x80 == 0 {
			return distance, i + 1
		}
	}
	return 0, 0
}

// inflate returns the entry's data, exactly size bytes of it, checksum verified.
func (e packEntry) inflate(limit int64) ([]byte, error) {
	if e.size > limit {
		return nil, fmt.Errorf("inflate %d bytes: %w", e.size, ErrTooLarge)
	}
	if e.size/maxInflate > int64(len(e.body)) {
		return nil, fmt.Errorf("%w: %d bytes claimed", errBadPack, e.size)
	}
	z, err := gsync.GetZlibReader(bytes.NewReader(e.body))
	if err != nil {
		return nil, fmt.Errorf("inflate: %w", err)
	}
	defer gsync.PutZlibReader(z)
	data := make([]byte, e.size)
	if _, err := io.ReadFull(z.Reader, data); err != nil {
		return nil, fmt.Errorf("inflate: %w", err)
	}
	// The end of the stream must follow: only there zlib checks its checksum.
	var past [1]byte
	if n, err := z.Reader.Read(past[:]); n != 0 || !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("inflate past %d bytes: %w", e.size, errors.Join(errBadPack, err))
	}
	return data, nil
}

func (e packEntry) objectType() ObjectType {
	switch e.kind {
	case entryCommit:
		return TypeCommit
	case entryTree:
		return TypeTree
	case entryTag:
		return TypeTag
	default:
		return TypeBlob
	}
}
