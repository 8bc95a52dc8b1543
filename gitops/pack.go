package gitops

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/go-git/go-git/v5/plumbing/format/packfile"
)

const (
	packHeader = 12 // "PACK", version, count
	// maxDeltaDepth is git's own ceiling (OE_DEPTH_BITS). It also ends a cycle
	// of ref-deltas.
	maxDeltaDepth = 4095
)

// pack is one .pack and its .idx, both mapped at first use. All methods are safe
// for concurrent use: nothing is changed after it was mapped.
//
// Entries are read here and not by go-git's packfile.Packfile, which recurses
// without a bound (a cycle of ref-deltas overflows the stack, and Go cannot
// recover from that), asks the index for the name of every ofs-delta's base (a
// reverse map, or a scan), hashes every base for its cache, and keeps a
// truncated base there. BenchmarkReadPackedBlobGoGit has the figures. Its
// PatchDelta is used.
type pack struct {
	base   string // path without suffix
	index  func() (*packIndex, error)
	body   func() ([]byte, error)
	cache  *deltaCache
	failed atomic.Bool // idx or pack not usable: gone, or corrupt
	gone   atomic.Bool // not usable because it was removed

	mu     sync.Mutex
	mapped [][]byte
}

func newPack(base string, cache *deltaCache) *pack {
	p := &pack{base: base, cache: cache}
	p.index = sync.OnceValues(p.openIndex)
	p.body = sync.OnceValues(p.openBody)
	return p
}

func (p *pack) openIndex() (*packIndex, error) {
	data, err := p.mapSuffix(".idx")
	if err != nil {
		return nil, err
	}
	x, err := newPackIndex(data)
	if err != nil {
		p.failed.Store(true)
		return nil, fmt.Errorf("read %q: %w", p.base+".idx", err)
	}
	return x, nil
}

// openBody maps the pack and checks that it is the one that the index was made for.
func (p *pack) openBody() ([]byte, error) {
	x, err := p.index()
	if err != nil {
		return nil, err
	}
	data, err := p.mapSuffix(".pack")
	if err != nil {
		return nil, err
	}
	end := len(data) - sha1Len
	if end < packHeader || string(data[:4]) != "PACK" || !bytes.Equal(data[end:], x.packSum()) ||
		int64(binary.BigEndian.Uint32(data[8:])) != int64(x.count) {
		p.failed.Store(true)
		return nil, fmt.Errorf("read %q: %w: not the index's pack", p.base+".pack", errBadPack)
	}
	return data[:end], nil
}

func (p *pack) mapSuffix(suffix string) ([]byte, error) {
	data, err := mapFile(p.base + suffix)
	if err != nil {
		p.gone.Store(errors.Is(err, fs.ErrNotExist))
		p.failed.Store(true)
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mapped = append(p.mapped, data)
	return data, nil
}

// close unmaps; no read may be under way or follow.
func (p *pack) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failed.Store(true)
	for _, data := range p.mapped {
		_ = unmapFile(data)
	}
	p.mapped = nil
}

// find looks id up; a pack that cannot be used holds nothing.
func (p *pack) find(id []byte) (int64, bool) {
	if p.failed.Load() {
		return 0, false
	}
	x, err := p.index()
	if err != nil {
		return 0, false
	}
	offset, ok, err := x.find(id)
	return offset, ok && err == nil
}

// read returns the object whose entry starts at offset.
func (p *pack) read(offset, limit int64) (ObjectType, []byte, error) {
	body, err := p.body()
	if err != nil {
		return "", nil, err
	}
	deltas, found, err := p.chain(body, offset, limit)
	if err != nil {
		return "", nil, err
	}
	data := found.data
	if len(deltas) == 0 && found.shared {
		data = bytes.Clone(data) // the cache's: the caller may write into his
	}
	at := found.offset
	for _, d := range slices.Backward(deltas) {
		p.cache.put(deltaKey{p, at}, found.kind, data)
		if data, err = d.apply(data, limit); err != nil {
			return "", nil, err
		}
		at = d.offset
	}
	return found.kind, data, nil
}

// packBase is the undeltified end of a chain, or a cached step of it.
type packBase struct {
	kind   ObjectType
	data   []byte
	offset int64
	shared bool // the slice is the cache's
}

// packDelta is a delta on the way to it.
type packDelta struct {
	packEntry
	offset int64
}

// chain collects the deltas from offset down to the first base that is whole.
func (p *pack) chain(body []byte, offset, limit int64) ([]packDelta, packBase, error) {
	var deltas []packDelta
	for len(deltas) <= maxDeltaDepth {
		if kind, data, ok := p.cache.get(deltaKey{p, offset}); ok {
			return deltas, packBase{kind, data, offset, true}, nil
		}
		e, err := readPackEntry(body, offset)
		if err != nil {
			return nil, packBase{}, err
		}
		if e.kind != entryOfs && e.kind != entryRef {
			data, err := e.inflate(limit)
			return deltas, packBase{e.objectType(), data, offset, false}, err
		}
		deltas = append(deltas, packDelta{e, offset})
		if offset, err = p.baseOffset(e); err != nil {
			return nil, packBase{}, err
		}
	}
	return nil, packBase{}, fmt.Errorf("%w: delta chain deeper than %d", errBadPack, maxDeltaDepth)
}

// baseOffset finds the base of a delta, which must lie in the same pack: git
// completes thin packs before it stores them.
func (p *pack) baseOffset(e packEntry) (int64, error) {
	if e.kind == entryOfs {
		return e.base, nil
	}
	offset, ok := p.find(e.ref)
	if !ok {
		return 0, fmt.Errorf("%w: delta base %x not in the pack", errBadPack, e.ref)
	}
	return offset, nil
}

// apply makes the object from its base.
func (d packDelta) apply(base []byte, limit int64) ([]byte, error) {
	delta, err := d.inflate(limit)
	if err != nil {
		return nil, err
	}
	_, n := binary.Uvarint(delta) // the size of the base; PatchDelta checks it
	if n <= 0 {
		return nil, fmt.Errorf("%w: delta header", errBadPack)
	}
	size, n := binary.Uvarint(delta[n:])
	if n <= 0 {
		return nil, fmt.Errorf("%w: delta header", errBadPack)
	}
	if size > uint64(limit) {
		return nil, fmt.Errorf("apply delta to %d bytes: %w", size, ErrTooLarge)
	}
	data, err := packfile.PatchDelta(base, delta)
	if err != nil {
		return nil, fmt.Errorf("apply delta: %w", err)
	}
	return data, nil
}
