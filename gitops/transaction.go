package gitops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// RefChange is one line of a transaction. Old is the value the ref must have
// now, "" that it must not exist; New is what it becomes, "" that it goes.
type RefChange struct {
	Name     RefName
	Old, New Hash
}

// Transaction is a set of ref changes that happen together or not at all. The
// order counts where the machine dies half way: git's file back end then leaves
// a prefix of the changes, deletions last.
type Transaction struct {
	Reason  string // goes into the reflogs; one line
	Changes []RefChange
	Tags    bool // some ref is to hold a tag object
}

// reflogs chooses which refs get a reflog. git makes none for a private
// namespace unless asked; but one on a ref that holds a tag makes every
// `git gc` complain ("not a commit"), so transactions that create such a ref
// leave it to git's usual choice of branches and notes, in a bare repository too.
func (t *Transaction) reflogs() []string {
	const usual = "core.logAllRefUpdates=true"
	if t.Tags {
		return []string{"-c", usual, "update-ref"}
	}
	return []string{"update-ref", "--create-reflog"}
}

// Create adds a ref that must not exist.
func (t *Transaction) Create(name RefName, to Hash) {
	t.Changes = append(t.Changes, RefChange{Name: name, New: to})
}

// Update moves a ref that must have the value old; old "" creates it.
func (t *Transaction) Update(name RefName, old, to Hash) {
	t.Changes = append(t.Changes, RefChange{Name: name, Old: old, New: to})
}

// Delete removes a ref that must have the value old.
func (t *Transaction) Delete(name RefName, old Hash) {
	t.Changes = append(t.Changes, RefChange{Name: name, Old: old})
}

// Verify demands that a ref still has the value old; old "" that it is absent.
func (t *Transaction) Verify(name RefName, old Hash) {
	t.Changes = append(t.Changes, RefChange{Name: name, Old: old, New: old})
}

// ErrRefChanged is the sentinel for a lost race: a ref had not its expected value.
var ErrRefChanged = errors.New("a ref changed meanwhile")

// RefChangedError names the first ref that was not as expected and what it holds
// now. It matches ErrRefChanged.
type RefChangedError struct {
	Name       RefName
	Want, Have Hash
}

func (e *RefChangedError) Error() string {
	return fmt.Sprintf("ref %s changed meanwhile: expected %s, found %s", e.Name, orNone(e.Want), orNone(e.Have))
}

// Is makes errors.Is(err, ErrRefChanged) true.
func (e *RefChangedError) Is(target error) bool { return target == ErrRefChanged }

func orNone(h Hash) string {
	if h == "" {
		return "nothing"
	}
	return h.Short()
}

// ErrCutShort is the sentinel for a transaction of which git wrote a part, and could not
// write the rest: refs have moved, by the caller's own doing.
var ErrCutShort = errors.New("git could not change all refs")

// cutShortError is git's own error. It matches ErrCutShort.
type cutShortError struct{ error }

// Is makes errors.Is(err, ErrCutShort) true.
func (e *cutShortError) Is(target error) bool { return target == ErrCutShort }

// Unwrap gives git's error.
func (e *cutShortError) Unwrap() error { return e.error }

// lockPatience bounds how long a transaction waits for locks that others hold;
// a variable for tests only.
var lockPatience = 5 * time.Second

// Apply carries a transaction out. Every refusal of git looks alike, so the refs
// are read again: where one is not as expected, the race is lost
// (*RefChangedError); where all are, somebody holds a lock, and it is tried
// again with growing, jittered pauses for a while before git's error counts. It
// counts at once where a hook refused, and where git had all locks, began to write and could not go on, as on a
// full disk: what changed then is our own doing.
func (r *Repo) Apply(ctx context.Context, t Transaction) error {
	script, err := t.script(r.zero())
	if err != nil {
		return err
	}
	deadline := time.Now().Add(lockPatience)
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, 250*time.Millisecond) {
		began, err := r.applyOnce(ctx, t, script)
		if err == nil {
			return nil
		}
		if ExitCode(err) != 128 { // git was killed: what changed may be its own doing, and its locks stay
			return fmt.Errorf("change refs: %w", err)
		}
		if changed := r.compare(ctx, t); changed != nil && !began {
			return changed
		} else if changed != nil {
			return fmt.Errorf("change refs: %w", &cutShortError{err})
		}
		if time.Now().After(deadline) || refusedByHook(err) {
			return fmt.Errorf("change refs: %w", err)
		}
		if err := sleep(ctx, pause/2+rand.N(pause)); err != nil {
			return err
		}
	}
}

