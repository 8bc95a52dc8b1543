package lifecycle

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"git-okstra/gitops"
)

// TrustedPrefix holds a ref for each thing that may run in this clone: for a revision of a
// plan that was approved here, and for a command, each named by its hash.
const TrustedPrefix = "refs/okstra-local/trusted/"

// Trusted is something that runs only after somebody in this clone has agreed to it.
type Trusted struct {
	What string // in words, a part of what is agreed to
	Text string // a command, or what else is run
}

// TrustedPlan is a revision of a plan as a whole: who approves it here agrees to what it
// runs.
func TrustedPlan(commit gitops.Hash) Trusted { return Trusted{planRevision, string(commit)} }

const planRevision = "plan revision"

// Ref is the ref that says so, whose presence is all that counts.
func (t Trusted) Ref() gitops.RefName {
	if t.What == planRevision {
		return gitops.RefName(TrustedPrefix + t.Text)
	}
	sum := sha256.Sum256([]byte(t.What + "\x00" + t.Text))
	return gitops.RefName(TrustedPrefix + hex.EncodeToString(sum[:]))
}

// Untrusted leaves those that nobody here has agreed to yet, each once.
func (e *Engine) Untrusted(ctx context.Context, need []Trusted) ([]Trusted, error) {
	if len(need) == 0 {
		return nil, nil
	}
	names := make([]gitops.RefName, len(need))
	for i, t := range need {
		names[i] = t.Ref()
	}
	have, err := e.Repo.RefValues(ctx, names...)
	if err != nil {
		return nil, err
	}
	var out []Trusted
	seen := map[gitops.RefName]bool{}
	for i, t := range need {
		if have[names[i]] == "" && !seen[names[i]] {
			out = append(out, t)
		}
		seen[names[i]] = true
	}
	return out, nil
}

// Trust agrees to all of them; what was agreed to before stays as it is. at is an object
// that the refs hold.
func (e *Engine) Trust(ctx context.Context, need []Trusted, at gitops.Hash) error {
	return retry(ctx, func() error {
		fresh, err := e.Untrusted(ctx, need)
		if err != nil || len(fresh) == 0 {
			return err
		}
		tx := gitops.Transaction{Reason: "okstra: trust"}
		for _, t := range fresh {
			tx.Create(t.Ref(), at)
		}
		return e.Repo.Apply(ctx, tx)
	})
}
