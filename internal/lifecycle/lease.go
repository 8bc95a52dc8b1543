package lifecycle

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"git-okstra/gitops"
	"git-okstra/plan"
)

// leaseKey is the setting that gives new reservations an expiry.
const leaseKey = "okstra.lease"

// seenPrefix holds a mark for each reservation with an expiry: when this clone first
// saw its tag. No other host's clock, and no date in the tag, says when it is over.
const seenPrefix = "refs/okstra-local/seen/"

// seenLayout is the time at the end of a mark's name. It stands there, and not in an
// object, because that would dangle once the reservation has ended.
const seenLayout = "20060102T150405.000000000Z"

// lease is how long a new reservation holds unless it is renewed; 0 is for good.
// Errors: a value of okstra.lease that is no duration.
func (e *Engine) lease() (time.Duration, error) {
	value := strings.TrimSpace(e.Repo.Config().Get(leaseKey))
	if value == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(value)
	if err != nil || d < 0 {
		return 0, refuse(Environment, "write it as 2h or 45m; 0 is for none", "config %s: bad duration %q", leaseKey, plan.Printable(value))
	}
	return d, nil
}

// leaseOf reads the expiry that a tag has; whatever is no duration is none.
func (r Reservation) leaseOf() time.Duration {
	d, err := time.ParseDuration(r.Lease)
	if err != nil || d < 0 {
		return 0
	}
	return d
}

// durationWords writes a duration without the units that are zero at its end.
func durationWords(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// clone names this clone without telling where it is: marks and reservations that came
// from another one (a mirror has all refs) are none of ours.
func (e *Engine) clone() string {
	sum := sha256.Sum256([]byte(e.Repo.CommonDir()))
	return hex.EncodeToString(sum[:8])
}

// markPrefix begins the names of the marks of one reservation in this clone.
func (e *Engine) markPrefix(t *Task, n plan.StageNumber, tag gitops.Hash) string {
	return fmt.Sprintf("%s%s/%d/%s/%s/", seenPrefix, t.Key.Ref(), n, tag, e.clone())
}

// mark adds a mark for a reservation to a transaction, if it has an expiry.
func (e *Engine) mark(tx *gitops.Transaction, t *Task, n plan.StageNumber, r Reservation) (name gitops.RefName, ok bool) {
	if r.leaseOf() == 0 {
		return "", false
	}
	return e.markAt(tx, t, n, r.Tag, e.Now()), true
}

// dropMarks takes a stage's marks away with the reservation that they are for.
func dropMarks(tx *gitops.Transaction, t *Task, n plan.StageNumber) {
	for _, m := range t.marks[n] {
		tx.Delete(m.Name, m.Hash)
	}
}

// firstSeen is when this clone first saw a reservation, by its own clock; false where it
// did not yet. Of two commands that saw it at once the earlier counts.
func (e *Engine) firstSeen(t *Task, n plan.StageNumber, tag gitops.Hash) (first time.Time, ok bool) {
	for _, m := range t.marks[n] {
		at, ours := strings.CutPrefix(string(m.Name), e.markPrefix(t, n, tag))
		seen, err := time.Parse(seenLayout, at)
		if ours && err == nil && (!ok || seen.Before(first)) {
			first, ok = seen, true
		}
	}
	return first, ok
}

// notice marks the reservations with an expiry that this clone sees for the first time:
// those that were made elsewhere, and what a killed start left without a mark. Marks
// that a killed command left go. It is for commands that write; where there is nothing
// to do it costs no git process.
func (e *Engine) notice(ctx context.Context, t *Task) error {
	tx := gitops.Transaction{Reason: "okstra: first look at reservations"}
	touched := map[plan.StageNumber]bool{}
	for n, list := range t.marks {
		current := fmt.Sprintf("%s%s/%d/%s/", seenPrefix, t.Key.Ref(), n, t.Reserved[n])
		t.marks[n] = slices.DeleteFunc(list, func(m gitops.Ref) bool {
			over := !strings.HasPrefix(string(m.Name), current)
			if over {
				touched[n] = true
				tx.Delete(m.Name, m.Hash)
			}
			return over
		})
	}
	for n, tag := range t.Reserved {
		if _, seen := e.firstSeen(t, n, tag); seen {
			continue
		}
		r, _, err := e.Reservation(ctx, t, n)
		if err != nil {
			return err
		}
		if name, ok := e.mark(&tx, t, n, r); ok {
			touched[n] = true
			t.marks[n] = append(t.marks[n], gitops.Ref{Name: name, Hash: t.PlanCommit})
		}
	}
	if len(touched) == 0 {
		return nil
	}
	for n := range touched {
		tx.Verify(t.reservedRef(n), t.Reserved[n])
	}
	return e.Repo.Apply(ctx, tx)
}
