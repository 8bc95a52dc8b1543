package gitops

import (
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Sketch is a view of a repository whose new objects stay in a temporary folder: merges
// and commits can be tried in it, and nothing of them is in the repository until they are
// taken. All that a Repo reads, it reads with these objects. Close it.
type Sketch struct {
	*Repo
	dir      string        // objects/, and what merges need beside it
	scaffold map[Hash]bool // commits that only a merge needed
	plain    bool          // this git cannot merge without a worktree
	settings []string      // for such merges: git's own options, -c NAME=VALUE
}

// Sketch begins an empty one.
func (r *Repo) Sketch() (*Sketch, error) {
	dir, err := os.MkdirTemp("", mergePrefix)
	if err != nil {
		return nil, fmt.Errorf("make sketch: %w", err)
	}
	s := &Sketch{dir: dir, scaffold: map[Hash]bool{}}
	for _, sub := range []string{filepath.Join("objects", "info"), "tree"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
			s.remove()
			return nil, fmt.Errorf("make sketch: %w", err)
		}
	}
	var alternates strings.Builder
	for _, d := range r.objectDirs() {
		alternates.WriteString(quoteAlternate(d) + "\n")
	}
	if err := os.WriteFile(filepath.Join(s.objectDir(), "info", "alternates"), []byte(alternates.String()), 0o600); err != nil {
		s.remove()
		return nil, fmt.Errorf("make sketch: %w", err)
	}
	view := *r
	view.env = append(without(r.env, []string{"GIT_OBJECT_DIRECTORY"}), "GIT_OBJECT_DIRECTORY="+s.objectDir())
	view.objects = newObjectStore(view.objectConfig())
	s.Repo = &view
	return s, nil
}

func (s *Sketch) objectDir() string { return filepath.Join(s.dir, "objects") }

func (s *Sketch) remove() { _ = os.RemoveAll(s.dir) } // one that stays does no harm, and the doctor finds it

// Close ends the sketch; what was not taken is gone.
func (s *Sketch) Close() {
	s.Repo.Close()
	s.remove()
}

// Commit makes a commit in the sketch, signed if that is wanted (see SignedCommit). Its
// message is scrubbed as git does. Errors: ErrSigning.
func (s *Sketch) Commit(ctx context.Context, c CommitData, sign bool, how Signing) (Hash, error) {
	if !sign {
		return s.looseCommitOf(c)
	}
	if len(c.Extra) > 0 {
		return "", fmt.Errorf("%w: it has a header %q, which git commit-tree cannot write", ErrSigning, c.Extra[0].Key)
	}
	plain, err := encodeCommit(c)
	if err != nil {
		return "", err
	}
	want, err := ParseCommit(plain)
	if err != nil {
		return "", err
	}
	p := s.common()
	p.env = append(p.env, identityVars(want)...)
	hash, err := s.commitTree(ctx, p, want, how)
	if err != nil {
		return "", err
	}
	got, err := s.ReadCommit(ctx, hash)
	if err == nil && (got.Tree != want.Tree || got.Message != want.Message) {
		err = fmt.Errorf("sign commit: git made another commit than it was asked for (%s)", hash)
	}
	return hash, err
}

// looseCommitOf writes an unsigned commit.
func (s *Sketch) looseCommitOf(c CommitData) (Hash, error) {
	data, err := encodeCommit(c)
	if err != nil {
		return "", err
	}
	return s.loose(TypeCommit, data)
}

// loose writes an object file.
func (s *Sketch) loose(kind ObjectType, data []byte) (Hash, error) {
	h := hashObject(s.format != "sha1", kind, data)
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	_, _ = fmt.Fprintf(z, "%s %d\x00%s", kind, len(data), data) // into memory
	if err := z.Close(); err != nil {
		return "", fmt.Errorf("write %s: %w", kind, err)
	}
	name := filepath.Join(s.objectDir(), string(h[:2]), string(h[2:]))
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return "", fmt.Errorf("write %s: %w", kind, err)
	}
	if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
		return "", fmt.Errorf("write %s: %w", kind, err)
	}
	return h, nil
}

// Take adds the objects of the sketch to a writer of the repository.
func (s *Sketch) Take(ctx context.Context, w *ObjectWriter) error {
	err := filepath.WalkDir(s.objectDir(), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		h := Hash(filepath.Base(filepath.Dir(path)) + d.Name())
		if !h.Valid() || s.scaffold[h] {
			return nil // git's temporary files, and packs of what was fetched meanwhile
		}
		kind, data, err := s.ReadObject(ctx, h)
		if err != nil {
			return err
		}
		if got := w.add(kind, data); got != h {
			return fmt.Errorf("object %s reads as %s", h, got)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("take merge result: %w", err)
	}
	return nil
}

// attributes writes the .gitattributes of a commit where git, merging, looks for them:
// they decide on drivers and line ends, and there is no worktree to have them.
func (s *Sketch) attributes(ctx context.Context, commit Hash) error {
	top := filepath.Join(s.dir, "tree")
	if err := os.RemoveAll(top); err != nil {
		return fmt.Errorf("read attributes: %w", err)
	}
	if err := os.MkdirAll(top, 0o700); err != nil {
		return fmt.Errorf("read attributes: %w", err)
	}
	tree, err := s.treeOf(ctx, commit)
	if err != nil {
		return err
	}
	entries, err := s.FlattenTree(ctx, tree)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := filepath.FromSlash(e.Name)
		if filepath.Base(name) != ".gitattributes" || e.Mode != ModeFile && e.Mode != ModeExec || !filepath.IsLocal(name) {
			continue
		}
		data, err := s.readTyped(ctx, e.Hash, TypeBlob)
		if err == nil {
			err = errors.Join(os.MkdirAll(filepath.Join(top, filepath.Dir(name)), 0o700), os.WriteFile(filepath.Join(top, name), data, 0o600))
		}
		if err != nil {
			return fmt.Errorf("read attributes: %w", err)
		}
	}
	return nil
}

// desk is the place where merges run: the repository with a worktree that has nothing
// but attributes, and an index of its own.
func (s *Sketch) desk() place {
	top := filepath.Join(s.dir, "tree")
	p := s.common()
	p.dir = top
	p.env = append(p.env, "GIT_WORK_TREE="+top, "GIT_INDEX_FILE="+filepath.Join(s.dir, "index"))
	return p
}

// identityVars are the variables that make git write a commit's names and dates.
func identityVars(c CommitData) []string {
	date := func(s Signature) string { return fmt.Sprintf("@%d%s", s.When.Unix(), s.When.Format(" -0700")) }
	return []string{
		"GIT_AUTHOR_NAME=" + c.Author.Name, "GIT_AUTHOR_EMAIL=" + c.Author.Email, "GIT_AUTHOR_DATE=" + date(c.Author),
		"GIT_COMMITTER_NAME=" + c.Committer.Name, "GIT_COMMITTER_EMAIL=" + c.Committer.Email, "GIT_COMMITTER_DATE=" + date(c.Committer),
	}
}

// nulList splits a list of paths that end with NUL.
func nulList(out []byte) []string {
	var list []string
	for p := range strings.SplitSeq(string(out), "\x00") {
		if p != "" {
			list = append(list, p)
		}
	}
	return list
}
