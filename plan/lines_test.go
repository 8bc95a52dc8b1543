package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestLines(t *testing.T) {
	for src, want := range map[string]string{
		"a\nb\n":                          "1:1 a|2:1 b",
		"a\n\nb\n":                        "1:1 a|3:1 b",
		"- a\n- b\n":                      "1:3 a|2:3 b",
		"- a\n  - b\n    1. c\n":          "1:3 a|2:5 b|3:8 c",
		"- a\n  b\n\n  c\n":               "1:3 a|2:3 b|4:3 c",
		"  a\n   b\n":                     "1:3 a|2:4 b",
		"**a** `b`  c\n":                  "1:3 a b c",
		"> a\n":                           "",
		"- > a\n- b\n":                    "2:3 b",
		"# a\n":                           "",
		"a\n===\n":                        "",
		"| a |\n|---|\n| b |\n":           "",
		"a\n| b |\n|---|\n":               "1:1 a",
		"```\na\n```\nb\n":                "4:1 b",
		"    a\n\nb\n":                    "3:1 b",
		"<!-- a -->\n\nb <!-- c --> d\n":  "3:1 b d",
		"<div>\na\n</div>\n\nb\n":         "5:1 b",
		"[a]: b\n\nc [a]\n":               "3:1 c a",
		"한국\te\u0301\n":                   "1:1 한국 e\u0301",
		"- [ ] a\n- [x] b\n":              "1:3 [ ] a|2:3 [x] b",
		"* * *\na\n***\nb\n":              "2:1 a|4:1 b",
		"":                                "",
		"1) a\n2) b\n":                    "1:4 a|2:4 b",
		"+ a\n\n      code\n":             "1:3 a",
		"<b>a</b>\nb\n":                   "1:4 a|2:1 b",
		"a\\\nb\n":                        "1:1 a|2:1 b",
		"`a\nb` c\n":                      "1:2 a b c",
		"a <!--\nb\n--> c\n":              "1:1 a c",
		"---\ntask: x\n---\na\n":          "4:1 a",
		"Term\n: not a definition\n":      "1:1 Term|2:1 : not a definition",
		"a  \nb\n":                        "1:1 a|2:1 b",
		"text[^1]\n\n[^1]: no footnote\n": "1:1 text[^1]|3:1 [^1]: no footnote",
	} {
		d := Parse([]byte(src))
		var got []string
		for l := range d.Lines(Span{0, len(d.Text())}) {
			got = append(got, d.Position(l.Start).String()+" "+l.Text)
		}
		if s := strings.Join(got, "|"); s != want {
			t.Errorf("%q: %q, want %q", src, s, want)
		}
	}
}

// TestLinesStop: a caller may stop, and only asks for a part.
func TestLinesStop(t *testing.T) {
	d := Parse([]byte("a\nb\n\nc\n\nd\n"))
	var got []string
	for l := range d.Lines(Span{4, 7}) {
		got = append(got, l.Text)
	}
	for l := range d.Lines(Span{0, len(d.Text())}) {
		got = append(got, l.Text)
		if l.Text == "b" {
			break
		}
	}
	if !slices.Equal(got, []string{"c", "a", "b"}) {
		t.Errorf("%q", got)
	}
}

// TestTokenForms: every key in every form that a plan may use.
func TestTokenForms(t *testing.T) {
	for _, key := range tokenKeys {
		for form, ok := range map[string]bool{
			"%s: v":                   true,
			"%s:v":                    true,
			"- %s: v":                 true,
			"* %s: v":                 true,
			"+ %s: v":                 true,
			"7. %s: v":                true,
			"**%s:** v":               true,
			"**%s**: v":               true,
			"*%s:* v":                 true,
			"__%s:__ v":               true,
			"_%s_: v":                 true,
			"***%s:*** v":             true,
			"**_%s_**: v":             true,
			"- **%s:** v":             true,
			"~~%s:~~ v":               true,
			"[%s:](x) v":              true,
			"<b>%s:</b> v":            true,
			"text\n%s: v":             true,
			"%s: v\n":                 true,
			"   %s: v":                true,
			"- a\n\n  %s: v":          true,
			"%s:\nv":                  true,
			"- %s:\n  v":              true,
			"- %s:\n  - v":            true,
			"- %s:\n\n  v":            true,
			"%s:\tv":                  true,
			"%s : v":                  false,
			"%s v":                    false,
			"%s： v":                   false,
			"x %s: v":                 false,
			"\"%s: v\"":               false,
			"`%s: v`":                 false,
			"`%s`: v":                 false,
			"> %s: v":                 false,
			"# %s: v":                 false,
			"%s: v\n===":              false,
			"    %s: v":               false,
			"```\n%s: v\n```":         false,
			"~~~\n%s: v":              false,
			"<!-- %s: v -->":          false,
			"<!--\n%s: v\n-->":        false,
			"<div>\n%s: v\n</div>":    false,
			"| a |\n|---|\n| %s: v |": false,
			"|%s: v|\n|---|":          false,
			"\\`%s: v":                false,
			"[%s]: v":                 false,
		} {
			src := fmt.Sprintf(form, key)
			d := Parse([]byte(src))
			found := len(d.Tokens) == 1 && d.Tokens[0].Key == key && d.Tokens[0].Value == "v"
			if found != ok || !ok && len(d.Tokens) > 0 {
				t.Errorf("%q: %+v", src, d.Tokens)
			}
			if ok && found && !strings.HasPrefix(d.Text()[d.index.offset(d.Tokens[0].Pos):], string(key)) {
				t.Errorf("%q: the token stands at %v", src, d.Tokens[0].Pos)
			}
		}
	}
}

func TestTokensIn(t *testing.T) {
	const src = "Slice value: a\n\n# x\n\nAcceptance: b\n\n- Acceptance: c\n\n# y\n\nSlice value: d\n"
	d := Parse([]byte(src))
	for i, want := range []string{"b c", "d"} {
		var got []string
		for _, tok := range d.TokensIn(d.Section(i)) {
			got = append(got, tok.Value)
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("section %d: %q, want %q", i, s, want)
		}
	}
	if got := d.TokensIn(Span{0, 1}); len(got) != 1 || got[0].Value != "a" {
		t.Errorf("%+v", got)
	}
	if got := d.TokensIn(Span{1, 10}); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

// TestHeadingOffsets: Offset is the place that Pos names, Start its line.
func TestHeadingOffsets(t *testing.T) {
	const src = "# a\n\n   ##\tb\n\n  c\nd\n---\n한\n===\n"
	d := Parse([]byte(src))
	for i, want := range []string{"0 0 1:1", "5 8 3:4", "14 16 5:3", "24 24 8:1"} {
		h := d.Headings[i]
		if got := fmt.Sprint(h.Start, h.Offset, " ", h.Pos); strings.ReplaceAll(got, "  ", " ") != want {
			t.Errorf("%q: %s, want %s", h.Text, got, want)
		}
		if d.Position(h.Offset) != h.Pos {
			t.Errorf("%q: offset %d is %v, not %v", h.Text, h.Offset, d.Position(h.Offset), h.Pos)
		}
	}
}
