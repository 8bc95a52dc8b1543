package workspace

import (
	"path"
	"path/filepath"
	"runtime"
	"strings"

	"git-okstra/gitops"
)

// plainPaths reports whether all entries are files, links and submodules at safe paths, each
// path once and none below another: a tree that somebody made by hand can have
// anything in it.
func plainPaths(entries []gitops.TreeEntry) bool {
	folders := map[string]bool{}
	last := ""
	for i, e := range entries {
		dir, base := path.Split(e.Name)
		if dir != last && !addFolders(folders, dir) {
			return false
		}
		last = dir
		if !plainEntry(e, base) || i > 0 && entries[i-1].Name >= e.Name {
			return false
		}
	}
	for _, e := range entries {
		if folders[e.Name] {
			return false
		}
	}
	return true
}

// addFolders notes a folder, with a slash at its end, and those above it; false where
// one has no safe name.
func addFolders(folders map[string]bool, dir string) bool {
	for dir != "" && !folders[dir[:len(dir)-1]] {
		above, base := path.Split(dir[:len(dir)-1])
		if !safeName(base) {
			return false
		}
		folders[dir[:len(dir)-1]] = true
		dir = above
	}
	return true
}

// plainEntry reports whether an entry is one that git would write, or make the folder of
// a submodule for. A link named .gitmodules is one that it would not.
func plainEntry(e gitops.TreeEntry, base string) bool {
	switch e.Mode {
	case gitops.ModeFile, gitops.ModeExec, gitops.ModeGitlink:
		return safeName(base)
	case gitops.ModeSymlink:
		return safeName(base) && !strings.EqualFold(strings.TrimRight(base, ". "), ".gitmodules")
	}
	return false // a folder, or a mode that git puts right
}

// plainConfig reports whether no setting changes bytes, modes or names on the
// way from an object to a file, or asks for an index of another form than we write.
func plainConfig(c gitops.Config) bool {
	for key, harmless := range map[string]bool{
		"core.fileMode": true, "core.symlinks": true, "core.ignoreCase": false,
		"core.sparseCheckout": false, "core.protectNTFS": true, "core.protectHFS": false,
		"extensions.worktreeConfig": false, "core.splitIndex": false,
		"feature.manyFiles": false, "core.untrackedCache": false, "core.fsmonitor": false, "index.skipHash": false,
		"index.recordEndOfIndexEntries": false, "index.recordOffsetTable": false,
	} {
		if v, err := c.Bool(key, harmless); err != nil || v != harmless {
			return false
		}
	}
	if c.Get("core.sharedRepository") != "" {
		return false // the index has rights of its own
	}
	if eol := strings.ToLower(c.Get("core.eol")); eol != "" && eol != "lf" && eol != "native" {
		return false
	}
	if v := c.Get("index.version"); v != "" && v != "2" {
		return false // another form of index than ours
	}
	crlf, err := c.Bool("core.autocrlf", false) // "input" is no boolean: an error, left to git
	return err == nil && !crlf && runtime.GOOS != "windows"
}

// mayFetch reports whether objects may be missing that git fetches when it needs them.
func mayFetch(c gitops.Config) bool {
	return c.Get("extensions.partialClone") != "" || len(c.Subsections("remote.", ".promisor")) > 0
}

// attributeFilesOutside reports whether attributes may come from outside the
// tree. What they say is left to git.
func attributeFilesOutside(repo *gitops.Repo, config gitops.Config) bool {
	if config.Get("core.attributesFile") != "" || config.Get("attr.tree") != "" || repo.Env("GIT_ATTR_SOURCE") != "" {
		return true
	}
	files := []string{filepath.Join(repo.CommonDir(), "info", "attributes"), "/etc/gitattributes"}
	if xdg := repo.Env("XDG_CONFIG_HOME"); xdg != "" {
		files = append(files, filepath.Join(xdg, "git", "attributes"))
	} else if home := repo.Home(); home != "" {
		files = append(files, filepath.Join(home, ".config", "git", "attributes"))
	}
	for _, f := range files {
		if exists(f) {
			return true
		}
	}
	return false
}

// safeName reports whether a path's part is plainly a name in its folder. Everything
// that looks like a trick is left to git, which refuses what is one. A "~" is one in what
// Windows may take for the short name of .git or of a file of git's: GIT~1, GITMOD~1, GI7EBA~1.
func safeName(part string) bool {
	short := len(part) > 1 && strings.EqualFold(part[:2], "gi")
	for _, r := range part {
		if r == '\\' || r == ':' || r == '~' && short || r == 0 || r >= 0x200b && r <= 0x206f || r == 0xfeff {
			return false
		}
	}
	return part != "" && part != "." && part != ".." && !strings.EqualFold(strings.TrimRight(part, ". "), ".git")
}
