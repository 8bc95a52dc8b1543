package hooks

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"git-okstra/gitops"
)

// Rewrite is a commit and the one that took its place; several may have become one.
type Rewrite struct{ Old, New gitops.Hash }

// Carrier takes what stands on rewritten commits over to the new ones, why being
// git's word for what rewrote them.
type Carrier interface {
	Carry(ctx context.Context, list []Rewrite, why string) error
}

// mostRewrites bounds the lines that are read from git.
const mostRewrites = 1 << 20

// PostRewrite is git's hook of that name: word is amend or rebase, in has a line
// "old new" for each commit. An amend in the middle of a rebase is left to the rebase's
// own call at its end, which knows what became of the first version.
func PostRewrite(ctx context.Context, repo *gitops.Repo, word string, in io.Reader, c Carrier) error {
	list, err := readRewrites(in)
	if err != nil || len(list) == 0 {
		return err
	}
	if word == "amend" && rebasing(repo.GitDir()) {
		return nil
	}
	return c.Carry(ctx, list, word)
}

// readRewrites reads git's lines. What follows the two ids is git's to define.
func readRewrites(in io.Reader) ([]Rewrite, error) {
	var out []Rewrite
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) == 0 {
			continue
		}
		if len(fields) < 2 || !gitops.Hash(fields[0]).Valid() || !gitops.Hash(fields[1]).Valid() {
			return nil, fmt.Errorf("unexpected line %.100q from git", lines.Text())
		}
		if len(out) == mostRewrites {
			return nil, fmt.Errorf("more than %d rewritten commits", mostRewrites)
		}
		if old, next := gitops.Hash(fields[0]), gitops.Hash(fields[1]); old != next {
			out = append(out, Rewrite{old, next})
		}
	}
	return out, lines.Err()
}

// rebasing reports whether a rebase is under way in a worktree.
func rebasing(gitDir string) bool {
	for _, name := range []string{"rebase-merge", "rebase-apply"} {
		if _, err := os.Stat(filepath.Join(gitDir, name)); err == nil {
			return true
		}
	}
	return false
}
