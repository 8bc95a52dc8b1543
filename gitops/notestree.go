package gitops

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
)

// NoteEntry is one note in a notes tree: the object that it speaks of and the
// blob that holds its text.
type NoteEntry struct {
	Target Hash
	Blob   Hash
}

// noteLevel is one tree on a target's way down the fan-out. Git cuts the
// target's digits into directories of two at any depth, and different depths may
// stand in one tree (git's notes.c).
type noteLevel struct {
	entries []TreeEntry
	rest    string // the target's digits below this level
	note    int    // index of the target's note, or -1
	dir     int    // index of the directory on the target's way, or -1
}

// noteLevels reads the trees on target's way: at most one a pair of digits,
// whatever the number of notes.
func noteLevels(ctx context.Context, r objectReader, tree, target Hash) ([]noteLevel, error) {
	if !target.Valid() {
		return nil, fmt.Errorf("note: %q is no object id", target)
	}
	var levels []noteLevel
	for rest := string(target); ; rest = rest[2:] {
		entries, err := readTree(ctx, r, tree)
		if err != nil {
			return nil, fmt.Errorf("note on %q: %w", target, err)
		}
		l := noteLevel{entries: entries, rest: rest, note: -1, dir: -1}
		for i, e := range entries {
			switch {
			case isNoteFile(e, len(rest)) && strings.EqualFold(e.Name, rest):
				l.note = i
			case len(rest) > 2 && isNoteDir(e) && strings.EqualFold(e.Name, rest[:2]):
				l.dir = i
			}
		}
		levels = append(levels, l)
		if l.dir < 0 {
			return levels, nil
		}
		tree = entries[l.dir].Hash
	}
}

// isNoteFile reports whether e has the form of a note with n digits left.
func isNoteFile(e TreeEntry, n int) bool {
	return len(e.Name) == n && (e.Mode == ModeFile || e.Mode == ModeExec) && isHex(e.Name)
}

// isNoteDir reports whether e has the form of a fan-out directory.
func isNoteDir(e TreeEntry) bool { return len(e.Name) == 2 && e.Mode == ModeTree && isHex(e.Name) }

func isHex(s string) bool {
	for _, c := range []byte(s) {
		if (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'f') {
			return false
		}
	}
	return true
}

// notesGet returns the note on target, nil if there is none.
func (s *objectStore) notesGet(ctx context.Context, tree, target Hash) ([]byte, error) {
	return readNote(ctx, s, tree, target)
}

// readNote is notesGet through any reader, such as a writer's unflushed objects.
func readNote(ctx context.Context, r objectReader, tree, target Hash) ([]byte, error) {
	levels, err := noteLevels(ctx, r, tree, target)
	if err != nil {
		return nil, err
	}
	var blobs []Hash
	for _, l := range slices.Backward(levels) { // git meets the deepest first
		if l.note >= 0 && !slices.Contains(blobs, l.entries[l.note].Hash) {
			blobs = append(blobs, l.entries[l.note].Hash)
		}
	}
	var note []byte
	for _, h := range blobs {
		text, err := readBlob(ctx, r, h)
		if err != nil {
			return nil, fmt.Errorf("note on %q: %w", target, err)
		}
		note = joinNotes(note, text)
	}
	return note, nil
}

func readBlob(ctx context.Context, r objectReader, h Hash) ([]byte, error) {
	kind, data, err := r.read(ctx, h)
	if err == nil && kind != TypeBlob {
		err = fmt.Errorf("%q is a %s", h, kind)
	}
	return data, err
}

// joinNotes concatenates as git does: one blank line between the texts.
func joinNotes(a, b []byte) []byte {
	switch {
	case len(a) == 0:
		return b
	case len(b) == 0:
		return a
	}
	return slices.Concat(bytes.TrimSuffix(a, []byte("\n")), []byte("\n\n"), b)
}
