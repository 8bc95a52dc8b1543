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

// Worktree is one worktree of the repository.
type Worktree struct {
	ID     string  // the name of its folder under worktrees/; "" for the main one
	GitDir string  // absolute: index, HEAD and per-worktree refs
	Path   string  // absolute: where its files are, or should be
	Branch RefName // "" where HEAD is detached
	Head   Hash    // set where HEAD is detached
	// Unfinished says that a `git worktree add` is at it, or was killed.
	Unfinished bool
}

// Worktrees lists all worktrees, the main one first where there is one. It reads
// the layout of gitrepository-layout(5) and starts no process.
func (r *Repo) Worktrees(ctx context.Context) ([]Worktree, error) {
	var out []Worktree
	if main, ok := r.mainWorktree(); ok {
		out = append(out, main)
	}
	admin := filepath.Join(r.commonDir, "worktrees")
	entries, err := os.ReadDir(admin)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list worktrees: %w", err)
	}
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if wt, ok := readWorktree(filepath.Join(admin, e.Name())); ok {
			out = append(out, wt)
		}
	}
	return out, nil
}

// mainWorktree is the worktree whose git directory is the common one.
func (r *Repo) mainWorktree() (Worktree, bool) {
	wt := Worktree{GitDir: r.commonDir, Path: filepath.Dir(r.commonDir)}
	switch configured := r.config.Get("core.worktree"); {
	case !r.Linked() && r.workTree != "":
		wt.Path = r.workTree
	case configured != "":
		wt.Path = absoluteFrom(r.commonDir, configured)
	case filepath.Base(r.commonDir) != ".git" || r.config.sharedBare():
		return Worktree{}, false
	}
	wt.readHead()
	return wt, true
}

// readWorktree reads one folder under worktrees/; false where it is no longer,
// or not yet, one.
func readWorktree(admin string) (Worktree, bool) {
	link, err := os.ReadFile(filepath.Join(admin, "gitdir"))
	if err != nil || strings.TrimSpace(string(link)) == "" {
		return Worktree{}, false
	}
	wt := Worktree{ID: filepath.Base(admin), GitDir: admin}
	wt.Path = filepath.Dir(absoluteFrom(admin, strings.TrimRight(string(link), "\n")))
	wt.Unfinished = initializing(admin, !wt.readHead())
	return wt, true
}

func absoluteFrom(base, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(base, path)
}

// readHead fills Branch or Head; false where there is no HEAD, or only the zeros that
// git puts there at first.
func (w *Worktree) readHead() bool {
	head, err := os.ReadFile(filepath.Join(w.GitDir, "HEAD"))
	if err != nil {
		return false
	}
	text := strings.TrimSpace(string(head))
	if strings.Trim(text, "0") == "" {
		return false
	}
	if branch, ok := strings.CutPrefix(text, "ref:"); ok {
		w.Branch = RefName(strings.TrimSpace(branch))
	} else if Hash(text).Valid() {
		w.Head = Hash(text)
	}
	return true
}

// WorktreeAt returns the worktree whose files are at path, if there is one.
func (r *Repo) WorktreeAt(ctx context.Context, path string) (Worktree, bool, error) {
	all, err := r.Worktrees(ctx)
	if err != nil {
		return Worktree{}, false, err
	}
	for _, wt := range all {
		if samePath(wt.Path, path) {
			return wt, true, nil
		}
	}
	return Worktree{}, false, nil
}

// samePath compares two paths by name and, as far up as both exist, by identity:
// a worktree whose folder is gone is still found through a linked parent.
func samePath(a, b string) bool {
	for a, b = filepath.Clean(a), filepath.Clean(b); a != b; a, b = filepath.Dir(a), filepath.Dir(b) {
		sa, errA := os.Stat(a)
		sb, errB := os.Stat(b)
		if errA == nil || errB == nil {
			return errA == nil && errB == nil && os.SameFile(sa, sb)
		}
		if filepath.Base(a) != filepath.Base(b) {
			return false
		}
	}
	return true
}

// AddWorktree registers a worktree at path with branch checked out in it, but
// writes no file and no index yet. Errors are git's own refusals.
func (r *Repo) AddWorktree(ctx context.Context, path string, branch RefName) (Worktree, error) {
	short := strings.TrimPrefix(string(branch), "refs/heads/")
	r.clearStrays(path, time.Now())
	args := []string{"worktree", "add", "--quiet", "--no-checkout", "--", path, short}
	if r.workTree != "" && r.config.sharedBare() && r.config.Get("core.logAllRefUpdates") == "" {
		// Seen from the common folder there is no worktree, and newer git (2.55) keeps no log of the new HEAD.
		args = append([]string{"-c", "core.logAllRefUpdates=true"}, args...)
	}
	_, err := r.run(ctx, r.common(), nil, args...)
	if err != nil {
		return Worktree{}, errors.Join(fmt.Errorf("add worktree: %w", err), r.dropUnfinished(context.WithoutCancel(ctx), path))
	}
	wt, ok, err := r.WorktreeAt(ctx, path)
	if err == nil && !ok {
		err = fmt.Errorf("add worktree: git does not list %q", path)
	}
	if err == nil {
		err = r.notBare(ctx, wt)
	}
	if err != nil {
		return Worktree{}, errors.Join(err, r.RemoveWorktree(context.WithoutCancel(ctx), path))
	}
	return wt, nil
}

