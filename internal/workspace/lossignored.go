package workspace

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// ignored decides about one ignored path: files that the tool put there, that the user
// lets go, or that a program has marked as a cache are no loss, everything else is.
func (i *inspection) ignored(ctx context.Context, dir, prefix, name string) error {
	whole := prefix + name
	if i.mayGo(strings.TrimSuffix(whole, "/")) {
		return nil
	}
	if !strings.HasSuffix(name, "/") {
		i.add(LossIgnored, whole, "")
		return nil
	}
	top := filepath.Join(dir, filepath.FromSlash(name))
	if taggedCache(top) {
		return nil
	}
	kept := false
	err := filepath.WalkDir(top, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		switch below := prefix + filepath.ToSlash(rel); {
		case i.mayGo(below) && d.IsDir():
			return fs.SkipDir
		case i.mayGo(below) || d.IsDir():
			return nil
		}
		kept = true
		return fs.SkipAll
	})
	if kept && err == nil {
		i.add(LossIgnored, whole, "")
	}
	return err
}

// mayGo reports whether an ignored path is none to keep.
func (i *inspection) mayGo(name string) bool {
	if i.Ignored || i.ours != nil && i.ours(name) {
		return true
	}
	for _, glob := range i.Globs {
		if fits(glob, name) {
			return true
		}
	}
	return false
}

// cacheTag is what a CACHEDIR.TAG file begins with: the folder's owner says by it that
// everything in there can be had again (bford.info/cachedir).
const cacheTag = "Signature: 8a477f597d28d172789f06886806bc55"

func taggedCache(dir string) bool {
	f, err := os.Open(filepath.Join(dir, "CACHEDIR.TAG"))
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // it was only read
	head := make([]byte, len(cacheTag))
	_, err = io.ReadFull(f, head)
	return err == nil && bytes.Equal(head, []byte(cacheTag))
}

// fits reports whether a glob in the manner of .gitignore is for a path, with slashes,
// or for a folder that it lies in: without a slash, but for one at its end, it is for a
// name at any depth; ** stands for any number of folders.
func fits(glob, name string) bool {
	glob = strings.TrimSuffix(strings.TrimSuffix(glob, "/**"), "/")
	anywhere := !strings.Contains(glob, "/")
	pattern := strings.Split(strings.TrimPrefix(glob, "/"), "/")
	parts := strings.Split(name, "/")
	for end := 1; end <= len(parts); end++ {
		if anywhere {
			if ok, err := path.Match(glob, parts[end-1]); ok && err == nil && glob != "" {
				return true
			}
		} else if fitsAll(pattern, parts[:end]) {
			return true
		}
	}
	return false
}

// fitsAll compares a pattern with a path, segment by segment.
func fitsAll(pattern, parts []string) bool {
	for len(pattern) > 0 {
		if pattern[0] == "**" {
			for skip := range len(parts) + 1 {
				if fitsAll(pattern[1:], parts[skip:]) {
					return true
				}
			}
			return false
		}
		if len(parts) == 0 {
			return false
		}
		if ok, err := path.Match(pattern[0], parts[0]); !ok || err != nil {
			return false
		}
		pattern, parts = pattern[1:], parts[1:]
	}
	return len(parts) == 0
}
