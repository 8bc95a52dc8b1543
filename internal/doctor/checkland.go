package doctor

import (
	"context"
	"time"

	"git-okstra/gitops"
	"git-okstra/notes"
)

// halfLanded is a worktree that was to follow its branch, and what the branch has.
type halfLanded struct {
	gitops.Worktree
	tip   gitops.Hash
	since time.Time
}

// readLandings finds them.
func (f *facts) readLandings(all []gitops.Worktree) {
	for _, wt := range all {
		if _, _, ok := wt.Forwarding(); ok {
			f.landings = append(f.landings, halfLanded{wt, f.heads[shortName(wt.Branch)], wt.ForwardingSince()})
		}
	}
}

// halfLandings: of one that is under way the note is milliseconds old.
func halfLandings(f *facts) []Finding {
	var out []Finding
	for _, l := range f.landings {
		one := found(nil, 0, "the worktree %s was to follow branch %s when a landing was killed: files there may be ahead of it", path(l.Path), shortName(l.Branch))
		switch {
		case l.tip == "" || f.age(l.since) < settleAfter:
			out = append(out, one.as(Info).hint("the next landing there puts it right: git okstra stage land N"))
		default:
			out = append(out, one.mendedBy(func(ctx context.Context, d *Doctor) error { return d.Repo.MendForward(ctx, l.Worktree, l.tip) }))
		}
	}
	return out
}

// halfReopened: the row comes before the end of the done ref.
func halfReopened(f *facts) []Finding {
	var out []Finding
	for _, t := range f.tasks {
		for n, l := range t.last() {
			head := t.done[n]
			if l.Row.Status != notes.Reopened || l.Row.Okstra != nil || head == "" || l.Row.Head != head || !t.readable() {
				continue
			}
			one := found(t, n, "the log says that stage %d was reopened, and %s still is at %s", n, t.doneRef(n), head.Short())
			if t.reopened[n] != head || t.reserved[n] != "" {
				out = append(out, one.hint("say again what is to be: git okstra stage reopen %d --task %s --why TEXT", n, t.name))
				continue
			}
			tx := gitops.Transaction{Reason: "okstra: doctor finishes reopening stage " + number(n)}
			tx.Verify(t.notesRef(), t.notes)
			tx.Verify(t.ref("reopened/"+number(n)), head)
			tx.Delete(t.doneRef(n), head)
			out = append(out, one.mendedBy(apply(tx)))
		}
	}
	return byStage(out)
}
