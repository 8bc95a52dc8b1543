package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"git-okstra/gitops"
)

// keepOut sees to it that a root of worktrees inside of a worktree is no untracked
// folder there: where git does not ignore it yet, it gets a line in info/exclude,
// and that is said. The target's own folder is there already.
func keepOut(ctx context.Context, repo *gitops.Repo, t Target) (said string, err error) {
	if t.Root == "" {
		return "", nil
	}
	all, err := repo.Worktrees(ctx)
	if err != nil {
		return "", err
	}
	for _, wt := range all {
		rel, inside := below(wt.Path, t.Root)
		if !inside {
			continue
		}
		if rel == "." { // the top itself: only what is ours there
			if rel, inside = below(wt.Path, filepath.Dir(t.Path)); !inside {
				continue
			}
		}
		if strings.EqualFold(rel, ".git") || strings.HasPrefix(strings.ToLower(rel), ".git/") {
			continue // git never looks there
		}
		ignored, err := repo.WouldIgnore(ctx, wt, []string{rel})
		if err != nil || ignored[rel] {
			return "", err
		}
		return exclude(repo, rel)
	}
	return "", nil
}

// below gives the way from a folder to a path in it, with slashes; links are followed.
func below(dir, path string) (string, bool) {
	for _, pair := range [][2]string{{dir, path}, {resolved(dir), resolved(path)}} {
		rel, err := filepath.Rel(pair[0], pair[1])
		if err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel), true
		}
	}
	return "", false
}

func resolved(path string) string {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	return path
}

// exclude adds a folder to the repository's own list of what is ignored.
func exclude(repo *gitops.Repo, rel string) (said string, err error) {
	if strings.ContainsAny(rel, "\n\r") {
		return fmt.Sprintf("worktrees stand in %q inside of the repository, where git takes them for untracked files", rel), nil
	}
	file := filepath.Join(repo.CommonDir(), "info", "exclude")
	line := "/" + strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(rel) + "/\n"
	have, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("exclude the worktree root: %w", err)
	}
	if len(have) > 0 && have[len(have)-1] != '\n' {
		line = "\n" + line
	}
	err = os.MkdirAll(filepath.Dir(file), 0o777)
	if err == nil {
		err = appendTo(file, line)
	}
	if err != nil {
		return "", fmt.Errorf("exclude the worktree root: %w", err)
	}
	return fmt.Sprintf("worktrees stand in %q inside of the repository; it was added to %q, so that git does not see them", rel, file), nil
}

func appendTo(file, text string) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}
