package gitops

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
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
	if slices.ContainsFunc(r.env, func(kv string) bool { return variableMayHold(kv, section) }) {
		return false
	}
	files, ok := r.configFiles()
	return ok && !slices.ContainsFunc(files, func(f string) bool { return mayHold(f, section) })
}

// variableMayHold reports whether a variable may bring a key of the section, or lead to
// other files than those that are looked at. One file less does no harm, and of `git -c`
// each key stands behind a quote.
func variableMayHold(kv, section string) bool {
	name, value, _ := strings.Cut(kv, "=")
	switch name {
	case "GIT_CONFIG_NOSYSTEM":
		return false
	case "GIT_CONFIG_PARAMETERS":
		value = strings.ToLower(value)
		return strings.Contains(value, "'"+section) || strings.Contains(value, "'include")
	}
	return strings.HasPrefix(name, "GIT_CONFIG") || name == "GIT_DIR" || name == "GIT_COMMON_DIR"
}

// configFiles lists the files that git reads its configuration from, and maybe some
// that it does not read: one too many only means that git is asked. Not ok where the
// list may lack one.
func (r *Repo) configFiles() (files []string, ok bool) {
	prefix, ok := gitPrefix()
	if !ok {
		return nil, false
	}
	files = []string{"/etc/gitconfig", filepath.Join(prefix, "etc", "gitconfig")}
	home, hasHome := r.variable("HOME")
	xdg, _ := r.variable("XDG_CONFIG_HOME")
	if hasHome && !filepath.IsAbs(home) || xdg != "" && !filepath.IsAbs(xdg) {
		return nil, false // git reads them from the top of the worktree, or from /
	}
	if hasHome {
		files = append(files, filepath.Join(home, ".gitconfig"), filepath.Join(home, ".config", "git", "config"))
	}
	if xdg != "" {
		files = append(files, filepath.Join(xdg, "git", "config"))
	}
	own, ok := r.ownConfigFiles()
	return append(files, own...), ok
}

// gitPrefix is where the git is installed that we run. A command that git itself
// runs, as `git okstra`, finds the one beside git's own commands.
func gitPrefix() (prefix string, ok bool) {
	git, err := exec.LookPath("git")
	if err != nil || runtime.GOOS != "linux" {
		return "", false
	}
	if git, err = filepath.EvalSymlinks(git); err != nil || filepath.Base(git) != "git" || !isProgram(git) {
		return "", false
	}
	for _, prefix := range usualPrefixes {
		for _, dir := range []string{"bin", "lib/git-core", "libexec/git-core"} {
			if filepath.Dir(git) == filepath.Join(prefix, dir) {
				return prefix, true
			}
		}
	}
	return "", false
}

// isProgram tells a program from a script around one, which may set variables.
func isProgram(file string) bool {
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	const magic = "\x7fELF"
	head := make([]byte, len(magic))
	_, err = io.ReadFull(f, head)
	return err == nil && string(head) == magic
}

// ownConfigFiles are those of the repositories around the caller's folder: of all
// that it may be in, as git passes by what only looks like a repository. Git looks at
// the folder's real path, not at the one that the shell came by.
func (r *Repo) ownConfigFiles() (files []string, ok bool) {
	dir := r.dir
	if !filepath.IsAbs(dir) {
		here, err := syscall.Getwd()
		if err != nil {
			return nil, false
		}
		dir = joinPath(here, dir)
	}
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, false
	}
	for ; ; dir = filepath.Dir(dir) {
		gitDirs, ok := gitDirsIn(dir)
		if !ok {
			return nil, false
		}
		for _, gitDir := range gitDirs {
			files = append(files, joinPath(gitDir, "config"), joinPath(gitDir, "config.worktree"))
			data, err := os.ReadFile(joinPath(gitDir, "commondir"))
			if err == nil {
				files = append(files, joinPath(joinPath(gitDir, strings.TrimRight(string(data), "\r\n")), "config"))
			} else if !errors.Is(err, fs.ErrNotExist) {
				return nil, false
			}
		}
		if dir == filepath.Dir(dir) {
			return files, true
		}
	}
}

// gitDirsIn lists what may be a git directory: the folder's .git, what that points
// to, and the folder itself.
func gitDirsIn(dir string) (gitDirs []string, ok bool) {
	if exists(dir, "HEAD") {
		gitDirs = append(gitDirs, dir)
	}
	dotGit := filepath.Join(dir, ".git")
	info, err := os.Stat(dotGit)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return gitDirs, true
	case err != nil:
		return nil, false
	case info.IsDir():
		return append(gitDirs, dotGit), true
	}
	data, err := os.ReadFile(dotGit)
	target, isLink := strings.CutPrefix(strings.TrimRight(string(data), "\r\n"), "gitdir: ")
	return append(gitDirs, joinPath(dir, target)), err == nil && isLink
}

// joinPath is path seen from dir. What ".." is behind a symbolic link only the file
// system knows, so nothing is shortened.
func joinPath(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return dir + string(filepath.Separator) + path
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
