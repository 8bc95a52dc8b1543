package remote

import (
	"context"
	"fmt"

	"git-okstra/gitops"
	"git-okstra/notes"
	"git-okstra/plan"
)

// known answers the table's questions about one task.
type known struct {
	ctx  context.Context //nolint:containedctx // lives as long as one merge
	repo *gitops.Repo
	snap *snapshot
	tips []gitops.Hash // both logs
	read history
	have bool
}

func (k *known) ancestor(a, b gitops.Hash) (bool, error) { return k.repo.IsAncestor(k.ctx, a, b) }

func (k *known) made(tag gitops.Hash) bool { return k.snap.made[tag] }

func (k *known) claim(tag gitops.Hash) string {
	if id := k.tag(tag)["Claim"]; id != "" {
		return id
	}
	return string(tag)
}

// tag reads what a reservation says, nothing where it cannot be read.
func (k *known) tag(h gitops.Hash) map[string]string {
	out := map[string]string{}
	tag, err := k.repo.ReadTag(k.ctx, h)
	if err != nil {
		return out
	}
	for _, t := range gitops.Trailers(tag.Message) {
		out[t.Key] = t.Value
	}
	out["target"], out["name"] = string(tag.Target), tag.Name
	return out
}

func (k *known) rows() (history, error) {
	if k.have {
		return k.read, nil
	}
	lines, err := notes.Union(k.ctx, k.repo, k.tips...)
	if err != nil {
		return nil, err
	}
	k.read, k.have = lines, true
	return k.read, nil
}

// task merges one task: its refs into changes for both sides, its log into one commit.
func (r *round) task(ctx context.Context, key string, ours, theirs, base *side) error {
	k := &known{ctx: ctx, repo: r.s.Repo, snap: r.snap, tips: []gitops.Hash{ours.notes, theirs.notes}}
	out, err := merge(ours, theirs, base, k)
	if err != nil {
		return fmt.Errorf("merge %s%s: %w", statePrefix, key, err)
	}
	for _, c := range out.conflicts {
		c.Task, c.Ref = key, statePrefix+key+"/"+c.Ref
		r.conflicts = append(r.conflicts, c)
		if c.whole {
			return nil
		}
	}
	var rows []notes.Entry
	for _, l := range out.losses {
		lost, entry, err := r.lose(k, key, l)
		if err != nil {
			return err
		}
		if k.made(l.tag) {
			r.lost = append(r.lost, lost)
		}
		if k.made(l.tag) && !l.told {
			rows = append(rows, entry)
			r.unsure = r.unsure || !r.s.seen[l]
			r.s.seen[l] = true
		}
	}
	for _, m := range out.moves {
		r.want(key, m)
		r.local(k, key, m)
	}
	ref := gitops.RefName(notesPrefix + key)
	tip, err := r.log(ctx, ours.notes, theirs.notes, rows)
	if err != nil {
		return fmt.Errorf("merge %s: %w", ref, err)
	}
	r.change(key, ref, ours.notes, theirs.notes, tip, phaseLog)
	if len(out.moves) > 0 && tip == ours.notes { // what was decided rests on the log as it was read
		r.tx.Verify(ref, ours.notes)
	}
	return nil
}

// lose describes a lost reservation and makes the row that records its end.
func (r *round) lose(k *known, key string, l loss) (Lost, notes.Entry, error) {
	tag := k.tag(l.tag)
	out := Lost{Task: key, Stage: l.stage, Branch: tag["Branch"], Worktree: tag["Worktree"], Done: l.done}
	reason := fmt.Sprintf("the reservation is gone at %s", r.s.Remote)
	switch {
	case l.done:
		reason = fmt.Sprintf("the stage is done by another claim, as %s has it", r.s.Remote)
	case l.holder != "":
		h := k.tag(l.holder)
		out.Holder = &Holder{By: h["By"], Host: h["Host"], Since: h["At"]}
		reason = fmt.Sprintf("held at %s by %s", r.s.Remote, h["By"])
	}
	id, err := r.s.NewID()
	if l.late {
		return out, r.takenBack(k, key, l, id, reason), err
	}
	target := gitops.Hash(tag["target"])
	if target == "" {
		target = l.tag // an unreadable tag names no commit
	}
	return out, notes.Entry{Target: target, Row: notes.Row{
		ID: id, Task: r.s.taskName(k, key), Stage: l.stage, Status: notes.Released, At: notes.Time(r.s.Now()),
		By: r.s.Caller.Actor, Host: r.s.Caller.Host, Run: r.s.Caller.Run, Claim: k.claim(l.tag), Reason: reason,
	}}, err
}

// taskName is a task's name in its own spelling, as the plan's commit has it.
func (s *Syncer) taskName(k *known, key string) string {
	for _, side := range []refs{k.snap.ours, k.snap.theirs} {
		c, err := s.Repo.ReadCommit(k.ctx, side[gitops.RefName(statePrefix+key+"/plan")])
		if err != nil {
			continue
		}
		for _, t := range gitops.Trailers(c.Message) {
			if name, err := plan.ParseTaskKey(t.Value); t.Key == "Okstra-Task" && err == nil && name.Ref() == key {
				return t.Value
			}
		}
	}
	return key
}

// log is the notes commit that both sides can fast-forward to.
func (r *round) log(ctx context.Context, ours, theirs gitops.Hash, further []notes.Entry) (gitops.Hash, error) {
	tip, other := ours, gitops.Hash("")
	if ours != theirs && theirs != "" {
		switch behind, ahead, err := r.order(ctx, ours, theirs); {
		case err != nil:
			return "", err
		case behind:
			tip = theirs
		case !ahead:
			other = theirs
		}
	}
	if other == "" && len(further) == 0 {
		return tip, nil
	}
	sig, err := r.s.Repo.Committer(ctx, r.s.Now())
	if err != nil {
		return "", err
	}
	return notes.Merge(ctx, r.s.Repo, r.objects, tip, other, sig, further)
}

// order reports whether ours is behind theirs, or ahead of it.
func (r *round) order(ctx context.Context, ours, theirs gitops.Hash) (behind, ahead bool, err error) {
	if ours == "" {
		return true, false, nil
	}
	if behind, err = r.s.Repo.IsAncestor(ctx, ours, theirs); behind || err != nil {
		return behind, false, err
	}
	ahead, err = r.s.Repo.IsAncestor(ctx, theirs, ours)
	return false, ahead, err
}
