package gitops

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A worktree that has a branch checked out follows it when something else than git moves
// it: files and index first, then the ref, as `git merge` does it. Whoever looks in
// between sees the change as staged, and committing it does no harm; the other way round
// it would look as if it was to be taken back. A note in the worktree's git directory
// says what was under way, so that a killed command's half can be told from the user's
// own work.

// forwardNote is that note's name; it holds the two commits.
const forwardNote = "okstra-forward"

// side is a path's entry on one side of a comparison; the zero value is none.
type side struct{ mode, hash string }

// change is what a path is before and after.
type change struct {
	from, to side
	unmerged bool
}

// rawDiff reads `git diff… --raw -z --no-renames`.
func rawDiff(out []byte) map[string]change {
	changes := map[string]change{}
	words := strings.Split(string(out), "\x00")
	for i := 0; i+1 < len(words); i += 2 {
		f := strings.Fields(strings.TrimPrefix(words[i], ":"))
		if len(f) < 5 {
			continue
		}
		changes[words[i+1]] = change{side{f[0], f[2]}.orNone(), side{f[1], f[3]}.orNone(), f[4] == "U"}
	}
	return changes
}

func (s side) orNone() side {
	if strings.Trim(s.mode, "0") == "" {
		return side{}
	}
	return s
}

// rawFlags make a comparison independent of the user's settings.
var rawFlags = []string{"--raw", "-z", "--no-renames", "--no-abbrev", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all"}

// between lists what differs between two commits.
func (r *Repo) between(ctx context.Context, from, to Hash) (map[string]change, error) {
	list, err := r.treeChanges(ctx, from, to)
	if err != nil {
		return nil, fmt.Errorf("compare commits: %w", err)
	}
	changes := map[string]change{}
	for _, c := range list {
		changes[c.path] = change{from: c.from.side(), to: c.to.side()}
	}
	return changes, nil
}

// staged lists what a worktree's index has otherwise than a commit.
func (r *Repo) staged(ctx context.Context, wt Worktree, commit Hash) (map[string]change, error) {
	args := slices.Concat([]string{"diff-index", "--cached"}, rawFlags, []string{string(commit), "--"})
	out, err := r.run(ctx, r.at(wt.Path), nil, args...)
	if err != nil {
		return nil, fmt.Errorf("compare index: %w", err)
	}
	return rawDiff(out), nil
}

// edited lists the tracked files that are otherwise than the index has them; a file that
// is gone does not count.
func (r *Repo) edited(ctx context.Context, wt Worktree) (map[string]bool, error) {
	args := slices.Concat([]string{"diff-files", "--diff-filter=d"}, rawFlags)
	for again := false; ; again = true {
		out, err := r.run(ctx, r.at(wt.Path), nil, args...)
		if err != nil {
			return nil, fmt.Errorf("compare files: %w", err)
		}
		edited := map[string]bool{}
		for p := range rawDiff(out) {
			edited[p] = true
		}
		if again || len(edited) == 0 {
			return edited, nil
		}
		// A file that was only touched is none of them. The exit code says whether others are.
		if _, err := r.run(ctx, r.at(wt.Path), nil, "update-index", "-q", "--refresh"); err != nil && ExitCode(err) != 1 {
			return nil, fmt.Errorf("compare files: %w", err)
		}
	}
}

// InTheWay lists what keeps a worktree from following its branch from one commit to
// another: paths that differ between the two and have changes of their own there, or
// untracked or ignored files where one has to go. Unlike git merge it counts ignored
// ones. What the index has as the new commit has it is in nobody's way.
func (r *Repo) InTheWay(ctx context.Context, wt Worktree, from, to Hash) ([]string, error) {
	changes, err := r.between(ctx, from, to)
	if err != nil {
		return nil, err
	}
	index, err := r.staged(ctx, wt, from)
	if err != nil {
		return nil, err
	}
	edited, err := r.edited(ctx, wt)
	if err != nil {
		return nil, err
	}
	var list []string
	for p, own := range index {
		if own.unmerged { // wherever it is: git goes nowhere from there
			list = append(list, p)
		}
	}
	for p, c := range changes {
		switch own, differs := index[p]; {
		case differs && own.to != c.to:
			list = append(list, p)
		case differs:
		case edited[p]:
			list = append(list, p)
		case c.from == side{}:
			if other := wt.blocker(p, changes); other != "" {
				list = append(list, other)
			}
		}
	}
	return sortedPaths(list), nil
}

// blocker is the file that stands where a new path, or a folder above it, is to go.
func (w Worktree) blocker(p string, changes map[string]change) string {
	for at := p; at != "." && at != "/"; at = path.Dir(at) {
		info, err := os.Lstat(filepath.Join(w.Path, filepath.FromSlash(at)))
		if err != nil {
			continue
		}
		if info.IsDir() {
			return "" // of a folder with something in it, git knows
		}
		if c, ok := changes[at]; ok && c.from != (side{}) && c.to == (side{}) {
			return "" // a file that becomes a folder
		}
		return at
	}
	return ""
}

// Forward makes a worktree's index and files those of another commit, keeping local
// changes elsewhere; git refuses, and changes nothing, where they are in the way. The
// caller then moves the branch and says Forwarded, or MendForward where it could not.
func (r *Repo) Forward(ctx context.Context, wt Worktree, from, to Hash) error {
	if err := wt.noteForward(from, to); err != nil {
		return err
	}
	err := r.readTree(ctx, wt, from, to)
	if ExitCode(err) == 128 {
		return errors.Join(err, wt.Forwarded())
	}
	return err
}

// readTree lets git take a worktree from one commit to another. It is not cancelled: cut
// short it would leave a half. A git that has the index locked is waited for.
func (r *Repo) readTree(ctx context.Context, wt Worktree, from, to Hash) error {
	deadline := time.Now().Add(lockPatience)
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, 250*time.Millisecond) {
		_, err := r.run(context.WithoutCancel(ctx), r.at(wt.Path), nil,
			"read-tree", "-m", "-u", "--no-recurse-submodules", string(from), string(to))
		if err == nil {
			return nil
		}
		err = fmt.Errorf("update worktree %q: %w", wt.Path, err)
		locked := exists(wt.GitDir, "index.lock")
		if ExitCode(err) != 128 || !locked || time.Now().After(deadline) {
			return err
		}
		if stopped := sleep(ctx, pause/2+rand.N(pause)); stopped != nil {
			return err
		}
	}
}

func (w Worktree) noteForward(from, to Hash) error {
	if err := os.WriteFile(filepath.Join(w.GitDir, forwardNote), []byte(string(from)+" "+string(to)+"\n"), 0o666); err != nil {
		return fmt.Errorf("update worktree: %w", err)
	}
	return nil
}

// Forwarded ends what Forward began, when the branch has moved.
func (w Worktree) Forwarded() error {
	err := os.Remove(filepath.Join(w.GitDir, forwardNote))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("update worktree: %w", err)
	}
	return nil
}

// ForwardingSince is when that began, the zero time where nothing did.
func (w Worktree) ForwardingSince() time.Time {
	info, err := os.Stat(filepath.Join(w.GitDir, forwardNote))
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// Forwarding tells what a Forward in the worktree that has not ended was about.
func (w Worktree) Forwarding() (from, to Hash, ok bool) {
	text, err := os.ReadFile(filepath.Join(w.GitDir, forwardNote))
	if err != nil {
		return "", "", false
	}
	ids := append(strings.Fields(string(text)), "", "") // it may have been cut short itself
	return Hash(ids[0]), Hash(ids[1]), true
}
