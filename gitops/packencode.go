package gitops

import (
	"bytes"
	"fmt"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/idxfile"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/plumbing/storer"
)

// packSource hands the objects to go-git's encoder, which asks a storer for no
// more than EncodedObject; anything else would be a nil call and fail loudly.
type packSource struct {
	storer.EncodedObjectStorer
	objects map[plumbing.Hash]*plumbing.MemoryObject
}

// EncodedObject implements the encoder's only question.
func (s packSource) EncodedObject(_ plumbing.ObjectType, h plumbing.Hash) (plumbing.EncodedObject, error) {
	o, ok := s.objects[h]
	if !ok {
		return nil, plumbing.ErrObjectNotFound
	}
	return o, nil
}

// encodePack makes one pack without deltas, and its version 2 index by parsing
// that pack again: what we place was read back once, every object hashed anew.
func encodePack(objects []rawObject) (pack, index []byte, err error) {
	source := packSource{objects: make(map[plumbing.Hash]*plumbing.MemoryObject, len(objects))}
	hashes := make([]plumbing.Hash, 0, len(objects))
	for _, o := range objects {
		kind, err := plumbing.ParseObjectType(string(o.kind))
		if err != nil {
			return nil, nil, fmt.Errorf("object type %q: %w", o.kind, err)
		}
		m := &plumbing.MemoryObject{}
		m.SetType(kind)
		if _, err := m.Write(o.data); err != nil {
			return nil, nil, err
		}
		source.objects[m.Hash()] = m
		hashes = append(hashes, m.Hash())
	}
	var buf bytes.Buffer
	if _, err := packfile.NewEncoder(&buf, source, false).Encode(hashes, 0); err != nil {
		return nil, nil, fmt.Errorf("write entries: %w", err)
	}
	index, err = encodePackIndex(buf.Bytes(), len(source.objects))
	return buf.Bytes(), index, err
}

// encodePackIndex parses a pack of count objects and writes its index.
func encodePackIndex(pack []byte, count int) ([]byte, error) {
	entries := &idxfile.Writer{}
	parser, err := packfile.NewParser(packfile.NewScanner(bytes.NewReader(pack)), entries)
	if err != nil {
		return nil, err
	}
	if _, err := parser.Parse(); err != nil {
		return nil, fmt.Errorf("read back: %w", err)
	}
	index, err := entries.Index()
	if err != nil {
		return nil, err
	}
	if n, err := index.Count(); err != nil || n != int64(count) {
		return nil, fmt.Errorf("read back %d objects instead of %d", n, count)
	}
	var buf bytes.Buffer
	if _, err := idxfile.NewEncoder(&buf).Encode(index); err != nil {
		return nil, fmt.Errorf("write index: %w", err)
	}
	return buf.Bytes(), nil
}
