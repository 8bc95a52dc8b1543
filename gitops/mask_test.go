package gitops

import (
	"context"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestMask(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                                            "",
		"nothing here: a=b c@d":                       "nothing here: a=b c@d",
		"https://u:t0k@h/p.git":                       "https://***@h/p.git",
		"https://t0k@h":                               "https://***@h",
		"HTTPS://U:T@H/":                              "HTTPS://***@H/",
		"https://u:a@b@h/p":                           "https://***@h/p",
		"https://:t@h:8080/x@y":                       "https://***@h:8080/x@y",
		"ssh://git@h/p and ftp://x:y@h/p":             "ssh://***@h/p and ftp://***@h/p",
		"fatal: 'https://u:t@h/p' is gone":            "fatal: 'https://***@h/p' is gone",
		"https://h/p@v1":                              "https://h/p@v1",
		"https://h/p?a=1&private_token=t0k&b=2":       "https://h/p?a=1&private_token=***&b=2",
		"http.extraHeader=AUTHORIZATION: basic QUJD":  "http.extraHeader=AUTHORIZATION: basic ***",
		"Authorization: Bearer a.b-c'":                "Authorization: Bearer ***'",
		"PRIVATE-TOKEN: glpat-1":                      "PRIVATE-TOKEN: ***",
		"url.https://u:t@h/.insteadOf=https://h/":     "url.https://***@h/.insteadOf=https://h/",
		"transport::https://u:t@h":                    "transport::https://***@h",
		"git@host:path.git":                           "git@host:path.git",
		"line one https://a:b@c\nline two http://d@e": "line one https://***@c\nline two http://***@e",
	} {
		if got := Mask(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
		if again := Mask(want); again != want {
			t.Errorf("%q masked again: %q", want, again)
		}
	}
}

// TestMaskHidesEveryUser: whatever stands around, and whatever a password is made of.
func TestMaskHidesEveryUser(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		secret := "5ecret" + rapid.StringMatching(`[^\s/?#]{0,12}`).Draw(rt, "secret") + "5ecret"
		text := rapid.StringMatching(`[ -~]{0,12}`).Draw(rt, "before") + " " +
			rapid.SampledFrom([]string{"https", "ssh", "git+ssh", "HTTP"}).Draw(rt, "scheme") + "://" +
			rapid.SampledFrom([]string{"", "user:", "user@"}).Draw(rt, "user") + secret + "@host/" +
			rapid.StringMatching(`[ -~]{0,12}`).Draw(rt, "after")
		if got := Mask(text); strings.Contains(got, "5ecret") {
			rt.Errorf("%q: %q", text, got)
		}
	})
}

// TestTraceAndErrorsAreMasked: what git is told, and what it says of it.
func TestTraceAndErrorsAreMasked(t *testing.T) {
	t.Parallel()
	r := &runner{}
	var seen []Call
	r.trace = func(c Call) { seen = append(seen, c) }
	_, err := r.run(context.Background(), place{env: baseEnv([]string{"PATH=/usr/bin:/bin"})}, nil,
		"rev-parse", "--verify", "https://u:5ecret@h/x")
	var ge *GitError
	if !errors.As(err, &ge) || len(seen) != 1 || seen[0].ExitCode != 128 || seen[0].Duration <= 0 {
		t.Fatalf("%v, %+v", err, seen)
	}
	for _, text := range append([]string{ge.Error(), ge.Stderr}, append(seen[0].Args, ge.Args...)...) {
		if strings.Contains(text, "5ecret") {
			t.Errorf("%q", text)
		}
	}
}
