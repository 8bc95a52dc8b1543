package gitops

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// notesList lists all notes of a tree, in the tree's order. A target with notes at
// several depths is listed as often, the deepest first.
func (s *objectStore) notesList(ctx context.Context, tree Hash) ([]NoteEntry, error) {
	l := noteLister{reader: s, digits: len(tree)}
	err := l.walk(ctx, tree, "")
	return l.out, err
}

type noteLister struct {
	reader objectReader
	digits int
	out    []NoteEntry
	steps  int
}

func (l *noteLister) walk(ctx context.Context, tree Hash, prefix string) error {
	entries, err := readTree(ctx, l.reader, tree)
	if err != nil {
		return fmt.Errorf("list notes: %w", err)
	}
	if l.steps += 1 + len(entries); l.steps > maxTreeSteps {
		return fmt.Errorf("list notes: %w: tree too large", errMalformed)
	}
	rest := l.digits - len(prefix)
	for _, e := range entries {
		switch {
		case isNoteFile(e, rest):
			l.out = append(l.out, NoteEntry{Hash(prefix + strings.ToLower(e.Name)), e.Hash})
		case rest > 2 && isNoteDir(e):
			if err := l.walk(ctx, e.Hash, prefix+strings.ToLower(e.Name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// notesContents reads the notes of a list, in its order. Several notes on one
// target become one, at the first one's place, as notesGet joins them.
func (s *objectStore) notesContents(ctx context.Context, list []NoteEntry) ([]Note, error) {
	blobs := make([]Hash, len(list))
	for i, e := range list {
		blobs[i] = e.Blob
	}
	texts, err := s.readBlobs(ctx, blobs)
	if err != nil {
		return nil, fmt.Errorf("read notes: %w", err)
	}
	at := make(map[Hash]int, len(list))
	seen := make(map[NoteEntry]bool)
	notes := make([]Note, 0, len(list))
	for i, e := range list {
		k, ok := at[e.Target]
		if !ok {
			at[e.Target] = len(notes)
			notes = append(notes, Note{e.Target, texts[i]})
			seen[e] = true
			continue
		}
		if !seen[e] {
			seen[e] = true
			notes[k].Content = joinNotes(notes[k].Content, texts[i])
		}
	}
	return notes, nil
}

// blobPlace is where one of many blobs lies.
type blobPlace struct {
	pack   *pack
	offset int64
	i      int // its place in the question
}

// readBlobs reads many blobs, those in packs in the order in which they lie there,
// by as many goroutines as there are processors.
func (s *objectStore) readBlobs(ctx context.Context, blobs []Hash) ([][]byte, error) {
	texts := make([][]byte, len(blobs))
	places := s.places(blobs)
	workers := max(1, min(runtime.GOMAXPROCS(0), len(places)/512))
	errs := make([]error, workers)
	var wg sync.WaitGroup
	for n, part := range slices.Collect(slices.Chunk(places, (len(places)+workers)/workers)) {
		wg.Go(func() {
			for _, p := range part {
				if texts[p.i], errs[n] = s.readBlobAt(ctx, p, blobs[p.i]); errs[n] != nil {
					return
				}
			}
		})
	}
	wg.Wait()
	return texts, firstError(errs)
}

func firstError(errs []error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// places finds the packed blobs and sorts by pack and offset.
func (s *objectStore) places(blobs []Hash) []blobPlace {
	s.life.RLock()
	defer s.life.RUnlock()
	places := make([]blobPlace, len(blobs))
	order := map[*pack]int{nil: 0}
	_ = guardFaults(func() error { // what is not found is read one by one
		for i, h := range blobs {
			places[i].i = i
			id, err := hex.DecodeString(string(h))
			if err != nil || !s.fast() || s.closed || len(id) != sha1Len {
				continue
			}
			if p, offset, ok := s.packs.locate(id); ok {
				places[i] = blobPlace{p, offset, i}
				if _, ok := order[p]; !ok {
					order[p] = len(order)
				}
			}
		}
		return nil
	})
	slices.SortFunc(places, func(a, b blobPlace) int {
		return cmp.Or(cmp.Compare(order[a.pack], order[b.pack]), cmp.Compare(a.offset, b.offset))
	})
	return places
}

// readBlobAt reads a blob from its place, and anything unexpected the long way.
func (s *objectStore) readBlobAt(ctx context.Context, p blobPlace, h Hash) ([]byte, error) {
	if ctx.Err() == nil && p.pack != nil {
		if data, ok := s.tryPlace(p); ok {
			return data, nil
		}
	}
	return readBlob(ctx, s, h)
}

func (s *objectStore) tryPlace(p blobPlace) (data []byte, ok bool) {
	s.life.RLock()
	defer s.life.RUnlock()
	if s.closed {
		return nil, false
	}
	var kind ObjectType
	err := guardFaults(func() (err error) {
		kind, data, err = p.pack.read(p.offset, maxObject)
		return err
	})
	return data, err == nil && kind == TypeBlob
}
