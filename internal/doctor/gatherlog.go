package doctor

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"git-okstra/gitops"
	"git-okstra/notes"
)

// Bounds on how far back the notes' reflog is looked through for dropped rows. Every
// end of history that the reflog remembers is looked at, also beyond them.
const (
	maxReflog   = 256   // newest values of which every one is compared
	maxForeign  = 4096  // notes commits of stock git whose parents are compared
	maxNoteLogs = 500e3 // notes commits that are walked at most
)

// readLog reads a task's notes and what its reflog remembers of them.
func (d *Doctor) readLog(ctx context.Context, t *task) log {
	var l log
	walk := &gitops.NotesWalk{Repo: d.Repo}
	places, err := walk.Add(ctx, t.notes)
	if err != nil {
		return log{err: err}
	}
	if l.lines, err = d.lines(ctx, places); err != nil {
		return log{err: err}
	}
	l.twice, l.mixed = layout(places)
	l.rows = order(slices.DeleteFunc(slices.Clone(l.lines), func(x line) bool { return x.ofAnother(t.key) }))
	if c, err := d.Repo.ReadCommit(ctx, t.notes); err == nil {
		l.clock, l.hasClock = notes.Clock(c)
	}
	tips, err := d.Repo.Reflog(ctx, t.notesRef())
	if err != nil {
		l.err = err
		return l
	}
	earlier, partly := d.earlier(ctx, t.notes, tips)
	l.partly = partly
	l.lost, l.changed, err = d.missing(ctx, walk, l.lines, places, earlier)
	if err != nil {
		l.err = err
	}
	return l
}

// lines reads the notes' lines with their numbers.
func (d *Doctor) lines(ctx context.Context, places []gitops.NotePlace) ([]line, error) {
	texts, err := d.Repo.NoteTexts(ctx, places)
	if err != nil {
		return nil, err
	}
	var out []line
	seen := make(map[gitops.NoteEntry]bool, len(places))
	for i, p := range places {
		if !seen[p.NoteEntry] {
			seen[p.NoteEntry] = true
			out = append(out, numbered(p.Target, texts[i])...)
		}
	}
	return out, nil
}

// numbered splits a note into its lines, counted from 1, blank ones included.
func numbered(commit gitops.Hash, text []byte) []line {
	var out []line
	no := 0
	for raw := range bytes.Lines(text) {
		no++
		for _, l := range notes.ParseNote(commit, raw) {
			out = append(out, line{l, no})
		}
	}
	return out
}

// layout finds commits that are noted at several depths, and levels that mix notes
// and fan-out.
func layout(places []gitops.NotePlace) (twice []gitops.Hash, mixed bool) {
	seen := make(map[gitops.Hash]bool, len(places))
	for _, p := range places {
		if seen[p.Target] && !slices.Contains(twice, p.Target) {
			twice = append(twice, p.Target)
		}
		seen[p.Target] = true
		mixed = mixed || p.Mixed
	}
	return twice, mixed
}

// earlier chooses the notes commits that may hold rows which the current one lacks:
// the newest values of the reflog, every end of history that it remembers, and what
// stood before each commit that is not ours. Ours only add rows.
func (d *Doctor) earlier(ctx context.Context, now gitops.Hash, reflog []gitops.Hash) (list []gitops.Hash, partly bool) {
	seen := map[gitops.Hash]bool{}
	child := map[gitops.Hash]bool{}
	before := []gitops.Hash{}
	queue := append([]gitops.Hash{now}, reflog...)
	for i := 0; i < len(queue) && ctx.Err() == nil; i++ {
		h := queue[i]
		if seen[h] {
			continue
		}
		if len(seen) > maxNoteLogs {
			partly = true
			break
		}
		seen[h] = true
		c, err := d.Repo.ReadCommit(ctx, h)
		if err != nil {
			continue // pruned: nothing can be had from it
		}
		for _, p := range c.Parents {
			child[p] = true
		}
		queue = append(queue, c.Parents...)
		if _, ours := notes.Clock(c); !ours || len(c.Parents) > 1 {
			before = append(before, c.Parents...)
		}
	}
	list = slices.Clone(reflog[:min(maxReflog, len(reflog))])
	for _, h := range reflog {
		if !child[h] {
			list = append(list, h)
		}
	}
	partly = partly || len(before) > maxForeign
	return append(list, before[:min(maxForeign, len(before))]...), partly
}

// missing reads what the earlier notes commits hold that the current lacks. walk has
// been through the current one.
func (d *Doctor) missing(ctx context.Context, walk *gitops.NotesWalk, now []line, places []gitops.NotePlace,
	earlier []gitops.Hash,
) (lost, changed []notes.Line, err error) {
	blobs := make(map[gitops.Hash]bool, len(places))
	for _, p := range places {
		blobs[p.Blob] = true
	}
	raw := make(map[string][]byte, len(now))
	for _, l := range now {
		if !l.Foreign {
			raw[l.Row.ID] = l.Raw
		}
	}
	told := map[string]bool{}
	for _, commit := range earlier {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		older, err := walk.Add(ctx, commit)
		if err != nil {
			continue // pruned or damaged: nothing can be had from it
		}
		older = slices.DeleteFunc(older, func(p gitops.NotePlace) bool {
			known := blobs[p.Blob]
			blobs[p.Blob] = true
			return known
		})
		was, err := d.lines(ctx, older)
		if err != nil {
			if errors.Is(err, gitops.ErrMissing) {
				continue
			}
			return nil, nil, err
		}
		for _, l := range was {
			if l.Foreign || told[l.Row.ID] {
				continue
			}
			standing, stands := raw[l.Row.ID]
			switch {
			case !stands:
				lost = append(lost, l.Line)
			case !bytes.Equal(standing, l.Raw):
				changed = append(changed, l.Line)
			default:
				continue
			}
			told[l.Row.ID] = true
		}
	}
	return notes.Sort(lost), notes.Sort(changed), nil
}
