package gitops

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// errBadIndex marks an .idx file that is not a well-formed version 2 index.
var errBadIndex = errors.New("pack index malformed")

const (
	sha1Len     = 20
	idxHeader   = 8           // magic and version
	idxNames    = 8 + 256*4   // where the sorted names start
	idxTrailer  = 2 * sha1Len // pack checksum, index checksum
	idxPerEntry = sha1Len + 4 + 4
	idxLargeBit = 1 << 31
)

// packIndex reads a version 2 .idx in place (gitformat-pack(5)): one fanout
// step and a binary search a lookup, nothing copied, nothing built.
type packIndex struct {
	data    []byte
	count   int
	names   []byte // count × 20, sorted
	offsets []byte // count × 4; the top bit leads into large
	large   []byte // n × 8
}

// newPackIndex checks the frame of data, not its checksum: reading all of a big
// index to verify it would cost more than everything else that a command does.
func newPackIndex(data []byte) (*packIndex, error) {
	if len(data) < idxNames+idxTrailer || string(data[:4]) != "\377tOc" {
		return nil, fmt.Errorf("%w: not version 2", errBadIndex)
	}
	if v := binary.BigEndian.Uint32(data[4:]); v != 2 {
		return nil, fmt.Errorf("%w: version %d", errBadIndex, v)
	}
	x := &packIndex{data: data}
	last := uint32(0)
	for i := range 256 {
		n := x.fanout(i)
		if n < last {
			return nil, fmt.Errorf("%w: fanout not monotonic", errBadIndex)
		}
		last = n
	}
	large := int64(len(data)) - idxNames - idxTrailer - int64(last)*idxPerEntry
	if large < 0 || large%8 != 0 || large/8 > int64(last) {
		return nil, fmt.Errorf("%w: length %d for %d objects", errBadIndex, len(data), last)
	}
	x.count = int(last)
	x.names = data[idxNames : idxNames+x.count*sha1Len]
	at := idxNames + x.count*(sha1Len+4) // past the CRCs
	x.offsets = data[at : at+x.count*4]
	x.large = data[at+x.count*4 : len(data)-idxTrailer]
	return x, nil
}

func (x *packIndex) fanout(i int) uint32 {
	return binary.BigEndian.Uint32(x.data[idxHeader+4*i:])
}

func (x *packIndex) name(i int) []byte { return x.names[i*sha1Len : (i+1)*sha1Len] }

// packSum is the checksum that the pack must end with.
func (x *packIndex) packSum() []byte {
	end := len(x.data) - sha1Len
	return x.data[end-sha1Len : end]
}

// find returns the offset of id in the pack; ok is false if it is not there.
func (x *packIndex) find(id []byte) (offset int64, ok bool, err error) {
	lo, hi := 0, int(x.fanout(int(id[0])))
	if id[0] > 0 {
		lo = int(x.fanout(int(id[0]) - 1))
	}
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		switch c := bytes.Compare(id, x.name(mid)); {
		case c == 0:
			offset, err = x.offset(mid)
			return offset, err == nil, err
		case c < 0:
			hi = mid
		default:
			lo = mid + 1
		}
	}
	return 0, false, nil
}

// offset is where the i-th name's entry starts.
func (x *packIndex) offset(i int) (int64, error) {
	v := binary.BigEndian.Uint32(x.offsets[4*i:])
	if v&idxLargeBit == 0 {
		return int64(v), nil
	}
	k := int(v &^ uint32(idxLargeBit))
	if k >= len(x.large)/8 {
		return 0, fmt.Errorf("%w: large offset %d of %d", errBadIndex, k, len(x.large)/8)
	}
	o := binary.BigEndian.Uint64(x.large[8*k:])
	if o > math.MaxInt64 {
		return 0, fmt.Errorf("%w: offset overflows", errBadIndex)
	}
	return int64(o), nil
}
