package gitops

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// usualPrefixes are where a git is installed whose system configuration has a known
// place.
var usualPrefixes = []string{"/usr", "/usr/local"}

// ConfigLacks reports whether certainly no key of git's configuration is in the
// section, given in lower case: no file that git would read here has it, none
// includes another file, and no variable brings configuration of its own. It costs a
// look at a handful of files instead of a git process; where it cannot tell it says
// no, and git is to be asked.
func ConfigLacks(opts Options, section string) bool {
	if opts.Env == nil {
		opts.Env = os.Environ()
	}
	r := &Repo{dir: opts.Dir, env: opts.Env}
	for _, kv := range r.env {
		for _, name := range []string{"GIT_CONFIG", "GIT_DIR=", "GIT_COMMON_DIR="} {
			if strings.HasPrefix(kv, name) {
				return false
			}
		}
	}
	files, ok := r.configFiles()
	return ok && !slices.ContainsFunc(files, func(f string) bool { return mayHold(f, section) })
}

// configFiles lists the files that git reads its configuration from; not ok where
// that is not certain.
func (r *Repo) configFiles() (files []string, ok bool) {
	git, err := exec.LookPath("git")
	if err != nil || runtime.GOOS != "linux" {
		return nil, false
	}
	if git, err = filepath.EvalSymlinks(git); err != nil || filepath.Base(git) != "git" {
		return nil, false
	}
	prefix := filepath.Dir(filepath.Dir(git))
	if !slices.Contains(usualPrefixes, prefix) {
		return nil, false
	}
	files = []string{"/etc/gitconfig", filepath.Join(prefix, "etc", "gitconfig")}
	home, xdg := r.lookupEnv("HOME"), r.lookupEnv("XDG_CONFIG_HOME")
	if xdg == "" && home != "" {
		xdg = filepath.Join(home, ".config")
	}
	if home != "" {
		files = append(files, filepath.Join(home, ".gitconfig"))
	}
	if xdg != "" {
		files = append(files, filepath.Join(xdg, "git", "config"))
	}
	own, ok := r.ownConfigFiles()
	return append(files, own...), ok
}

// ownConfigFiles are those of the repository around the caller's folder. Folders
// that git would not look into, for a ceiling or another file system, may be among
// them: one file too many only means that git is asked.
func (r *Repo) ownConfigFiles() (files []string, ok bool) {
	dir, err := filepath.Abs(r.dir)
	if err != nil {
		return nil, false
	}
	for ; ; dir = filepath.Dir(dir) {
		gitDir, found, ok := gitDirIn(dir)
		if !ok {
			return nil, false
		}
		if found {
			common := gitDir
			if data, err := os.ReadFile(filepath.Join(gitDir, "commondir")); err == nil {
				common = joinPath(gitDir, strings.TrimRight(string(data), "\r\n"))
			} else if !errors.Is(err, fs.ErrNotExist) {
				return nil, false
			}
			return []string{filepath.Join(common, "config"), filepath.Join(gitDir, "config.worktree")}, true
		}
		if dir == filepath.Dir(dir) {
			return nil, true
		}
	}
}

// gitDirIn finds the git directory that a folder holds, points to, or is.
func gitDirIn(dir string) (gitDir string, found, ok bool) {
	dotGit := filepath.Join(dir, ".git")
	info, err := os.Stat(dotGit)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return dir, exists(dir, "HEAD") && exists(dir, "objects"), true
	case err != nil:
		return "", false, false
	case info.IsDir():
		return dotGit, true, true
	}
	data, err := os.ReadFile(dotGit)
	target, isLink := strings.CutPrefix(strings.TrimRight(string(data), "\r\n"), "gitdir: ")
	return joinPath(dir, target), true, err == nil && isLink
}

// joinPath is path seen from dir.
func joinPath(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// mayHold reports whether a configuration file may bring a key of the section, by
// itself or by including another file. The header of a section has no blank before
// the name (git-config(1), Syntax).
func mayHold(file, section string) bool {
	data, err := os.ReadFile(file)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	data = bytes.ToLower(data)
	return bytes.Contains(data, []byte("["+section)) || bytes.Contains(data, []byte("include"))
}
