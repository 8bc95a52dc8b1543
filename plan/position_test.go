package plan

import (
	"slices"
	"strings"
	"testing"
)

// sample has what can move a position: front matter, tabs, wide and combining
// characters, indentation and every kind of block.
const sample = "---\nokstra: 0.100.0 # 한국\ngroup: \"g\"\n---\n" +
	"# 계획 e\u0301\n\n" +
	"text\n\tSlice value: x\n\n" +
	"  ## \tB\n\n" +
	"| 한\u0301 |\tb | c |\n|---|---|---|\n| 가 `나\\|` |\t2\t| e\u0301x |\n\n" +
	"- 하나\n\n  Acceptance: 둘\n\n" +
	"- Test case (success): 셋\n\n" +
	"제목\n---\n"

var sampleOutline = []string{
	"h1 5:1 계획 e\u0301",
	"h2 10:3 B",
	"h2 22:1 제목",
	"row 가 나|@14:3 2@14:13 e\u0301x@14:17",
	"token 8:2 Slice value=\"x\"",
	"token 18:3 Acceptance=\"둘\"",
	"token 20:3 Test case (success)=\"셋\"",
}

// mixed ends the lines in turn with LF, CRLF and a lone CR.
func mixed(src string) string {
	var b strings.Builder
	lines := strings.Split(strings.TrimSuffix(src, "\n"), "\n")
	for i, line := range lines {
		end := []string{"\n", "\r\n", "\r"}[i%3]
		if i+1 < len(lines) && lines[i+1] == "" && end == "\r" {
			end = "\n" // a CR before an empty line that ends in LF would be one CRLF
		}
		b.WriteString(line + end)
	}
	return b.String()
}

func variants(src string) map[string]string {
	crlf := strings.ReplaceAll(src, "\n", "\r\n")
	return map[string]string{
		"LF": src, "CRLF": crlf, "BOM": "\ufeff" + src, "BOM+CRLF": "\ufeff" + crlf,
		"CR": strings.ReplaceAll(src, "\n", "\r"), "mixed": mixed(src),
	}
}

func TestPositionsUnderLineEnds(t *testing.T) {
	for name, src := range variants(sample) {
		d := Parse([]byte(src))
		if got := outline(d); !slices.Equal(got, sampleOutline) {
			t.Errorf("%s:\n got %q\nwant %q", name, got, sampleOutline)
		}
		if d.Text() != sample {
			t.Errorf("%s: text is %q", name, d.Text())
		}
		fm := d.FrontMatter
		if fm.Okstra != (Value{"0.100.0", Position{2, 9}}) || fm.Group != (Value{"g", Position{3, 8}}) {
			t.Errorf("%s: front matter %+v", name, fm)
		}
	}
}

func TestPositionAndOffsetAreInverse(t *testing.T) {
	text := sample + strings.Repeat("긴 줄 e\u0301 ", 700) + "\n\nend"
	ix := newLineIndex(text)
	line, column := 1, 1
	for at, r := range text {
		want := Position{line, column}
		if got := ix.position(at); got != want {
			t.Fatalf("offset %d is at %v, want %v", at, got, want)
		}
		if got := ix.offset(want); got != at {
			t.Fatalf("%v is offset %d, want %d", want, got, at)
		}
		column++
		if r == '\n' {
			line, column = line+1, 1
		}
	}
}

func TestPositionOutside(t *testing.T) {
	ix := newLineIndex("ab\nc")
	for p, want := range map[Position]int{{0, 0}: 0, {1, 9}: 2, {2, 9}: 4, {7, 1}: 4} {
		if got := ix.offset(p); got != want {
			t.Errorf("%v is offset %d, want %d", p, got, want)
		}
	}
	if got := ix.position(99); got != (Position{2, 2}) {
		t.Errorf("beyond the end is %v", got)
	}
	if got := newLineIndex("").position(0); got != (Position{1, 1}) {
		t.Errorf("the empty text begins at %v", got)
	}
}

func TestQuote(t *testing.T) {
	for in, want := range map[string]string{
		"plain 한국":   `"plain 한국"`,
		"\x1b[31m":   `"\x1b[31m"`,
		"a\nb":       `"a\nb"`,
		"\u202egnp":  `"\u202egnp"`,
		`say "x"`:    `"say \"x\""`,
		"\u2028":     `"\u2028"`,
		"tab\tthere": `"tab\tthere"`,
	} {
		if got := Quote(in); got != want {
			t.Errorf("Quote(%q) = %s, want %s", in, got, want)
		}
	}
	long := Quote(strings.Repeat("한", 1000))
	if n := len([]rune(long)); n != quoteLimit+2 || !strings.HasSuffix(long, "…\"") {
		t.Errorf("a long text is quoted as %s", long)
	}
}
