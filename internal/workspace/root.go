package workspace

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"git-okstra/gitops"
)

// makeRoot makes the folder of all stages' worktrees. Where that lies inside of a worktree,
// it gets a .gitignore that hides it: every tool that asks git, or reads such files
// itself, would find each file of the project once more in there. A folder that was there
// before is somebody's, and stays as it is.
func makeRoot(ctx context.Context, repo *gitops.Repo, root string) error {
	if root == "" || exists(root) {
		return nil
	}
	all, err := repo.Worktrees(ctx)
	if err != nil {
		return err
	}
	inside := false
	for _, wt := range all {
		rel, err := filepath.Rel(wt.Path, root)
		inside = inside || err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
	}
	if err := os.MkdirAll(root, 0o777); err != nil || !inside {
		return err
	}
	file, err := os.OpenFile(filepath.Join(root, ".gitignore"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = file.WriteString("# made by git-okstra: worktrees of stages are no part of this one\n*\n")
	return errors.Join(err, file.Close())
}
