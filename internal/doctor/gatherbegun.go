package doctor

import "context"

// readBegun reads the claims that this clone made, so that a done stage's branch is missed
// only where the stage was worked on: clones of one host look alike in the rows.
func (d *Doctor) readBegun(ctx context.Context, f *facts) {
	done := false
	for _, t := range f.tasks {
		done = done || len(t.done) > 0
	}
	if !done {
		return
	}
	for tag := range f.own {
		if c := d.Lifecycle.Claim(ctx, tag); c.Broken == "" {
			f.begun[c.ID] = true
		}
	}
}
