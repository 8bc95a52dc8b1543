package lifecycle

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"slices"

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

// hash names what is agreed to: a plan's commit, or the sum of a command.
func (t Trusted) hash() string {
	if t.What == planRevision {
		return t.Text
	}
	sum := sha256.Sum256([]byte(t.What + "\x00" + t.Text))
	return hex.EncodeToString(sum[:])
}

// ref is the ref that says so. Refs travel (a mirror, a fetch of all refs), and another
// clone's trust is not this one's: behind the hash the name has a proof that only who
// knows the clone's key can make. What the ref holds says nothing.
func (t Trusted) ref(key []byte) gitops.RefName {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(t.hash())) // never fails
	return gitops.RefName(TrustedPrefix + t.hash() + "-" + hex.EncodeToString(mac.Sum(nil)))
}

// Untrusted leaves those that nobody here has agreed to yet, each once.
func (e *Engine) Untrusted(ctx context.Context, need []Trusted) ([]Trusted, error) {
	key, err := cloneKey(e.Repo.CommonDir())
	if err != nil && !errors.Is(err, fs.ErrPermission) { // another user's agreement is not this one's
		return nil, err
	}
	return e.untrusted(ctx, need, key)
}

// untrusted is Untrusted by a key; without one nothing is trusted.
func (e *Engine) untrusted(ctx context.Context, need []Trusted, key []byte) (fresh []Trusted, err error) {
	have := map[gitops.RefName]gitops.Hash{}
	if key != nil && len(need) > 0 {
		names := make([]gitops.RefName, len(need))
		for i, t := range need {
			names[i] = t.ref(key)
		}
		if have, err = e.Repo.RefValues(ctx, names...); err != nil {
			return nil, err
		}
	}
	for _, t := range need {
		if (key == nil || have[t.ref(key)] == "") && !slices.Contains(fresh, t) {
			fresh = append(fresh, t)
		}
	}
	return fresh, nil
}

// Trust agrees to all of them; what was agreed to before stays as it is. at is an object
// that the refs hold.
func (e *Engine) Trust(ctx context.Context, need []Trusted, at gitops.Hash) error {
	key, err := makeCloneKey(e.Repo.CommonDir())
	if err != nil {
		return err
	}
	return retry(ctx, func() error {
		fresh, err := e.untrusted(ctx, need, key)
		if err != nil || len(fresh) == 0 {
			return err
		}
		tx := gitops.Transaction{Reason: "okstra: trust"}
		for _, t := range fresh {
			tx.Create(t.ref(key), at)
		}
		return e.Repo.Apply(ctx, tx)
	})
}
