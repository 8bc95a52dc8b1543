package remote

import (
	"context"
	"fmt"
	"strings"

	"git-okstra/gitops"
)

// odd finds what the remote has under our names although it is none of ours: a ref
// that holds another type of object than it must. Anybody may have pushed it there. The
// task, or the notes ref, is left alone and a person told; all else goes on.
func (r *round) odd(ctx context.Context) (map[string]bool, error) {
	var fresh []gitops.Hash
	for name, h := range r.snap.theirs {
		if r.snap.ours[name] != h {
			fresh = append(fresh, h)
		}
	}
	types, err := r.s.Repo.ObjectTypes(ctx, fresh)
	if err != nil {
		return nil, err
	}
	out := map[string]bool{}
	for name, h := range r.snap.theirs {
		key, want := kindOf(name)
		have, asked := types[h]
		if key == "" || !asked || have == want || out[key] {
			continue
		}
		out[key] = true
		r.conflicts = append(r.conflicts, Conflict{
			Task: key, Ref: string(name), Here: r.snap.ours[name], There: h, whole: true,
			Message: fmt.Sprintf("%s holds a %s (%s) at the remote, and should a %s", name, have, h.Short(), want),
			Hint:    "something else wrote it; whoever runs the remote has to mend or remove it there",
		})
	}
	return out, nil
}

// kindOf is the task of a ref (for other notes the ref itself) and the type of object
// that it must hold; "" for names that are not exchanged.
func kindOf(name gitops.RefName) (key string, want gitops.ObjectType) {
	if strings.HasPrefix(string(name), qaPrefix) {
		return string(name), gitops.TypeCommit
	}
	for key, s := range (refs{name: "x"}).tasks() {
		switch {
		case len(s.reserved) > 0:
			return key, gitops.TypeTag
		case s.known() || s.base != "" || len(s.done) > 0:
			return key, gitops.TypeCommit
		}
	}
	return "", ""
}
