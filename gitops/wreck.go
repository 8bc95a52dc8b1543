package gitops

import (
	"bufio"
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Wreck is what can be seen of a repository that git refuses to open.
type Wreck struct {
	GitDir string   // absolute, shared by all worktrees; "" where none is above the folder
	Lacks  []string // of what every git directory has, what this one has not
	RefListing
}

// LookAtWreck reads refs from their files, with no help of git's: loose ones below the
// prefixes and packed ones. dir is where to begin, "" the working folder; GIT_DIR counts.
// It never fails: what cannot be read is not there.
func LookAtWreck(dir string, prefixes ...string) Wreck {
	var w Wreck
	if w.GitDir = wreckDir(dir); w.GitDir == "" {
		return w
	}
	for _, name := range []string{"HEAD", "config", "objects", "refs"} {
		if !exists(w.GitDir, name) {
			w.Lacks = append(w.Lacks, name)
		}
	}
	at := packedRefs(filepath.Join(w.GitDir, "packed-refs"), prefixes)
	for _, prefix := range prefixes {
		for _, name := range looseRefs(w.GitDir, strings.TrimSuffix(prefix, "/")) {
			data, err := os.ReadFile(filepath.Join(w.GitDir, filepath.FromSlash(string(name))))
			if h := Hash(strings.TrimSpace(string(data))); err == nil && h.Valid() {
				at[name] = h
			} else {
				w.Broken = append(w.Broken, name)
			}
		}
	}
	for name, h := range at {
		w.Refs = append(w.Refs, Ref{Name: name, Hash: h})
	}
	slices.SortFunc(w.Refs, func(a, b Ref) int { return cmp.Compare(a.Name, b.Name) })
	slices.Sort(w.Broken)
	return w
}

// packedRefs reads the lines of a packed-refs file that are below one of the prefixes.
func packedRefs(file string, prefixes []string) map[RefName]Hash {
	at := map[RefName]Hash{}
	f, err := os.Open(file)
	if err != nil {
		return at
	}
	defer func() { _ = f.Close() }()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		hash, name, _ := strings.Cut(lines.Text(), " ")
		if Hash(hash).Valid() && slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, strings.TrimSuffix(p, "/")+"/") }) {
			at[RefName(name)] = Hash(hash)
		}
	}
	return at
}

// wreckDir is the git directory that git would look into, and of a linked worktree's the
// shared one.
func wreckDir(dir string) string {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	if named := os.Getenv("GIT_DIR"); named != "" {
		if !filepath.IsAbs(named) {
			named = filepath.Join(dir, named)
		}
		return sharedDir(named)
	}
	ceilings := filepath.SplitList(os.Getenv("GIT_CEILING_DIRECTORIES"))
	for {
		if at := filepath.Join(dir, ".git"); exists(at) {
			if text, err := os.ReadFile(at); err == nil {
				at = pathIn(dir, strings.TrimPrefix(string(text), "gitdir:"))
			}
			return sharedDir(at)
		}
		if exists(dir, "objects") && exists(dir, "refs") {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir || slices.Contains(ceilings, parent) {
			return ""
		}
		dir = parent
	}
}

func sharedDir(gitDir string) string {
	if text, err := fs.ReadFile(os.DirFS(gitDir), "commondir"); err == nil {
		return pathIn(gitDir, string(text))
	}
	return gitDir
}

func pathIn(dir, written string) string {
	written = strings.TrimSpace(written)
	if filepath.IsAbs(written) {
		return filepath.Clean(written)
	}
	return filepath.Join(dir, written)
}
