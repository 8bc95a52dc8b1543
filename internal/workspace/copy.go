package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sync"

	"git-okstra/gitops"
)

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
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
			c := copier{sibling: s, dest: dest, clones: true, buf: make([]byte, 128<<10)}
			defer c.close()
			for part := range next {
				if err := c.copyPart(ctx, part); err != nil {
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

// copier copies files one after the other.
type copier struct {
	*sibling
	dest   string
	clones bool // the file system may share blocks; false after it once could not
	buf    []byte
	folders
}

func (c *copier) copyPart(ctx context.Context, part []gitops.IndexEntry) error {
	for i := range part {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := c.copyOne(&part[i]); err != nil {
			return err
		}
	}
	return nil
}

// makeDirs makes the folders of all entries, each once, the outer ones first.
func makeDirs(dest string, index []gitops.IndexEntry) error {
	made := map[string]bool{".": true}
	var ensure func(dir string) error
	ensure = func(dir string) error {
		if made[dir] {
			return nil
		}
		if err := ensure(path.Dir(dir)); err != nil {
			return err
		}
		made[dir] = true
		err := os.Mkdir(filepath.Join(dest, filepath.FromSlash(dir)), 0o777)
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("make folders: %w", err)
		}
		return nil
	}
	for _, e := range index {
		if e.TreeEntry.Mode == gitops.ModeSymlink {
			continue
		}
		if err := ensure(path.Dir(e.Name)); err != nil {
			return err
		}
	}
	return nil
}

// source is the sibling's entry for a path, if it says that the file may be copied.
func (c *copier) source(e *gitops.IndexEntry) (*gitops.IndexEntry, bool) {
	have, ok := c.byName[e.Name]
	return have, ok && have.TreeEntry == e.TreeEntry && e.TreeEntry.Mode != gitops.ModeSymlink
}

// inFolders reports whether the way to a folder of the sibling leads through
// folders only. Git takes what lies behind a link for gone.
func (s *sibling) inFolders(dir string) bool {
	if dir == "." {
		return true
	}
	if known, ok := s.real.Load(dir); ok {
		return known.(bool)
	}
	info, err := os.Lstat(filepath.Join(s.path, filepath.FromSlash(dir)))
	is := err == nil && info.IsDir() && s.inFolders(path.Dir(dir))
	s.real.Store(dir, is)
	return is
}

// createMode is what git creates files with: the umask does the rest.
func createMode(mode gitops.Mode) fs.FileMode {
	if mode == gitops.ModeExec {
		return 0o777
	}
	return 0o666
}