// notBare makes a new worktree usable where extensions.worktreeConfig is on and
// core.bare stands in the shared configuration: git then takes every linked
// worktree for a bare repository, unless the worktree's own file says otherwise.
func (r *Repo) notBare(ctx context.Context, wt Worktree) error {
	perWorktree, err := r.config.Bool("extensions.worktreeConfig", false)
	if err != nil || !perWorktree || !r.config.sharedBare() {
		return err
	}
	file := filepath.Join(wt.GitDir, "config.worktree")
	if _, err := r.run(ctx, r.common(), nil, "config", "--file", file, "core.bare", "false"); err != nil {
		return fmt.Errorf("add worktree: %w", err)
	}
	return nil
}

// RemoveWorktree removes a worktree and all of its files. The caller must have
// proved that nothing in it would be lost, and of an unfinished one that no git is
// at it any more.
func (r *Repo) RemoveWorktree(ctx context.Context, path string) error {
	if wt, ok, err := r.WorktreeAt(ctx, path); err == nil && ok && wt.Unfinished {
		return wt.drop()
	}
	if _, err := r.run(ctx, r.common(), nil, "worktree", "remove", "--force", "--", path); err != nil {
		return fmt.Errorf("remove worktree: %w", err)
	}
	return nil
}

// FinishAdding completes what a `git worktree add` that was killed leaves behind,
// so that git takes it for a worktree and agrees to remove it: the .git file, and
// no lock with the reason that git gives one while it works.
func (w Worktree) FinishAdding() error {
	link, locked := filepath.Join(w.Path, ".git"), filepath.Join(w.GitDir, "locked")
	if reason, err := os.ReadFile(locked); err == nil && strings.TrimSpace(string(reason)) == "initializing" {
		if err := os.Remove(locked); err != nil {
			return fmt.Errorf("finish worktree: %w", err)
		}
	}
	if _, err := os.Lstat(link); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.WriteFile(link, []byte("gitdir: "+w.GitDir+"\n"), 0o666); err != nil {
		return fmt.Errorf("finish worktree: %w", err)
	}
	return nil
}

// PerWorktreeRef names a refs/worktree/ ref of the given worktree so that it can
// be written from anywhere in the repository.
func PerWorktreeRef(wt Worktree, name RefName) RefName {
	if wt.ID == "" {
		return "main-worktree/" + name
	}
	return RefName("worktrees/" + wt.ID + "/" + string(name))
}

// BindWorktree writes a refs/worktree/ ref in the given worktree, whatever it
// held before: only its own holder ever writes there.
func (r *Repo) BindWorktree(ctx context.Context, wt Worktree, name RefName, to Hash) error {
	if !ValidRefName(name) || !to.Valid() {
		return fmt.Errorf("bind worktree: bad ref %q or id %q", name, to)
	}
	_, err := r.run(context.WithoutCancel(ctx), r.common(), nil,
		"update-ref", "-m", "okstra: bind worktree", string(PerWorktreeRef(wt, name)), string(to))
	if err != nil {
		return fmt.Errorf("bind worktree: %w", err)
	}
	return nil
}

// BoundRefs lists the refs/worktree/ refs below prefix of another worktree, with
// one git process. A worktree whose folder is gone has none.
func (r *Repo) BoundRefs(ctx context.Context, wt Worktree, prefix string) ([]Ref, error) {
	if _, err := os.Stat(wt.Path); err != nil {
		return nil, nil
	}
	env := append(without(r.env, bindingVars), "GIT_DIR="+wt.GitDir)
	return r.refsAt(ctx, place{dir: wt.GitDir, env: env}, []string{prefix})
}

// FindBound finds the worktree that holds a refs/worktree/ ref, wherever it was
// moved to; false where none does or its folder is gone. With git's usual ref files
// it asks no process: such refs are never packed.
func (r *Repo) FindBound(ctx context.Context, name RefName) (Worktree, bool, error) {
	all, err := r.Worktrees(ctx)
	if err != nil {
		return Worktree{}, false, err
	}
	files := r.config.Get("extensions.refStorage") == ""
	for _, wt := range all {
		if _, err := os.Stat(wt.Path); err != nil {
			continue
		}
		if files {
			if _, err := os.Stat(filepath.Join(wt.GitDir, filepath.FromSlash(string(name)))); err == nil {
				return wt, true, nil
			}
			continue
		}
		bound, err := r.BoundRefs(ctx, wt, string(name))
		if err != nil || len(bound) > 0 {
			return wt, err == nil, err
		}
	}
	return Worktree{}, false, nil
}

// Status lists what is not committed in the given worktree, a line a path in
// git's short form (two letters, a space, the path), with one git process.
// Untracked files count, ignored ones do not.
func (r *Repo) Status(ctx context.Context, worktree string) ([]string, error) {
	out, err := r.run(ctx, r.at(worktree), nil,
		"status", "--porcelain=v1", "-z", "--untracked-files=normal", "--no-renames", "--ignore-submodules=none")
	if err != nil {
		return nil, fmt.Errorf("read status: %w", err)
	}
	var lines []string
	for line := range strings.SplitSeq(string(out), "\x00") {
		if line != "" {
			lines = append(lines, line)
		}
	}
	return lines, nil
}

// Operation names the operation that is under way in a worktree (rebase, am, merge,
// cherry-pick, revert, bisect), or "".
func (w Worktree) Operation() string {
	for _, probe := range []struct{ file, name string }{
		{"rebase-merge", "rebase"},
		{"rebase-apply/applying", "patch series (am)"},
		{"rebase-apply", "rebase"},
		{"MERGE_HEAD", "merge"},
		{"CHERRY_PICK_HEAD", "cherry-pick"},
		{"REVERT_HEAD", "revert"},
		{"sequencer", "cherry-pick or revert"}, // of several, between two of them
		{"BISECT_LOG", "bisect"},
	} {
		if _, err := os.Stat(filepath.Join(w.GitDir, probe.file)); err == nil {
			return probe.name
		}
	}
	return ""
}
