package gitops

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
)

// packSet is the packs of all object directories. It is safe for concurrent use.
type packSet struct {
	dirs  func() []string
	cache *deltaCache
	last  atomic.Pointer[pack] // the latest hit, tried first

	mu      sync.RWMutex
	scanned bool
	packs   []*pack
	retired []*pack // gone, perhaps still read from; unmapped by close
}

// locate finds the pack and offset of an object.
func (s *packSet) locate(id []byte) (*pack, int64, bool) {
	if p := s.last.Load(); p != nil {
		if offset, ok := p.find(id); ok {
			return p, offset, true
		}
	}
	for _, p := range s.list() {
		if offset, ok := p.find(id); ok {
			s.last.Store(p)
			return p, offset, true
		}
	}
	return nil, 0, false
}

func (s *packSet) list() []*pack {
	s.mu.RLock()
	packs, ok := s.packs, s.scanned
	s.mu.RUnlock()
	if ok {
		return packs
	}
	return s.rescan()
}

// rescan looks for packs that came since. A pack that went stays as long as it
// is mapped, so a repack beside us takes nothing away; one that went before it
// was mapped is looked for again; one that is corrupt is left to git.
func (s *packSet) rescan() []*pack {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := make(map[string]bool, len(s.packs))
	packs := make([]*pack, 0, len(s.packs))
	for _, p := range s.packs {
		if p.gone.Load() {
			s.retired = append(s.retired, p)
			continue
		}
		known[p.base] = true
		packs = append(packs, p)
	}
	for _, dir := range s.dirs() {
		for _, base := range packBases(filepath.Join(dir, "pack")) {
			if !known[base] {
				known[base] = true
				packs = append(packs, newPack(base, s.cache))
			}
		}
	}
	s.packs, s.scanned = packs, true
	return packs
}

// packBases lists the packs of a directory that have an index, without suffix.
func packBases(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // no packs yet, or not readable: then git is asked
	}
	var bases []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".idx"); ok && strings.HasPrefix(name, "pack-") {
			bases = append(bases, filepath.Join(dir, name))
		}
	}
	return bases
}

// forget drops the pack that was discarded.
func (s *packSet) forget(base string) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, p := range s.packs {
		if p.base == base {
			p.gone.Store(true)
			p.failed.Store(true)
		}
	}
}

// close unmaps everything; no read may be under way.
func (s *packSet) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range append(s.packs, s.retired...) {
		p.close()
	}
	s.packs, s.retired, s.scanned = nil, nil, true
	s.last.Store(nil)
}
