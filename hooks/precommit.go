package hooks

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"git-okstra/gitops"
)

// PlanFile is a plan as a commit will have it, or has it.
type PlanFile struct {
	Path string // from the repository's top
	Src  []byte
}

// Operation is what git is in the middle of, for the rule of what is skipped then:
// "rebase" (am, too): commits are written again that were judged when they were made, and
// what comes of them is judged when it is pushed; "merge": only what the merge
// itself changes is judged. A cherry-pick or a revert is a commit like others.
func Operation(gitDir string) string {
	if rebasing(gitDir) {
		return "rebase"
	}
	if _, err := os.Stat(filepath.Join(gitDir, "MERGE_HEAD")); err == nil {
		return "merge"
	}
	return ""
}

// Staged lists what the commit that is being made changes: against HEAD, "" where there is
// none yet, and, in a merge, against every other parent too.
func Staged(ctx context.Context, repo *gitops.Repo, head gitops.Hash) ([]gitops.StagedFile, error) {
	files, err := repo.Staged(ctx, head)
	if err != nil {
		return nil, err
	}
	if Operation(repo.GitDir()) != "merge" {
		return files, nil
	}
	data, err := os.ReadFile(filepath.Join(repo.GitDir(), "MERGE_HEAD"))
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(data)) {
		parent := gitops.Hash(strings.TrimSpace(line))
		if !parent.Valid() {
			return nil, fmt.Errorf("read MERGE_HEAD: unexpected line %q", line)
		}
		other, err := repo.Staged(ctx, parent)
		if err != nil {
			return nil, err
		}
		files = slices.DeleteFunc(files, func(f gitops.StagedFile) bool { return !slices.Contains(other, f) })
	}
	return files, nil
}

// Plans reads the plans among some files: what okstra.planPath names, and each Markdown
// file with a Stage Map. One that cannot be read for its size alone is none, unless
// it is named.
func Plans(ctx context.Context, repo *gitops.Repo, files []gitops.StagedFile, globs PlanGlobs) ([]PlanFile, error) {
	var out []PlanFile
	for _, f := range files {
		if !mayBePlan(f, globs) {
			continue
		}
		named := globs.Match(f.Path)
		_, src, err := repo.ReadObject(ctx, f.Blob)
		if errors.Is(err, gitops.ErrTooLarge) && !named {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read %q: %w", f.Path, err)
		}
		if named || HasStageMap(src) {
			out = append(out, PlanFile{f.Path, src})
		}
	}
	return out, nil
}
