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

// ChangeKind says what a path of a work tree is to git.
type ChangeKind string

// The kinds of change.
const (
	Modified  ChangeKind = "modified" // tracked, and not as committed
	Unmerged  ChangeKind = "unmerged"
	Untracked ChangeKind = "untracked"
	Ignored   ChangeKind = "ignored"
	Hidden    ChangeKind = "hidden" // modified, but marked assume-unchanged or skip-worktree
)

// Change is one path of a work tree that is not, or not only, in its commit. The path
// counts from the top, with slashes; a folder that is untracked or ignored as a whole
// ends in one.
type Change struct {
	Kind ChangeKind
	Path string
}

// Inventory is everything in a work tree that its commit does not hold.
type Inventory struct {
	Changes  []Change
	Gitlinks []string // the places of submodules, initialised or not
}

// strictly are the settings under which every change is seen, whatever the user has: a
// file system monitor can be wrong, and weak checks of file times miss writes. No hook
// is run.
var strictly = []string{
	"-c", "core.hooksPath=" + os.DevNull, "-c", "core.fsmonitor=false", "-c", "core.untrackedCache=false", "-c", "core.checkStat=default",
	"-c", "core.trustctime=true", "-c", "core.splitIndex=false", "-c", "status.relativePaths=false",
}

// Inventory looks at the work tree whose top is dir, with two git processes; with
// entries that git was told not to look at, some more. It writes nothing.
func (r *Repo) Inventory(ctx context.Context, dir string) (Inventory, error) {
	at, err := r.just(dir)
	if err != nil {
		return Inventory{}, err
	}
	inv, assumed, skipped, err := r.tagged(ctx, at)
	if err != nil {
		return inv, err
	}
	if inv.Changes, err = r.changes(ctx, at); err != nil {
		return inv, err
	}
	misnamed, err := r.misnamed(ctx, at, inv.Changes)
	if err != nil {
		return inv, err
	}
	inv.Changes = append(inv.Changes, misnamed...)
	if len(assumed)+len(skipped) > 0 {
		hidden, err := r.hiddenChanges(ctx, at, assumed, skipped)
		if err != nil {
			return inv, err
		}
		inv.Changes = append(inv.Changes, hidden...)
	}
	return inv, nil
}

// HiddenChanges lists the files in the work tree whose top is dir that are not as the index
// has them, and of which git's status says nothing: they are marked assume-unchanged or
// skip-worktree. Where nothing is marked it is one git process.
func (r *Repo) HiddenChanges(ctx context.Context, dir string) ([]string, error) {
	at, err := r.just(dir)
	if err != nil {
		return nil, err
	}
	_, assumed, skipped, err := r.tagged(ctx, at)
	if err != nil || len(assumed)+len(skipped) == 0 {
		return nil, err
	}
	hidden, err := r.hiddenChanges(ctx, at, assumed, skipped)
	var out []string
	for _, c := range hidden {
		out = append(out, c.Path)
	}
	return out, err
}

// tagged reads the index with the marks of its entries.
func (r *Repo) tagged(ctx context.Context, p place) (inv Inventory, assumed, skipped []string, err error) {
	out, err := r.run(ctx, p, nil, append(strictly, "ls-files", "--stage", "-v", "-z")...)
	if err != nil {
		return inv, nil, nil, fmt.Errorf("read index: %w", err)
	}
	return parseTagged(out)
}

// just is the work tree whose top is dir and no other: core.worktree can send git to
// another folder, and a .git that is none up to the repository around it.
func (r *Repo) just(dir string) (place, error) {
	gitDir, err := GitDirOf(dir)
	if err != nil || gitDir == "" {
		return r.at(dir), err
	}
	return r.in(Worktree{GitDir: gitDir, Path: dir}), nil
}

// misnamed lists the untracked files that git takes for others where it minds no case in
// names (core.ignoreCase), although the file system does. What git knew of already, and
// the folders that it ignored by that, are left out.
func (r *Repo) misnamed(ctx context.Context, p place, known []Change) ([]Change, error) {
	out, err := r.run(ctx, p, nil, "config", "--type=bool", "--default=false", "--get", "core.ignoreCase")
	if err != nil {
		return nil, fmt.Errorf("read core.ignoreCase: %w", err)
	}
	if strings.TrimSpace(string(out)) != "true" {
		return nil, nil
	}
	all, err := r.changes(ctx, p, "-c", "core.ignoreCase=false")
	if err != nil {
		return nil, err
	}
	named := map[string]bool{}
	for _, c := range known {
		named[c.Path] = true
	}
	return slices.DeleteFunc(all, func(c Change) bool {
		for dir := c.Path; dir != ""; dir = parent(dir) {
			if named[dir] {
				return true
			}
		}
		return c.Kind != Untracked
	}), nil
}

