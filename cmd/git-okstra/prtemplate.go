package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"unicode/utf8"

	"git-okstra/internal/lifecycle"
	"git-okstra/plan"
)

// maxTemplate bounds a template: a forge takes no longer text anyway.
const maxTemplate = 64 << 10

// prTemplate reads okstra.prTemplate, a file of the project: in the caller's worktree,
// without one in the integration branch. It cannot lie outside, nor lead there by a link.
func (a *app) prTemplate(t *lifecycle.Task) (string, error) {
	path := a.repo.Config().Get("okstra.prTemplate")
	if path == "" {
		return "", nil
	}
	no := func(why string) error {
		return &commandError{
			code: exitEnvironment, message: fmt.Sprintf("okstra.prTemplate: %q %s", path, why),
			hints: []string{"it is a file of this project, named from its top, such as .github/pull_request_template.md"},
		}
	}
	if !filepath.IsLocal(filepath.FromSlash(path)) {
		return "", no("is not a path inside of the project")
	}
	text, err := a.projectFile(t, path)
	var missing *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", no("is not there")
	case errors.Is(err, errNoRegular):
		return "", no("is no regular file")
	case errors.As(err, &missing) && !errors.Is(err, fs.ErrPermission):
		return "", no("cannot be read inside of the project: " + plan.Printable(missing.Err.Error()))
	case err != nil:
		return "", err
	case len(text) > maxTemplate:
		return "", no(fmt.Sprintf("has more than %d KiB", maxTemplate>>10))
	case !utf8.Valid(text):
		return "", no("is not UTF-8")
	}
	return string(text), nil
}

// errNoRegular marks a folder, a device or a pipe in place of a file.
var errNoRegular = errors.New("no regular file")

// projectFile reads the beginning of a file of the project.
func (a *app) projectFile(t *lifecycle.Task, path string) ([]byte, error) {
	if a.repo.WorkTree() == "" {
		values, err := a.repo.RefValues(a.ctx, t.Meta.Onto)
		if err != nil {
			return nil, err
		}
		if values[t.Meta.Onto] == "" {
			return nil, fs.ErrNotExist
		}
		return a.repo.FileAt(a.ctx, values[t.Meta.Onto], filepath.ToSlash(filepath.Clean(filepath.FromSlash(path))))
	}
	root, err := os.OpenRoot(a.repo.WorkTree())
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	info, err := root.Stat(filepath.FromSlash(path))
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errNoRegular
	}
	f, err := root.Open(filepath.FromSlash(path))
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f, maxTemplate+1))
}

// isFolder reports whether a folder stands at a path.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
