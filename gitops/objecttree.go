package gitops

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"io/fs"
	"strings"
)

const (
	// maxTreeDepth is git's default for core.maxTreeDepth.
	maxTreeDepth = 2048
	// maxTreeSteps bounds what one flattening or listing visits: a few small
	// trees that hold each other many times over stand for billions of paths.
	maxTreeSteps = 10_000_000
)

// objectReader is what trees and notes are read through: a store, or a writer
// that has objects which no store has yet.
type objectReader interface {
	read(ctx context.Context, h Hash) (ObjectType, []byte, error)
}

// parseTree reads a tree object's content.
func parseTree(data []byte, hashLen int) ([]TreeEntry, error) {
	entries := make([]TreeEntry, 0, bytes.Count(data, []byte{0})/2+1)
	for len(data) > 0 {
		end := bytes.IndexByte(data, 0)
		if end < 0 || len(data)-end-1 < hashLen {
			return nil, fmt.Errorf("%w: tree cut short", errMalformed)
		}
		mode, name, ok := bytes.Cut(data[:end], []byte{' '})
		if !ok || len(name) == 0 {
			return nil, fmt.Errorf("%w: tree entry %q", errMalformed, data[:end])
		}
		m, ok := parseMode(mode)
		if !ok {
			return nil, fmt.Errorf("%w: tree entry mode %q", errMalformed, mode)
		}
		id := data[end+1 : end+1+hashLen]
		entries = append(entries, TreeEntry{string(name), m, Hash(hex.EncodeToString(id))})
		data = data[end+1+hashLen:]
	}
	return entries, nil
}

// parseMode reads octal digits; old writers left a leading zero.
func parseMode(b []byte) (Mode, bool) {
	if len(b) == 0 || len(b) > 7 {
		return 0, false
	}
	var m Mode
	for _, c := range b {
		if c < '0' || c > '7' {
			return 0, false
		}
		m = m<<3 | Mode(c-'0')
	}
	return m, true
}

// readTree reads and parses one tree; "" is the empty one.
func readTree(ctx context.Context, r objectReader, tree Hash) ([]TreeEntry, error) {
	if tree == "" {
		return nil, nil
	}
	kind, data, err := r.read(ctx, tree)
	if err != nil {
		return nil, fmt.Errorf("read tree: %w", err)
	}
	if kind != TypeTree {
		return nil, fmt.Errorf("read tree: %q is a %s", tree, kind)
	}
	return parseTree(data, len(tree)/2)
}

// flattenTree lists all entries that are not trees, with whole paths, in the
// index's order. A subtree that stands at several places is read once.
func (s *objectStore) flattenTree(ctx context.Context, tree Hash) ([]TreeEntry, error) {
	f := treeFlattener{reader: s, trees: map[Hash][]TreeEntry{}}
	err := f.walk(ctx, tree, "", 0)
	return f.out, err
}

type treeFlattener struct {
	reader objectReader
	trees  map[Hash][]TreeEntry
	out    []TreeEntry
	steps  int
}

func (f *treeFlattener) walk(ctx context.Context, tree Hash, prefix string, depth int) error {
	entries, ok := f.trees[tree]
	if !ok {
		var err error
		if entries, err = readTree(ctx, f.reader, tree); err != nil {
			return fmt.Errorf("flatten %q: %w", prefix, err)
		}
		f.trees[tree] = entries
	}
	f.steps += 1 + len(entries)
	if depth > maxTreeDepth || f.steps > maxTreeSteps {
		return fmt.Errorf("flatten %q: %w: tree too deep or too large", prefix, errMalformed)
	}
	for _, e := range entries {
		e.Name = prefix + e.Name
		if e.Mode != ModeTree {
			f.out = append(f.out, e)
			continue
		}
		if err := f.walk(ctx, e.Hash, e.Name+"/", depth+1); err != nil {
			return err
		}
	}
	return nil
}

// lookupPath finds the entry at a slash-separated path; its Name is that path,
// and path "" is the tree itself. An absent path is fs.ErrNotExist.
func (s *objectStore) lookupPath(ctx context.Context, tree Hash, path string) (TreeEntry, error) {
	at := TreeEntry{Mode: ModeTree, Hash: tree}
	if path == "" {
		return at, nil
	}
	for name := range strings.SplitSeq(path, "/") {
		if at.Mode != ModeTree {
			return TreeEntry{}, fmt.Errorf("look up %q: %w", path, fs.ErrNotExist)
		}
		entries, err := readTree(ctx, s, at.Hash)
		if err != nil {
			return TreeEntry{}, fmt.Errorf("look up %q: %w", path, err)
		}
		i := entryIndex(entries, name)
		if i < 0 {
			return TreeEntry{}, fmt.Errorf("look up %q: %w", path, fs.ErrNotExist)
		}
		at = entries[i]
	}
	at.Name = path
	return at, nil
}

func entryIndex(entries []TreeEntry, name string) int {
	for i, e := range entries {
		if e.Name == name {
			return i
		}
	}
	return -1
}
