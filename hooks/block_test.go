package hooks

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
			b := block{comment: rapid.SampledFrom([]string{"#", "//"}).Draw(t, "comment"), indent: strings.Repeat(" ", rapid.IntRange(0, 4).Draw(t, "indent")), lines: []string{"one", "", "two"}}
			at := rapid.SampledFrom(starts).Draw(t, "at")
			if insideBlock(with, at) {
				continue // nobody inserts there
			}
			with = b.insert(with, at)
		}
		if !hasBlock(with) {
			t.Fatalf("%q: no block", with)
		}
		rest, ours, ok := removeBlocks(with)
		if !bytes.Equal(rest, text) || !ok || ours != (len(text) == 0) {
			t.Fatalf("%q became %q, then %q; ours %v, ok %v", text, with, rest, ours, ok)
		}
	})
}

func insideBlock(text []byte, at int) bool {
	return bytes.Count(text[:at], []byte(blockBegin)) != bytes.Count(text[:at], []byte(blockEnd))
}

// TestBrokenBlock does not take the rest of a file for ours.
func TestBrokenBlock(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"a\n# git-okstra: begin\nb\n# git-okstra: end\nc\n": true,
		"a\n# git-okstra: begin\nb\nc\n":                    false,
		"a\n# git-okstra: end\nb\n":                         true,
		"":                                                  true,
	} {
		if _, _, ok := removeBlocks([]byte(text)); ok != want {
			t.Errorf("%q: ok %v, want %v", text, ok, want)
		}
	}
	if rest, _, _ := removeBlocks([]byte("a\n# git-okstra: end\nb\n")); string(rest) != "a\n# git-okstra: end\nb\n" {
		t.Errorf("an end alone: %q", rest)
	}
}
