package lifecycle

import (
	"context"

	"git-okstra/gitops"
)

// BegunHere reports whether a done stage was worked on in this clone, so that its branch
// was here: a reservation that was made here has the claim of its done row.
func (e *Engine) BegunHere(ctx context.Context, t *Task, r Range) (bool, error) {
	if r.Claim == "" {
		return true, nil // nothing can tell
	}
	refs, err := e.Repo.Refs(ctx, claimPrefix+t.Key.Ref())
	if err != nil {
		return false, err
	}
	for _, ref := range refs {
		tag, err := e.Repo.ReadTag(ctx, ref.Hash)
		if err != nil {
			continue // a damaged one names no claim
		}
		for _, tr := range gitops.Trailers(tag.Message) {
			if tr.Key == tagClaim && tr.Value == r.Claim {
				return true, nil
			}
		}
	}
	return false, nil
}
