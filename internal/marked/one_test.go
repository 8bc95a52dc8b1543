package marked

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// sample is a block as AGENTS.md gets it.
func sample(lines ...string) Block { return Block{Comment: "<!--", Close: "-->", Lines: lines} }

// TestPut holds a file to one block, at one place, and to have its bytes back.
func TestPut(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom([]string{"", "a", "a\n", "a\r\nb\r\n", "a\r\nb", "\ufeff", "\ufeffa\n\n", "\xff\n", "`<!-- git-okstra: begin -->`\n"}).Draw(t, "text")
		behind := rapid.SampledFrom([]string{"", "z", "z\r\n"}).Draw(t, "behind")
		before := []byte(text)
		if rapid.Bool().Draw(t, "missing") && text == "" {
			before = nil
		}
		one, err := sample("one", "", "two").Put(before)
		if err != nil || !In(one) || bytes.Contains(one, []byte("\r\n")) != strings.Contains(text, "\r\n") {
			t.Fatalf("%q: %q, %v", text, one, err)
		}
		one = append(one, behind...)
		same, err := sample("one", "", "two").Put(one)
		if err != nil || !bytes.Equal(same, one) {
			t.Fatalf("%q is not left alone: %q, %v", one, same, err)
		}
		other, err := sample("three").Put(one)
		if err != nil || bytes.Contains(other, []byte("two")) || !bytes.Contains(other, []byte("\nthree")) {
			t.Fatalf("%q became %q, %v", one, other, err)
		}
		rest, ours, ok := Remove(other)
		joint := ""
		if behind != "" && text != "" && !strings.HasSuffix(text, "\n") {
			joint = lineEnd(before)
		}
		if string(rest) != text+joint+behind || !ok || ours != (before == nil && behind == "") {
			t.Fatalf("%q became %q; ours %v, ok %v", other, rest, ours, ok)
		}
	})
}

// TestOneIsDamaged names the line that does not fit.
func TestOneIsDamaged(t *testing.T) {
	t.Parallel()
	const begin, end = "<!-- git-okstra: begin -->\n", "<!-- git-okstra: end -->\n"
	for text, want := range map[string]int{
		"a\n" + begin + "b\n":        2,
		"a\n" + end:                  2,
		end + begin:                  1,
		begin + begin + end:          2,
		begin + end + begin + end:    3,
		begin + end + "b\n" + end:    4,
		"x " + begin + begin + end:   0,
		begin + "# not " + end + end: 0,
	} {
		_, _, err := One([]byte(text))
		var damaged *DamagedError
		if errors.As(err, &damaged) != (want > 0) || want > 0 && damaged.Line != want {
			t.Errorf("%q: %v, want line %d", text, err, want)
		}
		if out, err := sample("x").Put([]byte(text)); (err != nil) != (want > 0) || want > 0 && out != nil {
			t.Errorf("%q: put %q, %v", text, out, err)
		}
	}
}
