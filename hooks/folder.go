package hooks

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"git-okstra/gitops"
)

// Folder is where git looks for hooks.
type Folder struct {
	Path   string // absolute
	Set    bool   // core.hooksPath names it
	Off    bool   // core.hooksPath is set to nothing: git finds no hook anywhere
	Shared bool   // it lies outside of the repository: others may use it as well
	Top    string // the top of the work tree, "" in a bare repository
}

// FolderOf finds where git looks for the hooks of the caller's worktree: where
// core.hooksPath says, seen from the work tree, else in the common git directory.
func FolderOf(repo *gitops.Repo) (Folder, error) {
	f := Folder{Top: repo.WorkTree()}
	dir, err := repo.Config().Path("core.hooksPath")
	if err != nil {
		return f, err
	}
	if dir == "" {
		f.Path = filepath.Join(repo.CommonDir(), "hooks")
		_, f.Off = repo.Config().Lookup("core.hooksPath")
		f.Shared = outside(repo, f.Path) // a link of somebody's to hooks of all repositories
		return f, nil
	}
	f.Set = true
	if !filepath.IsAbs(dir) {
		base := f.Top
		if base == "" {
			base = repo.MainDir()
		}
		dir = filepath.Join(base, dir)
	}
	f.Path = dir
	f.Shared = outside(repo, dir)
	return f, nil
}

// outside reports whether a folder, links followed, is neither in the caller's worktree nor
// in the main one nor in the git directory.
func outside(repo *gitops.Repo, dir string) bool {
	for _, own := range []string{repo.WorkTree(), repo.MainDir(), repo.CommonDir()} {
		if own != "" && within(resolved(own), resolved(dir)) {
			return false
		}
	}
	return true
}

// resolved is a path without symbolic links, as far as it exists.
func resolved(path string) string {
	if whole, err := filepath.EvalSymlinks(path); err == nil {
		return whole
	}
	if parent := filepath.Dir(path); parent != path {
		return filepath.Join(resolved(parent), filepath.Base(path))
	}
	return path
}

func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// State is what stands at a hook's place.
type State string

// The states of a hook's file.
const (
	Absent  State = "absent"
	Ours    State = "ours"
	Old     State = "old"    // ours, of another version or place: an install renews it
	Edited  State = "edited" // ours, and somebody has written into it
	Foreign State = "foreign"
	Blocked State = "blocked" // a folder has the hook's name: no hook of anybody can be there
)

// Hook is one hook's file.
type Hook struct {
	Name  string
	Path  string
	State State
	Runs  bool   // git runs it: it may be executed
	Kept  string // the hook that was there before, "" if there is none
	text  string
	made  bool
}

// maxHook bounds how much of a hook is read to recognise it.
const maxHook = 1 << 20

// Look reads what stands at a hook's place. Errors: those of the file system.
func (f Folder) Look(name string) (Hook, error) {
	h := Hook{Name: name, Path: filepath.Join(f.Path, name), State: Absent}
	if _, err := os.Lstat(KeptOf(h.Path)); err == nil {
		h.Kept = KeptOf(h.Path)
	}
	link, err := os.Lstat(h.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return h, nil
	}
	if err != nil {
		return h, err
	}
	h.State = Foreign
	info, err := os.Stat(h.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return h, nil // a link that leads nowhere: git runs nothing
	case err != nil:
		return h, err
	case info.IsDir():
		h.State = Blocked
		return h, nil
	case !info.Mode().IsRegular() || info.Size() > maxHook:
		return h, nil
	}
	h.Runs = info.Mode()&0o111 != 0
	data, err := os.ReadFile(h.Path)
	if err != nil {
		return h, err
	}
	h.text = string(data)
	if s, ours, whole := parseScript(h.text, name); ours && link.Mode().IsRegular() {
		h.made = s.made
		switch {
		case whole:
			h.State = Ours
		case strings.Count(h.text, "\n") == strings.Count(s.String(), "\n"):
			h.State = Old
		default:
			h.State = Edited
		}
	}
	return h, nil
}

// asksItsName reports whether a hook looks at the name it was called by: under another one it would
// not know what to do. Such are those of husky 4 and overcommit.
func (h Hook) asksItsName() bool {
	for _, way := range []string{"basename", "##*/", "$PROGRAM_NAME", "__FILE__", "sys.argv[0]", "process.argv[1]"} {
		if strings.Contains(h.text, way) {
			return true
		}
	}
	return false
}
