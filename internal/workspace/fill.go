package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"git-okstra/gitops"
)

// fill writes the files and the index of a new worktree. Files that a clean
// sibling has already are copied, the rest is left to git; where copying could
// give other bytes than git would, git does all of it.
func fill(ctx context.Context, repo *gitops.Repo, wt gitops.Worktree, head gitops.Hash, res *Result) error {
	entries, err := repo.FlattenTree(ctx, head)
	if err != nil {
		return err
	}
	plain, err := copyable(ctx, repo, entries)
	if err != nil {
		return err
	}
	var source *sibling
	if plain {
		source, err = nearest(ctx, repo, wt, entries)
		if err != nil {
			return err
		}
	}
	if source == nil {
		res.Written = len(entries)
		return repo.ResetHard(ctx, wt.Path, workers(repo))
	}
	return fillFrom(ctx, repo, wt, entries, source, res)
}

// workers is the bound on parallel file writing: checkout.workers as git reads
// it (below 1: one for each processor), else one for each processor.
func workers(repo *gitops.Repo) int {
	n := 0
	if v := repo.Config().Get("checkout.workers"); v != "" {
		if _, err := fmt.Sscan(v, &n); err != nil {
			n = 0
		}
	}
	if n < 1 {
		n = runtime.NumCPU()
	}
	return n
}

// fillFrom copies what the sibling has, writes the index once, and lets git add
// the rest.
func fillFrom(ctx context.Context, repo *gitops.Repo, wt gitops.Worktree,
	entries []gitops.TreeEntry, source *sibling, res *Result,
) error {
	index := make([]gitops.IndexEntry, len(entries))
	for i, e := range entries {
		index[i].TreeEntry = e
	}
	if err := copyAll(ctx, source, wt.Path, index, workers(repo)); err != nil {
		return err
	}
	var rest []string
	for _, e := range index {
		if !e.Known {
			rest = append(rest, e.Name)
		}
	}
	res.Copied, res.Written = len(index)-len(rest), len(rest)
	if err := repo.WriteIndex(wt, index); err != nil {
		return err
	}
	return repo.CheckoutIndex(ctx, wt.Path, rest)
}

// sibling is a worktree with an index that says which of its files are as
// committed.
type sibling struct {
	path   string
	index  *gitops.Index
	byName map[string]*gitops.IndexEntry
}

// nearest picks the worktree with the most files in common: the one that stands
// on the wanted commit's own branch point is usually the main one, so few are
// looked at.
func nearest(ctx context.Context, repo *gitops.Repo, self gitops.Worktree, entries []gitops.TreeEntry) (*sibling, error) {
	const candidates = 3
	all, err := repo.Worktrees(ctx)
	if err != nil {
		return nil, err
	}
	var best *sibling
	most, seen := 0, 0
	for _, wt := range all {
		if wt.GitDir == self.GitDir || seen == candidates {
			continue
		}
		s := readSibling(repo, wt)
		if s == nil {
			continue
		}
		seen++
		if n := s.common(entries); n > most {
			best, most = s, n
		}
		if most == len(entries) {
			break
		}
	}
	return best, nil
}

// readSibling reads a worktree's index; nil where it cannot serve as a source,
// for whatever reason: git then writes the files.
func readSibling(repo *gitops.Repo, wt gitops.Worktree) *sibling {
	idx, err := repo.ReadIndex(wt)
	if err != nil {
		return nil
	}
	s := &sibling{path: wt.Path, index: idx, byName: make(map[string]*gitops.IndexEntry, len(idx.Entries))}
	for i := range idx.Entries {
		e := &idx.Entries[i]
		if !e.Plain {
			return nil
		}
		s.byName[e.Name] = e
	}
	return s
}

// common counts the files that the sibling has with the same content and mode.
func (s *sibling) common(entries []gitops.TreeEntry) int {
	n := 0
	for _, e := range entries {
		if have, ok := s.byName[e.Name]; ok && have.TreeEntry == e {
			n++
		}
	}
	return n
}