// parseTagged reads `ls-files --stage -v -z`: "TAG MODE ID STAGE\tPATH". A lower-case
// tag is that of an entry assumed unchanged, S of one that is skipped.
func parseTagged(out []byte) (inv Inventory, assumed, skipped []string, err error) {
	for line := range bytes.SplitSeq(out, []byte{0}) {
		if len(line) == 0 {
			continue
		}
		head, path, ok := strings.Cut(string(line), "\t")
		words := strings.Fields(head)
		if !ok || len(words) != 4 || len(words[0]) != 1 {
			return inv, nil, nil, fmt.Errorf("read index: unexpected line %q", line)
		}
		if words[1] == "160000" {
			inv.Gitlinks = append(inv.Gitlinks, path)
		}
		if words[0] != strings.ToUpper(words[0]) {
			assumed = append(assumed, path)
		}
		if strings.EqualFold(words[0], "S") {
			skipped = append(skipped, path)
		}
	}
	return inv, assumed, skipped, nil
}

// changes asks git's status for everything, ignored paths too.
func (r *Repo) changes(ctx context.Context, p place, settings ...string) ([]Change, error) {
	out, err := r.run(ctx, p, nil, append(slices.Concat(strictly, settings), "status", "--porcelain=v2", "-z", "--untracked-files=all",
		"--ignored=matching", "--no-renames", "--ignore-submodules=none")...)
	if err != nil {
		return nil, fmt.Errorf("read status: %w", err)
	}
	var list []Change
	for line := range strings.SplitSeq(string(out), "\x00") {
		if line == "" || line[0] == '#' {
			continue
		}
		c, ok := parseChange(line)
		if !ok {
			return nil, fmt.Errorf("read status: unexpected line %q", line)
		}
		list = append(list, c)
	}
	return list, nil
}

// parseChange reads a line of git's second porcelain format: the path is the last of a
// number of fields that depends on the first.
func parseChange(line string) (Change, bool) {
	kinds := map[byte]struct {
		kind   ChangeKind
		before int // fields in front of the path
	}{'1': {Modified, 8}, 'u': {Unmerged, 10}, '?': {Untracked, 1}, '!': {Ignored, 1}}
	k, known := kinds[line[0]]
	if !known {
		return Change{}, false
	}
	fields := strings.SplitN(line, " ", k.before+1)
	if len(fields) <= k.before || fields[k.before] == "" {
		return Change{}, false
	}
	return Change{k.kind, fields[k.before]}, true
}

// hiddenChanges looks at what git was told not to look at, through a copy of the index
// without those marks. A file that is not there is no change: nothing of it can be lost.
func (r *Repo) hiddenChanges(ctx context.Context, p place, assumed, skipped []string) ([]Change, error) {
	out, err := r.run(ctx, p, nil, "rev-parse", "--path-format=absolute", "--git-path", "index")
	if err != nil {
		return nil, fmt.Errorf("find index: %w", err)
	}
	copied, err := copyToTemp(strings.TrimSuffix(string(out), "\n"))
	if err != nil {
		return nil, fmt.Errorf("copy index: %w", err)
	}
	defer func() { _ = os.Remove(copied) }() // a temporary file of ours
	p.env = append(slices.Clip(p.env), "GIT_INDEX_FILE="+copied)
	marked := map[string]bool{}
	for _, path := range append(assumed, skipped...) {
		marked[path] = true
	}
	if err := r.unmark(ctx, p, marked); err != nil {
		return nil, fmt.Errorf("look behind marks: %w", err)
	}
	all, err := r.changes(ctx, p)
	if err != nil {
		return nil, err
	}
	var hidden []Change
	for _, c := range all {
		if marked[c.Path] && c.Kind == Modified && exists(p.dir, filepath.FromSlash(c.Path)) {
			hidden = append(hidden, Change{Hidden, c.Path})
		}
	}
	return hidden, nil
}

// unmark enters paths anew in an index: without marks, and without what git knew of
// their files. Size and times prove nothing here: an index that git writes later takes
// a marked file that was changed in the moment of the check-out for unchanged.
func (r *Repo) unmark(ctx context.Context, p place, paths map[string]bool) error {
	out, err := r.run(ctx, p, nil, "ls-files", "-z", "--stage")
	if err != nil {
		return err
	}
	var in strings.Builder
	for line := range strings.SplitSeq(string(out), "\x00") {
		if _, path, ok := strings.Cut(line, "\t"); ok && paths[path] {
			in.WriteString(line + "\x00")
		}
	}
	_, err = r.run(ctx, p, strings.NewReader(in.String()), append(strictly, "update-index", "-z", "--index-info")...)
	return err
}

// copyToTemp copies a file to a temporary one, with its modification time: git tells
// by it which entries to distrust.
func copyToTemp(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	f, err := os.CreateTemp("", "okstra-index-*")
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Close(), os.Chtimes(f.Name(), info.ModTime(), info.ModTime()))
	if err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), nil
}

// GitDirOf reads where the git directory of the work tree at path is, from its .git
// file or folder; "" where there is none.
func GitDirOf(path string) (string, error) {
	link := filepath.Join(path, ".git")
	info, err := os.Lstat(link)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrInvalid):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("find git directory: %w", err)
	case !info.Mode().IsRegular():
		return link, nil
	}
	data, err := os.ReadFile(link)
	if err != nil {
		return "", fmt.Errorf("find git directory: %w", err)
	}
	target, ok := strings.CutPrefix(strings.TrimRight(string(data), "\r\n"), "gitdir: ")
	if !ok {
		return "", nil
	}
	return absoluteFrom(path, target), nil
}
