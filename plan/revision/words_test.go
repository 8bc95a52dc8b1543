package revision

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// show writes hunks as git's word diff does.
func show(list []Hunk) string {
	var b strings.Builder
	for _, h := range list {
		fmt.Fprintf(&b, "@%d,%d %d,%d\n", h.From, h.FromLines, h.To, h.ToLines)
		for _, line := range h.Lines {
			for _, p := range line {
				switch p.Op {
				case Delete:
					b.WriteString("[-" + p.Text + "-]")
				case Insert:
					b.WriteString("{+" + p.Text + "+}")
				default:
					b.WriteString(p.Text)
				}
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

func TestWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ old, now, want string }{
		{"", "", ""},
		{"a\nb\n", "a\nb", ""},
		{"a\r\nb\r\n", "a\nb\n", ""},
		{"\ufeffa\rb", "a\nb\n", ""},
		{"", "new\n", "@1,0 1,1\n{+new+}\n"},
		{"gone\n", "", "@1,1 1,0\n[-gone-]\n"},
		{"the quick brown fox\n", "the slow brown fox\n", "@1,1 1,1\nthe [-quick-]{+slow+} brown fox\n"},
		{"say one two now\n", "say three four now\n", "@1,1 1,1\nsay [-one two-]{+three four+} now\n"},
		{"| 1 | a | (none) |\n", "| 1 | b | (none) |\n", "@1,1 1,1\n| 1 | [-a-]{+b+} | (none) |\n"},
		{"가격을 올림한다\n", "가격을 내림한다\n", "@1,1 1,1\n가격을 [-올림한다-]{+내림한다+}\n"},
		{"nothing in common\n", "other words entirely\n", "@1,1 1,1\n[-nothing in common-]\n{+other words entirely+}\n"},
		{"1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nx\n6\n7\n8\n9\n", "@2,7 2,7\n2\n3\n4\n[-5-]\n{+x+}\n6\n7\n8\n"},
		{"same line here\nadd\n", "same line here\n\nadd\n", "@1,2 1,3\nsame line here\n{++}\nadd\n"},
		{"keep this word and\nthat one\n", "keep this word and that one\n", "@1,2 1,1\nkeep this word and\n{+ +}that one\n"},
	} {
		if got := show(Words(c.old, c.now)); got != c.want {
			t.Errorf("%q to %q:\n%s\nwant\n%s", c.old, c.now, got, c.want)
		}
	}
}

// TestWordsHunks: changes near each other share a hunk, distant ones do not.
func TestWordsHunks(t *testing.T) {
	t.Parallel()
	var old []string
	for i := range 30 {
		old = append(old, fmt.Sprint("line ", i))
	}
	for gap, want := range map[int]int{1: 1, 6: 1, 7: 2, 12: 2} {
		now := slices.Clone(old)
		now[5], now[5+gap+1] = "changed", "changed too"
		got := Words(strings.Join(old, "\n"), strings.Join(now, "\n"))
		if len(got) != want {
			t.Errorf("gap %d: %d hunks, want %d\n%s", gap, len(got), want, show(got))
		}
	}
}

// patch applies hunks to the old text's lines: it gives the new ones only if every
// hunk says the truth about both.
func patch(t *rapid.T, old []string, list []Hunk) string {
	var out []string
	at := 0
	for _, h := range list {
		out = append(out, old[at:h.From-1]...)
		if len(out) != h.To-1 {
			t.Fatalf("hunk at new line %d begins at %d", h.To, len(out)+1)
		}
		var was, is strings.Builder
		for i, line := range h.Lines {
			// A line end belongs to the old text unless the line is all new, and the
			// other way round; which one cannot be read off a mixed line, so texts are
			// compared without line ends.
			_ = i
			for _, p := range line {
				if p.Op != Insert {
					was.WriteString(p.Text)
				}
				if p.Op != Delete {
					is.WriteString(p.Text)
				}
			}
		}
		if want := strings.Join(old[h.From-1:h.From-1+h.FromLines], ""); was.String() != want {
			t.Fatalf("hunk says the old text is %q, it is %q", was.String(), want)
		}
		out = append(out, is.String())
		for range h.ToLines - 1 {
			out = append(out, "")
		}
		if h.ToLines == 0 {
			out = out[:len(out)-1]
		}
		at = h.From - 1 + h.FromLines
	}
	return strings.Join(append(out, old[at:]...), "")
}

func TestWordsAreTrue(t *testing.T) {
	t.Parallel()
	text := rapid.Custom(func(t *rapid.T) string {
		words := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "word", "한글", " ", " ", "\n", "\n", "|", "-", "\t", "😀", "e\u0301"}), 0, 40)
		return strings.Join(words.Draw(t, "words"), "")
	})
	rapid.Check(t, func(t *rapid.T) {
		old, now := text.Draw(t, "old"), text.Draw(t, "new")
		got := Words(old, now)
		if len(got) == 0 != reflect.DeepEqual(lines(old), lines(now)) {
			t.Fatalf("%q and %q: %d hunks", old, now, len(got))
		}
		if back := patch(t, lines(old), got); back != strings.Join(lines(now), "") {
			t.Fatalf("%q to %q gives %q\n%s", old, now, back, show(got))
		}
		if again := Words(old, now); !reflect.DeepEqual(got, again) {
			t.Fatal("another result the second time")
		}
	})
}

// TestWordsOfManyTokens: tokens beyond the code points below the surrogates are told
// apart all the same.
func TestWordsOfManyTokens(t *testing.T) {
	t.Parallel()
	var old []string
	for i := range 60_000 {
		old = append(old, fmt.Sprint("line ", i))
	}
	now := slices.Clone(old)
	now[59_000] = "another"
	got := Words(strings.Join(old, "\n"), strings.Join(now, "\n"))
	if len(got) != 1 || got[0].From != 58_998 || got[0].FromLines != 7 {
		t.Errorf("%+v", got)
	}
	for _, i := range []int{0, surrogates - 1, surrogates, surrogates + 1, 100_000} {
		if r := codePoint(i); index(r) != i || string(r) == "\ufffd" {
			t.Errorf("%d: %U", i, r)
		}
	}
}

// TestWordsBounds: texts that would take hours are compared coarsely.
func TestWordsBounds(t *testing.T) {
	t.Parallel()
	var old, now []string
	for i := range maxLines {
		old, now = append(old, fmt.Sprint("o", i)), append(now, fmt.Sprint("n", i))
	}
	old[0], now[0], old[maxLines-1], now[maxLines-1] = "first", "first", "last", "last"
	got := Words(strings.Join(old, "\n"), strings.Join(now, "\n"))
	if len(got) != 1 || got[0].From != 1 || got[0].FromLines != maxLines || got[0].ToLines != maxLines {
		t.Errorf("%d hunks, %d lines", len(got), got[0].FromLines)
	}
	long := strings.Repeat("word ", 30_000)
	if got := show(Words("a "+long, "b "+long)); !strings.HasPrefix(got, "@1,1 1,1\n[-a word") {
		t.Errorf("%.40q", got)
	}
}