// copyable reports whether a file's bytes are its blob's bytes throughout, so
// that a clean copy is what git would write: no conversion by attributes or
// configuration, no sparse checkout, no replaced objects, no name that git
// would refuse.
func copyable(ctx context.Context, repo *gitops.Repo, entries []gitops.TreeEntry) (bool, error) {
	if !plainConfig(repo.Config()) {
		return false, nil
	}
	if attributeFilesOutside(repo) {
		return false, nil
	}
	for _, e := range entries {
		if e.Mode == gitops.ModeGitlink || !safeName(e.Name) {
			return false, nil
		}
		if e.Name != ".gitattributes" && !strings.HasSuffix(e.Name, "/.gitattributes") {
			continue
		}
		_, data, err := repo.ReadObject(ctx, e.Hash)
		if err != nil {
			return false, fmt.Errorf("read %q: %w", e.Name, err)
		}
		if converts(data) {
			return false, nil
		}
	}
	return true, nil
}

// plainConfig reports whether no setting changes bytes, modes or names on the
// way from an object to a file.
func plainConfig(c gitops.Config) bool {
	for key, harmless := range map[string]bool{
		"core.fileMode": true, "core.symlinks": true, "core.ignoreCase": false,
		"core.sparseCheckout": false, "core.protectNTFS": true, "core.protectHFS": false,
		"extensions.worktreeConfig": false, "core.splitIndex": false,
	} {
		if v, err := c.Bool(key, harmless); err != nil || v != harmless {
			return false
		}
	}
	crlf, err := c.Bool("core.autocrlf", false) // "input" is no boolean: an error, left to git
	return err == nil && !crlf && runtime.GOOS != "windows"
}

// attributeFilesOutside reports whether attributes may come from outside the
// tree. What they say is left to git.
func attributeFilesOutside(repo *gitops.Repo) bool {
	if repo.Config().Get("core.attributesFile") != "" {
		return true
	}
	files := []string{filepath.Join(repo.CommonDir(), "info", "attributes"), "/etc/gitattributes"}
	if xdg := repo.Env("XDG_CONFIG_HOME"); xdg != "" {
		files = append(files, filepath.Join(xdg, "git", "attributes"))
	} else if home := repo.Env("HOME"); home != "" {
		files = append(files, filepath.Join(home, ".config", "git", "attributes"))
	}
	for _, f := range files {
		if exists(f) {
			return true
		}
	}
	return false
}

// converts reports whether a .gitattributes file has any attribute that can
// change a file's bytes on checkout. Macros count, for what is in them is not
// looked at.
func converts(data []byte) bool {
	for line := range bytes.Lines(data) {
		fields := strings.Fields(string(line))
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		if strings.HasPrefix(fields[0], "[attr]") || strings.HasPrefix(fields[0], `"`) {
			return true
		}
		for _, attr := range fields[1:] {
			name, _, _ := strings.Cut(strings.TrimLeft(attr, "-!"), "=")
			switch name {
			case "text", "crlf", "eol", "filter", "ident", "working-tree-encoding":
				return true
			}
		}
	}
	return false
}

// safeName reports whether a path is plainly inside the worktree. Everything
// that looks like a trick is left to git, which refuses what is one.
func safeName(name string) bool {
	if strings.ContainsAny(name, "\\:~") || strings.IndexFunc(name, func(r rune) bool { return r >= 0x200b && r <= 0x206f || r == 0xfeff }) >= 0 {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part == "." || part == ".." || strings.EqualFold(strings.TrimRight(part, ". "), ".git") {
			return false
		}
	}
	return true
}

// copyAll copies every entry that the sibling holds unchanged, several at once.
// Entries that were copied get their stat data.
func copyAll(ctx context.Context, s *sibling, dest string, index []gitops.IndexEntry, n int) error {
	if err := makeDirs(dest, index); err != nil {
		return err
	}
	var (
		wg   sync.WaitGroup
		mu   sync.Mutex
		errs error
	)
	const chunk = 64
	next := make(chan []gitops.IndexEntry)
	for range n {
		wg.Go(func() {
			for part := range next {
				if err := copyPart(ctx, s, dest, part); err != nil {
					mu.Lock()
					errs = errors.Join(errs, err)
					mu.Unlock()
				}
			}
		})
	}
	for start := 0; start < len(index); start += chunk {
		next <- index[start:min(start+chunk, len(index))]
	}
	close(next)
	wg.Wait()
	return errs
}

func copyPart(ctx context.Context, s *sibling, dest string, part []gitops.IndexEntry) error {
	for i := range part {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := s.copyOne(dest, &part[i]); err != nil {
			return err
		}
	}
	return nil
}
