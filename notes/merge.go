package notes

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"git-okstra/gitops"
)

// Union reads the rows of several logs as one.
func Union(ctx context.Context, repo Repo, tips ...gitops.Hash) ([]Line, error) {
	var all []Line
	for i, tip := range tips {
		if slices.Contains(tips[:i], tip) {
			continue
		}
		lines, err := Read(ctx, repo, tip)
		if err != nil {
			return nil, err
		}
		all = append(all, lines...)
	}
	return Sort(all), nil
}

// Merge writes the union of two logs (one of them may be "") and further rows as one
// notes commit that has both as its parents, so that each side can fast-forward to
// it. The further rows go on behind the greatest seq of both. The new objects are in w;
// the caller moves the ref.
func Merge(ctx context.Context, repo Repo, w *gitops.ObjectWriter, ours, theirs gitops.Hash,
	by gitops.Signature, further []Entry,
) (gitops.Hash, error) {
	if ours == "" {
		ours, theirs = theirs, ""
	}
	changed, at, err := differing(ctx, repo, ours, theirs)
	if err != nil {
		return "", err
	}
	seq, err := lastSeq(ctx, repo, ours)
	if err != nil {
		return "", err
	}
	more, err := lastSeq(ctx, repo, theirs)
	if err != nil {
		return "", err
	}
	seq = max(seq, more)
	for _, e := range further {
		seq++
		e.Row.V, e.Row.Seq = Version, seq
		line, err := e.Row.Encode()
		if err != nil {
			return "", err
		}
		k, seen := at[e.Target]
		if !seen {
			note, err := repo.NoteGet(ctx, ours, e.Target)
			if err != nil {
				return "", fmt.Errorf("read note: %w", err)
			}
			k, at[e.Target] = len(changed), len(changed)
			changed = append(changed, gitops.Note{Target: e.Target, Content: note})
		}
		changed[k].Content = join(changed[k].Content, line)
	}
	return mergeCommit(ctx, repo, w, []gitops.Hash{ours, theirs}, by, changed, seq)
}

// mergeCommit writes the tree of the first parent with the changed notes in it.
func mergeCommit(ctx context.Context, repo Repo, w *gitops.ObjectWriter, parents []gitops.Hash,
	by gitops.Signature, changed []gitops.Note, seq uint64,
) (gitops.Hash, error) {
	ours := parents[0]
	parents = slices.DeleteFunc(slices.Clone(parents), func(h gitops.Hash) bool { return h == "" })
	commit := gitops.CommitData{Author: by, Committer: by, Parents: parents}
	commit.Message = fmt.Sprintf("okstra: logs merged\n\n%s: %d\n", seqTrailer, seq)
	if len(parents) < 2 {
		commit.Message = fmt.Sprintf("okstra: log continued\n\n%s: %d\n", seqTrailer, seq)
	}
	var err error
	if ours == "" && len(changed) == 0 {
		return "", errors.New("merge logs: there are none")
	}
	commit.Tree, err = treeWith(ctx, repo, w, ours, changed)
	if err != nil {
		return "", err
	}
	return w.Commit(commit), nil
}

// differing lists the notes of theirs that are not so in ours, merged, and where each
// target's is in the list.
func differing(ctx context.Context, repo Repo, ours, theirs gitops.Hash) ([]gitops.Note, map[gitops.Hash]int, error) {
	at := map[gitops.Hash]int{}
	if theirs == "" {
		return nil, at, nil
	}
	own, err := repo.Notes(ctx, ours)
	if err != nil {
		return nil, nil, fmt.Errorf("read log: %w", err)
	}
	other, err := repo.Notes(ctx, theirs)
	if err != nil {
		return nil, nil, fmt.Errorf("read log: %w", err)
	}
	have := make(map[gitops.Hash][]byte, len(own))
	for _, n := range own {
		have[n.Target] = n.Content
	}
	var changed []gitops.Note
	for _, n := range other {
		merged := MergeNote(have[n.Target], n.Content)
		if bytes.Equal(merged, have[n.Target]) {
			continue
		}
		at[n.Target] = len(changed)
		changed = append(changed, gitops.Note{Target: n.Target, Content: merged})
	}
	return changed, at, nil
}

// MergeNote is the union of two contents of one note: every row once, by (seq, id),
// then what is no row, in paragraphs as it was written. It is commutative, associative
// and idempotent, and drops nothing.
func MergeNote(a, b []byte) []byte {
	aBlank, bBlank := len(bytes.TrimSpace(a)) == 0, len(bytes.TrimSpace(b)) == 0
	switch {
	case bytes.Equal(a, b), bBlank && !aBlank:
		return a
	case aBlank && !bBlank:
		return b
	case aBlank: // both, and the order of merging must not matter
		return slices.MaxFunc([][]byte{a, b}, bytes.Compare)
	}
	rows, paragraphs := pieces(slices.Concat(bytes.TrimSuffix(a, []byte("\n")), []byte("\n\n"), b))
	slices.SortFunc(rows, func(x, y Line) int {
		return cmp.Or(cmp.Compare(x.Row.Seq, y.Row.Seq), strings.Compare(x.Row.ID, y.Row.ID), bytes.Compare(x.Raw, y.Raw))
	})
	rows = slices.CompactFunc(rows, func(x, y Line) bool { return bytes.Equal(x.Raw, y.Raw) })
	slices.Sort(paragraphs)
	var out bytes.Buffer
	for _, r := range rows {
		out.Write(r.Raw)
		out.WriteByte('\n')
	}
	for i, p := range slices.Compact(paragraphs) {
		if i > 0 || len(rows) > 0 {
			out.WriteByte('\n')
		}
		out.WriteString(p)
	}
	return out.Bytes()
}

// pieces divides a note into its rows and the paragraphs that are none.
func pieces(note []byte) (rows []Line, paragraphs []string) {
	var open strings.Builder
	end := func() {
		if open.Len() > 0 {
			paragraphs = append(paragraphs, open.String())
			open.Reset()
		}
	}
	for raw := range bytes.Lines(note) {
		lines := ParseNote("", raw)
		switch {
		case len(lines) == 0: // blank
			end()
		case lines[0].Foreign:
			open.Write(bytes.TrimSuffix(raw, []byte("\n")))
			open.WriteByte('\n')
		default:
			end()
			rows = append(rows, lines[0])
		}
	}
	end()
	return rows, paragraphs
}
