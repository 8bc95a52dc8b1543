package doctor

import "context"

// Removals is what the doctor asks of those who remove worktrees.
type Removals interface {
	// HalfRemoved lists the worktrees of a task whose removal was cut short.
	HalfRemoved(ctx context.Context, key string) ([]HalfRemoved, error)
}

// HalfRemoved is a worktree whose removal was cut short.
type HalfRemoved struct {
	Path   string // where its files are now
	From   string // where it stood, "" where nothing tells
	Finish bool   // the removal is finished; else the worktree is put back
	Why    string // why neither can be done, "" where it can
	Settle func(ctx context.Context) error
}

// halfRemoved is one of a task.
type halfRemoved struct {
	task *task
	HalfRemoved
}

// readRemovals looks for removals that were cut short.
func (d *Doctor) readRemovals(ctx context.Context, f *facts) error {
	if d.Removals == nil {
		return nil
	}
	for _, t := range f.tasks {
		list, err := d.Removals.HalfRemoved(ctx, t.key)
		if err != nil {
			return err
		}
		for _, h := range list {
			f.removals = append(f.removals, halfRemoved{t, h})
		}
	}
	return nil
}

func halfRemovedTrees(f *facts) []Finding {
	var out []Finding
	for _, h := range f.removals {
		one := found(h.task, 0, "%s is a worktree whose removal was cut short", path(h.Path))
		switch {
		case h.Why != "":
			out = append(out, one.hint("%s", h.Why))
			continue
		case h.Finish:
			one.Message += "; nothing was to be lost by it"
		default:
			one = found(h.task, 0, "%s is the worktree %s, whose removal was cut short before it was decided", path(h.Path), path(h.From))
		}
		out = append(out, one.mendedBy(func(ctx context.Context, _ *Doctor) error { return h.Settle(ctx) }))
	}
	return out
}
