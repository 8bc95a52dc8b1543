package gitops

import (
	"bytes"
	"context"
	"fmt"
	"strings"
)

// maxHidden bounds how many ends of known history are named to git at once.
const maxHidden = 500

// NewPaths lists the paths that commits change which the tip leads to and the known
// commits do not, nor the remote-tracking refs of a remote ("" for none). A merge
// changes what differs from all its parents. Two git processes.
func (r *Repo) NewPaths(ctx context.Context, tip Hash, known []Hash, remote string) ([]string, error) {
	args := []string{"rev-list", string(tip)}
	for _, h := range known[:min(len(known), maxHidden)] {
		args = append(args, "^"+string(h))
	}
	if remote != "" {
		args = append(args, "--not", "--remotes="+globLiteral(remote)+"/*")
	}
	commits, err := r.run(ctx, r.here(), nil, append(args, "--")...)
	if err != nil {
		return nil, fmt.Errorf("list new commits: %w", err)
	}
	if len(commits) == 0 {
		return nil, nil
	}
	p := r.here()
	p.env = without(p.env, diffVars)
	out, err := r.run(ctx, p, bytes.NewReader(commits), "diff-tree", "--stdin", "--root", "-c", "-r", "-z", "--name-only",
		"--no-commit-id", "--no-renames", "--no-relative", "--ignore-submodules=none")
	if err != nil {
		return nil, fmt.Errorf("list new changes: %w", err)
	}
	var paths []string
	seen := map[string]bool{}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if name != "" && !seen[name] {
			seen[name] = true
			paths = append(paths, name)
		}
	}
	return paths, nil
}

// globLiteral takes their meaning from characters that have one in a pattern.
func globLiteral(s string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(s)
}

// maxNamed is how many paths are named to git; for more it lists all.
const maxNamed = 100

// TreeFiles lists the files of a commit's tree among the paths; nil paths are all.
func (r *Repo) TreeFiles(ctx context.Context, commit Hash, paths []string) ([]StagedFile, error) {
	if paths != nil && len(paths) == 0 {
		return nil, nil
	}
	args := []string{"ls-tree", "-r", "-z", "--full-tree", string(commit)}
	if len(paths) <= maxNamed {
		args = append(append(args, "--"), paths...)
	}
	p := r.here()
	p.env = append(without(p.env, diffVars), "GIT_LITERAL_PATHSPECS=1")
	out, err := r.run(ctx, p, nil, args...)
	if err != nil {
		return nil, fmt.Errorf("list files: %w", err)
	}
	wanted := map[string]bool{}
	for _, name := range paths {
		wanted[name] = true
	}
	var list []StagedFile
	for line := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		head, name, ok := strings.Cut(line, "\t")
		words := strings.Fields(head)
		if !ok || len(words) != 3 {
			continue // an empty tree
		}
		var mode Mode
		if _, err := fmt.Sscanf(words[0], "%o", &mode); err != nil {
			return nil, fmt.Errorf("list files: unexpected mode %q", words[0])
		}
		if paths == nil || wanted[name] {
			list = append(list, StagedFile{Path: name, Mode: mode, Blob: Hash(words[2])})
		}
	}
	return list, nil
}

// AddTrailer lets git put a trailer at the end of a commit's message in a file, before
// git's own comments, unless that very trailer is there.
func (r *Repo) AddTrailer(ctx context.Context, file string, t Trailer) error {
	_, err := r.run(ctx, r.here(), nil, "interpret-trailers", "--in-place", "--if-exists", "addIfDifferent", "--if-missing", "add",
		"--trailer", t.Key+"="+foldValue(t.Value), "--", file)
	if err != nil {
		return fmt.Errorf("add a trailer: %w", err)
	}
	return nil
}
