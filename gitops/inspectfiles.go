package gitops

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// LeftFile is a file, or a folder with all that is in it, that a process leaves behind if
// it is killed.
type LeftFile struct {
	Path   string // absolute
	Time   time.Time
	Size   int64
	Folder bool
	info   fs.FileInfo
}

// mergePrefix begins the names of the folders in which merges are tried, among the
// system's temporary files.
const mergePrefix = "git-okstra-merge-"

// LeftFolders lists the folders in which merges were tried, here or in another repository,
// with the time when last something was written there. They may well be in use.
func (r *Repo) LeftFolders() []LeftFile {
	var out []LeftFile
	top := r.lookupEnv("TMPDIR")
	if top == "" {
		top = os.TempDir()
	}
	entries, err := os.ReadDir(top)
	if err != nil {
		return nil // then nothing was made there
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !strings.HasPrefix(e.Name(), mergePrefix) || !info.IsDir() || info.Mode().Perm()&0o077 != 0 {
			continue // others may write to what is not for its owner alone: not one of ours
		}
		path := filepath.Join(top, e.Name())
		out = append(out, LeftFile{Path: path, Time: lastWritten(path, info), Size: info.Size(), Folder: true, info: info})
	}
	return out
}

// lastWritten is the newest time of a folder and of all that is in it.
func lastWritten(path string, info fs.FileInfo) time.Time {
	newest := info.ModTime()
	_ = filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // what went meanwhile is not left
		}
		if info, err := d.Info(); err == nil && info.ModTime().After(newest) {
			newest = info.ModTime()
		}
		return nil
	})
	return newest
}

// LockFiles lists the lock files of packed-refs and of the refs below the given
// prefixes. They may well be in use.
func (r *Repo) LockFiles(prefixes ...string) []LeftFile {
	var out []LeftFile
	add := func(path string) {
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
			out = append(out, LeftFile{Path: path, Time: info.ModTime(), Size: info.Size(), info: info})
		}
	}
	add(filepath.Join(r.commonDir, "packed-refs.lock"))
	for _, prefix := range prefixes {
		root := filepath.Join(r.commonDir, filepath.FromSlash(prefix))
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && strings.HasSuffix(path, ".lock") {
				add(path)
			}
			return nil // a folder that went meanwhile has no locks
		})
	}
	return out
}

// LockOf is the lock file of one ref, if it is there.
func (r *Repo) LockOf(name RefName) (LeftFile, bool) {
	path := filepath.Join(r.commonDir, filepath.FromSlash(string(name))+".lock")
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return LeftFile{}, false
	}
	return LeftFile{Path: path, Time: info.ModTime(), Size: info.Size(), info: info}, true
}

// Unchanged reports whether the very same file still stands there, not written
// since.
func (f LeftFile) Unchanged() bool {
	now, err := os.Lstat(f.Path)
	if err != nil || !os.SameFile(now, f.info) || now.Size() != f.Size {
		return false
	}
	if f.Folder {
		return lastWritten(f.Path, now).Equal(f.Time)
	}
	return now.ModTime().Equal(f.Time)
}

// Remove removes the file if it is unchanged; one that is gone is fine.
func (f LeftFile) Remove() error {
	if _, err := os.Lstat(f.Path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if !f.Unchanged() {
		return fmt.Errorf("remove %q: it changed meanwhile", f.Path)
	}
	if f.Folder {
		return os.RemoveAll(f.Path)
	}
	return os.Remove(f.Path)
}

// LeftPack is one of our .keep files, which protect a pack for the moment until its
// refs are written.
type LeftPack struct {
	LeftFile
	Pid   int  // of the process that wrote it
	Alive bool // a process of that number runs here
	Whole bool // pack and index are there, so that git sees the pack
}

// LeftPacks lists the packs that a process of ours protects or has left protected,
// and the temporary files beside them.
func (r *Repo) LeftPacks() (packs []LeftPack, temps []LeftFile) {
	dir := filepath.Join(r.objects.cfg.Dirs[0], "pack")
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil // no packs
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		file := LeftFile{Path: path, Time: info.ModTime(), Size: info.Size(), info: info}
		base, keep := strings.CutSuffix(path, ".keep")
		switch {
		case strings.HasPrefix(e.Name(), tempPrefix):
			temps = append(temps, file)
		case keep && info.Size() < 100:
			if pid, ours := keeper(path); ours {
				packs = append(packs, LeftPack{file, pid, processRuns(pid), exists(base+".pack") && exists(base+".idx")})
			}
		}
	}
	return packs, temps
}

// keeper reads the process that wrote a .keep file; false where it is not ours.
func keeper(path string) (pid int, ours bool) {
	data, err := os.ReadFile(path)
	word, ours := strings.CutPrefix(string(data), "git-okstra ")
	if err != nil || !ours {
		return 0, false
	}
	pid, err = strconv.Atoi(strings.TrimSpace(word))
	return pid, err == nil && pid > 0
}

// Release takes the protection away: git then treats the pack as any other. A pack
// without an index, which git never saw, goes with it.
func (p LeftPack) Release() error {
	if !p.Unchanged() {
		return nil
	}
	base := strings.TrimSuffix(p.Path, ".keep")
	if !exists(base + ".idx") {
		return removeFiles(base, ".pack", ".keep")
	}
	return removeFiles(base, ".keep")
}

// Lock is why a worktree is locked (git-worktree(1)); false where it is not.
func (w Worktree) Lock() (reason string, locked bool) {
	data, err := os.ReadFile(filepath.Join(w.GitDir, "locked"))
	return strings.TrimSpace(string(data)), err == nil
}

// Present reports whether the worktree's folder is there, and its .git file in it.
func (w Worktree) Present() (folder, link bool) { return exists(w.Path), exists(w.Path, ".git") }

// Indexed reports whether the worktree has an index: without one it was never
// filled.
func (w Worktree) Indexed() bool { return exists(w.GitDir, "index") }
