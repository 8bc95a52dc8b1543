package gitops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// ObjectWriter collects new objects in memory until Flush writes them all. An
// object is written even if the repository has it: the copy that is there may be
// unreachable and about to be pruned. It is safe for concurrent use.
type ObjectWriter struct {
	store *objectStore

	mu      sync.Mutex
	order   []Hash
	pending map[Hash]rawObject
	err     error // the first object that could not be made
}

// rawObject is an object's type and content.
type rawObject struct {
	kind ObjectType
	data []byte
}

// newWriter makes an empty writer.
func (s *objectStore) newWriter() *ObjectWriter {
	return &ObjectWriter{store: s, pending: map[Hash]rawObject{}}
}

// Blob adds a blob. The writer keeps data: do not change it afterwards.
func (w *ObjectWriter) Blob(data []byte) Hash { return w.add(TypeBlob, data) }

// Tree adds a tree of the entries, in any order. Names that git would refuse
// (empty, with a slash or NUL, ".", "..", ".git" in any case) are an error.
func (w *ObjectWriter) Tree(entries []TreeEntry) (Hash, error) {
	if err := checkTree(entries); err != nil {
		return "", err
	}
	return w.rawTree(entries)
}

// rawTree is Tree for entries that partly stood in a tree before.
func (w *ObjectWriter) rawTree(entries []TreeEntry) (Hash, error) {
	data, err := encodeTree(entries, w.store.hashLen())
	if err != nil {
		return "", err
	}
	return w.add(TypeTree, data), nil
}

// Commit adds a commit. Names, emails and the message are scrubbed as git does;
// ids or headers that cannot be written give the empty Hash, and Flush fails.
func (w *ObjectWriter) Commit(c CommitData) Hash {
	data, err := encodeCommit(c)
	return w.addOrFail(TypeCommit, data, err)
}

// Tag adds an annotated tag object; errors are treated as in Commit.
func (w *ObjectWriter) Tag(t TagData) Hash {
	data, err := encodeTag(t)
	return w.addOrFail(TypeTag, data, err)
}

func (w *ObjectWriter) addOrFail(kind ObjectType, data []byte, err error) Hash {
	if err == nil {
		return w.add(kind, data)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.err = firstErr(w.err, err)
	return ""
}

// firstErr keeps the first error.
func firstErr(first, next error) error {
	if first != nil {
		return first
	}
	return next
}

func (w *ObjectWriter) add(kind ObjectType, data []byte) Hash {
	h := hashObject(w.store.cfg.SHA256, kind, data)
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, ok := w.pending[h]; !ok {
		w.order = append(w.order, h)
		w.pending[h] = rawObject{kind, data}
	}
	return h
}

// read returns an object of the writer, flushed or not, or of its store.
func (w *ObjectWriter) read(ctx context.Context, h Hash) (ObjectType, []byte, error) {
	w.mu.Lock()
	o, ok := w.pending[h]
	w.mu.Unlock()
	if ok {
		return o.kind, bytes.Clone(o.data), nil
	}
	return w.store.read(ctx, h)
}

// Flush writes the collected objects and empties the writer; after an error they
// stay collected. The objects are safe from a gc beside us until the KeptPack is
// released, which belongs after the refs that hold them were written. SHA-256
// and NoGoGit repositories get loose objects from git, which a `git gc
// --prune=now` may take until a ref holds them: such a transaction is retried.
func (w *ObjectWriter) Flush(ctx context.Context) (*KeptPack, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return nil, fmt.Errorf("write objects: %w", w.err)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	kept := &KeptPack{}
	if len(w.order) > 0 {
		var err error
		if w.store.fast() {
			kept, err = w.writePack()
		} else {
			err = w.writeLoose(ctx)
		}
		if err != nil {
			return nil, fmt.Errorf("write objects: %w", err)
		}
	}
	w.order, w.pending = nil, map[Hash]rawObject{}
	return kept, nil
}

// writeLoose lets git write each object. The order in which they were made has
// children before parents, since a parent needs its child's id.
func (w *ObjectWriter) writeLoose(ctx context.Context) error {
	for _, h := range slices.Clone(w.order) {
		o := w.pending[h]
		out, err := w.store.cfg.Git(ctx, bytes.NewReader(o.data), "hash-object", "-w", "-t", string(o.kind), "--stdin")
		if err != nil {
			return fmt.Errorf("write %s %q: %w", o.kind, h, err)
		}
		if got := strings.TrimSpace(string(out)); got != string(h) {
			return fmt.Errorf("write %s %q: git hashed it to %q", o.kind, h, got)
		}
	}
	return nil
}

// writePack encodes and places the pack.
func (w *ObjectWriter) writePack() (*KeptPack, error) {
	if len(w.store.cfg.Dirs) == 0 {
		return nil, errors.New("no object directory")
	}
	objects := make([]rawObject, len(w.order))
	for i, h := range w.order {
		objects[i] = w.pending[h]
	}
	pack, index, err := encodePack(objects)
	if err != nil {
		return nil, fmt.Errorf("encode pack: %w", err)
	}
	return w.store.placePack(pack, index)
}
