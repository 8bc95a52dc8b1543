package notes

import (
	"context"
	"fmt"

	"git-okstra/gitops"
)

// AppendAll adds several rows in one notes commit, as Append does, but none of them
// is ever a no-op: it is for rows that are no transition of a stage. Rows that come
// from another log as they stood there (Raw) keep their seq, the others go on behind
// the greatest of all.
func AppendAll(ctx context.Context, repo Repo, w *gitops.ObjectWriter, tip gitops.Hash,
	by gitops.Signature, entries []Entry,
) (gitops.Hash, error) {
	seq, err := lastSeq(ctx, repo, tip)
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		if e.Raw != nil {
			seq = max(seq, e.Row.Seq)
		}
	}
	list, at, err := standing(ctx, repo, tip, entries)
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		line := e.Raw
		if line == nil {
			seq++
			e.Row.V, e.Row.Seq = Version, seq
			if line, err = e.Row.Encode(); err != nil {
				return "", err
			}
		}
		k := at[e.Target]
		list[k].Content = appendLine(list[k].Content, line)
	}
	tree, err := repo.NoteSetAll(ctx, w, tip, list)
	if err != nil {
		return "", fmt.Errorf("write notes: %w", err)
	}
	commit := gitops.CommitData{Tree: tree, Author: by, Committer: by}
	commit.Message = fmt.Sprintf("okstra: %d rows\n\n%s: %d\n", len(entries), seqTrailer, seq)
	if tip != "" {
		commit.Parents = []gitops.Hash{tip}
	}
	return w.Commit(commit), nil
}

// AppendLine adds one line that is no Row to a log of such lines, as AppendAll does.
// encode makes it for its place in the log's order; the line has the keys v, seq and id of
// a row, so that logs are merged alike.
func AppendLine(ctx context.Context, repo Repo, w *gitops.ObjectWriter, tip gitops.Hash,
	by gitops.Signature, target gitops.Hash, encode func(seq uint64) ([]byte, error),
) (gitops.Hash, error) {
	seq, err := lastSeq(ctx, repo, tip)
	if err != nil {
		return "", err
	}
	line, err := encode(seq + 1)
	if err != nil {
		return "", err
	}
	return AppendAll(ctx, repo, w, tip, by, []Entry{{Target: target, Row: Row{Seq: seq + 1}, Raw: line}})
}

// fewTargets is up to how many notes are looked up one by one: beyond it reading all
// of the log is faster.
const fewTargets = 64

// standing reads the notes that stand on the entries' targets, in the entries' order,
// and says where each target's is in the list.
func standing(ctx context.Context, repo Repo, tip gitops.Hash, entries []Entry) ([]gitops.Note, map[gitops.Hash]int, error) {
	var list []gitops.Note
	at := map[gitops.Hash]int{}
	for _, e := range entries {
		if _, seen := at[e.Target]; !seen {
			at[e.Target] = len(list)
			list = append(list, gitops.Note{Target: e.Target})
		}
	}
	if len(list) <= fewTargets {
		for i := range list {
			note, err := repo.NoteGet(ctx, tip, list[i].Target)
			if err != nil {
				return nil, nil, fmt.Errorf("read note: %w", err)
			}
			list[i].Content = note
		}
		return list, at, nil
	}
	all, err := repo.Notes(ctx, tip)
	if err != nil {
		return nil, nil, fmt.Errorf("read log: %w", err)
	}
	for _, n := range all {
		if k, ok := at[n.Target]; ok {
			list[k].Content = n.Content
		}
	}
	return list, at, nil
}

// appendLine is join for a note that is the caller's own.
func appendLine(note, line []byte) []byte {
	if len(note) > 0 && note[len(note)-1] != '\n' {
		note = append(note, '\n')
	}
	return append(append(note, line...), '\n')
}
