package lifecycle

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"

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

// Ref is the ref that says so, where it holds this clone's own proof.
func (t Trusted) Ref() gitops.RefName {
	if t.What == planRevision {
		return gitops.RefName(TrustedPrefix + t.Text)
	}
	sum := sha256.Sum256([]byte(t.What + "\x00" + t.Text))
	return gitops.RefName(TrustedPrefix + hex.EncodeToString(sum[:]))
}

// proof is what a ref of trust has to hold: a blob that only who knows the key can write.
// Refs travel (a mirror, a fetch of all refs), and another clone's trust is not this one's.
func proof(w *gitops.ObjectWriter, name gitops.RefName, key []byte) gitops.Hash {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(name)) // never fails
	return w.Blob([]byte("okstra trust\n" + hex.EncodeToString(mac.Sum(nil)) + "\n"))
}

// Untrusted leaves those that nobody here has agreed to yet, each once.
func (e *Engine) Untrusted(ctx context.Context, need []Trusted) ([]Trusted, error) {
	key, err := cloneKey(e.Repo.CommonDir())
	if err != nil && !errors.Is(err, fs.ErrPermission) { // another user's agreement is not this one's
		return nil, err
	}
	var fresh []Trusted
	_, err = e.agreeTo(ctx, need, key, func(t Trusted, _ gitops.RefChange) { fresh = append(fresh, t) })
	return fresh, err
}

// agreeTo hands over each of what nobody here has agreed to, with the change that
// agrees to it. Its objects are in w.
func (e *Engine) agreeTo(ctx context.Context, need []Trusted, key []byte, each func(Trusted, gitops.RefChange)) (w *gitops.ObjectWriter, err error) {
	w = e.Repo.NewObjects()
	if len(need) == 0 {
		return w, nil
	}
	names := make([]gitops.RefName, len(need))
	for i, t := range need {
		names[i] = t.Ref()
	}
	have, err := e.Repo.RefValues(ctx, names...)
	if err != nil {
		return w, err
	}
	seen := map[gitops.RefName]bool{}
	for i, name := range names {
		want := proof(w, name, key)
		if (key == nil || have[name] != want) && !seen[name] {
			each(need[i], gitops.RefChange{Name: name, Old: have[name], New: want})
		}
		seen[name] = true
	}
	return w, nil
}

// Trust agrees to all of them; what was agreed to before stays as it is.
func (e *Engine) Trust(ctx context.Context, need []Trusted) error {
	key, err := makeCloneKey(e.Repo.CommonDir())
	if err != nil {
		return err
	}
	return retry(ctx, func() error {
		tx := gitops.Transaction{Reason: "okstra: trust"}
		w, err := e.agreeTo(ctx, need, key, func(_ Trusted, c gitops.RefChange) { tx.Changes = append(tx.Changes, c) })
		if err != nil || len(tx.Changes) == 0 {
			return err
		}
		return e.Repo.ApplyObjects(ctx, w, tx)
	})
}
