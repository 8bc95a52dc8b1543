package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"git-okstra/gitops"
)

// providedFile, in a worktree's administrative folder, records which ignored paths
// were brought there: for each "<how> <digest>", a zero byte, the path, a zero byte.
// It is written before the first of them, without digests, and again after the last.
const providedFile = "okstra-provided"

// The ways in which a path is brought.
const (
	copied      = "copy"
	linked      = "link"
	linkedParts = "links" // a folder with a link for each entry
)

// ProvidedPath is an ignored path that a stage's worktree was given.
type ProvidedPath struct {
	Path      string // below the worktree, slashes
	Link      bool   // a link to the main worktree, or a folder of such links: nothing of its own is lost with it
	Unchanged bool   // what is there now, down to each file's size and time, is what was brought
	how, sum  string
}

// Provided lists the ignored paths that were brought into a worktree when it was made,
// and whether each is unchanged since. Ignored files that are not listed were made
// there. It starts no process. Errors: the record cannot be read.
func Provided(wt gitops.Worktree) ([]ProvidedPath, error) {
	list, err := readProvided(wt)
	if err != nil {
		return nil, err
	}
	for i, p := range list {
		sum, err := sumUp(filepath.Join(wt.Path, filepath.FromSlash(p.Path)))
		list[i].Unchanged = err == nil && p.sum != "" && sum == p.sum
	}
	return list, nil
}

func readProvided(wt gitops.Worktree) ([]ProvidedPath, error) {
	data, err := os.ReadFile(filepath.Join(wt.GitDir, providedFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read what was brought along: %w", err)
	}
	fields := strings.Split(string(data), "\x00")
	var out []ProvidedPath
	for i := 0; i+1 < len(fields); i += 2 {
		how, sum, _ := strings.Cut(fields[i], " ")
		out = append(out, ProvidedPath{Path: fields[i+1], Link: how != copied, how: how, sum: sum})
	}
	return out, nil
}

// writeProvided replaces the record.
func writeProvided(wt gitops.Worktree, list []ProvidedPath) error {
	var b strings.Builder
	for _, p := range list {
		fmt.Fprintf(&b, "%s %s\x00%s\x00", p.how, p.sum, p.Path)
	}
	file := filepath.Join(wt.GitDir, providedFile)
	err := os.WriteFile(file+".new", []byte(b.String()), 0o666)
	if err == nil {
		err = os.Rename(file+".new", file)
	}
	if err != nil {
		return fmt.Errorf("record what is brought along: %w", err)
	}
	return nil
}

// seal notes what each path is now.
func seal(wt gitops.Worktree, list []ProvidedPath) error {
	for i, p := range list {
		sum, err := sumUp(filepath.Join(wt.Path, filepath.FromSlash(p.Path)))
		if err != nil {
			sum = "" // it is not there, and so it is not unchanged either
		}
		list[i].sum = sum
	}
	return writeProvided(wt, list)
}

// sumUp sums up a file, link or folder: names, kinds, sizes and times of files, modes,
// and where links lead to.
func sumUp(path string) (string, error) {
	sum := sha256.New()
	err := filepath.WalkDir(path, func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		return describe(sum, strings.TrimPrefix(at, path), at, info)
	})
	return hex.EncodeToString(sum.Sum(nil)), err
}

// describe adds one entry to a digest.
func describe(sum hash.Hash, rel, at string, info fs.FileInfo) error {
	switch {
	case info.IsDir():
		fmt.Fprintf(sum, "%s/\x00", rel)
		return nil
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(at)
		if err != nil {
			return err
		}
		fmt.Fprintf(sum, "%s\x00%s\x00", rel, target)
		return nil
	}
	fmt.Fprintf(sum, "%s\x00%o %d %d\x00", rel, info.Mode(), info.Size(), info.ModTime().UnixNano())
	return nil
}
