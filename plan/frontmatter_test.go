package plan

import (
	"fmt"
	"strings"
	"testing"
)

func TestFrontMatterValues(t *testing.T) {
	for _, tc := range []struct{ src, task string }{
		{"task: DEV-8852", "DEV-8852"},
		{"task: 8852", "8852"},
		{"task: 08852", "08852"},
		{"task: 0x1F", "0x1F"},
		{"task: 1_000", "1_000"},
		{"task: 0.100", "0.100"},
		{"task: 1e3", "1e3"},
		{"task: 2024-05-01", "2024-05-01"},
		{"task: .inf", ".inf"},
		{"task: \"0.100\"", "0.100"},
		{"task: 'it''s'", "it's"},
		{"task: 결제 개선", "결제 개선"},
		{"task: x # comment", "x"},
		{"task: !!str 8852", "8852"},
		{"task: &a x", "x"},
		{"name: &a x\ntask: *a", "x"},
		{"\"task\": x", "x"},
		{"{task: x, group: g}", "x"},
		{"task: >-\n  x\n  y", "x y"},
		{"other: [1, {a: b}]\ntask: x\nmore:\n  task: z", "x"},
	} {
		d := Parse([]byte("---\n" + tc.src + "\n---\n"))
		if len(d.Problems) > 0 || d.FrontMatter.Task.Text != tc.task {
			t.Errorf("%q gives %q, %+v", tc.src, d.FrontMatter.Task.Text, d.Problems)
		}
		if !d.FrontMatter.Task.Present() || !d.FrontMatter.Present {
			t.Errorf("%q: not present", tc.src)
		}
	}
}

func TestFrontMatterApproved(t *testing.T) {
	for src, want := range map[string]bool{
		"approved: true": true, "approved: True": true, "approved: TRUE # yes": true, "approved: false": false,
		"okstra: 1.0.0": false, "# nothing": false, "": false,
	} {
		d := Parse([]byte("---\n" + src + "\n---\nx\n"))
		if d.FrontMatter.Approved != want || len(d.Problems) > 0 {
			t.Errorf("%q: approved %v, %+v", src, d.FrontMatter.Approved, d.Problems)
		}
	}
}

func TestFrontMatterProblems(t *testing.T) {
	for _, tc := range []struct {
		src  string
		want string // positions, with a word of the message
	}{
		{"approved: yes please", "2:11 yes please"},
		{"approved: yes", "2:11 yes"},
		{"approved: \"true\"", "2:11 true"},
		{"approved: 1", "2:11 1"},
		{"approved:", "2:10 empty"},
		{"approved: [true]", "2:11 list"},
		{"okstra: 1.0.0\ntask: [a]", "3:7 list"},
		{"task: {a: b}", "2:7 mapping"},
		{"task: true", "2:7 true"},
		{"task:", "2:6 empty"},
		{"task: \"\"", "2:7 text on one line"},
		{"task: |\n  a\n  b", "2:7 text on one line"},
		{"task: *nowhere", "2:7 "},
		{"category: Feature", "2:11 Feature"},
		{"task: a\ntask: b", "3:1 task"},
		{"other: a\nother: b", "3:1 other"},
		{"just text", "2:1 keys and values"},
		{"- a\n- b", "2:1 keys and values"},
		{"a: [", "2:4 YAML"},
		{"a: 'b", "2:4 YAML"},
		{"a: b: c", "2:"},
		{"\ta: b", "2:2 YAML"},
		{"approved: no\ncategory: x", "2:11 no|3:11 x"},
	} {
		for name, src := range variants("---\n" + tc.src + "\n---\n# x\n") {
			d := Parse([]byte(src))
			wants := strings.Split(tc.want, "|")
			if len(d.Problems) != len(wants) {
				t.Errorf("%q %s: %+v", tc.src, name, d.Problems)
				continue
			}
			for i, want := range wants {
				pos, word, _ := strings.Cut(want, " ")
				p := d.Problems[i]
				if !strings.HasPrefix(p.Pos.String(), pos) || !strings.Contains(p.Message, word) || p.Code != CodeFrontMatter {
					t.Errorf("%q %s: %s %s, want %s", tc.src, name, p.Pos, p.Message, want)
				}
			}
			if len(d.Headings) != 1 {
				t.Errorf("%q %s: the body was not read", tc.src, name)
			}
		}
	}
}