// refusedByHook tells that a reference-transaction hook said no, by git's own words
// (refs.c, 2.34 to 2.55). They decide only that nothing is tried again: a hook says the
// same a second time.
func refusedByHook(err error) bool {
	var failed *GitError
	return errors.As(err, &failed) && strings.Contains(failed.Stderr, "aborted by ") && strings.Contains(failed.Stderr, "hook")
}

// sleep waits, or returns early with the context's error.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// applyOnce sends the transaction to one `git update-ref`. The input is sent
// between start and commit: without them git would carry out the half it has read
// when the pipe breaks. Once sent it is not cancelled, it takes milliseconds. began
// tells that git had every ref as expected and under its lock.
func (r *Repo) applyOnce(ctx context.Context, t Transaction, script []byte) (began bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	args := t.reflogs()
	if reason := oneLine(t.Reason); reason != "" { // git refuses an empty message
		args = append(args, "-m", reason)
	}
	out, err := r.run(context.WithoutCancel(ctx), r.common(), bytes.NewReader(script), append(args, "--stdin")...)
	return bytes.Contains(out, []byte("prepare: ok\n")), err
}

// zero is the all-zero object id, update-ref's word for "must not exist".
func (r *Repo) zero() Hash {
	if r.format == "sha256" {
		return Hash(strings.Repeat("0", 64))
	}
	return Hash(strings.Repeat("0", 40))
}

// script writes the transaction in update-ref's language. Names and ids are
// checked here: one bad line must never read as two.
func (t *Transaction) script(zero Hash) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("start\n")
	for _, c := range t.Changes {
		if err := c.check(); err != nil {
			return nil, err
		}
		old := c.Old
		if old == "" {
			old = zero
		}
		if !strings.HasPrefix(string(c.Name), "refs/heads/") {
			b.WriteString("option no-deref\n") // a branch may be another's name; a ref of ours never leads to one
		}
		switch {
		case c.Old == c.New:
			fmt.Fprintf(&b, "verify %s %s\n", c.Name, old)
		case c.New == "":
			fmt.Fprintf(&b, "delete %s %s\n", c.Name, old)
		default:
			fmt.Fprintf(&b, "update %s %s %s\n", c.Name, c.New, old)
		}
	}
	b.WriteString("prepare\ncommit\n")
	return b.Bytes(), nil
}

func (c RefChange) check() error {
	if !ValidRefName(c.Name) {
		return fmt.Errorf("change refs: bad ref name %q", c.Name)
	}
	for _, h := range []Hash{c.Old, c.New} {
		if h != "" && !h.Valid() {
			return fmt.Errorf("change refs: bad object id %q for %s", h, c.Name)
		}
	}
	return nil
}

// compare returns the first change whose ref has not the expected value, or nil.
func (r *Repo) compare(ctx context.Context, t Transaction) error {
	names := make([]RefName, len(t.Changes))
	for i, c := range t.Changes {
		names[i] = c.Name
	}
	have, err := r.RefValues(ctx, names...)
	if err != nil {
		return err
	}
	for _, c := range t.Changes {
		if have[c.Name] != c.Old {
			return &RefChangedError{Name: c.Name, Want: c.Old, Have: have[c.Name]}
		}
	}
	return nil
}

// oneLine keeps a reflog message on its line.
func oneLine(s string) string {
	return strings.Join(strings.Fields(s), " ")
}
