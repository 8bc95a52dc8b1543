package plan

import (
	"strings"
	"testing"
)

const fencedReport = "\ufeff---\r\napproved: true\r\n---\r\n# Report\r\n\r\n```json\r\n{\"elsewhere\": 1}\r\n### Evidence\r\n```\r\n\r\n" +
	"### Evidence (증거)\r\n\r\n  ~~~ JSON extra\r\n  {\r\n    \"a\": 1}\r\n  ~~~\r\n\r\n- in a list\r\n\r\n  ```json\r\n  {}\r\n  ```\r\n\r\n" +
	"#### below\r\n\r\n```\r\n```\r\n\r\n### Evidence-like\r\n\r\n```json\r\n{\"no\": 1}\r\n```\r\n\r\n<!--\r\n### Evidence\r\n```json\r\n[]\r\n```\r\n-->\r\n\r\n## Evidence\r\n\r\n````json\r\n[1]\r\n```\r\n"

func TestFenced(t *testing.T) {
	t.Parallel()
	headings, blocks := Parse([]byte(fencedReport)).Fenced("Evidence")
	if len(headings) != 2 || headings[0].Level != 3 || headings[1].Level != 2 {
		t.Errorf("headings %+v", headings)
	}
	want := []struct{ language, text, positions string }{
		{"json", "{\n  \"a\": 1}\n", "14:3 14:4 15:3 15:4"},
		{"", "", "11:1"},
		{"json", "[1]\n```\n", "45:1 45:2 45:3 45:4 46:1"},
	}
	if len(blocks) != len(want) {
		t.Fatalf("%d blocks: %+v", len(blocks), blocks)
	}
	for i, w := range want {
		b := blocks[i]
		var got []string
		for at := range strings.Fields(w.positions) {
			got = append(got, b.Position(at).String())
		}
		if b.Language != w.language || b.Text != w.text || strings.Join(got, " ") != w.positions {
			t.Errorf("block %d: %q %q at %v, want %q %q at %s", i, b.Language, b.Text, got, w.language, w.text, w.positions)
		}
	}
	if p := blocks[0].Position(1000); p.Line != 15 {
		t.Errorf("behind the end: %v", p)
	}
	if headings, blocks := Parse(nil).Fenced("Evidence"); headings != nil || blocks != nil {
		t.Errorf("of nothing: %v, %v", headings, blocks)
	}
}

// FuzzFenced holds that any bytes are read, and that every character of a block has its
// place in the file.
func FuzzFenced(f *testing.F) {
	f.Add([]byte(fencedReport))
	f.Add([]byte("### Evidence\n\t```json\n{}\n"))
	f.Add([]byte("### Evidence\n```json\n\ta\n \tb\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		d := Parse(src)
		_, blocks := d.Fenced("Evidence")
		for _, b := range blocks {
			last := Position{}
			for at := range b.Text {
				p := b.Position(at)
				if p.Before(last) || p.Line < 1 || p.Column < 1 {
					t.Fatalf("offset %d of %q is at %v, after %v", at, b.Text, p, last)
				}
				last = p
			}
			_ = b.Position(len(b.Text))
		}
	})
}
