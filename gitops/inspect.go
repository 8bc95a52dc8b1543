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

// RefListing is what stands below some prefixes, readable or not.
type RefListing struct {
	Refs   []Ref
	Broken []RefName // loose refs that hold neither an object id nor the name of a ref
}

// InspectRefs lists refs as Refs does, but broken ones are part of the answer and
// not its end: it is for looking at a damaged repository.
func (r *Repo) InspectRefs(ctx context.Context, patterns ...string) (RefListing, error) {
	args := append([]string{"for-each-ref", "--format=%(objectname) %(refname)", "--"}, patterns...)
	out, warnings, err := r.runWarned(ctx, r.here(), nil, args...)
	if err != nil {
		return RefListing{}, fmt.Errorf("list refs: %w", err)
	}
	var l RefListing
	for line := range bytes.Lines(out) {
		hash, name, ok := strings.Cut(strings.TrimSuffix(string(line), "\n"), " ")
		if !ok || !Hash(hash).Valid() {
			return RefListing{}, fmt.Errorf("list refs: unexpected line %q", line)
		}
		l.Refs = append(l.Refs, Ref{Name: RefName(name), Hash: Hash(hash)})
	}
	if len(warnings) > 0 {
		l.Broken = r.brokenRefs(patterns, l.Refs)
	}
	return l, nil
}

// brokenRefs lists the loose ref files below the patterns that git left out of its
// list.
func (r *Repo) brokenRefs(patterns []string, listed []Ref) []RefName {
	known := make(map[RefName]bool, len(listed))
	for _, ref := range listed {
		known[ref.Name] = true
	}
	var broken []RefName
	for _, pattern := range patterns {
		top := r.commonDir
		if strings.HasPrefix(pattern, "refs/worktree/") {
			top = r.gitDir
		}
		for _, name := range looseRefs(top, pattern) {
			data, err := os.ReadFile(filepath.Join(top, filepath.FromSlash(string(name))))
			if err != nil || Hash(strings.TrimSpace(string(data))).Valid() {
				continue // it came or went meanwhile
			}
			if !known[name] && !slices.Contains(broken, name) {
				broken = append(broken, name)
			}
		}
	}
	return broken
}

// looseRefs names the ref files below a prefix of a git directory.
func looseRefs(gitDir, prefix string) []RefName {
	var names []RefName
	root := filepath.Join(gitDir, filepath.FromSlash(prefix))
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, ".lock") {
			return nil //nolint:nilerr // what cannot be read, or went meanwhile, is no ref to name
		}
		if name, err := filepath.Rel(gitDir, path); err == nil {
			names = append(names, RefName(filepath.ToSlash(name)))
		}
		return nil
	})
	return names
}

// WorktreeRefs reads the refs/worktree/ refs of any worktree below prefix from
// their files: such refs are never packed. It starts no process, and finds those of
// a worktree whose folder is gone. Another ref storage than files has none.
func (r *Repo) WorktreeRefs(wt Worktree, prefix string) []Ref {
	var refs []Ref
	for _, name := range looseRefs(wt.GitDir, prefix) {
		data, err := os.ReadFile(filepath.Join(wt.GitDir, filepath.FromSlash(string(name))))
		if h := Hash(strings.TrimSpace(string(data))); err == nil && h.Valid() {
			refs = append(refs, Ref{Name: name, Hash: h})
		}
	}
	return refs
}

// ObjectTypes tells the type of each object, with one git process for any number.
// An object that is not here is not in the map.
func (r *Repo) ObjectTypes(ctx context.Context, hashes []Hash) (map[Hash]ObjectType, error) {
	if len(hashes) == 0 {
		return map[Hash]ObjectType{}, nil
	}
	var in bytes.Buffer
	for _, h := range hashes {
		if !h.Valid() {
			return nil, fmt.Errorf("look for objects: bad id %q", h)
		}
		in.WriteString(string(h) + "\n")
	}
	out, err := r.run(ctx, r.common(), &in, "cat-file", "--batch-check=%(objectname) %(objecttype)")
	if err != nil {
		return nil, fmt.Errorf("look for objects: %w", err)
	}
	types := make(map[Hash]ObjectType, len(hashes))
	for line := range bytes.Lines(out) {
		hash, kind, _ := strings.Cut(strings.TrimSuffix(string(line), "\n"), " ")
		switch t := ObjectType(kind); t {
		case TypeBlob, TypeTree, TypeCommit, TypeTag:
			types[Hash(hash)] = t
		}
	}
	return types, nil
}

