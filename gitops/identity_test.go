package gitops

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestIdentityAsGit compares the identity with `git var` for every mix of variables
// and configuration. Where git refuses, so do we.
func TestIdentityAsGit(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("a")
	none := []string{"GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_DATE", "GIT_AUTHOR_DATE"}
	s.env = without(s.env, none)
	now := time.Unix(1_800_000_000, 123).UTC()
	for i, c := range []struct{ config, env []string }{
		{[]string{"user.name=U", "user.email=u@x"}, nil},
		{[]string{"user.name=U", "user.email=u@x", "committer.name=C", "author.email=a@x"}, nil},
		{[]string{"user.name=U", "user.email=u@x"}, []string{"GIT_COMMITTER_NAME=E", "GIT_AUTHOR_EMAIL=e@x"}},
		{[]string{"user.name=U"}, []string{"EMAIL=env@x"}},
		{[]string{"user.name=U", "user.useConfigOnly=true"}, nil},
		{[]string{"user.email=u@x", "user.useConfigOnly=true"}, nil},
		{[]string{"user.email=u@x"}, nil},
		{[]string{"user.name=한 국", "user.email=u@x"}, []string{"GIT_COMMITTER_DATE=1700000000 +0530", "GIT_AUTHOR_DATE=@5 -0800"}},
		{[]string{"user.name=U", "user.email=u@x"}, []string{"GIT_COMMITTER_DATE=2026-01-02T03:04:05+09:00", "GIT_AUTHOR_DATE=2026-01-02 03:04:05"}},
		{[]string{"user.name=U", "user.email=u@x"}, []string{"GIT_COMMITTER_DATE=20260102 +0000", "GIT_AUTHOR_DATE=-5 +0000"}},
		{[]string{"user.name=U", "user.email=u@x"}, []string{"GIT_COMMITTER_DATE=nonsense", "GIT_AUTHOR_DATE=@1 +9"}},
	} {
		env := append([]string{fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(c.config)), "TZ=UTC"}, c.env...)
		for n, kv := range c.config {
			key, value, _ := strings.Cut(kv, "=")
			env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", n, key), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", n, value))
		}
		sameIdentity(t, s, fmt.Sprint(i, " ", c.config, c.env), env, now)
	}
}

func sameIdentity(t *testing.T, s *sandbox, what string, env []string, now time.Time) {
	t.Helper()
	r := s.open("a", env...)
	for role, ask := range map[string]func() (Signature, error){
		"COMMITTER": func() (Signature, error) { return r.Committer(t.Context(), now) },
		"AUTHOR":    func() (Signature, error) { return r.Author(t.Context(), now) },
	} {
		want, gitErr := s.try("a", env, "", "var", "GIT_"+role+"_IDENT")
		sig, err := ask()
		if (err == nil) != (gitErr == nil) {
			t.Errorf("%s, %s: %v; git: %v", what, role, err, gitErr)
		}
		if err != nil {
			continue
		}
		pinned := strings.Contains(strings.Join(env, "\n"), "GIT_"+role+"_DATE=")
		if !pinned {
			want = want[:strings.LastIndex(want, "> ")] + fmt.Sprintf("> %d +0000\n", now.Unix())
		}
		got := fmt.Sprintf("%s <%s> %d %s\n", sig.Name, sig.Email, sig.When.Unix(), sig.When.Format("-0700"))
		if got != want {
			t.Errorf("%s, %s: %q, git has %q", what, role, got, want)
		}
	}
}

func TestIdentityCostsNoProcess(t *testing.T) {
	t.Parallel()
	_, r, calls := openRecipe(t, "one-commit")
	calls.take()
	if _, err := r.Committer(t.Context(), time.Now()); err != nil || calls.take() != 0 {
		t.Errorf("git was asked, %v", err)
	}
	if strings.ContainsAny(Host(), " \n") {
		t.Errorf("host %q", Host())
	}
}
