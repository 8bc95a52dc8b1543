package marked

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestBlocksGoAgain holds a file to have every byte back after any number of blocks at
// any line.
func TestBlocksGoAgain(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.StringMatching(`[ a-z:#{}\[\]'"-]{0,9}`), 0, 6).Draw(t, "lines")
		end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "end")
		text := []byte(strings.Join(lines, end))
		if rapid.Bool().Draw(t, "missing") {
			text = nil
		}
		if rapid.Bool().Draw(t, "ended") && len(text) > 0 {
			text = append(text, end...)
		}
		with := text
		for range rapid.IntRange(1, 3).Draw(t, "blocks") {
			starts := []int{0, len(with)}
			for i, c := range with {
				if c == '\n' {
					starts = append(starts, i+1)
				}
			}
			b := Block{Comment: rapid.SampledFrom([]string{"#", "//"}).Draw(t, "comment"), Indent: strings.Repeat(" ", rapid.IntRange(0, 4).Draw(t, "indent")), Lines: []string{"one", "", "two"}}
			at := rapid.SampledFrom(starts).Draw(t, "at")
			if insideBlock(with, at) {
				continue // nobody inserts there
			}
			with = b.Insert(with, at)
		}
		if !In(with) {
			t.Fatalf("%q: no block", with)
		}
		rest, ours, ok := Remove(with)
		if !bytes.Equal(rest, text) || !ok || ours != (text == nil) {
			t.Fatalf("%q became %q, then %q; ours %v, ok %v", text, with, rest, ours, ok)
		}
	})
}

func insideBlock(text []byte, at int) bool {
	return bytes.Count(text[:at], []byte(Begin)) != bytes.Count(text[:at], []byte(End))
}

// TestBrokenBlock does not take the rest of a file for ours.
func TestBrokenBlock(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"a\n# git-okstra: begin\nb\n# git-okstra: end\nc\n": true,
		"a\n# git-okstra: begin\nb\nc\n":                    false,
		"a\n# git-okstra: end\nb\n":                         true,
		"":                                                  true,
		"a line of `# git-okstra: begin`\n":                 true,
	} {
		if _, _, ok := Remove([]byte(text)); ok != want {
			t.Errorf("%q: ok %v, want %v", text, ok, want)
		}
	}
	if rest, _, _ := Remove([]byte("a\n# git-okstra: end\nb\n")); string(rest) != "a\n# git-okstra: end\nb\n" {
		t.Errorf("an end alone: %q", rest)
	}
	if rest, _, _ := Remove([]byte("a\n# git-okstra: begin (behind a line without end)\nb\n# git-okstra: end\nc")); string(rest) != "a\nc" {
		t.Errorf("what came later is joined to the line before: %q", rest)
	}
}
