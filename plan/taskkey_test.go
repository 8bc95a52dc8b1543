package plan

import (
	"errors"
	"os/exec"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

func TestMapSegment(t *testing.T) {
	long := strings.Repeat("a", 200)
	for in, want := range map[string]string{
		"shop":                                  "shop",
		"DEV-8852":                              "DEV-8852",
		"a/b":                                   "a-b",
		"a:b c":                                 "a-b-c",
		"결제":                                    "결제",
		"e\u0301":                               "\u00e9",
		".hidden":                               "hidden",
		"...x":                                  "x",
		"x.lock":                                "x",
		"x.lock.lock":                           "x",
		"x.lock.":                               "x",
		"x...":                                  "x--",
		"x.":                                    "x",
		"a..b":                                  "a--b",
		"a...b":                                 "a--.b",
		"@{u}":                                  "--u}",
		"@":                                     "@",
		"~^?*[\\":                               "------",
		"a\tb\x7f":                              "a-b-",
		"a\u200bb\u202e":                        "a-b-",
		"\u3000":                                "-",
		"\xff":                                  "-",
		"-x":                                    "-x",
		"x.LOCK":                                "x.LOCK",
		"lock":                                  "lock",
		".lock":                                 "lock",
		long:                                    long[:100],
		strings.Repeat("한", 50):                 strings.Repeat("한", 33),
		strings.Repeat("a", 99) + "..":          strings.Repeat("a", 99) + "-",
		strings.Repeat("a", 99) + ".x":          strings.Repeat("a", 99),
		strings.Repeat("a", 95) + ".lock" + "x": strings.Repeat("a", 95),
	} {
		got, err := MapSegment(in)
		if err != nil || got != want {
			t.Errorf("MapSegment(%q) = %q, %v, want %q", in, got, err, want)
		}
	}
	for _, in := range []string{"", ".", "....", "..lock.lock.lock"[:0]} {
		if got, err := MapSegment(in); !errors.Is(err, ErrTaskKey) {
			t.Errorf("MapSegment(%q) = %q, %v", in, got, err)
		}
	}
}

// legalRef is our reading of git-check-ref-format(1), to fuzz against.
func legalRef(ref string) bool {
	if strings.ContainsAny(ref, " ~^:?*[\\\x7f") || strings.Contains(ref, "..") || strings.Contains(ref, "@{") ||
		strings.HasSuffix(ref, ".") || !strings.Contains(ref, "/") {
		return false
	}
	for i := range len(ref) {
		if ref[i] < 0x20 {
			return false
		}
	}
	for part := range strings.SplitSeq(ref, "/") {
		if part == "" || part[0] == '.' || strings.HasSuffix(part, ".lock") {
			return false
		}
	}
	return true
}

// nasty are segments that break one of git's rules, or nearly.
var nasty = []string{
	"", ".", "..", "a..b", "a...b", ".a", "a.", "a.lock", ".lock", "a.lock.lock.", "a/b", "//", "a b", "a~b", "^", ":", "?", "*",
	"[", "\\", "@", "@{", "@{u}", "@@{{", "\x00", "\x01", "\x7f", "\n", "\xff\xfe", "한국어", "e\u0301", "-", "--", "HEAD",
	"\u200b", "\u202e", "\u2028", "a\u0300.lock", strings.Repeat("é", 80), strings.Repeat("a", 96) + ".lock", "refs/heads/x",
}

func TestRefAgainstGit(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	for i, s := range nasty {
		ref := "refs/okstra/" + TaskKey{s, nasty[(i+7)%len(nasty)], s}.Ref() + "/plan"
		if err := exec.Command(git, "check-ref-format", ref).Run(); err != nil {
			t.Errorf("git refuses %q: %v", ref, err)
		}
		if !legalRef(ref) {
			t.Errorf("we refuse %q", ref)
		}
	}
}

// TestOurRefRulesAreGits: the model that the fuzz target uses agrees with git.
func TestOurRefRulesAreGits(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	for _, s := range nasty {
		ref := "refs/" + s + "/x"
		if strings.ContainsRune(s, 0) {
			continue // cannot be an argument
		}
		says := exec.Command(git, "check-ref-format", ref).Run() == nil
		if got := legalRef(ref); got != says {
			t.Errorf("%q: we say %v, git says %v", ref, got, says)
		}
	}
}

func TestParseTaskKey(t *testing.T) {
	k, err := ParseTaskKey("my shop:Checkout:DEV-8852")
	if err != nil || k != (TaskKey{"my shop", "Checkout", "DEV-8852"}) {
		t.Fatalf("%+v, %v", k, err)
	}
	if k.String() != "my shop:Checkout:DEV-8852" || k.Ref() != "my-shop/Checkout/DEV-8852" {
		t.Errorf("%s, %s", k, k.Ref())
	}
	for _, s := range []string{"", "a", "a:b", "a:b:c:d", ":b:c", "a::c", "a:b:", "a:b:..."} {
		if k, err := ParseTaskKey(s); !errors.Is(err, ErrTaskKey) {
			t.Errorf("%q: %+v, %v", s, k, err)
		}
	}
}

func TestKeyFromPath(t *testing.T) {
	for in, want := range map[string]string{
		".okstra/tasks/checkout/DEV-1/plan.md":            "checkout DEV-1",
		"/home/x/shop/.okstra/tasks/g/t/reports/final.md": "g t",
		"./.okstra//tasks/g/t/plan.md":                    "g t",
		".okstra/tasks/a/b/wt/.okstra/tasks/c/d/plan.md":  "c d",
		".okstra/tasks/결제/개선/plan.md":                     "결제 개선",
		".okstra/tasks/g/t":                               "",
		".okstra/tasks/g/t/":                              "",
		".okstra/tasks/g":                                 "",
		"okstra/tasks/g/t/plan.md":                        "",
		".okstra/tasks/g/../plan.md":                      "",
		".okstra/tasks/g/t/x/../../../plan.md":            "",
		"plan.md":                                         "",
		"":                                                "",
	} {
		group, task, ok := KeyFromPath(in)
		if got := strings.TrimSpace(group + " " + task); got != want || ok != (want != "") {
			t.Errorf("KeyFromPath(%q) = %q, %v, want %q", in, got, ok, want)
		}
	}
}

func TestBranchPrefix(t *testing.T) {
	for category, want := range map[string]string{
		"feature": "feat", "bugfix": "fix", "refactor": "refactor", "ops": "ops", "improvement": "improve", "": "feat", "x": "feat",
	} {
		if got := BranchPrefix(category); got != want {
			t.Errorf("%q: %q, want %q", category, got, want)
		}
	}
}

func FuzzMapSegment(f *testing.F) {
	for _, s := range nasty {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if ref := "refs/okstra/" + (TaskKey{s, s, s}).Ref() + "/plan"; !legalRef(ref) {
			t.Fatalf("%q gives the ref %q", s, ref)
		}
		m, err := MapSegment(s)
		if err != nil {
			return
		}
		if m == "" || len(m) > maxSegment || !utf8.ValidString(m) || !norm.NFC.IsNormalString(m) || strings.Contains(m, "/") {
			t.Fatalf("%q gives the segment %q", s, m)
		}
		if again, err := MapSegment(m); err != nil || again != m {
			t.Fatalf("%q gives %q, and that %q, %v", s, m, again, err)
		}
	})
}
