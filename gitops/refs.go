package gitops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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
	out, warnings, err := r.runWarned(ctx, p, nil, args...)
	if err == nil && len(warnings) > 0 {
		err = r.brokenRef(patterns)
	}
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

// brokenRef looks for a loose ref below the patterns that holds neither an object
// id nor the name of a ref that can be read. Git leaves such refs out of its list
// with a warning only; but a ref that cannot be read is not absent. It is asked only
// where git warned of something.
func (r *Repo) brokenRef(patterns []string) error {
	for _, pattern := range patterns {
		if !strings.HasPrefix(pattern, "refs/") {
			continue
		}
		root := filepath.Join(r.commonDir, filepath.FromSlash(pattern))
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil || d.IsDir() || strings.HasSuffix(path, ".lock") {
				return err
			}
			data, err := os.ReadFile(path)
			if err != nil || Hash(strings.TrimSpace(string(data))).Valid() {
				return nil //nolint:nilerr // it went meanwhile
			}
			name, err := filepath.Rel(r.commonDir, path)
			if err != nil {
				return err
			}
			return fmt.Errorf("ref %q is broken: it holds no object id", filepath.ToSlash(name))
		})
		if err != nil {
			return err
		}
	}
	return nil
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
