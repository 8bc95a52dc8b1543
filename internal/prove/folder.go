package prove

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// The names of folders of runs below the system's folder for temporary files, and of what
// is in one beside qa/.
const (
	folderPrefix = "okstra-qa-"
	lockName     = "lock"
)

// Folder is where one run has its pinned files. It is locked as long as the process lives
// that made it, so that what a killed one has left is told from what is in use.
type Folder struct {
	Path string
	lock *os.File
}

// NewFolder makes a folder, and before that clears away those of runs whose process was
// killed: what their commands have left running is ended.
func NewFolder() (*Folder, error) {
	sweep(os.TempDir())
	dir, err := os.MkdirTemp("", folderPrefix)
	if err != nil {
		return nil, fmt.Errorf("lay out qa/: %w", err)
	}
	f := &Folder{Path: dir}
	// It gets its name when it is locked: nobody may find it in between.
	made := filepath.Join(dir, lockName+".new")
	if f.lock, err = os.OpenFile(made, os.O_CREATE|os.O_RDWR, 0o600); err == nil {
		tryLock(f.lock)
		err = os.Rename(made, filepath.Join(dir, lockName))
	}
	if err != nil {
		f.Remove()
		return nil, fmt.Errorf("lay out qa/: %w", err)
	}
	return f, nil
}

// Remove takes the folder away with all that is in it.
func (f *Folder) Remove() {
	if f.lock != nil {
		_ = f.lock.Close() // nothing of ours runs any more, and where there are no locks an open file cannot be removed
	}
	removeAll(f.Path)
}

// mark is the entry in the environment of all that a run in this folder starts.
func mark(folder string) string { return "OKSTRA_QA=" + filepath.Join(folder, "qa") }

// Mark is what the environment of the folder's command has to have.
func (f *Folder) Mark() string { return mark(f.Path) }

// sweep clears away the folders that nobody has locked any more.
func sweep(temp string) {
	entries, err := os.ReadDir(temp)
	if err != nil {
		return // there is nothing that can be cleared away
	}
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), folderPrefix) {
			continue
		}
		at := filepath.Join(temp, e.Name())
		lock, ok := abandoned(at)
		if ok {
			endLeftovers(0, mark(at))
			removeAll(at)
		}
		if lock != nil {
			_ = lock.Close()
		}
	}
}

// removeAll removes a folder, also where a script has taken the rights to it away.
func removeAll(dir string) {
	if os.RemoveAll(dir) == nil {
		return
	}
	_ = filepath.WalkDir(dir, func(at string, e fs.DirEntry, err error) error {
		if e != nil && e.IsDir() && err == nil {
			_ = os.Chmod(at, 0o700)
		}
		return nil
	})
	_ = os.RemoveAll(dir)
}
