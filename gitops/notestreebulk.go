package gitops

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// notesSetAll is notesSet for many notes, each target once. Each tree of the result
// is read and written once, however many notes change below it. The result may be
// cut into directories elsewhere than by single sets; it lists the same notes.
func (s *objectStore) notesSetAll(ctx context.Context, w *ObjectWriter, tree Hash, list []Note) (Hash, error) {
	items := make([]*bulkNote, len(list))
	for i, n := range list {
		if len(n.Content) == 0 {
			return "", errors.New("set note: content is empty")
		}
		if !n.Target.Valid() || len(n.Target) != 2*s.hashLen() {
			return "", fmt.Errorf("note: %q is no object id here", n.Target)
		}
		items[i] = &bulkNote{content: n.Content, rest: string(n.Target)}
	}
	b := noteBulk{w: w}
	entries, err := readTree(ctx, w, tree)
	if err != nil {
		return "", fmt.Errorf("read notes: %w", err)
	}
	if entries, err = b.level(ctx, entries, 2*s.hashLen(), items); err != nil {
		return "", fmt.Errorf("write notes: %w", err)
	}
	return w.rawTree(entries)
}

// bulkNote is a note on its way down the fan-out.
type bulkNote struct {
	content []byte
	rest    string // the target's digits below the level that it is on
	found   []Hash // its notes at the levels above and here, from the root down
}

type noteBulk struct{ w *ObjectWriter }

// noteGroup is what goes into one directory of a level.
type noteGroup struct {
	tree  Hash        // what stands there, "" for a new directory
	moved []TreeEntry // notes of this level that move there
	items []*bulkNote
}

// level puts the items on one level of the tree, or below it, and returns the
// level's entries.
func (b *noteBulk) level(ctx context.Context, entries []TreeEntry, digits int, items []*bulkNote) ([]TreeEntry, error) {
	files, dirs := noteIndex(entries, digits)
	groups := map[string]*noteGroup{}
	here, gone := []*bulkNote{}, map[int]bool{}
	for _, it := range items {
		at, stands := files[it.rest]
		if stands {
			it.found = append(it.found, entries[at].Hash)
			gone[at] = true
		}
		d, below := dirs[it.rest[:2]]
		switch {
		case digits > 2 && below:
			group(groups, it.rest[:2]).take(it, entries[d].Hash)
		case stands || len(dirs) == 0 || digits <= 2:
			here = append(here, it)
		default:
			group(groups, it.rest[:2]).take(it, "")
		}
	}
	out := []TreeEntry{}
	split := digits > 2 && len(dirs) == 0 && len(files)-len(gone)+len(here) > flatLimit(digits)
	for i, e := range entries {
		name := strings.ToLower(e.Name)
		switch {
		case gone[i]:
		case split && isNoteFile(e, digits):
			g := group(groups, name[:2])
			g.moved = append(g.moved, TreeEntry{name[2:], e.Mode, e.Hash})
		case groups[name] != nil && dirs[name] == i && isNoteDir(e): // written anew below
		default:
			out = append(out, e)
		}
	}
	for _, it := range here {
		if split {
			group(groups, it.rest[:2]).take(it, "")
			continue
		}
		blob, err := b.blob(ctx, it)
		if err != nil {
			return nil, err
		}
		out = append(out, TreeEntry{it.rest, ModeFile, blob})
	}
	return b.descend(ctx, out, groups, digits)
}

// descend writes the directories of a level and adds them to its entries.
func (b *noteBulk) descend(ctx context.Context, out []TreeEntry, groups map[string]*noteGroup, digits int) ([]TreeEntry, error) {
	for _, dir := range slices.Sorted(maps.Keys(groups)) {
		g := groups[dir]
		entries, err := readTree(ctx, b.w, g.tree)
		if err != nil {
			return nil, err
		}
		for _, it := range g.items {
			it.rest = it.rest[2:]
		}
		if entries, err = b.level(ctx, append(entries, g.moved...), digits-2, g.items); err != nil {
			return nil, err
		}
		tree, err := b.w.rawTree(entries)
		if err != nil {
			return nil, err
		}
		out = append(out, TreeEntry{dir, ModeTree, tree})
	}
	return out, nil
}

// blob writes the item's text. Where several notes stood on its target, the text of
// theirs that it lacks is added, as notesSet does.
func (b *noteBulk) blob(ctx context.Context, it *bulkNote) (Hash, error) {
	if len(it.found) > 1 {
		for _, h := range it.found {
			text, err := readBlob(ctx, b.w, h)
			if err != nil {
				return "", err
			}
			if !bytes.Contains(it.content, bytes.TrimSpace(text)) {
				it.content = joinNotes(it.content, text)
			}
		}
	}
	return b.w.Blob(it.content), nil
}

// noteIndex finds a level's notes and directories by their digits. Of a name that
// stands there in both cases the last counts, as on the way of a single note.
func noteIndex(entries []TreeEntry, digits int) (files, dirs map[string]int) {
	files, dirs = map[string]int{}, map[string]int{}
	for i, e := range entries {
		switch {
		case isNoteFile(e, digits):
			files[strings.ToLower(e.Name)] = i
		case digits > 2 && isNoteDir(e):
			dirs[strings.ToLower(e.Name)] = i
		}
	}
	return files, dirs
}

// flatLimit is how many notes a level with so many digits left holds undivided.
func flatLimit(digits int) int {
	if digits == 40 || digits == 64 {
		return maxFlatRoot
	}
	return maxFlatBelow
}

func group(groups map[string]*noteGroup, dir string) *noteGroup {
	if groups[dir] == nil {
		groups[dir] = &noteGroup{}
	}
	return groups[dir]
}

func (g *noteGroup) take(it *bulkNote, tree Hash) {
	g.items = append(g.items, it)
	g.tree = cmp.Or(g.tree, tree)
}
