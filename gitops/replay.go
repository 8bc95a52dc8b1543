package gitops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Replays reports whether a change to some paths, made again on another commit, gives
// what stands in the result: it is what tells equal patches at different places of a
// file apart. Where the change meets another one at its border, either order of the two
// counts. renamed names the paths that are called otherwise there. Errors: ErrMissing
// for a commit without its objects.
func (r *Repo) Replays(ctx context.Context, change Diff, onto, result Hash, paths []string, renamed map[string]string) (bool, error) {
	for _, path := range paths {
		var sides [4]TreeEntry // zero where the path is not there
		for i, commit := range []Hash{change.From, change.To, onto, result} {
			name := path
			if other, ok := renamed[path]; ok && i > 1 {
				name = other
			}
			entry, err := r.entryAt(ctx, commit, name)
			if err != nil {
				return false, err
			}
			sides[i] = entry
		}
		ok, err := r.replaysFile(ctx, sides[0], sides[1], sides[2], sides[3])
		if err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

// entryAt is a path's entry in a commit's tree; zero where there is none, and in no
// commit at all.
func (r *Repo) entryAt(ctx context.Context, commit Hash, path string) (TreeEntry, error) {
	if commit == "" {
		return TreeEntry{}, nil
	}
	tree, err := r.treeOf(ctx, commit)
	if err != nil {
		return TreeEntry{}, err
	}
	entry, err := r.objects.lookupPath(ctx, tree, path)
	if errors.Is(err, fs.ErrNotExist) {
		return TreeEntry{}, nil
	}
	return entry, err
}

func (r *Repo) replaysFile(ctx context.Context, from, to, onto, result TreeEntry) (bool, error) {
	mode, ok := threeWay(from.Mode, to.Mode, onto.Mode)
	if !ok || mode != result.Mode {
		return false, nil
	}
	if hash, ok := threeWay(from.Hash, to.Hash, onto.Hash); ok {
		return hash == result.Hash, nil
	}
	for _, e := range []TreeEntry{from, to, onto, result} {
		if e.Mode != ModeFile && e.Mode != ModeExec {
			return false, nil
		}
	}
	return r.mergesTo(ctx, from.Hash, to.Hash, onto.Hash, result.Hash)
}

// threeWay merges two values that are taken as a whole.
func threeWay[T comparable](from, to, onto T) (T, bool) {
	switch {
	case onto == from:
		return to, true
	case to == from, to == onto:
		return onto, true
	}
	return onto, false
}

// mergesTo merges the contents of a file with git merge-file.
func (r *Repo) mergesTo(ctx context.Context, from, to, onto, result Hash) (bool, error) {
	dir, err := os.MkdirTemp("", mergePrefix)
	if err != nil {
		return false, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // one that stays does no harm, and the doctor finds it
	names := [3]string{filepath.Join(dir, "onto"), filepath.Join(dir, "from"), filepath.Join(dir, "to")}
	for i, h := range []Hash{onto, from, to} {
		data, err := r.readTyped(ctx, h, TypeBlob)
		if err == nil {
			err = os.WriteFile(names[i], data, 0o600)
		}
		if err != nil {
			return false, err
		}
	}
	want, err := r.readTyped(ctx, result, TypeBlob)
	if err != nil {
		return false, err
	}
	for i, args := range [][]string{
		{names[0], names[1], names[2]},
		{"--union", names[0], names[1], names[2]},
		{"--union", names[2], names[1], names[0]},
	} {
		out, err := r.run(ctx, r.quiet(), nil, append([]string{"merge-file", "-p", "-q"}, args...)...)
		switch code := ExitCode(err); {
		case err == nil && (bytes.Equal(out, want) || i == 0): // a clean merge has one result
			return bytes.Equal(out, want), nil
		case ctx.Err() != nil:
			return false, ctx.Err()
		case code == 255: // not text
			return false, nil
		case err != nil && code < 1: // from 1 on it counts conflicts
			return false, fmt.Errorf("merge: %w", err)
		}
	}
	return false, nil
}

// mostRenames bounds the files that are compared for renames, on each side.
const mostRenames = 400

// Renamed tells what files of one commit are called in another, as git's rename
// detection has it; only of the given paths that one has and the other lacks.
func (r *Repo) Renamed(ctx context.Context, from, to Hash, paths []string) (map[string]string, error) {
	wanted := map[string]bool{}
	for _, path := range paths {
		var there [2]bool
		for i, commit := range []Hash{from, to} {
			entry, err := r.entryAt(ctx, commit, path)
			if err != nil {
				return nil, err
			}
			there[i] = entry.Hash != ""
		}
		if there[0] && !there[1] {
			wanted[path] = true
		}
	}
	if len(wanted) == 0 {
		return nil, nil
	}
	out, err := r.run(ctx, r.quiet(), nil, "diff-tree", "-r", "-z", "--name-status", "-M", fmt.Sprintf("-l%d", mostRenames),
		"--diff-filter=R", "--no-ext-diff", "--no-textconv", string(from), string(to))
	if err != nil {
		return nil, fmt.Errorf("look for renames: %w", err)
	}
	words := strings.Split(string(out), "\x00") // R100, old, new
	renamed := map[string]string{}
	for i := 0; i+2 < len(words); i += 3 {
		if wanted[words[i+1]] {
			renamed[words[i+1]] = words[i+2]
		}
	}
	return renamed, nil
}
