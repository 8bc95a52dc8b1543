package gitops

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// ErrNoDate is the sentinel for words that are no date.
var ErrNoDate = errors.New("no date")

// Date reads a point in time as `git log --since` does, with one git process. git
// takes anything for a date and reads nonsense as the present moment; that is
// ErrNoDate here, unless the word is "now".
func (r *Repo) Date(ctx context.Context, words string) (time.Time, error) {
	began := time.Now()
	out, err := r.run(ctx, r.here(), nil, "rev-parse", "--since="+words)
	if err != nil {
		return time.Time{}, fmt.Errorf("read date: %w", err)
	}
	secs, err := strconv.ParseInt(strings.TrimPrefix(strings.TrimSpace(string(out)), "--max-age="), 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("read date: git says %q", out)
	}
	at := time.Unix(secs, 0)
	if !at.Before(began.Truncate(time.Second)) && at.Before(time.Now().Add(time.Second)) && strings.TrimSpace(words) != "now" {
		return time.Time{}, fmt.Errorf("%w: %q", ErrNoDate, words)
	}
	return at, nil
}
