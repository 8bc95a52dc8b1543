package report

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestTaskListText(t *testing.T) {
	t.Parallel()
	l := TaskList{Tasks: []TaskLine{
		{Task: "demo:greeter:HELLO-1", Title: "Final report: a greeter", Onto: "main", Total: 5, Done: 2, Active: 1, Blocked: 2},
		{Task: "가게:결제:비용-7", Title: "결제 \x1b[2J", Onto: "develop", Total: 12, Ready: 12},
		{Task: "demo:greeter:BROKEN", Problem: "read approved plan: object missing\nand more"},
	}}
	want := `task                  done     active  ready  blocked  onto     title
demo:greeter:HELLO-1  2 of 5   1       0      2        main     Final report: a greeter
가게:결제:비용-7      0 of 12  0       12     0        develop  결제 \x1b[2J
demo:greeter:BROKEN   ?        ?       ?      ?        ?        read approved plan: object missing
`
	if got := l.Text(0); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	for line := range strings.Lines(l.Text(70)) {
		if w := terminal.StringWidth(strings.TrimSuffix(line, "\n")); w > 70 {
			t.Errorf("%d columns: %s", w, line)
		}
	}
	if got := l.Text(70); !strings.Contains(got, "Final…\n") || !strings.Contains(got, "결제 …\n") {
		t.Errorf("in 70 columns\n%s", got)
	}
}

// TestCutFits: whatever a line holds, it is not wider than asked for, and one that fits
// is left as it is.
func TestCutFits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.StringOf(rapid.SampledFrom([]rune("ab 가é́🙂\t…"))).Draw(t, "line")
		width := rapid.IntRange(1, 30).Draw(t, "width")
		got := Cut(line, width)
		if w := terminal.StringWidth(got); w > width {
			t.Fatalf("%q in %d columns: %q has %d", line, width, got, w)
		}
		if whole := Cut(line, 1000); terminal.StringWidth(whole) <= width && got != whole {
			t.Fatalf("%q in %d columns: %q", line, width, got)
		}
	})
}