func TestFrontMatterFences(t *testing.T) {
	for _, tc := range []struct {
		name, src         string
		present           bool
		problems, heading int
	}{
		{"plain", "---\ntask: x\n---\n# h\n", true, 0, 1},
		{"trailing space", "--- \ntask: x\n---\t\n# h\n", true, 0, 1},
		{"empty", "---\n---\n# h\n", true, 0, 1},
		{"at the end of the file", "---\ntask: x\n---", true, 0, 0},
		{"not closed: all is body", "---\n# h\n", false, 1, 1},
		{"not closed, dots", "---\ntask: x\n...\n# h\n", false, 1, 1},
		{"only a fence", "---", false, 1, 0},
		{"not on the first line", "\n---\ntask: x\n---\n", false, 0, 1},
		{"longer rule", "----\ntask: x\n---\n", false, 0, 1},
		{"indented fence", " ---\ntask: x\n---\n", false, 0, 1},
		{"none", "# h\n", false, 0, 1},
	} {
		d := Parse([]byte(tc.src))
		if d.FrontMatter.Present != tc.present || len(d.Problems) != tc.problems || len(d.Headings) != tc.heading {
			t.Errorf("%s: present %v, problems %+v, headings %+v", tc.name, d.FrontMatter.Present, d.Problems, d.Headings)
		}
	}
}

// TestHostileYAML: nothing of this may take long, blow up or panic.
func TestHostileYAML(t *testing.T) {
	var bomb strings.Builder
	bomb.WriteString("a0: &a0 [x, x]\n")
	for i := 1; i < 60; i++ {
		fmt.Fprintf(&bomb, "a%d: &a%d [*a%d, *a%d]\n", i, i, i-1, i-1)
	}
	for name, src := range map[string]string{
		"alias bomb":    bomb.String() + "task: *a59",
		"self alias":    "task: &a *a",
		"alias circle":  "x: &a *b\ny: &b *a\ntask: *b",
		"brackets":      strings.Repeat("[", maxFrontMatter-10),
		"braces":        "a: " + strings.Repeat("{a: ", 2000),
		"many keys":     strings.Repeat("a: b\n", 6000),
		"large":         "a: " + strings.Repeat("b", maxFrontMatter),
		"deep indent":   deepIndent(240),
		"dashes":        "a:\n" + strings.Repeat("- ", 9000),
		"question":      strings.Repeat("? ", 9000),
		"tags":          "task: " + strings.Repeat("!!str ", 4000) + "x",
		"anchors":       "task: " + strings.Repeat("&a ", 4000) + "x",
		"quotes":        strings.Repeat("'\"", 9000),
		"escape":        "task: \"\\x1b[31m\\u202e\"",
		"colon":         strings.Repeat(":", 9000),
		"percent":       "%YAML 9.9\n%TAG ! x",
		"merge":         "<<: *x\ntask: a",
		"comment only":  strings.Repeat("#\n", 9000),
		"block scalars": strings.Repeat("a: |\n", 3000),
	} {
		t.Run(name, func(t *testing.T) {
			d := Parse([]byte("---\n" + src + "\n---\n# h\n"))
			if len(d.Headings) != 1 {
				t.Errorf("the body was not read: %+v", d.Problems)
			}
			for _, p := range d.Problems {
				if strings.ContainsAny(p.Message, "\x1b\u202e\n") {
					t.Errorf("a message shows control characters: %q", p.Message)
				}
			}
		})
	}
}

func deepIndent(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()[:min(b.Len(), maxFrontMatter-10)]
}
