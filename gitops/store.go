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
)

// ReadObject returns an object's type and content. Errors: ErrMissing where git
// says that the object is absent.
func (r *Repo) ReadObject(ctx context.Context, h Hash) (ObjectType, []byte, error) {
	return r.objects.read(ctx, h)
}

// readTyped reads an object that must be of one type.
func (r *Repo) readTyped(ctx context.Context, h Hash, want ObjectType) ([]byte, error) {
	typ, data, err := r.objects.read(ctx, h)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", want, err)
	}
	if typ != want {
		return nil, fmt.Errorf("read %s %s: it is a %s", want, h.Short(), typ)
	}
	return data, nil
}

// ReadCommit reads and parses a commit.
func (r *Repo) ReadCommit(ctx context.Context, h Hash) (Commit, error) {
	data, err := r.readTyped(ctx, h, TypeCommit)
	if err != nil {
		return Commit{}, err
	}
	return ParseCommit(data)
}

// ReadTag reads and parses an annotated tag object.
func (r *Repo) ReadTag(ctx context.Context, h Hash) (Tag, error) {
	data, err := r.readTyped(ctx, h, TypeTag)
	if err != nil {
		return Tag{}, err
	}
	return ParseTag(data)
}

// FlattenTree lists all files of a tree, or of a commit's tree, with whole paths,
// in the index's order.
func (r *Repo) FlattenTree(ctx context.Context, h Hash) ([]TreeEntry, error) {
	tree, err := r.treeOf(ctx, h)
	if err != nil {
		return nil, err
	}
	return r.objects.flattenTree(ctx, tree)
}

// treeOf returns the tree of a commit, or a tree as it is.
func (r *Repo) treeOf(ctx context.Context, h Hash) (Hash, error) {
	typ, data, err := r.objects.read(ctx, h)
	if err != nil {
		return "", fmt.Errorf("read tree: %w", err)
	}
	switch typ {
	case TypeTree:
		return h, nil
	case TypeCommit:
		c, err := ParseCommit(data)
		return c.Tree, err
	}
	return "", fmt.Errorf("read tree: %s is a %s", h.Short(), typ)
}

// FileAt reads the file at a slash-separated path of a commit's tree. Errors:
// fs.ErrNotExist where the tree has no such path.
func (r *Repo) FileAt(ctx context.Context, commit Hash, path string) ([]byte, error) {
	tree, err := r.treeOf(ctx, commit)
	if err != nil {
		return nil, err
	}
	entry, err := r.objects.lookupPath(ctx, tree, path)
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", path, err)
	}
	return r.readTyped(ctx, entry.Hash, TypeBlob)
}

// NewObjects starts a set of new objects. They are in nobody's way until Flush
// writes them, all in one pack.
func (r *Repo) NewObjects() *ObjectWriter { return r.objects.newWriter() }

// NoteGet returns the note on target in the notes commit's tree, nil where there
// is none; commit "" is an empty log.
func (r *Repo) NoteGet(ctx context.Context, commit, target Hash) ([]byte, error) {
	if commit == "" {
		return nil, nil
	}
	tree, err := r.treeOf(ctx, commit)
	if err != nil {
		return nil, err
	}
	return r.objects.notesGet(ctx, tree, target)
}

// NoteSet replaces the note on target and returns the new tree, whose objects
// are in w; commit "" starts an empty log.
func (r *Repo) NoteSet(ctx context.Context, w *ObjectWriter, commit, target Hash, content []byte) (Hash, error) {
	var tree Hash
	if commit != "" {
		var err error
		if tree, err = r.treeOf(ctx, commit); err != nil {
			return "", err
		}
	}
	return r.objects.notesSet(ctx, w, tree, target, content)
}

// NoteSetAll is NoteSet for several notes, each target once, in one new tree.
func (r *Repo) NoteSetAll(ctx context.Context, w *ObjectWriter, commit Hash, list []Note) (Hash, error) {
	var tree Hash
	var err error
	if commit != "" {
		if tree, err = r.treeOf(ctx, commit); err != nil {
			return "", err
		}
	}
	return r.objects.notesSetAll(ctx, w, tree, list)
}

