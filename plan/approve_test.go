package plan

import (
	"bytes"
	"errors"
	"testing"
)

func TestSetApproved(t *testing.T) {
	for _, tc := range []struct{ name, src, want string }{
		{"false", "---\napproved: false\n---\nx\n", "---\napproved: true\n---\nx\n"},
		{"False with comment", "---\napproved: False  # not yet\n---\n", "---\napproved: true  # not yet\n---\n"},
		{"comment that says false", "---\n# approved: false\napproved: false\n---\n", "---\n# approved: false\napproved: true\n---\n"},
		{"odd spacing", "---\napproved:    false\n---\n", "---\napproved:    true\n---\n"},
		{"quoted key", "---\n\"approved\": false\n---\n", "---\n\"approved\": true\n---\n"},
		{"flow", "---\n{approved: false, task: x}\n---\n", "---\n{approved: true, task: x}\n---\n"},
		{"tagged", "---\napproved: !!bool false\n---\n", "---\napproved: !!bool true\n---\n"},
		{"without value", "---\napproved:\ntask: x\n---\n", "---\napproved: true\ntask: x\n---\n"},
		{"without value, comment", "---\napproved: # when?\n---\n", "---\napproved: true # when?\n---\n"},
		{"absent", "---\ntask: x # t\n---\nb\n", "---\napproved: true\ntask: x # t\n---\nb\n"},
		{"absent, indented keys", "---\n  task: x\n  group: y\n---\n", "---\n  approved: true\n  task: x\n  group: y\n---\n"},
		{"absent, block scalar last", "---\nnote: |\n  a\n---\n", "---\napproved: true\nnote: |\n  a\n---\n"},
		{"empty", "---\n---\nx\n", "---\napproved: true\n---\nx\n"},
		{"none", "# h\n", "---\napproved: true\n---\n# h\n"},
		{"none, empty file", "", "---\napproved: true\n---\n"},
		{"nested key is not ours", "---\nx:\n  approved: false\n---\n", "---\napproved: true\nx:\n  approved: false\n---\n"},
		{"wide characters before", "---\n{task: 한국, approved: false}\n---\n", "---\n{task: 한국, approved: true}\n---\n"},
		{"already", "---\napproved: true # by me\n---\n", "---\napproved: true # by me\n---\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			want := variants(tc.want)
			for name, src := range variants(tc.src) {
				if name == "mixed" || tc.src == "" && name != "LF" && name != "BOM" {
					continue
				}
				got, err := SetApproved([]byte(src))
				if err != nil || string(got) != want[name] {
					t.Errorf("%s: %q, %v, want %q", name, got, err, want[name])
				}
				again, err := SetApproved(got)
				if err != nil || !bytes.Equal(again, got) {
					t.Errorf("%s: a second time: %q, %v", name, again, err)
				}
			}
		})
	}
}

func TestSetApprovedKeepsMixedLineEnds(t *testing.T) {
	const src = "\ufeff---\r\ntask: x\napproved: false\r\n---\n# a\r\nb\rc\n"
	const want = "\ufeff---\r\ntask: x\napproved: true\r\n---\n# a\r\nb\rc\n"
	if got, err := SetApproved([]byte(src)); err != nil || string(got) != want {
		t.Errorf("%q, %v", got, err)
	}
}

func TestSetApprovedDoesNotTouchItsInput(t *testing.T) {
	src := []byte("---\napproved: false\n---\n")
	keep := bytes.Clone(src)
	if _, err := SetApproved(src); err != nil || !bytes.Equal(src, keep) {
		t.Errorf("input is now %q, %v", src, err)
	}
}

func TestSetApprovedRefuses(t *testing.T) {
	for name, src := range map[string]string{
		"not closed":    "---\ntask: x\n",
		"not YAML":      "---\na: [\n---\n",
		"no mapping":    "---\ntext\n---\n",
		"odd value":     "---\napproved: yes please\n---\n",
		"alias":         "---\nx: &a false\napproved: *a\n---\n",
		"flow, absent":  "---\n{task: x}\n---\n",
		"nul":           "a\x00",
		"another key":   "---\ncategory: what\napproved: false\n---\n",
		"two approvals": "---\napproved: false\napproved: false\n---\n",
	} {
		got, err := SetApproved([]byte(src))
		if !errors.Is(err, ErrNotApprovable) || got != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}
