package remote

import (
	"fmt"
	"strings"

	"git-okstra/gitops"
	"git-okstra/notes"
)

// local moves what this clone has for itself of a reservation along with it, as the
// transitions here do: the marks of its lease go with its tag; its ports go over to a
// newer tag of the same claim, end with a done stage, and are else kept for the stage.
func (r *round) local(k *known, key string, m move) {
	if strings.HasPrefix(m.what, "done/") && m.want != "" {
		r.dropPorts(k, fmt.Sprintf("okstra/%s/reserved/%d", key, m.stage))
	}
	if !strings.HasPrefix(m.what, "reserved/") || m.ours == "" || m.ours == m.want {
		return
	}
	marks := fmt.Sprintf("%s%s/%d/%s/", seenPrefix, key, m.stage, m.ours)
	for _, ref := range r.snap.seen {
		if strings.HasPrefix(string(ref.Name), marks) {
			r.gone = append(r.gone, gitops.RefChange{Name: ref.Name, Old: ref.Hash})
		}
	}
	for _, ref := range r.snap.ports {
		if ref.Hash == m.ours && m.want != "" && k.claim(m.want) == k.claim(m.ours) {
			r.tx.Update(ref.Name, ref.Hash, m.want)
		}
	}
}

// dropPorts ends the ports of a stage that is done, whichever of its reservations had
// them: the name in the tag says which stage that was for.
func (r *round) dropPorts(k *known, name string) {
	for _, ref := range r.snap.ports {
		if k.tag(ref.Hash)["name"] == name {
			r.gone = append(r.gone, gitops.RefChange{Name: ref.Name, Old: ref.Hash})
		}
	}
}

// takenBack is the row by which a takeover that came too late is undone: the log says
// that the claim which stands was taken over, so it has to say that it stands again.
func (r *round) takenBack(k *known, key string, l loss, id, reason string) notes.Entry {
	h := k.tag(l.holder)
	target := gitops.Hash(h["target"])
	if target == "" {
		target = l.holder
	}
	return notes.Entry{Target: target, Row: notes.Row{
		ID: id, Task: r.s.taskName(k, key), Stage: l.stage, Status: takenOver, At: notes.Time(r.s.Now()),
		By: h["By"], Host: h["Host"], Run: h["Run"], Claim: k.claim(l.holder), Head: target,
		Branch: h["Branch"], Worktree: h["Worktree"], Reason: reason,
	}}
}
