package workspace

import (
	"errors"
	"fmt"
	"path/filepath"

	"git-okstra/gitops"
	"git-okstra/plan"
)

// Root returns the absolute folder under which stage worktrees stand:
// okstra.worktreeRoot, else $OKSTRA_HOME/worktrees, else ~/.okstra/worktrees.
// A relative setting counts from the main worktree.
func Root(repo *gitops.Repo) (string, error) {
	root, err := repo.Config().Path("okstra.worktreeRoot")
	if err != nil {
		return "", err
	}
	if root != "" {
		return absolute(repo.MainDir(), root), nil
	}
	if home := repo.Env("OKSTRA_HOME"); home != "" {
		return absolute(repo.MainDir(), filepath.Join(home, "worktrees")), nil
	}
	home := repo.Home()
	if home == "" {
		return "", errors.New("no home folder: set okstra.worktreeRoot or OKSTRA_HOME")
	}
	return filepath.Join(home, ".okstra", "worktrees"), nil
}

func absolute(base, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(base, path)
}

// Relative returns a stage's worktree path below the root, with slashes:
// <project>/<group>/<task>/stage-<N>, in ref-safe segments.
func Relative(key plan.TaskKey, n plan.StageNumber) string {
	return fmt.Sprintf("%s/stage-%d", key.Ref(), n)
}

// Path is the absolute form of a path below the root.
func Path(root, relative string) string { return filepath.Join(root, filepath.FromSlash(relative)) }
