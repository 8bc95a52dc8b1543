package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"git-okstra/gitops"
	"git-okstra/plan"
)

// holderProcess is the trailer's value that says: the stage is held by a process that
// lives as long as the work does.
const holderProcess = "process"

// whyWorktree is the one reason that its holder mends by going on.
const whyWorktree = "its worktree is gone"

// Stale says why a reservation keeps nobody's work any more, "" where it does: the
// process that holds it has ended on this host, its lease is over, or the stage's worktree
// that was made in this clone is gone. It writes nothing and starts no process of
// git's where refs are files.
func (e *Engine) Stale(ctx context.Context, t *Task, n plan.StageNumber, r Reservation) (string, error) {
	if r.Broken != "" {
		return "", nil
	}
	if r.Holder == holderProcess && r.Host == e.Caller.Host && r.processEnded() {
		return fmt.Sprintf("its process %s has ended", r.Pid), nil
	}
	if lease := r.leaseOf(); lease > 0 {
		if seen, ok := e.firstSeen(t, n, r.Tag); ok && e.Now().Sub(seen) >= lease {
			return fmt.Sprintf("its lease of %s is over", durationWords(lease)), nil
		}
	}
	gone, err := e.worktreeGone(ctx, t, n, r)
	if err != nil || !gone {
		return "", err
	}
	return whyWorktree, nil
}

// StaleTag is Stale for who has read the refs himself: the task's key as in refs, the
// reservation's tag and the stage's marks (refs below seenPrefix).
func (e *Engine) StaleTag(ctx context.Context, key string, n plan.StageNumber, tag gitops.Hash, marks []gitops.Ref) (string, error) {
	parsed, err := plan.ParseTaskKey(strings.ReplaceAll(key, "/", ":"))
	if err != nil || parsed.Ref() != key {
		return "", nil //nolint:nilerr // no task of ours, so nobody's reservation
	}
	t := &Task{
		Key: parsed, Reserved: map[plan.StageNumber]gitops.Hash{n: tag}, marks: map[plan.StageNumber][]gitops.Ref{n: marks},
	}
	r, _, err := e.Reservation(ctx, t, n)
	if err != nil {
		return "", err
	}
	return e.Stale(ctx, t, n, r)
}

// processEnded reports whether the process that made the reservation has ended. Ask
// only on its own host.
func (r Reservation) processEnded() bool {
	pid, err := strconv.Atoi(r.Pid)
	return err == nil && gitops.ProcessEnded(pid, r.PidStart)
}

// worktreeGone reports whether the stage's worktree was made in this clone and is no
// longer there. While the process that reserved the stage runs it may be about to make
// it; a locked worktree may come back (an external disk).
func (e *Engine) worktreeGone(ctx context.Context, t *Task, n plan.StageNumber, r Reservation) (bool, error) {
	here := r.Host == e.Caller.Host && (r.Clone == "" || r.Clone == e.clone())
	if !here || e.Folder == nil || r.Worktree == "" || !filepath.IsLocal(filepath.FromSlash(r.Worktree)) || !r.processEnded() {
		return false, nil
	}
	path := e.Folder(r.Worktree)
	if _, err := os.Lstat(path); path == "" || !errors.Is(err, fs.ErrNotExist) {
		return false, nil //nolint:nilerr // what cannot be looked at is not known to be gone
	}
	all, err := e.Repo.Worktrees(ctx)
	if err != nil {
		return false, err
	}
	bind := t.BindRef(n)
	for _, wt := range all {
		bound := wt.Path == path || len(e.Repo.WorktreeRefs(wt, string(bind))) > 0
		if _, locked := wt.Lock(); bound && locked {
			return false, nil
		}
	}
	_, bound, err := e.Repo.FindBound(ctx, bind)
	return err == nil && !bound, err
}

// takenBy is the refusal that names the holder of a stage, and says where the
// reservation is stale what can be done.
func (e *Engine) takenBy(ctx context.Context, t *Task, n plan.StageNumber, r Reservation) (*Refusal, error) {
	why, err := e.Stale(ctx, t, n, r)
	if err != nil {
		return nil, err
	}
	refusal := taken(n, r)
	if why != "" {
		refusal.Message += "; stale: " + why
		refusal.Hints = []string{staleHint(n)}
	}
	return refusal, nil
}

// staleHint says how a stale stage is got, for it is never taken silently.
func staleHint(n plan.StageNumber) string {
	return fmt.Sprintf("take it over, with the commits of its branch: git okstra stage start %d --takeover; or give it back: git okstra stage release %d --stale", n, n)
}

// addStale adds to an answer which of the stages in progress are stale.
func (e *Engine) addStale(ctx context.Context, t *Task, active []plan.StageNumber, refusal *Refusal) error {
	for _, n := range active {
		r, _, err := e.Reservation(ctx, t, n)
		if err != nil {
			return err
		}
		why, err := e.Stale(ctx, t, n, r)
		if err != nil {
			return err
		}
		if why != "" {
			refusal.Message += fmt.Sprintf("; stage %d is stale: %s", n, why)
			refusal.Hints = append(refusal.Hints, staleHint(n))
		}
	}
	return nil
}

// lost reports whether the caller held the stage before it was taken over, or given back
// and taken again. The run id tells; without one, only the actor can, where somebody else
// took the stage from him: of one actor's workers, one that went on in the same worktree
// looks like the new holder.
func (e *Engine) lost(r Reservation) bool {
	if e.Caller.Run == "" {
		return r.TookBy != "" && e.Caller.Actor == r.TookBy && e.Caller.Actor != r.By
	}
	return e.Caller.Run != r.Run && (r.TookFrom != "" || r.Kept && r.Run != "")
}

// lostLease is the refusal for who held the stage once.
func (e *Engine) lostLease(n plan.StageNumber, r Reservation) *Refusal {
	refusal := taken(n, r)
	hint := "stop working there: it is the new holder's worktree now"
	if e.Caller.Run == "" {
		refusal.Message = fmt.Sprintf("%s has lost the stage: %s", plan.Printable(e.Caller.Actor), refusal.Message)
		refusal.Hints = []string{hint}
		return refusal
	}
	refusal.Message = fmt.Sprintf("run %s has lost its lease: %s", plan.Printable(e.Caller.Run), refusal.Message)
	refusal.Hints = []string{hint + "; who is no run of before leaves OKSTRA_RUN unset"}
	return refusal
}
