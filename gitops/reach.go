package gitops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
)

// CommitNode is a commit and its parents.
type CommitNode struct {
	Hash    Hash
	Parents []Hash
}

// Commits lists what can be reached from the tips and not from the hidden commits,
// children before their parents; at most limit of them (0: all), and then more says
// that there are further ones.
func (r *Repo) Commits(ctx context.Context, tips, hidden []Hash, limit int) (list []CommitNode, more bool, err error) {
	var in bytes.Buffer
	for _, h := range tips {
		in.WriteString(string(h) + "\n")
	}
	for _, h := range hidden {
		in.WriteString("^" + string(h) + "\n")
	}
	args := []string{"rev-list", "--topo-order", "--parents", "--stdin"}
	if limit > 0 {
		args = append(args, fmt.Sprintf("--max-count=%d", limit+1))
	}
	out, err := r.run(ctx, r.quiet(), &in, args...)
	if err != nil {
		return nil, false, fmt.Errorf("list commits: %w", err)
	}
	for line := range bytes.Lines(out) {
		fields := strings.Fields(string(line))
		if len(fields) == 0 || !Hash(fields[0]).Valid() {
			return nil, false, fmt.Errorf("list commits: unexpected line %q", line)
		}
		node := CommitNode{Hash: Hash(fields[0])}
		for _, p := range fields[1:] {
			node.Parents = append(node.Parents, Hash(p))
		}
		list = append(list, node)
	}
	if limit > 0 && len(list) > limit {
		return list[:limit], true, nil
	}
	return list, false, nil
}

// CommonBase is a commit that all of the given ones have in their history, the best
// one that git finds; "" where there is none.
func (r *Repo) CommonBase(ctx context.Context, commits ...Hash) (Hash, error) {
	args := []string{"merge-base", "--octopus"}
	for _, h := range commits {
		args = append(args, string(h))
	}
	out, err := r.run(ctx, r.quiet(), nil, args...)
	if ExitCode(err) == 1 {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("compare history: %w", err)
	}
	return lastHash(out)
}

// mostPathspec bounds the paths that are given to git as words, in bytes.
const mostPathspec = 32 << 10

// Touching tells which of the commits, none of them a merge, change any of the paths,
// and which of these. With more paths than a command line takes it looks at all that
// each commit changes.
func (r *Repo) Touching(ctx context.Context, commits []Hash, paths []string) (map[Hash][]string, error) {
	var in bytes.Buffer
	for _, h := range commits {
		in.WriteString(string(h) + "\n")
	}
	args := []string{
		"--literal-pathspecs", "diff-tree", "--stdin", "--root", "-r", "--raw", "-z", "--no-renames",
		"--no-abbrev", "--ignore-submodules=none", "--",
	}
	wanted, size := make(map[string]bool, len(paths)), 0
	for _, p := range paths {
		wanted[p] = true
		size += len(p) + 1
	}
	if size <= mostPathspec {
		args = append(args, paths...)
	}
	out, err := r.run(ctx, r.quiet(), &in, args...)
	if err != nil {
		return nil, fmt.Errorf("compare commits: %w", err)
	}
	touched := map[Hash][]string{}
	var at Hash
	for len(out) > 0 {
		word, rest, _ := bytes.Cut(out, []byte{0})
		out = rest
		if len(word) == 0 || word[0] != ':' {
			if at = Hash(word); !at.Valid() {
				return nil, fmt.Errorf("compare commits: unexpected word %.80q", word)
			}
			continue
		}
		name, rest, ok := bytes.Cut(out, []byte{0})
		if !ok {
			return nil, errors.New("compare commits: a path is missing")
		}
		out = rest
		if wanted[string(name)] {
			touched[at] = append(touched[at], string(name))
		}
	}
	return touched, nil
}

// Partial reports whether objects may be missing here because a promisor remote has
// them (partial clone).
func (r *Repo) Partial() bool {
	return r.config.Get("extensions.partialClone") != "" || len(r.config.Subsections("remote.", ".promisor")) > 0
}
