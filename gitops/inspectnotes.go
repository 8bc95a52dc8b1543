package gitops

import (
	"context"
	"fmt"
	"strings"
)

// NotePlace is one note blob and where it lies in its tree.
type NotePlace struct {
	NoteEntry
	Depth int  // levels of fan-out above it
	Mixed bool // its level holds notes beside fan-out folders
}

// NotesWalk looks through the trees of several notes commits, each tree once. The
// zero value has seen none.
type NotesWalk struct {
	Repo  *Repo
	seen  map[NoteEntry]bool // a tree, and the digits of its place
	steps int
}

// Add lists the notes of a notes commit that lie in trees which no commit before
// it had. Trees that are alike cost nothing.
func (n *NotesWalk) Add(ctx context.Context, commit Hash) ([]NotePlace, error) {
	tree, err := n.Repo.treeOf(ctx, commit)
	if err != nil {
		return nil, err
	}
	if n.seen == nil {
		n.seen = map[NoteEntry]bool{}
	}
	var out []NotePlace
	err = n.walk(ctx, tree, "", len(tree), &out)
	return out, err
}

func (n *NotesWalk) walk(ctx context.Context, tree Hash, prefix string, digits int, out *[]NotePlace) error {
	at := NoteEntry{Hash(prefix), tree}
	if n.seen[at] {
		return nil
	}
	n.seen[at] = true
	entries, err := readTree(ctx, n.Repo.objects, tree)
	if err != nil {
		return fmt.Errorf("list notes: %w", err)
	}
	if n.steps += 1 + len(entries); n.steps > maxTreeSteps {
		return fmt.Errorf("list notes: %w: tree too large", errMalformed)
	}
	rest := digits - len(prefix)
	folders := false
	for _, e := range entries {
		folders = folders || rest > 2 && isNoteDir(e)
	}
	for _, e := range entries {
		switch {
		case isNoteFile(e, rest):
			place := NotePlace{NoteEntry{Hash(prefix + strings.ToLower(e.Name)), e.Hash}, len(prefix) / 2, folders}
			*out = append(*out, place)
		case rest > 2 && isNoteDir(e):
			if err := n.walk(ctx, e.Hash, prefix+strings.ToLower(e.Name), digits, out); err != nil {
				return err
			}
		}
	}
	return nil
}

// NoteTexts reads the blobs of the given notes, one text for each, in their order.
func (r *Repo) NoteTexts(ctx context.Context, places []NotePlace) ([][]byte, error) {
	blobs := make([]Hash, len(places))
	for i, p := range places {
		blobs[i] = p.Blob
	}
	return r.objects.readBlobs(ctx, blobs)
}
