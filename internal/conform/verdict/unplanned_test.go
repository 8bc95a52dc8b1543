package verdict

import (
	"slices"
	"strings"
	"testing"
)

func TestOutside(t *testing.T) {
	t.Parallel()
	changed := []string{"src/b.go", "src/a.go", "docs/deep/x.md", "go.mod", "migrations/1.sql", "migrations/old/0.sql", "gen/a/b/c.go", "src/a.go", "my file.txt", "srcs/a.go"}
	named := []string{"src/a.go", "docs", "./go.mod", "migrations/*.sql", "gen/**", "[", "."}
	trailers := []string{
		"src/b.go — needed by a.go", "my file.txt -- a note", "migrations/old/0.sql - first", "migrations/old/0.sql – renamed — twice",
		"srcs/a.go", "srcs/a.go — ", " — why", "`docs/y.md` — quoted",
	}
	var got []string
	for _, u := range Outside(changed, named, trailers) {
		got = append(got, u.Path+"|"+u.Reason)
	}
	want := []string{"migrations/old/0.sql|first", "my file.txt|a note", "src/b.go|needed by a.go", "srcs/a.go|"}
	if !slices.Equal(got, want) {
		t.Errorf("outside:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestParseTrailer(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"a.go — why":           "a.go|why",
		"./x/../a.go — why":    "a.go|why",
		"a - b.txt — why - so": "a - b.txt|why - so",
		"a.go - why":           "a.go|why",
		"\"a b.go\" -- why":    "a b.go|why",
		"a.go—why":             "|",
		"a.go":                 "|",
		"a.go — ":              "|",
		" — why":               "|",
		"src/한글.go — 이유가 있다":   "src/한글.go|이유가 있다",
	} {
		u, ok := ParseTrailer(value)
		if got := u.Path + "|" + u.Reason; got != want || ok != (want != "|") {
			t.Errorf("%q: %q, %v, want %q", value, got, ok, want)
		}
	}
}

// TestUnplannedWords holds what a file that the plan does not name does to a verdict.
func TestUnplannedWords(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		mode   Mode
		reason string
		want   Word
	}{
		{ModeNotice, "", Notice},
		{ModeNotice, "why", Notice},
		{ModeBlock, "", Block},
		{ModeBlock, "why", Notice},
	} {
		for _, m := range moments {
			v := Judge(Case{Stage: 2, Declared: exempt, Moment: m, OutOfPlan: tt.mode, Unplanned: []Unplanned{{"a\x1b.go", tt.reason}}})
			if v.Word != tt.want || len(v.Reasons) != 1 || v.Reasons[0].Code != CodeUnplanned {
				t.Errorf("%s, %q, %s: %s %v, want %s", tt.mode, tt.reason, m, v.Word, v.Reasons, tt.want)
			}
			if r := v.Reasons[0]; !strings.HasPrefix(r.Message, `"a\x1b.go" is not named`) || (r.Hint == "") != (tt.reason != "") {
				t.Errorf("message %q, hint %q", r.Message, r.Hint)
			}
		}
	}
}

func TestParseMode(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]Mode{"": ModeNotice, "notice": ModeNotice, "block": ModeBlock} {
		if got, err := ParseMode(s); got != want || err != nil {
			t.Errorf("%q: %q, %v", s, got, err)
		}
	}
	if _, err := ParseMode("never\x1b"); err == nil || !strings.Contains(err.Error(), `"never\x1b"`) {
		t.Errorf("an unknown mode: %v", err)
	}
}
