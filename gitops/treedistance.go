package gitops

import (
	"context"
	"os"
	"path/filepath"
	"strings"
)

// TreeDistance counts the entries of want's tree that have's does not hold at the same
// place, up to limit. What both share is not looked into, so that two trees that differ
// little cost little; a subtree that have lacks whole is looked into like any other.
func (r *Repo) TreeDistance(ctx context.Context, want, have Hash, limit int) (int, error) {
	a, err := r.treeOf(ctx, want)
	if err != nil {
		return 0, err
	}
	b, err := r.treeOf(ctx, have)
	if err != nil {
		return 0, err
	}
	d := treeDiffer{reader: r.objects, limit: limit}
	err = d.walk(ctx, a, b, 0)
	return d.count, err
}

type treeDiffer struct {
	reader       objectReader
	count, limit int
}

func (d *treeDiffer) walk(ctx context.Context, want, have Hash, depth int) error {
	if want == have || depth > maxTreeDepth {
		return nil
	}
	a, err := readTree(ctx, d.reader, want)
	if err != nil {
		return err
	}
	b, err := readTree(ctx, d.reader, have)
	if err != nil {
		return err
	}
	there := make(map[string]TreeEntry, len(b))
	for _, e := range b {
		there[e.Name] = e
	}
	for _, e := range a {
		other := there[e.Name]
		switch {
		case d.count >= d.limit:
			return nil
		case other == e:
		case e.Mode != ModeTree:
			d.count++
		default:
			if other.Mode != ModeTree {
				other.Hash = ""
			}
			if err := d.walk(ctx, e.Hash, other.Hash, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// GuessTip tells the commit that a worktree's HEAD is at, as far as that can be seen
// without a process; "" where not. It may be wrong: good for a choice between ways that
// are all right, and for nothing else.
func (r *Repo) GuessTip(wt Worktree) Hash {
	if wt.Branch == "" {
		return wt.Head
	}
	if !ValidRefName(wt.Branch) {
		return ""
	}
	text, err := os.ReadFile(filepath.Join(r.commonDir, filepath.FromSlash(string(wt.Branch))))
	if h := Hash(strings.TrimSpace(string(text))); err == nil && h.Valid() {
		return h
	}
	packed, err := os.ReadFile(filepath.Join(r.commonDir, "packed-refs"))
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(packed)) {
		if id, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " "); ok && name == string(wt.Branch) && Hash(id).Valid() {
			return Hash(id)
		}
	}
	return ""
}
