package main

import (
	"errors"
	"strings"

	"git-okstra/internal/lifecycle"
	"git-okstra/internal/remote"
)

// notice lets the leases of reservations that a sync brought begin in this clone.
func (a *app) notice(res *remote.Result) error {
	tasks := map[string]bool{}
	for _, c := range res.Fetched {
		rest, ok := strings.CutPrefix(string(c.Ref), "refs/okstra/")
		if key, _, held := strings.Cut(rest, "/reserved/"); ok && held && c.New != "" {
			tasks[key] = true
		}
	}
	if len(tasks) == 0 {
		return nil
	}
	e, err := a.reader()
	if err != nil {
		return err
	}
	all, err := e.Tasks(a.ctx, "")
	var refusal *lifecycle.Refusal
	if err != nil && !errors.As(err, &refusal) {
		return err
	}
	for _, entry := range all {
		// A task whose plan cannot be read is said by the command that needs it.
		if entry.Problem != nil || !tasks[entry.Task.Key.Ref()] {
			continue
		}
		if err := e.Notice(a.ctx, entry.Task); err != nil {
			return err
		}
	}
	return nil
}

// publishRenewal lets the remote know of a renewal, and learns from it whether the lease
// was lost meanwhile.
func (a *app) publishRenewal(e *lifecycle.Engine, t *lifecycle.Task, r lifecycle.Renewed, local bool) error {
	if r.Lease == 0 || local || a.repo.Config().Get("okstra.remote") == "" {
		return nil
	}
	a.publish(local)
	fresh, err := e.Reload(a.ctx, t)
	if err != nil {
		return err
	}
	return e.StillHeld(a.ctx, fresh, r)
}
