package gitops

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// maxAlternates is how deep git follows alternates of alternates.
const maxAlternates = 5

// objectDirs is dirs and their alternates, each once, in git's order.
func objectDirs(dirs []string) []string {
	var all []string
	seen := map[string]bool{}
	var visit func(dir string, depth int)
	visit = func(dir string, depth int) {
		dir = realPath(dir)
		if seen[dir] {
			return
		}
		seen[dir] = true
		all = append(all, dir)
		if depth >= maxAlternates {
			return
		}
		for _, next := range readAlternates(dir) {
			visit(next, depth+1)
		}
	}
	for _, dir := range dirs {
		visit(dir, 0)
	}
	return all
}

// realPath resolves links, so that a cycle is seen whatever names it runs over.
func realPath(dir string) string {
	if target, err := filepath.EvalSymlinks(dir); err == nil {
		return target
	}
	return filepath.Clean(dir)
}

// readAlternates reads info/alternates (gitrepository-layout(5)). What cannot be
// read is left out: an object that lies only there is then asked from git.
func readAlternates(dir string) []string {
	text, err := os.ReadFile(filepath.Join(dir, "info", "alternates"))
	if err != nil {
		return nil
	}
	var dirs []string
	for line := range strings.SplitSeq(string(text), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		if line[0] == '"' {
			if plain, err := strconv.Unquote(line); err == nil {
				line = plain
			}
		}
		if !filepath.IsAbs(line) {
			line = filepath.Join(dir, line)
		}
		dirs = append(dirs, line)
	}
	return dirs
}
