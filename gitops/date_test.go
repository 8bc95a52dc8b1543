package gitops

import (
	"errors"
	"testing"
	"time"
)

func TestDate(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("a")
	r := s.open("a")
	for words, want := range map[string]time.Time{
		"2026-01-31T10:00:00Z":      time.Date(2026, 1, 31, 10, 0, 0, 0, time.UTC),
		"2026-01-31 10:00:00 +0900": time.Date(2026, 1, 31, 1, 0, 0, 0, time.UTC),
		"@1700000000 +0000":         time.Unix(1_700_000_000, 0),
	} {
		if got, err := r.Date(t.Context(), words); err != nil || !got.Equal(want) {
			t.Errorf("%q: %v, %v; want %v", words, got, err, want)
		}
	}
	for words, ago := range map[string]time.Duration{"2 hours ago": 2 * time.Hour, "3.days.ago": 72 * time.Hour, "now": 0} {
		got, err := r.Date(t.Context(), words)
		if off := time.Since(got) - ago; err != nil || off < -time.Minute || off > time.Minute {
			t.Errorf("%q: %v, %v", words, got, err)
		}
	}
	for _, words := range []string{"nonsense", "", "--all", "; rm", "\x00"} {
		if got, err := r.Date(t.Context(), words); err == nil || words != "\x00" && !errors.Is(err, ErrNoDate) {
			t.Errorf("%q: %v, %v", words, got, err)
		}
	}
}
