package doctor

import (
	"context"
	"strings"

	"git-okstra/gitops"
	"git-okstra/plan"
)

// ports holds the port slots of this clone: refs that hold the tag of the reservation
// that the slot was last given to.
const ports = "refs/okstra-local/port"

// slot is a port slot and the stage that it was given to.
type slot struct {
	ref   gitops.Ref
	key   string // of the task, as in refs; "" where the tag does not say
	stage plan.StageNumber
}

// readSlots reads which stages the slots are for.
func (d *Doctor) readSlots(ctx context.Context, f *facts) {
	for i, s := range f.slots {
		tag, err := d.Repo.ReadTag(ctx, s.ref.Hash)
		if err != nil {
			continue // nobody's, then
		}
		rest, _ := strings.CutPrefix(tag.Name, "okstra/")
		key, what, _ := splitKey(rest)
		num, _ := strings.CutPrefix(what, "reserved/")
		if n, ok := stageNumber(num); ok {
			f.slots[i].key, f.slots[i].stage = key, n
		}
	}
}

// slotsLeft finds slots that no start will ask for: their stage is done, or they are
// for no stage at all. That of a released stage waits for its next start.
func slotsLeft(f *facts) []Finding {
	var out []Finding
	for _, s := range f.slots {
		drop := gitops.Transaction{Reason: "okstra: doctor frees a port slot"}
		drop.Delete(s.ref.Name, s.ref.Hash)
		if s.stage == 0 {
			out = append(out, found(nil, 0, "%s holds no reservation of a stage", s.ref.Name).mendedBy(apply(drop)))
			continue
		}
		for _, t := range f.tasks {
			head, done := t.done[s.stage]
			if _, held := t.reserved[s.stage]; t.key == s.key && done && !held {
				out = append(out, found(t, s.stage, "stage %d is done at %s, and %s still holds ports for it", s.stage, head.Short(), s.ref.Name).
					mendedBy(apply(drop)))
			}
		}
	}
	return out
}

// withoutSlot finds reservations of this clone that have no ports.
func withoutSlot(f *facts) []Finding {
	var out []Finding
	f.unfinishedStarts(func(t *task, n plan.StageNumber, c Claim) {
		if !f.own[t.reserved[n]] {
			return
		}
		for _, s := range f.slots {
			if s.key == t.key && s.stage == n {
				return
			}
		}
		out = append(out, found(t, n, "stage %d is reserved by %s, and has no ports of its own", n, c.By).mendedBy(complete(t, n)))
	})
	return out
}
