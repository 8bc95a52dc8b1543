package gitops

import (
	"bytes"
	"compress/zlib"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Remakes reports whether a change, made again on another commit by git's own merge
// with all that it knows of renames, gives the very tree of the result: what a rebase
// would have made of it. Nothing is left in the repository.
func (r *Repo) Remakes(ctx context.Context, change Diff, onto, result Hash) (bool, error) {
	var trees [4]Hash
	for i, h := range []Hash{change.From, onto, change.To, result} {
		tree, err := r.treeOf(ctx, h)
		if err != nil {
			return false, err
		}
		trees[i] = tree
	}
	dir, err := os.MkdirTemp("", mergePrefix)
	if err != nil {
		return false, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // one that stays does no harm, and the doctor finds it
	base, err := r.looseCommit(dir, trees[0])
	if err != nil {
		return false, err
	}
	ours, err := r.looseCommit(dir, trees[1], base)
	if err != nil {
		return false, err
	}
	theirs, err := r.looseCommit(dir, trees[2], base)
	if err != nil {
		return false, err
	}
	p := r.quarantine(dir, CommitData{})
	p.env = append(p.env, "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none")
	out, err := r.run(ctx, p, nil, append(slices.Clone(remakeSettings),
		"merge-tree", "--write-tree", "--no-messages", string(ours), string(theirs))...)
	switch code := ExitCode(err); {
	case err == nil:
		return strings.TrimSpace(string(out)) == string(trees[3]), nil
	case code == 1: // conflicts
		return false, nil
	case code == 129: // an option that is not known
		return r.remakesHere(ctx, change, onto, trees[3])
	}
	return false, fmt.Errorf("merge: %w", err)
}

// remakeSettings make a merge independent of the user's settings.
var remakeSettings = []string{"-c", "merge.renames=true", "-c", "merge.directoryRenames=conflict", "-c", "merge.renameLimit=1000"}

// remakesHere is Remakes for a git that cannot merge without a worktree (before 2.38).
func (r *Repo) remakesHere(ctx context.Context, change Diff, onto, result Hash) (bool, error) {
	s, err := r.Sketch()
	if err != nil {
		return false, err
	}
	defer s.Close()
	s.plain, s.settings = true, remakeSettings
	s.env = append(s.env, "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none")
	m, err := s.Replay(ctx, change, onto)
	return err == nil && m.Tree == result, err
}

// looseCommit writes a commit that nobody has made, as an object file below dir.
func (r *Repo) looseCommit(dir string, tree Hash, parents ...Hash) (Hash, error) {
	nobody := Signature{Name: "git-okstra", Email: "git-okstra"}
	data, err := encodeCommit(CommitData{Tree: tree, Parents: parents, Author: nobody, Committer: nobody})
	if err != nil {
		return "", err
	}
	h := hashObject(r.format != "sha1", TypeCommit, data)
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	_, _ = fmt.Fprintf(z, "%s %d\x00%s", TypeCommit, len(data), data) // into memory
	if err := z.Close(); err != nil {
		return "", err
	}
	name := filepath.Join(dir, string(h[:2]), string(h[2:]))
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return "", err
	}
	return h, os.WriteFile(name, b.Bytes(), 0o600)
}
