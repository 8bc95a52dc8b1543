package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"git-okstra/gitops"
)

// bringer brings ignored paths of the main worktree into a new one.
type bringer struct {
	repo     *gitops.Repo
	main     string
	wt       gitops.Worktree
	tracked  map[string]bool // files of the new worktree's commit
	folders  map[string]bool // the folders that they lie in
	list     []ProvidedPath
	warnings []string
}

// bring copies and links into a new worktree what .worktreeinclude and okstra.sync
// name. A path that cannot be brought is a warning; errors are those of git, of the
// record and of the context.
func bring(ctx context.Context, repo *gitops.Repo, wt gitops.Worktree, head gitops.Hash, res *Result) error {
	rules, err := readSync(repo.Config())
	if err != nil {
		return err
	}
	main, ok, err := mainOf(ctx, repo)
	if err != nil {
		return err
	}
	if !ok {
		res.NoMain = true
		return nil
	}
	items, warning, err := wanted(ctx, repo, main, rules)
	b := &bringer{repo: repo, main: main.Path, wt: wt}
	if warning != "" {
		b.warn("%s", warning)
	}
	if err == nil && len(items) > 0 {
		err = b.all(ctx, items, head, res)
	}
	res.Warnings = append(res.Warnings, b.warnings...)
	return err
}

func (b *bringer) warn(format string, args ...any) {
	b.warnings = append(b.warnings, fmt.Sprintf(format, args...))
}

// all decides about the items and brings them.
func (b *bringer) all(ctx context.Context, items []item, head gitops.Hash, res *Result) error {
	entries, err := b.repo.FlattenTree(ctx, head)
	if err != nil {
		return err
	}
	b.tracked, b.folders = map[string]bool{}, foldersOf(entries)
	for _, e := range entries {
		b.tracked[e.Name] = true
	}
	items = b.fitting(items)
	items, err = b.ignoredThere(ctx, items)
	if err != nil || len(items) == 0 {
		return err
	}
	for _, it := range items {
		b.list = append(b.list, ProvidedPath{Path: it.path, how: it.how()})
	}
	// From here on a worktree that is found half-made has files that are known to be ours.
	if err := writeProvided(b.wt, b.list); err != nil {
		return err
	}
	copier := newTreeCopier(workers(b.repo))
	for _, it := range items {
		b.one(ctx, it, copier)
	}
	b.warnings = append(b.warnings, copier.trouble...)
	res.Brought, res.BroughtFiles = len(items), int(copier.files.Load())
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return seal(b.wt, b.list)
}

// how names the way in which an item is brought.
func (it item) how() string {
	switch {
	case it.link && it.dir:
		return linkedParts
	case it.link:
		return linked
	}
	return copied
}

// fitting leaves out what the new worktree's commit has otherwise. A folder that has
// tracked files there is divided: what is in it is looked at by itself.
func (b *bringer) fitting(items []item) []item {
	var out []item
	for _, it := range items {
		switch {
		case b.tracked[it.path]:
			b.warn("%q was not brought along: the stage's commit has it", it.path)
		case b.behindFile(it.path):
			b.warn("%q was not brought along: the stage's commit has a file where its folder would be", it.path)
		case !b.folders[it.path]:
			out = append(out, it)
		case !it.dir || it.link:
			b.warn("%q was not brought along: the stage's commit has files in a folder of that name", it.path)
		default:
			out = append(out, b.fitting(b.parts(it))...)
		}
	}
	return out
}

// behindFile reports whether some folder on the way to a path is no folder in the new
// worktree's commit.
func (b *bringer) behindFile(p string) bool {
	for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
		if b.tracked[dir] {
			return true
		}
	}
	return false
}

// parts lists what is in a folder of the main worktree; nothing of a repository of its own.
func (b *bringer) parts(it item) []item {
	entries, err := os.ReadDir(b.at(b.main, it.path))
	if err != nil {
		b.warn("%q was not brought along: %s", it.path, cause(err))
	}
	var out []item
	for _, e := range entries {
		if strings.EqualFold(e.Name(), ".git") {
			b.warn("%q was not brought along: a repository of its own", it.path)
			return nil
		}
		out = append(out, item{it.path + "/" + e.Name(), e.IsDir(), it.link})
	}
	return out
}

func (b *bringer) at(top, p string) string { return filepath.Join(top, filepath.FromSlash(p)) }

