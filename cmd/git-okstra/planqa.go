package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"git-okstra/gitops"
	"git-okstra/internal/lifecycle"
)

// The bounds on what is pinned beside a plan: manifest and scripts, no data.
const (
	maxQAFiles = 1000
	maxQABytes = 16 << 20
)

// taskRoot is .okstra/tasks/<group>/<task> above the plan file, else the plan
// file's folder.
func taskRoot(file string) string {
	dir := filepath.Dir(file)
	parts := strings.Split(filepath.ToSlash(dir), "/")
	for i := 0; i+3 < len(parts); i++ {
		if parts[i] == ".okstra" && parts[i+1] == "tasks" {
			return filepath.FromSlash(strings.Join(parts[:i+4], "/"))
		}
	}
	return dir
}

// readQA reads the conformance manifest and the scripts below qa/ of a task's folder,
// which root names for people. Other things that may lie there (results, data) are not
// part of the plan. Symbolic links are refused: what is pinned must be what is run.
func readQA(folder fs.FS, root string) ([]lifecycle.File, error) {
	var files []lifecycle.File
	total := int64(0)
	for _, start := range []string{"qa/conformance-manifest.json", "qa/scripts"} {
		err := fs.WalkDir(folder, start, func(path string, d fs.DirEntry, err error) error {
			switch {
			case path == start && isLink(folder, path), err == nil && !d.IsDir() && !d.Type().IsRegular():
				return &commandError{code: exitFindings, message: fmt.Sprintf("%q is no regular file, so it cannot be pinned with the plan", filepath.Join(root, path))}
			case errors.Is(err, fs.ErrNotExist) && path == start:
				return nil
			case err != nil:
				return fmt.Errorf("read qa: %w", err)
			case d.IsDir():
				return nil
			}
			f, err := qaFile(folder, root, path)
			if err != nil {
				return err
			}
			files, total = append(files, f), total+int64(len(f.Content))
			if len(files) > maxQAFiles || total > maxQABytes {
				return &commandError{code: exitFindings, message: fmt.Sprintf("%q holds more than a plan's manifest and scripts may (%d files, %d MiB)", filepath.Join(root, "qa"), maxQAFiles, maxQABytes>>20)}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

// isLink looks at a path where the walk begins, which follows a link there.
func isLink(folder fs.FS, path string) bool {
	info, err := fs.Lstat(folder, path)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

func qaFile(folder fs.FS, root, path string) (lifecycle.File, error) {
	info, err := fs.Stat(folder, path)
	if err != nil {
		return lifecycle.File{}, fmt.Errorf("read qa: %w", err)
	}
	if info.Size() > maxQABytes {
		return lifecycle.File{}, &commandError{code: exitFindings, message: fmt.Sprintf("%q is too large to be pinned with the plan", filepath.Join(root, path))}
	}
	data, err := fs.ReadFile(folder, path)
	if err != nil {
		return lifecycle.File{}, fmt.Errorf("read qa: %w", err)
	}
	mode := gitops.ModeFile
	if info.Mode()&0o100 != 0 {
		mode = gitops.ModeExec
	}
	return lifecycle.File{Path: path, Mode: mode, Content: data}, nil
}
