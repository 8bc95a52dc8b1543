package workspace

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"git-okstra/gitops"
)

// includeFile lists, in a main worktree, ignored files that a stage's worktree gets
// copies of. It is written as .gitignore is.
const includeFile = ".worktreeinclude"

// syncRules is what okstra.sync asks for: patterns as in .gitignore.
type syncRules struct{ links, copies []string }

// readSync reads okstra.sync. Errors name the value that is none.
func readSync(c gitops.Config) (syncRules, error) {
	var rules syncRules
	for _, value := range c.All("okstra.sync") {
		how, glob, _ := strings.Cut(value, ":")
		if glob == "" || glob[0] == '!' || how != "link" && how != "copy" {
			return rules, fmt.Errorf("config okstra.sync: %q is neither link:GLOB nor copy:GLOB", value)
		}
		if how == "link" {
			rules.links = append(rules.links, glob)
		} else {
			rules.copies = append(rules.copies, glob)
		}
	}
	return rules, nil
}

// item is an ignored path of the main worktree that is to be in another one.
type item struct {
	path string // with slashes, none at the end
	dir  bool
	link bool
}

// mainOf finds the worktree that ignored files are taken from; false in a bare
// repository, or where its folder is gone.
func mainOf(ctx context.Context, repo *gitops.Repo) (gitops.Worktree, bool, error) {
	all, err := repo.Worktrees(ctx)
	if err != nil || len(all) == 0 || all[0].ID != "" {
		return gitops.Worktree{}, false, err
	}
	info, err := os.Stat(all[0].Path)
	return all[0], err == nil && info.IsDir(), nil
}

// wanted lists what is to come along: what git ignores in the main worktree and the
// lists name. Links come first.
func wanted(ctx context.Context, repo *gitops.Repo, main gitops.Worktree, rules syncRules) (items []item, warning string, err error) {
	file := includeFile
	switch info, err := os.Lstat(filepath.Join(main.Path, includeFile)); {
	case err != nil:
		file = ""
	case !info.Mode().IsRegular():
		file, warning = "", includeFile+" is no plain file, and was not read"
	}
	if file == "" && len(rules.links)+len(rules.copies) == 0 {
		return nil, warning, nil
	}
	ignored, err := repo.IgnoredPaths(ctx, main)
	if err != nil || len(ignored) == 0 {
		return nil, warning, err
	}
	for _, ask := range []struct {
		link  bool
		globs []string
		file  string
	}{{true, rules.links, ""}, {false, rules.copies, file}} {
		if len(ask.globs) == 0 && ask.file == "" {
			continue
		}
		listed, err := repo.ListedPaths(ctx, main, ask.globs, ask.file)
		if err != nil {
			return nil, warning, err
		}
		links := names(items)
		for _, p := range both(ignored, listed) {
			if len(underAny([]string{p}, links)) > 0 {
				continue // a link to it is asked for, or to a folder above
			}
			items = append(items, item{strings.TrimSuffix(p, "/"), strings.HasSuffix(p, "/"), ask.link})
		}
	}
	return items, warning, nil
}

// names lists the paths of items as git does, folders with a slash.
func names(items []item) []string {
	var out []string
	for _, it := range items {
		if it.dir {
			out = append(out, it.path+"/")
		} else {
			out = append(out, it.path)
		}
	}
	return out
}

// both lists what is in both lists of paths; a path that ends with a slash stands for
// all that is in the folder.
func both(a, b []string) []string {
	out := append(underAny(a, b), underAny(b, a)...)
	slices.Sort(out)
	return slices.Compact(out)
}

// underAny lists the paths that the other list has, by themselves or by a folder above.
func underAny(paths, list []string) []string {
	has := map[string]bool{}
	for _, p := range list {
		has[p] = true
	}
	var out []string
	for _, p := range paths {
		for at := p; at != ""; at = at[:strings.LastIndexByte(strings.TrimSuffix(at, "/"), '/')+1] {
			if has[at] {
				out = append(out, p)
				break
			}
		}
	}
	return out
}
