package gitops

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// strayAge is how old a worktree's administrative folder must be that never came to
// name a path, before it is taken for what a killed git left.
const strayAge = time.Hour

// initializing reports whether git's own lock on a worktree that it is making is
// there. Without a checkout git writes no index, so one that has an index is beyond
// that, whatever its lock says.
func initializing(admin string, headless bool) bool {
	if _, err := os.Lstat(filepath.Join(admin, "index")); !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	reason, err := os.ReadFile(filepath.Join(admin, "locked"))
	return headless || err == nil && strings.TrimSpace(string(reason)) == "initializing"
}

// Touched is when the worktree's administrative folder last changed: a
// `git worktree add` that is alive changes it all the time.
func (w Worktree) Touched() time.Time {
	newest := time.Time{}
	for _, name := range []string{".", "locked", "gitdir", "HEAD", "commondir", "HEAD.lock"} {
		if info, err := os.Lstat(filepath.Join(w.GitDir, name)); err == nil && info.ModTime().After(newest) {
			newest = info.ModTime()
		}
	}
	return newest
}

// drop removes an unfinished worktree as git itself would have, had it not been
// killed: git refuses to remove what it has not finished. Files in it stay. The lock
// goes first, so that git's own pruning can end what is left if this is killed too.
func (w Worktree) drop() error {
	err := os.Remove(filepath.Join(w.GitDir, "locked"))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if gone := os.Remove(filepath.Join(w.Path, ".git")); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	_ = os.Remove(w.Path) // if it is empty
	if err = errors.Join(err, os.RemoveAll(w.GitDir)); err != nil {
		return fmt.Errorf("remove unfinished worktree: %w", err)
	}
	return nil
}

// dropUnfinished takes back what a failed `git worktree add` left of a worktree at
// path. Git does so itself, unless it was killed; and one that was stopped by Ctrl-C may
// have come to its end all the same.
func (r *Repo) dropUnfinished(ctx context.Context, path string) error {
	wt, ok, err := r.WorktreeAt(ctx, path)
	if err != nil || !ok || !wt.Unfinished && !wt.untouched() {
		return err
	}
	return wt.drop()
}

// untouched reports whether a worktree is as `git worktree add --no-checkout` leaves it:
// without an index, and with no file but .git.
func (w Worktree) untouched() bool {
	if _, err := os.Lstat(filepath.Join(w.GitDir, "index")); !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	files, err := os.ReadDir(w.Path)
	return err == nil && len(files) == 1 && files[0].Name() == ".git"
}

// clearStrays removes administrative folders with the base name of path that a git
// which was killed at its very start left long ago: they name no path, and their
// lock keeps git from ever pruning them.
func (r *Repo) clearStrays(path string, now time.Time) {
	admins, err := filepath.Glob(filepath.Join(r.commonDir, "worktrees", globQuote(filepath.Base(path))+"*"))
	if err != nil {
		return
	}
	for _, admin := range admins {
		link, err := os.ReadFile(filepath.Join(admin, "gitdir"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) || len(strings.TrimSpace(string(link))) > 0 {
			continue
		}
		wt := Worktree{GitDir: admin}
		if now.Sub(wt.Touched()) > strayAge && initializing(admin, true) {
			_ = os.RemoveAll(admin)
		}
	}
}

// globQuote escapes a name for filepath.Glob.
func globQuote(name string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(name)
}
