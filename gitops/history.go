package gitops

import (
	"context"
	"fmt"
	"strings"
)

// IsAncestor reports whether a is b or one of its ancestors. In a shallow clone
// a negative answer proves nothing (see Shallow).
func (r *Repo) IsAncestor(ctx context.Context, a, b Hash) (bool, error) {
	if yes, known := r.nearAncestor(ctx, a, b); known {
		return yes, nil
	}
	_, err := r.run(ctx, r.common(), nil, "merge-base", "--is-ancestor", string(a), string(b))
	switch {
	case err == nil:
		return true, nil
	case ExitCode(err) == 1:
		return false, nil
	}
	return false, fmt.Errorf("compare history: %w", err)
}

// Related reports whether two commits have any history in common. In a shallow clone a
// negative answer proves nothing.
func (r *Repo) Related(ctx context.Context, a, b Hash) (bool, error) {
	_, err := r.run(ctx, r.common(), nil, "merge-base", string(a), string(b))
	switch {
	case err == nil:
		return true, nil
	case ExitCode(err) == 1:
		return false, nil
	}
	return false, fmt.Errorf("compare history: %w", err)
}

// ChangedPaths lists the paths that differ between two commits' trees, raw
// bytes, in git's order; a rename counts as both of its paths. The user's diff
// settings have no say.
func (r *Repo) ChangedPaths(ctx context.Context, from, to Hash) ([]string, error) {
	changes, err := r.treeChanges(ctx, from, to)
	if err != nil {
		return nil, fmt.Errorf("list changed paths: %w", err)
	}
	var paths []string
	for _, c := range changes {
		paths = append(paths, c.path)
	}
	return paths, nil
}

// ResolveCommit gives the commit that a person's word for a revision means.
// Errors are git's own.
func (r *Repo) ResolveCommit(ctx context.Context, rev string) (Hash, error) {
	peeled := rev + "^{commit}"
	if strings.HasPrefix(rev, ":/") { // the rest is a pattern, and finds commits only
		peeled = rev
	}
	out, err := r.run(ctx, r.here(), nil, "rev-parse", "--verify", "--end-of-options", peeled)
	if err != nil {
		return "", fmt.Errorf("resolve %q: %w", rev, err)
	}
	return lastHash(out)
}

// lastHash reads the id from rev-parse, which before 2.40 or so echoes
// --end-of-options in front of it.
func lastHash(out []byte) (Hash, error) {
	fields := strings.Fields(string(out))
	if len(fields) == 0 || !Hash(fields[len(fields)-1]).Valid() {
		return "", fmt.Errorf("resolve: unexpected answer %q", out)
	}
	return Hash(fields[len(fields)-1]), nil
}

// CurrentBranch returns the branch HEAD stands on, "" where it is detached. A
// branch without a commit yet counts.
func (r *Repo) CurrentBranch(ctx context.Context) (RefName, error) {
	out, err := r.run(ctx, r.here(), nil, "symbolic-ref", "--quiet", "HEAD")
	if ExitCode(err) == 1 {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read HEAD: %w", err)
	}
	return RefName(strings.TrimSuffix(string(out), "\n")), nil
}

// File reads REV:path as a person wrote it, for looking at a plan in history.
func (r *Repo) File(ctx context.Context, revPath string) ([]byte, error) {
	out, err := r.run(ctx, r.here(), nil, "cat-file", "blob", "--end-of-options", revPath)
	if err == nil {
		return out, nil
	}
	if strings.HasPrefix(revPath, "-") {
		return nil, fmt.Errorf("read %q: a revision does not begin with a dash", revPath)
	}
	out, err = r.run(ctx, r.here(), nil, "cat-file", "blob", revPath)
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", revPath, err)
	}
	return out, nil
}
