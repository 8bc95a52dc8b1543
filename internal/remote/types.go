package remote

import (
	"context"
	"fmt"
	"strings"

	"git-okstra/gitops"
)

// odd finds what one side has under our names although it is none of ours: a ref
// that holds another type of object than it must. Anybody may have pushed it there, and
// what went wrong here must not go there, where it would stop everybody. The task, or the
// notes ref, is left alone and a person told; all else goes on.
func (r *round) odd(ctx context.Context) (map[string]bool, error) {
	var fresh []gitops.Hash
	for name, h := range r.snap.theirs {
		if r.snap.ours[name] != h {
			fresh = append(fresh, h)
		}
	}
	mine := refs{} // what would go there; about a reservation that the remote has, it decides
	for name, h := range r.snap.ours {
		if theirs := r.snap.theirs[name]; theirs != h && (theirs == "" || !strings.Contains(string(name), "/reserved/")) {
			mine[name], fresh = h, append(fresh, h)
		}
	}
	types, err := r.s.Repo.ObjectTypes(ctx, fresh)
	if err != nil {
		return nil, err
	}
	out := map[string]bool{}
	r.oddOf(r.snap.theirs, types, out, "at the remote", "something else wrote it; whoever runs the remote has to mend or remove it there")
	r.oddOf(mine, types, out, "here", "something else wrote it; see what can be done with: git okstra doctor")
	return out, nil
}

// oddOf adds what one side has.
func (r *round) oddOf(side refs, types map[gitops.Hash]gitops.ObjectType, out map[string]bool, where, hint string) {
	for name, h := range side {
		key, want := kindOf(name)
		have, asked := types[h]
		if key == "" || !asked || have == want || out[key] {
			continue
		}
		out[key] = true
		r.conflicts = append(r.conflicts, Conflict{
			Task: key, Ref: string(name), Here: r.snap.ours[name], There: r.snap.theirs[name], whole: true,
			Message: fmt.Sprintf("%s holds a %s (%s) %s, and should a %s", name, have, h.Short(), where, want), Hint: hint,
		})
	}
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
		case s.known() || s.base != "" || len(s.done)+len(s.reopened) > 0:
			return key, gitops.TypeCommit
		}
	}
	return "", ""
}
