package plan

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// viaGoldmark is the reading of a piece that simple must agree with.
func viaGoldmark(d *Document, lines []Span) []line { return d.renderPiece(newPiece(d, lines)) }

// kinds draws what a reader sees of lines: text, with code and addresses marked.
func kinds(lines []line) string {
	var b strings.Builder
	for _, l := range lines {
		last := partKind(255)
		for i, p := range l.parts {
			end := len(l.text)
			if i+1 < len(l.parts) {
				end = l.parts[i+1].start
			}
			if p.kind != last || p.kind == code {
				b.WriteString([]string{"¶", "«", "@"}[p.kind])
			}
			last = p.kind
			b.WriteString(l.text[p.start:end])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// sameReading compares simple with goldmark on a text of some lines.
func sameReading(t interface{ Fatalf(string, ...any) }, text string) (simple bool) {
	d := &Document{index: newLineIndex(text)}
	var lines []Span
	at := 0
	for l := range strings.SplitSeq(text, "\n") {
		if s := trim(text, Span{at, at + len(l)}); s.Start < s.End {
			lines = append(lines, s)
		}
		at += len(l) + 1
	}
	got, ok := d.simple(lines)
	if !ok || len(lines) == 0 {
		return false
	}
	if want := viaGoldmark(d, lines); kinds(got) != kinds(want) {
		t.Fatalf("%q is read as %q, goldmark reads %q", text, kinds(got), kinds(want))
	}
	for _, l := range got {
		for i, p := range l.parts {
			end := len(l.text)
			if i+1 < len(l.parts) {
				end = l.parts[i+1].start
			}
			if part := l.text[p.start:end]; text[p.offset:p.offset+len(part)] != part {
				t.Fatalf("%q: part %q does not stand at %d", text, part, p.offset)
			}
		}
	}
	return true
}

// TestSimpleReads: what plans are full of never needs goldmark.
func TestSimpleReads(t *testing.T) {
	for _, text := range []string{
		"**Slice value:** a shopper sees `price`", "**Slice value**: x", "*Acceptance*: y", "`a` and `b`", "a \\| b", "` a `", "`  `",
		"stage-1 — qa/scripts/x.sh (requires=[db,http])", "[api] 가격 조회", "snake_case and a__b", "a * b", "1 < 2 & 3 > 2", "AT&T &", "a\\b \\",
		"**결제**는 빠르다", "a ` b", "\\*a\\*", "`a\\`", "x!", "(**x**)", "`a` *b* `c`\n**d** e",
	} {
		if !sameReading(t, text) {
			t.Errorf("%q is left to goldmark", text)
		}
	}
}

// TestSimpleLeaves: what needs more than a look is left to goldmark.
func TestSimpleLeaves(t *testing.T) {
	for _, text := range []string{
		"``a``", "`a``", "a `b\nc`", "a\\\nb", "***a***", "**a", "*a **b** c*", "_a_", "__init__.py", "<b>", "<!-- a -->", "&amp;", "[a](b)", "~~a~~", "a*b c", "**a **",
	} {
		if sameReading(t, text) {
			t.Errorf("%q is read without goldmark", text)
		}
	}
	d := Parse([]byte("[api] `x`\n\n[api]: y\n"))
	if _, ok := d.simple(d.paragraphs[0].lines); ok {
		t.Error("brackets are read without a look at the link definitions")
	}
}

// snippets make text in which every marker meets every neighbour.
var snippets = []string{
	"a", "한", "1", " ", "  ", "\t", "`", "``", "*", "**", "***", "_", "__", "\\", "[", "]", "](", ")", "<", ">", "&", "&amp;", "!", "~", "\n", ".", ":", "(", "—", "e\u0301", "“", "\u00a0",
}

func TestSimpleAgainstGoldmark(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sameReading(t, strings.Join(rapid.SliceOfN(rapid.SampledFrom(snippets), 1, 14).Draw(t, "text"), ""))
	})
}

func FuzzSimple(f *testing.F) {
	for _, s := range []string{"**a:** `b` \\| c", "[x] _y_ a*b*", "`a\nb`\\\n", "**0*", "**\"a\"**b", "*한*글"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > maxInline || strings.ContainsAny(text, "\r\x00") || strings.ToValidUTF8(text, "") != text {
			return
		}
		sameReading(t, text)
	})
}

func TestFold(t *testing.T) {
	for in, want := range map[string]string{
		"": "", " ": "", "a": "a", "a b": "a b", "a  b": "a b", " a": "a", "a ": "a", "a\tb": "a b", "한\u3000글": "한 글", "a\u00a0b": "a b", "\n": "",
	} {
		if got := fold(in); got != want {
			t.Errorf("fold(%q) = %q, want %q", in, got, want)
		}
	}
}
