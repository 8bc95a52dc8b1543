package plan

import "testing"

// TestPrintable: what a terminal could act on is escaped, all else stays.
func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{
		"plain 한글 ✓":      "plain 한글 ✓",
		"\x1b[31mred":     `\x1b[31mred`,
		"a\nb\tc":         `a\nb\tc`,
		"\x9b31m":         `\x9b31m`,
		"say \"\x07\"":    `say \"\a\"`,
		"\u202eleft":      `\u202eleft`,
		"quotes \"stay\"": `quotes "stay"`,
	} {
		if got := Printable(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