// ignoredThere keeps what the new worktree ignores too, for its .gitignore files may
// be others: nothing that is brought may show up there as untracked. Most rules for
// folders fit no link; where that is so, the folder becomes one of links.
func (b *bringer) ignoredThere(ctx context.Context, items []item) ([]item, error) {
	var leaves []string
	for _, it := range items {
		if !it.dir || it.link {
			leaves = append(leaves, it.path)
		}
	}
	ignored, err := b.repo.WouldIgnore(ctx, b.wt, leaves)
	if err != nil {
		return nil, err
	}
	var good, folders []item
	for _, it := range items {
		switch {
		case ignored[it.path] && (!it.dir || it.link):
			good = append(good, item{it.path, false, it.link})
		case it.dir:
			folders = append(folders, it)
		default:
			b.notIgnored(it)
		}
	}
	whole, rest, err := b.ignoredFolders(ctx, folders)
	if err != nil {
		return nil, err
	}
	return slices.Concat(good, whole, rest), nil
}

func (b *bringer) notIgnored(it item) {
	b.warn("%q was not brought along: the stage's commit does not ignore it", it.path)
}

// ignoredFolders asks git about folders, which have to stand there for that. Of one that
// is not ignored itself the files may be; they come one by one.
func (b *bringer) ignoredFolders(ctx context.Context, folders []item) (whole, files []item, err error) {
	var paths []string
	for _, it := range folders {
		paths = append(paths, it.path)
		if err := os.MkdirAll(b.at(b.wt.Path, it.path), 0o777); err != nil {
			return nil, nil, err
		}
	}
	ignored, err := b.repo.WouldIgnore(ctx, b.wt, paths)
	if err != nil {
		return nil, nil, err
	}
	var leaves []item
	for _, it := range folders {
		if err := os.Remove(b.at(b.wt.Path, it.path)); err != nil {
			return nil, nil, err
		}
		switch {
		case ignored[it.path]:
			whole = append(whole, it)
		case it.link:
			b.notIgnored(it)
		default:
			leaves = append(leaves, b.leaves(it)...)
		}
	}
	paths = nil
	for _, it := range leaves {
		paths = append(paths, it.path)
	}
	if ignored, err = b.repo.WouldIgnore(ctx, b.wt, paths); err != nil {
		return nil, nil, err
	}
	for _, it := range leaves {
		if ignored[it.path] {
			files = append(files, it)
		} else {
			b.notIgnored(it)
		}
	}
	return whole, files, nil
}

// leaves lists the files and links below a folder of the main worktree.
func (b *bringer) leaves(it item) []item {
	var out []item
	for _, part := range b.parts(it) {
		if part.dir {
			out = append(out, b.leaves(part)...)
		} else {
			out = append(out, part)
		}
	}
	return out
}

// one brings one item.
func (b *bringer) one(ctx context.Context, it item, copier *treeCopier) {
	to := b.at(b.wt.Path, it.path)
	err := os.MkdirAll(filepath.Dir(to), 0o777)
	switch {
	case err != nil:
	case it.link && it.dir:
		err = b.linkParts(it)
	case it.link:
		err = os.Symlink(b.at(b.main, it.path), to)
	default:
		err = b.copy(ctx, it, copier)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		b.warn("%q was not brought along: %s", it.path, cause(err))
	}
}

// linkParts makes a folder with a link for each entry of the main worktree's.
func (b *bringer) linkParts(it item) error {
	err := os.Mkdir(b.at(b.wt.Path, it.path), 0o777)
	for _, part := range b.parts(it) {
		if err == nil {
			err = os.Symlink(b.at(b.main, part.path), b.at(b.wt.Path, part.path))
		}
	}
	return err
}

// copy copies a file, link or folder. The two folders that it lies in are opened by
// their way from the top, which may not lead outside.
func (b *bringer) copy(ctx context.Context, it item, copier *treeCopier) error {
	from, err := openBelow(b.main, path.Dir(it.path))
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }()
	to, err := openBelow(b.wt.Path, path.Dir(it.path))
	if err != nil {
		return err
	}
	defer func() { _ = to.Close() }()
	copier.entry(ctx, from, to, path.Base(it.path), it.path)
	return nil
}

func openBelow(top, dir string) (*os.Root, error) {
	root, err := os.OpenRoot(top)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	return root.OpenRoot(filepath.FromSlash(dir))
}

// foldersOf lists every folder that an entry lies in.
func foldersOf(entries []gitops.TreeEntry) map[string]bool {
	folders := map[string]bool{}
	for _, e := range entries {
		for dir := path.Dir(e.Name); dir != "." && !folders[dir]; dir = path.Dir(dir) {
			folders[dir] = true
		}
	}
	return folders
}
