package gitops

import (
	"cmp"
	"context"
	"fmt"
	"slices"
)

// treeChange is a path whose entry differs between two trees; the zero entry is none.
type treeChange struct {
	path     string
	from, to TreeEntry
}

// treeChanges lists what differs between two commits' trees, as `git diff-tree -r` does
// without looking for renames, in git's order. What both share is not read.
func (r *Repo) treeChanges(ctx context.Context, from, to Hash) ([]treeChange, error) {
	a, err := r.treeOf(ctx, from)
	if err != nil {
		return nil, err
	}
	b, err := r.treeOf(ctx, to)
	if err != nil {
		return nil, err
	}
	c := treeComparer{reader: r.objects}
	if err := c.walk(ctx, a, b, "", 0); err != nil {
		return nil, err
	}
	slices.SortFunc(c.out, func(x, y treeChange) int { return cmp.Compare(x.path, y.path) })
	return c.out, nil
}

type treeComparer struct {
	reader objectReader
	out    []treeChange
	steps  int
}

// walk compares two trees, "" for none.
func (c *treeComparer) walk(ctx context.Context, from, to Hash, prefix string, depth int) error {
	if from == to {
		return nil
	}
	a, err := readTree(ctx, c.reader, from)
	if err != nil {
		return fmt.Errorf("compare %q: %w", prefix, err)
	}
	b, err := readTree(ctx, c.reader, to)
	if err != nil {
		return fmt.Errorf("compare %q: %w", prefix, err)
	}
	c.steps += 1 + len(a) + len(b)
	if depth > maxTreeDepth || c.steps > maxTreeSteps {
		return fmt.Errorf("compare %q: %w: tree too deep or too large", prefix, errMalformed)
	}
	there := make(map[string]TreeEntry, len(b))
	for _, e := range b {
		there[e.Name] = e
	}
	for _, e := range a {
		other := there[e.Name]
		delete(there, e.Name)
		if err := c.entry(ctx, e, other, prefix, depth); err != nil {
			return err
		}
	}
	for _, e := range there {
		if err := c.entry(ctx, TreeEntry{}, e, prefix, depth); err != nil {
			return err
		}
	}
	return nil
}

// entry compares what stands at one name; a folder and a file there are two paths' ends.
func (c *treeComparer) entry(ctx context.Context, from, to TreeEntry, prefix string, depth int) error {
	name := prefix + cmp.Or(from.Name, to.Name)
	from.Mode, to.Mode = from.Mode.canonical(), to.Mode.canonical()
	var dirs [2]Hash
	for i, e := range []*TreeEntry{&from, &to} {
		if e.Mode == ModeTree {
			dirs[i], *e = e.Hash, TreeEntry{}
		}
	}
	if from.Mode != to.Mode || from.Hash != to.Hash {
		c.out = append(c.out, treeChange{name, from, to})
	}
	return c.walk(ctx, dirs[0], dirs[1], name+"/", depth+1)
}

// canonical is the mode as git shows it: old writers kept more bits of it.
func (m Mode) canonical() Mode {
	const kind, file, anyExec = 0o170000, 0o100000, 0o100
	switch {
	case m&kind != file:
		return m & kind
	case m&anyExec != 0:
		return ModeExec
	}
	return ModeFile
}

// side is an entry as git's raw diff spells it.
func (e TreeEntry) side() side {
	if e.Mode == 0 {
		return side{}
	}
	return side{fmt.Sprintf("%06o", uint32(e.Mode)), string(e.Hash)}
}
