package gitops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// When a level of the tree holds more notes than this and no fan-out directory
// yet, the next new note splits it: its notes move into directories of two
// digits, once. An append then rewrites only the trees on its way, which stay
// below 256 directories (7 KiB) and maxFlat notes (17 KiB at the root, 68 KiB
// below) at any number of notes. Git's own rule splits earlier (all 16 first digits
// in use twice) and by it 100k notes lie in 65k directories; ours waits below
// the root, since listing reads every directory. Git reads every layout
// and, when it writes, keeps ours or folds it to its own.
const (
	maxFlatRoot  = 256
	maxFlatBelow = 1024
)

// notesSet puts content on target and returns the new tree, whose objects are in
// w (and may have been there before: tree need not be flushed). An existing note
// is replaced where it stands; if git left others on target at other depths, they
// go, and text of theirs that content lacks is appended to it, so that nothing
// is lost. Other entries of the tree stay. tree "" is none.
func (s *objectStore) notesSet(ctx context.Context, w *ObjectWriter, tree, target Hash, content []byte) (Hash, error) {
	if len(content) == 0 {
		return "", errors.New("set note: content is empty")
	}
	levels, err := noteLevels(ctx, w, tree, target)
	if err != nil {
		return "", err
	}
	keep := deepestNote(levels)
	if keep >= 0 {
		if content, err = absorbNotes(ctx, w, levels, keep, content); err != nil {
			return "", fmt.Errorf("note on %q: %w", target, err)
		}
	}
	blob := w.Blob(content)
	if keep >= 0 {
		l := &levels[keep]
		l.entries[l.note].Hash, l.entries[l.note].Mode = blob, ModeFile
	} else if err := placeNote(w, &levels[len(levels)-1], blob); err != nil {
		return "", err
	}
	return writeLevels(w, levels)
}

// deepestNote is the level at which the target's note is kept, or -1.
func deepestNote(levels []noteLevel) int {
	for i, l := range slices.Backward(levels) {
		if l.note >= 0 {
			return i
		}
	}
	return -1
}

// absorbNotes removes target's notes above the one that is kept and returns
// content, with the text of all of them that it lacks.
func absorbNotes(ctx context.Context, r objectReader, levels []noteLevel, keep int, content []byte) ([]byte, error) {
	var others []Hash
	for i := range levels[:keep] {
		l := &levels[i]
		if l.note < 0 {
			continue
		}
		others = append(others, l.entries[l.note].Hash)
		l.remove(l.note)
	}
	if len(others) == 0 {
		return content, nil
	}
	others = append(others, levels[keep].entries[levels[keep].note].Hash)
	for _, h := range others {
		text, err := readBlob(ctx, r, h)
		if err != nil {
			return nil, err
		}
		if !bytes.Contains(content, bytes.TrimSpace(text)) {
			content = joinNotes(content, text)
		}
	}
	return content, nil
}

// remove takes one entry out of the level.
func (l *noteLevel) remove(i int) {
	l.entries = slices.Delete(l.entries, i, i+1)
	if l.dir > i {
		l.dir--
	}
	l.note = -1
}

// placeNote adds a new note to the last level of its way.
func placeNote(w *ObjectWriter, l *noteLevel, blob Hash) error {
	flat, fanned := 0, false
	for _, e := range l.entries {
		if isNoteFile(e, len(l.rest)) {
			flat++
		}
		fanned = fanned || isNoteDir(e)
	}
	l.entries = append(l.entries, TreeEntry{l.rest, ModeFile, blob})
	switch {
	case len(l.rest) <= 2: // the last pair of digits has no level below
		return nil
	case fanned:
		return splitNotes(w, l, func(e TreeEntry) bool { return e.Name == l.rest })
	case flat >= flatLimit(len(l.rest)):
		return splitNotes(w, l, func(e TreeEntry) bool { return isNoteFile(e, len(l.rest)) })
	}
	return nil
}

// splitNotes moves the chosen notes of a level into new directories. A level has
// no directory for them yet: the way of a new note ends above it, and a level
// that is split whole has none at all.
func splitNotes(w *ObjectWriter, l *noteLevel, chosen func(TreeEntry) bool) error {
	below := map[string][]TreeEntry{}
	var stay []TreeEntry
	for _, e := range l.entries {
		if !chosen(e) {
			stay = append(stay, e)
			continue
		}
		dir := strings.ToLower(e.Name[:2])
		e.Name = e.Name[2:]
		below[dir] = append(below[dir], e)
	}
	for dir, entries := range below {
		tree, err := w.rawTree(entries)
		if err != nil {
			return fmt.Errorf("split notes: %w", err)
		}
		stay = append(stay, TreeEntry{dir, ModeTree, tree})
	}
	l.entries = stay
	return nil
}

// writeLevels writes the trees from the deepest up and returns the root.
func writeLevels(w *ObjectWriter, levels []noteLevel) (Hash, error) {
	var tree Hash
	for i, l := range slices.Backward(levels) {
		if i < len(levels)-1 {
			l.entries[l.dir].Hash = tree
		}
		var err error
		if tree, err = w.rawTree(l.entries); err != nil {
			return "", fmt.Errorf("write notes: %w", err)
		}
	}
	return tree, nil
}
