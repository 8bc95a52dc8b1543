package lines

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// split gives the lines of a text that comes in pieces of some sizes.
func split(most int, text string, size func() int) []string {
	var out []string
	s := &Splitter{Max: most, Say: func(line []byte) { out = append(out, string(line)) }}
	for rest := text; rest != ""; {
		n := min(max(1, size()), len(rest))
		if took, err := s.Write([]byte(rest[:n])); took != n || err != nil {
			panic(err)
		}
		rest = rest[n:]
	}
	s.Flush()
	s.Flush() // again: nothing is said twice
	return out
}

// TestAnyPieces: the pieces make no difference, no piece is longer than it may be, and all
// of the text but line ends comes through.
func TestAnyPieces(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := string(rapid.SliceOf(rapid.SampledFrom([]byte("abc\n\r\x00"))).Draw(t, "text"))
		most := rapid.IntRange(1, 8).Draw(t, "most")
		got := split(most, text, func() int { return rapid.IntRange(1, 5).Draw(t, "size") })
		if whole := split(most, text, func() int { return len(text) }); !slices.Equal(got, whole) {
			t.Fatalf("%q in pieces, %q at once", got, whole)
		}
		if slices.ContainsFunc(got, func(l string) bool { return len(l) > most || strings.Contains(l, "\n") }) {
			t.Fatalf("%q of at most %d", got, most)
		}
		bare := strings.NewReplacer("\r", "", "\n", "")
		if bare.Replace(strings.Join(got, "")) != bare.Replace(text) {
			t.Fatalf("%q of %q", got, text)
		}
	})
}

func TestLines(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"", nil},
		{"\n", []string{""}},
		{"a\r\nb\n\nc", []string{"a", "b", "", "c"}},
		{"a\rb\n", []string{"a\rb"}},
		{"12345678\n", []string{"12345678", ""}},
		{"1234567\n", []string{"1234567"}},
		{"123456789\nx", []string{"12345678", "9", "x"}},
	} {
		if got := split(8, tt.text, func() int { return 3 }); !slices.Equal(got, tt.want) {
			t.Errorf("%q: %q, want %q", tt.text, got, tt.want)
		}
	}
}
