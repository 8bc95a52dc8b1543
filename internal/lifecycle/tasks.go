package lifecycle

import (
	"context"
	"slices"
	"strings"
)

// TaskEntry is one task of the repository, or why its plan cannot be read.
type TaskEntry struct {
	Key     string // project:group:task, as the refs have it where the plan cannot be read
	Task    *Task  // nil where Problem is not
	Problem error
}

// Tasks reads all tasks with an approved plan, ordered by key, in one pass over the
// refs; with a word for a task those that it fits. One whose plan cannot be read does
// not hide the others. Errors: *Refusal where the word fits none.
func (e *Engine) Tasks(ctx context.Context, want string) ([]TaskEntry, error) {
	states, err := e.listRefs(ctx)
	if err != nil {
		return nil, err
	}
	var all []*refState
	for _, s := range states {
		if s.plan != "" {
			all = append(all, s)
		}
	}
	fits := all
	if want != "" && len(all) > 0 {
		if fits = matching(all, want); len(fits) == 0 {
			return nil, refuse(Usage, "tasks here: "+keyList(all), "no task here fits %q", want)
		}
	}
	slices.SortFunc(fits, func(a, b *refState) int { return strings.Compare(a.key, b.key) })
	out := make([]TaskEntry, 0, len(fits))
	for _, s := range fits {
		entry := TaskEntry{Key: strings.ReplaceAll(s.key, "/", ":")}
		if entry.Task, entry.Problem = e.task(ctx, states, s); entry.Problem != nil {
			entry.Task = nil
		} else {
			entry.Key = entry.Task.Key.String()
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out = append(out, entry)
	}
	return out, nil
}

// NoTask explains a repository without an approved plan: perhaps the state is in
// another clone.
func (e *Engine) NoTask() *Refusal {
	r := refuse(Usage, "approve one with: git okstra plan approve FILE", "no approved plan in this clone")
	if e.Repo.Config().HasSection("remote.") {
		r.Hints = append(r.Hints, "a clone does not bring the state along; get it with: git okstra sync")
	}
	return r
}