// History is a part of the commit graph: each commit with its parents.
type History map[Hash][]Hash

// HistoryOf reads the commits that can be reached from the tips, but not what lies
// below all of the floors, with two git processes at most. All of them must be here.
func (r *Repo) HistoryOf(ctx context.Context, tips, floors []Hash) (History, error) {
	var in bytes.Buffer
	for _, h := range tips {
		in.WriteString(string(h) + "\n")
	}
	floor, err := r.commonAncestor(ctx, floors)
	if err != nil {
		return nil, err
	}
	if floor != "" {
		in.WriteString("^" + string(floor) + "^@\n")
	}
	out, err := r.run(ctx, r.common(), &in, "rev-list", "--parents", "--stdin")
	if err != nil {
		return nil, fmt.Errorf("read history: %w", err)
	}
	graph := History{}
	for line := range bytes.Lines(out) {
		fields := strings.Fields(string(line))
		parents := make([]Hash, len(fields)-1)
		for i, f := range fields[1:] {
			parents[i] = Hash(f)
		}
		graph[Hash(fields[0])] = parents
	}
	return graph, nil
}

// commonAncestor is the best common ancestor of all commits, "" where there is none.
func (r *Repo) commonAncestor(ctx context.Context, commits []Hash) (Hash, error) {
	commits = slices.Compact(slices.Sorted(slices.Values(commits)))
	if len(commits) < 2 {
		return firstOf(commits), nil
	}
	args := []string{"merge-base", "--octopus"}
	for _, h := range commits {
		args = append(args, string(h))
	}
	out, err := r.run(ctx, r.common(), nil, args...)
	switch {
	case err == nil:
		return lastHash(out)
	case ExitCode(err) == 1:
		return "", nil
	}
	return "", fmt.Errorf("compare history: %w", err)
}

func firstOf(list []Hash) Hash {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// Reaches marks everything that can be reached from the tips within the graph.
func (g History) Reaches(tips ...Hash) map[Hash]bool {
	seen := map[Hash]bool{}
	queue := slices.Clone(tips)
	for len(queue) > 0 {
		h := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if seen[h] {
			continue
		}
		seen[h] = true
		queue = append(queue, g[h]...)
	}
	return seen
}

// Reflog lists the values that a ref has had and its reflog remembers, newest
// first, each once. With git's usual ref files it starts no process. A ref without
// a reflog has none.
func (r *Repo) Reflog(ctx context.Context, name RefName) ([]Hash, error) {
	if !ValidRefName(name) {
		return nil, fmt.Errorf("read reflog: bad ref name %q", name)
	}
	var fields []string
	if r.config.Get("extensions.refStorage") != "" {
		out, err := r.run(ctx, r.common(), nil, "log", "--walk-reflogs", "--format=%H", string(name), "--")
		if err != nil {
			return nil, fmt.Errorf("read reflog: %w", err)
		}
		fields = strings.Fields(string(out))
	} else {
		data, err := os.ReadFile(filepath.Join(r.commonDir, "logs", filepath.FromSlash(string(name))))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read reflog: %w", err)
		}
		for line := range strings.Lines(string(data)) {
			words := strings.SplitN(line, " ", 3)
			fields = append(fields, words[:min(2, len(words))]...)
		}
		slices.Reverse(fields)
	}
	var list []Hash
	seen := map[Hash]bool{}
	for _, f := range fields {
		if h := Hash(f); h.Valid() && strings.Trim(f, "0") != "" && !seen[h] {
			seen[h] = true
			list = append(list, h)
		}
	}
	return list, nil
}
