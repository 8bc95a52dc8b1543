package gitops

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestTrailers(t *testing.T) {
	for message, want := range map[string]string{
		"":                                  "",
		"Key: in the title":                 "",
		"\n\nKey: in the title":             "",
		"t\n\nA: 1\nB-2 : two words \n\n":   "[{A 1} {B-2 two words}]",
		"t\n\nA: 1\n  more\n\tand more\nB:": "[{A 1 more and more} {B }]",
		"t\n\nA:\n more":                    "[{A more}]",
		"t\n\n more\nA: 1":                  "",
		"t\n\nA: 1\nprose":                  "",
		"t\n\nprose: is like this\nA b: 1":  "",
		"t\n\nA: 1\n\nB: 2":                 "[{B 2}]",
		"t\n\nA: 1\n  \nB: 2":               "[{B 2}]",
		"t\n\nA: x: y":                      "[{A x: y}]",
		"t\n\n: 1":                          "",
		"t\n\nA: 1\n(cherry picked from commit abc)\nB: 2": "[{A 1} {B 2}]",
		"t\r\n\r\nA: 1\r\n": "[{A 1}]",
	} {
		if got := fmt.Sprint(Trailers(message)); got != want && (got != "[]" || want != "") {
			t.Errorf("%q: %s, want %s", message, got, want)
		}
	}
}

func TestAppendTrailersRefuses(t *testing.T) {
	for _, key := range []string{"", "a b", "a:", "a\nb", "é", "a_b", " a"} {
		if got, err := AppendTrailers("t", Trailer{key, "v"}); err == nil {
			t.Errorf("%q: %q", key, got)
		}
	}
	for _, message := range []string{"", " \n\t"} {
		if _, err := AppendTrailers(message, Trailer{"A", "v"}); err == nil {
			t.Errorf("%q: no error", message)
		}
	}
	if got, err := AppendTrailers("t\n"); got != "t\n" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

// checkForgery: exactly what was appended is read back, by us.
func checkForgery(t interface{ Errorf(string, ...any) }, message string, trailers []Trailer) string {
	text, err := AppendTrailers(message, trailers...)
	if err != nil || len(trailers) == 0 {
		return ""
	}
	var want []Trailer
	for _, tr := range trailers {
		want = append(want, Trailer{tr.Key, foldValue(tr.Value)})
	}
	if got := Trailers(text); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
		t.Errorf("%q: %q, want %q", text, got, want)
	}
	for _, w := range want {
		if foldValue(w.Value) != w.Value || strings.ContainsAny(w.Value, "\r\n") {
			t.Errorf("%q is not folded", w.Value)
		}
	}
	return text
}

func TestTrailersRoundTrip(t *testing.T) {
	hostile := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
		"x\nOkstra-Seq: 9", "x\r\n\r\nA: 1", "x\n\n", "\n\nA: 1\n", "\u2028A: 1", "A: 1", "x\n B: 1", "---\nA: 1", "\x00\nA: 1", "x\u0085A: 1",
	}))
	trailer := rapid.Custom(func(t *rapid.T) Trailer {
		return Trailer{rapid.StringMatching(`[A-Za-z0-9-]{1,12}`).Draw(t, "key"), hostile.Draw(t, "value")}
	})
	rapid.Check(t, func(t *rapid.T) {
		checkForgery(t, hostile.Draw(t, "message"), rapid.SliceOfN(trailer, 1, 5).Draw(t, "trailers"))
	})
}

// Git reads the same trailers out of our messages.
func TestTrailersAreGits(t *testing.T) {
	r := newObjRepo(t)
	for _, message := range []string{"title", "title\n\nbody\n\nForged: 1\n", "a\n\nb: c\nd", "t\n---\nx"} {
		text := checkForgery(t, message, []Trailer{
			{"Okstra-Seq", "12"}, {"Claim", "x\nForged: 1\n\nForged: 2"}, {"Empty", ""}, {"Last", "ü: y"},
		})
		tree := r.gitIn("", "mktree")
		commit := r.gitIn(text, "commit-tree", tree)
		got := r.git("log", "-1", "--format=%(trailers:only,unfold)", commit)
		var want strings.Builder
		for _, tr := range Trailers(text) {
			want.WriteString(tr.Key + ": " + tr.Value + "\n")
		}
		if got != want.String() {
			t.Errorf("%q: git reads %q, we %q", text, got, want.String())
		}
	}
}

// FuzzTrailers: no value and no message forges a trailer.
func FuzzTrailers(f *testing.F) {
	f.Add("title", "Key", "value")
	f.Add("title\n\nA: 1", "Key", "x\nB: 2\n\nC: 3")
	f.Fuzz(func(t *testing.T, message, key, value string) {
		for _, tr := range Trailers(message) {
			if !validTrailerKey(tr.Key) || strings.Contains(tr.Value, "\n") {
				t.Errorf("read %q", tr)
			}
		}
		checkForgery(t, message, []Trailer{{key, value}, {"Last", value}})
	})
}
