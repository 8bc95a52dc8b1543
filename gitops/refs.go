package gitops

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
)

// Ref is a ref and the object it holds (for a symbolic ref: the one it leads to).
type Ref struct {
	Name RefName
	Hash Hash
}

// Refs lists the refs below the given prefixes or of the given full names, in
// git's order, with one git process. Refs of the caller's own worktree
// (refs/worktree/…) are among them. An absent ref is simply not in the list.
func (r *Repo) Refs(ctx context.Context, patterns ...string) ([]Ref, error) {
	return r.refsAt(ctx, r.here(), patterns)
}

// refsAt lists refs as they are seen from one place.
func (r *Repo) refsAt(ctx context.Context, p place, patterns []string) ([]Ref, error) {
	args := append([]string{"for-each-ref", "--format=%(objectname) %(refname)", "--"}, patterns...)
	out, err := r.run(ctx, p, nil, args...)
	if err != nil {
		return nil, fmt.Errorf("list refs: %w", err)
	}
	var refs []Ref
	for line := range bytes.Lines(out) {
		hash, name, ok := strings.Cut(strings.TrimSuffix(string(line), "\n"), " ")
		if !ok || !Hash(hash).Valid() {
			return nil, fmt.Errorf("list refs: unexpected line %q", line)
		}
		refs = append(refs, Ref{Name: RefName(name), Hash: Hash(hash)})
	}
	return refs, nil
}

// RefValues looks up exactly the given refs; absent ones are not in the map.
func (r *Repo) RefValues(ctx context.Context, names ...RefName) (map[RefName]Hash, error) {
	patterns := make([]string, len(names))
	for i, n := range names {
		patterns[i] = string(n)
	}
	refs, err := r.Refs(ctx, patterns...)
	if err != nil {
		return nil, err
	}
	values := make(map[RefName]Hash, len(names))
	for _, ref := range refs {
		if slices.Contains(names, ref.Name) { // a name matches the refs below it, too
			values[ref.Name] = ref.Hash
		}
	}
	return values, nil
}

// ValidRefName reports whether git accepts name as a full ref name, by the rules
// of git-check-ref-format(1).
func ValidRefName(name RefName) bool {
	s := string(name)
	if s == "" || strings.HasSuffix(s, "/") || strings.HasSuffix(s, ".") || !strings.Contains(s, "/") ||
		strings.Contains(s, "..") || strings.Contains(s, "@{") || strings.ContainsAny(s, " ~^:?*[\\\x7f") {
		return false
	}
	for _, c := range []byte(s) {
		if c < 0x20 {
			return false
		}
	}
	for part := range strings.SplitSeq(s, "/") {
		if part == "" || strings.HasPrefix(part, ".") || strings.HasSuffix(part, ".lock") {
			return false
		}
	}
	return true
}
