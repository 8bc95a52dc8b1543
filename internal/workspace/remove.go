package workspace

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sync"

	"git-okstra/gitops"
)

// A removal goes through two names beside the stages' worktrees. Under the first the
// folder is only out of the way: it goes back if anything in it changed since it was
// looked at, and after a kill as well. Under the second everything is decided, and only
// git's registration and the files are left to go.
const (
	wordAside   = "removing"
	wordDecided = "removed"
)

// asideName reads such a name: the folder's own, the word, an id.
var asideName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\.(.+)\.(removing|removed)-[0-9a-f]{16}$`)
})

// aside makes a name for a folder that is put aside.
func aside(dir, base, word, id string) string {
	return filepath.Join(dir, fmt.Sprintf(".%s.%s-%s", base, word, id))
}

// errChanged says that something changed between the look and the removal.
var errChanged = errors.New("the worktree changes while it is being removed")

// maxLooks is how often a worktree that changes meanwhile is looked at anew.
const maxLooks = 3

// Remove removes a worktree: its folder, git's registration and the mark. What would be
// lost is looked for first, and whether anything changed since then once the folder is
// out of the way; the branch is not touched. Errors: *LossError with nothing changed,
// that of Settle with everything put back, or that of what could not be deleted, which
// Leftovers then finds.
func Remove(ctx context.Context, repo *gitops.Repo, rm Removal) error {
	for look := 1; ; look++ {
		err := removeOnce(ctx, repo, rm)
		switch {
		case !errors.Is(err, errChanged):
			return err
		case look == maxLooks:
			return &LossError{rm.Worktree.Path, []Loss{{LossBusy, rm.Worktree.Path, "it changes all the time"}}}
		}
	}
}

func removeOnce(ctx context.Context, repo *gitops.Repo, rm Removal) error {
	wt := rm.Worktree
	unlock, err := lockDir(ctx, wt.Path)
	if errors.Is(err, errGone) {
		return whyGone(ctx, repo, rm)
	}
	if err != nil {
		return err
	}
	defer unlock()
	before, err := fingerprint(ctx, wt.Path, wt.GitDir)
	if err != nil {
		return err
	}
	losses, err := Losses(ctx, repo, rm)
	if err != nil {
		return err
	}
	if len(losses) > 0 {
		return &LossError{wt.Path, losses}
	}
	left := ""
	err = underParent(ctx, wt.Path, func() (err error) {
		left, err = putAside(ctx, repo, rm, before)
		return err
	})
	if err != nil {
		return err
	}
	return deleteAll(left)
}

// whyGone answers for a folder that is not there: it may be that somebody else has
// removed the worktree, or is about to; then all is well.
func whyGone(ctx context.Context, repo *gitops.Repo, rm Removal) error {
	if !exists(filepath.Dir(rm.Worktree.Path)) {
		return lossesThere(ctx, repo, rm)
	}
	registered := false
	err := underParent(ctx, rm.Worktree.Path, func() (err error) {
		_, registered, err = repo.WorktreeAt(ctx, rm.Worktree.Path)
		return err
	})
	switch {
	case err != nil:
		return err
	case !registered && rm.Settle != nil:
		return rm.Settle(ctx)
	case !registered:
		return nil
	case exists(rm.Worktree.Path):
		return errChanged // it was put back
	}
	return lossesThere(ctx, repo, rm)
}

// lossesThere is the refusal to remove a worktree whose folder is gone.
func lossesThere(ctx context.Context, repo *gitops.Repo, rm Removal) error {
	losses, err := Losses(ctx, repo, rm)
	if err == nil {
		err = &LossError{rm.Worktree.Path, losses}
	}
	return err
}

// putAside takes the folder out of the way, decides, and unregisters it. It returns
// where the files are, for they are yet to be deleted. From the first rename on it is
// not cut short.
func putAside(ctx context.Context, repo *gitops.Repo, rm Removal, before digest) (string, error) {
	wt := rm.Worktree
	id := make([]byte, 8)
	if _, err := rand.Read(id); err != nil {
		return "", fmt.Errorf("remove worktree: %w", err)
	}
	dir, now, err := moveAside(rm, hex.EncodeToString(id))
	if err != nil {
		return "", fmt.Errorf("remove worktree: %w", err)
	}
	back := func(err error) (string, error) {
		if gone := os.Rename(now, wt.Path); gone != nil {
			err = errors.Join(err, fmt.Errorf("put worktree back: %w", gone))
		}
		return "", err
	}
	after, err := fingerprint(ctx, now, wt.GitDir)
	if err == nil && after != before {
		err = errChanged
	}
	if err == nil && rm.Settle != nil {
		err = rm.Settle(ctx)
	}
	if err != nil {
		return back(err)
	}
	decided := aside(dir, filepath.Base(wt.Path), wordDecided, hex.EncodeToString(id))
	if err := os.Rename(now, decided); err != nil {
		return back(fmt.Errorf("remove worktree: %w", err))
	}
	now = decided
	if err := repo.ForgetWorktree(ctx, wt); err != nil {
		return back(err)
	}
	return now, nil
}

// moveAside gives the folder its first other name: where the stages' worktrees stand if
// it can be moved there, else beside itself.
func moveAside(rm Removal, id string) (dir, now string, err error) {
	base := filepath.Base(rm.Worktree.Path)
	for _, dir = range []string{rm.Dir, filepath.Dir(rm.Worktree.Path)} {
		if dir == "" {
			continue
		}
		if err = os.MkdirAll(dir, 0o777); err != nil {
			continue
		}
		now = aside(dir, base, wordAside, id)
		if err = os.Rename(rm.Worktree.Path, now); err == nil {
			return dir, now, nil
		}
	}
	return "", "", err
}

// deleteAll deletes a folder and all in it, read-only folders too.
func deleteAll(path string) error {
	err := os.RemoveAll(path)
	if errors.Is(err, fs.ErrPermission) {
		_ = filepath.WalkDir(path, func(p string, d fs.DirEntry, _ error) error {
			if d != nil && d.IsDir() {
				_ = os.Chmod(p, 0o700) //nolint:gosec // a folder that is about to go
			}
			return nil // what could not be helped, the next try says
		})
		err = os.RemoveAll(path)
	}
	if err != nil {
		return fmt.Errorf("delete the files of a removed worktree: %w", err)
	}
	return nil
}
