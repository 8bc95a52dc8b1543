package gitops

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// Committer returns git's committer identity, with now as its time unless
// GIT_COMMITTER_DATE pins one. Where name or address are not configured, git is
// asked (one process) and its refusal, with its advice, is the error.
func (r *Repo) Committer(ctx context.Context, now time.Time) (Signature, error) {
	return r.ident(ctx, "COMMITTER", now)
}

// Author is Committer for the author's side.
func (r *Repo) Author(ctx context.Context, now time.Time) (Signature, error) {
	return r.ident(ctx, "AUTHOR", now)
}

func (r *Repo) ident(ctx context.Context, role string, now time.Time) (Signature, error) {
	s := Signature{
		Name:  r.firstOf("GIT_"+role+"_NAME", strings.ToLower(role)+".name", "user.name"),
		Email: r.firstOf("GIT_"+role+"_EMAIL", strings.ToLower(role)+".email", "user.email"),
		When:  now,
	}
	if s.Email == "" {
		s.Email = r.lookupEnv("EMAIL")
	}
	pinned := r.lookupEnv("GIT_" + role + "_DATE")
	if pinned != "" {
		when, ok := parseDate(pinned)
		if !ok {
			return r.askIdent(ctx, role)
		}
		s.When = when
	}
	if s.Name != "" && s.Email != "" {
		return s, nil
	}
	asked, err := r.askIdent(ctx, role)
	if pinned == "" {
		asked.When = now
	}
	return asked, err
}

// firstOf returns the first non-empty of an environment variable and some
// configuration keys.
func (r *Repo) firstOf(env string, keys ...string) string {
	if v := r.lookupEnv(env); v != "" {
		return v
	}
	for _, k := range keys {
		if v := r.config.Get(k); v != "" {
			return v
		}
	}
	return ""
}

// parseDate reads the forms of a pinned date that need no guessing: RFC 3339 and
// git's own "<seconds> <zone>", where a number below 100000000 is no count of
// seconds unless "@" says so (git's date.c).
func parseDate(s string) (time.Time, bool) {
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		return t, true
	}
	number, sure := strings.CutPrefix(s, "@")
	secs, zone, ok := strings.Cut(number, " ")
	n, err := strconv.ParseInt(secs, 10, 64)
	if !ok || err != nil || n < 0 || n < 100_000_000 && !sure {
		return time.Time{}, false
	}
	z, err := time.Parse("-0700", zone)
	if err != nil {
		return time.Time{}, false
	}
	return time.Unix(n, 0).In(z.Location()), true
}

// askIdent lets git find out who the user is.
func (r *Repo) askIdent(ctx context.Context, role string) (Signature, error) {
	out, err := r.run(ctx, r.here(), nil, "var", "GIT_"+role+"_IDENT")
	if err != nil {
		return Signature{}, fmt.Errorf("read identity: %w", err)
	}
	line := strings.TrimSpace(string(out))
	name, rest, ok := strings.Cut(line, " <")
	email, date, ok2 := strings.Cut(rest, "> ")
	when, ok3 := parseDate(date)
	if !ok || !ok2 || !ok3 {
		return Signature{}, fmt.Errorf("read identity: unexpected answer %q", line)
	}
	return Signature{Name: name, Email: email, When: when}, nil
}

// Host returns this machine's name for people, "" where it has none.
func Host() string {
	name, err := os.Hostname()
	if err != nil {
		return ""
	}
	return name
}