// Note is one note: the object it speaks of and its whole content.
type Note struct {
	Target  Hash
	Content []byte
}

// Notes reads every note of a notes commit; commit "" is an empty log.
func (r *Repo) Notes(ctx context.Context, commit Hash) ([]Note, error) {
	if commit == "" {
		return nil, nil
	}
	tree, err := r.treeOf(ctx, commit)
	if err != nil {
		return nil, err
	}
	list, err := r.objects.notesList(ctx, tree)
	if err != nil {
		return nil, err
	}
	return r.objects.notesContents(ctx, list)
}

// ApplyObjects flushes the objects and applies the transaction, keeping the new
// pack out of a concurrent gc's reach until the refs hold it. Where the
// transaction is refused the pack is taken back, but only if no ref came to hold
// anything of it, and only where git refused in its own words: an update-ref that
// was killed may have done a part, and names an object in a ref's log before the ref
// has it.
func (r *Repo) ApplyObjects(ctx context.Context, w *ObjectWriter, t Transaction) error {
	return r.ApplyObjectsAround(ctx, w, t, nil, nil)
}

// ApplyObjectsAround is ApplyObjects with something to be done before the refs move, and
// something that ends it, whatever became of both: it gets their error, and returns what
// could not be put right. The objects are there all the while. Both may be nil.
func (r *Repo) ApplyObjectsAround(ctx context.Context, w *ObjectWriter, t Transaction, first func() error, last func(failed error) error) error {
	fresh := w.fresh(t)
	pack, err := w.Flush(ctx)
	if err != nil {
		return fmt.Errorf("write objects: %w", err)
	}
	applied := false
	if first != nil {
		err = first()
	}
	if err == nil {
		applied = true
		err = r.Apply(ctx, t)
	}
	var left error
	if last != nil {
		left = last(err)
	}
	switch {
	case err == nil:
		return errors.Join(left, pack.Release())
	case left != nil: // its mending may still need the objects
		return errors.Join(fmt.Errorf("%w; and %w", err, left), pack.Release())
	case applied && byItself(err) && r.noneHolds(context.WithoutCancel(ctx), fresh):
		return errors.Join(err, pack.Discard())
	}
	return errors.Join(err, pack.Release())
}

// byItself reports whether git ended a transaction by itself, or never began it.
func byItself(err error) bool {
	var ge *GitError
	return !errors.As(err, &ge) || ge.ExitCode == 128
}

// fresh lists the changes of a transaction whose new value is one of the
// writer's own objects. Others may well come to hold the same value otherwise.
func (w *ObjectWriter) fresh(t Transaction) []RefChange {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []RefChange
	for _, c := range t.Changes {
		if _, ok := w.pending[c.New]; ok && c.New != c.Old {
			out = append(out, c)
		}
	}
	return out
}

// noneHolds reports whether certainly no ref of a failed transaction holds its
// new value.
func (r *Repo) noneHolds(ctx context.Context, changes []RefChange) bool {
	names := make([]RefName, len(changes))
	for i, c := range changes {
		names[i] = c.Name
	}
	if len(names) == 0 {
		return true
	}
	have, err := r.RefValues(ctx, names...)
	if err != nil {
		return false
	}
	return !slices.ContainsFunc(changes, func(c RefChange) bool { return have[c.Name] == c.New })
}

// MayReplace reports whether the repository may have replacement objects
// (git-replace), which only git itself honours. It asks no process; where it
// cannot tell it says yes.
func (r *Repo) MayReplace() bool {
	if r.config.Get("extensions.refStorage") != "" || r.lookupEnv("GIT_REPLACE_REF_BASE") != "" {
		return true
	}
	if entries, err := os.ReadDir(filepath.Join(r.commonDir, "refs", "replace")); err == nil && len(entries) > 0 {
		return true
	}
	packed, err := os.ReadFile(filepath.Join(r.commonDir, "packed-refs"))
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	return err != nil || bytes.Contains(packed, []byte(" refs/replace/"))
}
