package gitops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// MendForward puts a worktree right whose Forward was cut short, or whose branch then
// did not move: it has the branch's tip again, with the local changes that it had. Files
// that git had begun to write are told from the user's by what is in them.
func (r *Repo) MendForward(ctx context.Context, wt Worktree, tip Hash) error {
	from, to, ok := wt.Forwarding()
	if !ok {
		return nil
	}
	if !from.Valid() || !to.Valid() || to == tip {
		return wt.Forwarded() // nothing was done yet, or all of it
	}
	if _, err := r.ReadCommit(ctx, to); errors.Is(err, ErrMissing) {
		return wt.Forwarded() // collected since: what stands there cannot be told from local changes
	}
	changes, err := r.between(ctx, from, to)
	if err != nil {
		return err
	}
	index, err := r.staged(ctx, wt, from)
	if err != nil {
		return err
	}
	for p, c := range changes {
		if own, differs := index[p]; differs && own.to == c.to { // git writes the index as a whole, and last
			if err := wt.noteForward(to, tip); err != nil {
				return err
			}
			if err := r.readTree(ctx, wt, to, tip); err != nil {
				return errors.Join(err, wt.noteForward(from, to))
			}
			return wt.Forwarded()
		}
	}
	if err := r.takeBack(ctx, wt, changes); err != nil {
		return err
	}
	return wt.Forwarded()
}

// takeBack gives files that git had begun to write, or removed before that, while the index
// still was the old one, the index's content, and removes those that it does not have.
func (r *Repo) takeBack(ctx context.Context, wt Worktree, changes map[string]change) error {
	edited, err := r.edited(ctx, wt)
	if err != nil {
		return err
	}
	for p, c := range changes { // before the others: one may stand where they were
		if c.from != (side{}) {
			continue
		}
		ours, err := r.begunBy(ctx, wt, p, c)
		if err == nil && ours {
			err = wt.removeNew(p)
		}
		if err != nil {
			return err
		}
	}
	var again []string
	for p, c := range changes {
		if c.from == (side{}) {
			continue
		}
		_, err := os.Lstat(filepath.Join(wt.Path, filepath.FromSlash(p)))
		ours := errors.Is(err, fs.ErrNotExist)
		if !ours && edited[p] {
			if ours, err = r.begunBy(ctx, wt, p, c); err != nil {
				return err
			}
		}
		if ours {
			again = append(again, p)
		}
	}
	return r.CheckoutIndex(ctx, wt.Path, again)
}

// removeNew removes a file and the folders that it leaves empty.
func (w Worktree) removeNew(p string) error {
	name := filepath.Join(w.Path, filepath.FromSlash(p))
	if err := os.Remove(name); err != nil {
		return fmt.Errorf("take back: %w", err)
	}
	for dir := filepath.Dir(name); dir != w.Path; dir = filepath.Dir(dir) {
		if os.Remove(dir) != nil {
			break // there is something in it
		}
	}
	return nil
}

// begunBy reports whether what stands at a path is the beginning of what git would write
// there for one of two sides.
func (r *Repo) begunBy(ctx context.Context, wt Worktree, p string, c change) (bool, error) {
	name := filepath.Join(wt.Path, filepath.FromSlash(p))
	info, err := os.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || err == nil && !info.Mode().IsRegular() && info.Mode()&fs.ModeSymlink == 0 {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("take back: %w", err)
	}
	var have []byte
	link := info.Mode()&fs.ModeSymlink != 0
	if link {
		target, err := os.Readlink(name)
		if err != nil {
			return false, fmt.Errorf("take back: %w", err)
		}
		have = []byte(target)
	} else if have, err = os.ReadFile(name); err != nil {
		return false, fmt.Errorf("take back: %w", err)
	}
	for _, s := range []side{c.to, c.from} {
		if s == (side{}) || (s.mode == "120000") != link {
			continue
		}
		args := []string{"cat-file", "--filters", "--path=" + p, s.hash}
		if link {
			args = []string{"cat-file", "blob", s.hash}
		}
		want, err := r.run(ctx, r.at(wt.Path), nil, args...)
		if err != nil {
			return false, fmt.Errorf("take back: %w", err)
		}
		if bytes.HasPrefix(want, have) {
			return true, nil
		}
	}
	return false, nil
}
