package plan

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// seeds adds the plans of the rules' tests and small hard cases.
func seeds(f *testing.F) {
	files, err := filepath.Glob("rules/testdata/shared/*.md")
	if err != nil || len(files) == 0 {
		f.Fatal("no seeds")
	}
	for _, file := range files[:8] {
		src, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(src)
	}
	for _, s := range []string{
		"", "\ufeff", "---", "---\n---", "---\napproved: false\n---\n", sample, mixed(sample), "---\r\n{a: &x [*x]}\r\n---",
		"| a |\n|-|\n| `\\|` |\n", "> - # x\n>   | a |\n", "a\n| b |\n|-|\n===\n", "[a]: b\n===\n", "- Slice value:\n  - Acceptance:\n",
		"**Slice value**: <!-- \n--> x", "```\n`` ` ```\n", "&#0; &amp; \\& <a@b.c>", "a/__b__.c `` `x` ``", "\t- \ta\n\t\t|", "\x00", "\xff",
		"# a\r\r\n\r# b", "<!-- -- -->\n<![CDATA[\n]]>", "~~a~~ ~b~ ![c](d) [e][f]\n\n[f]: g 'h'", "- a\n\n\n\n  b\n 1) c\n",
	} {
		f.Add([]byte(s))
	}
}

func FuzzParse(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, src []byte) {
		d := Parse(src)
		reread := outline(d)
		for _, h := range d.Headings {
			if h.Start > 0 && d.Text()[h.Start-1] != '\n' {
				t.Fatalf("heading %+v does not start a line", h)
			}
		}
		for i := range d.Headings {
			if s := d.Section(i); s.Start >= s.End || s.End > len(d.Text()) {
				t.Fatalf("section %d is %+v", i, s)
			}
		}
		d.Files(Span{0, len(d.Text())})
		d.PipeLines(Span{0, len(d.Text())})
		sorted := func(n int, at func(int) int) bool {
			return slices.IsSorted(collect(n, at))
		}
		if !sorted(len(d.Headings), func(i int) int { return d.Headings[i].Start }) ||
			!sorted(len(d.Tables), func(i int) int { return d.Tables[i].Header.Start() }) ||
			!sorted(len(d.Tokens), func(i int) int { return d.Tokens[i].offset }) ||
			!sorted(len(d.paragraphs), func(i int) int { return d.paragraphs[i].lines[0].Start }) {
			t.Fatal("the document is not in order")
		}
		if len(d.Problems) > 0 && d.Problems[0].Code == CodeUnreadable {
			return
		}
		again := Parse([]byte("\ufeff" + strings.ReplaceAll(d.Text(), "\n", "\r\n")))
		if got := outline(again); !slices.Equal(got, reread) {
			t.Fatalf("with CRLF and BOM:\n got %q\nwant %q", got, reread)
		}
	})
}

func collect(n int, at func(int) int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = at(i)
	}
	return out
}

func FuzzSetApproved(f *testing.F) {
	seeds(f)
	for _, s := range []string{
		"---\napproved: False # c\n---\n", "---\n  a: b\n---\n", "---\n# c\n---\n", "---\napproved:\n---", "---\r\napproved: !!bool false\r\n---\r\n",
		"---\n{approved: false}\n---\n", "---\napproved: &a false\nb: *a\n---\n", "---\n\"approved\": false\n---\n", "---\n? approved\n: false\n---\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		out, err := SetApproved(src)
		if err != nil {
			return
		}
		before, after := Parse(src), Parse(out)
		if !after.FrontMatter.Approved || len(after.Problems) > 0 {
			t.Fatalf("%q is not approved", out)
		}
		if before.FrontMatter.Approved && !bytes.Equal(out, src) {
			t.Fatalf("%q was approved and is now %q", src, out)
		}
		if !subsequence(src, out) {
			t.Fatalf("%q became %q", src, out)
		}
		again, err := SetApproved(out)
		if err != nil || !bytes.Equal(again, out) {
			t.Fatalf("a second time %q, %v", again, err)
		}
	})
}

// subsequence: out is src with one place replaced, head and tail kept.
func subsequence(src, out []byte) bool {
	head := 0
	for head < len(src) && head < len(out) && src[head] == out[head] {
		head++
	}
	tail := 0
	for tail < len(src)-head && tail < len(out)-head && src[len(src)-1-tail] == out[len(out)-1-tail] {
		tail++
	}
	return len(src)-head-tail <= len("false")
}
