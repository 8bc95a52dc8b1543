package notes

import (
	"context"
	"fmt"
	"strconv"

	"git-okstra/gitops"
)

// Clock reads the greatest seq of a log from the trailer of its notes commit; false
// where that commit has none, e.g. because stock git wrote it.
func Clock(c gitops.Commit) (seq uint64, ok bool) {
	for _, t := range gitops.Trailers(c.Message) {
		if t.Key == seqTrailer {
			seq, err := strconv.ParseUint(t.Value, 10, 64)
			return seq, err == nil
		}
	}
	return 0, false
}

// Restore puts lines back that a log has lost, byte for byte, each on the commit
// where it stood, in one notes commit whose clock is the greatest seq of all rows.
// Without lines it only sets the clock right. It looks for no line that is there
// already: the caller did. The new objects are in w; the caller moves the ref.
func Restore(ctx context.Context, repo Repo, w *gitops.ObjectWriter, tip gitops.Hash,
	by gitops.Signature, lost []Line,
) (gitops.Hash, error) {
	standing, err := Read(ctx, repo, tip)
	if err != nil {
		return "", err
	}
	var seq uint64
	for _, l := range standing {
		seq = max(seq, l.Row.Seq)
	}
	var list []gitops.Note
	at := map[gitops.Hash]int{}
	for _, l := range lost {
		seq = max(seq, l.Row.Seq)
		k, seen := at[l.Commit]
		if !seen {
			note, err := repo.NoteGet(ctx, tip, l.Commit)
			if err != nil {
				return "", fmt.Errorf("read note: %w", err)
			}
			k = len(list)
			at[l.Commit] = k
			list = append(list, gitops.Note{Target: l.Commit, Content: note})
		}
		list[k].Content = join(list[k].Content, l.Raw)
	}
	commit := gitops.CommitData{Author: by, Committer: by}
	commit.Message = fmt.Sprintf("okstra: %d rows restored\n\n%s: %d\n", len(lost), seqTrailer, seq)
	if commit.Tree, err = treeWith(ctx, repo, w, tip, list); err != nil {
		return "", err
	}
	if tip != "" {
		commit.Parents = []gitops.Hash{tip}
	}
	return w.Commit(commit), nil
}

// treeWith is the log's tree with the given notes in it.
func treeWith(ctx context.Context, repo Repo, w *gitops.ObjectWriter, tip gitops.Hash, list []gitops.Note) (gitops.Hash, error) {
	if len(list) == 0 {
		c, err := repo.ReadCommit(ctx, tip)
		return c.Tree, err
	}
	tree, err := repo.NoteSetAll(ctx, w, tip, list)
	if err != nil {
		return "", fmt.Errorf("write notes: %w", err)
	}
	return tree, nil
}
