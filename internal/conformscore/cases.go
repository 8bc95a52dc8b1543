package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"git-okstra/internal/conform"
)

// labelled is a diff and the surfaces that it touches.
type labelled struct {
	name   string
	path   string // of its first file
	wants  []conform.Surface
	diff   []byte
	source string // the file that it is from, with the line
}

// readCases reads every .cases, .diff and .patch file below a folder; docs/surfaces.md
// describes both forms.
func readCases(dir fs.FS) ([]labelled, error) {
	var out []labelled
	err := fs.WalkDir(dir, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		switch path.Ext(name) {
		case ".cases", ".diff", ".patch":
		default:
			return nil
		}
		src, err := fs.ReadFile(dir, name)
		if err != nil {
			return err
		}
		var list []labelled
		if path.Ext(name) == ".cases" {
			list, err = parseCases(name, src)
		} else {
			list, err = parseSingle(name, src)
		}
		out = append(out, list...)
		return err
	})
	return out, err
}

// parseSingle reads one diff with its labels in a line "# touches: …" above it.
func parseSingle(name string, src []byte) ([]labelled, error) {
	for line := range bytes.Lines(src) {
		if labels, ok := strings.CutPrefix(string(bytes.TrimSpace(line)), "# touches:"); ok {
			c := labelled{name: strings.TrimSuffix(path.Base(name), path.Ext(name)), diff: src, source: name}
			return []labelled{c}, c.label(labels)
		}
	}
	return nil, fmt.Errorf("%s: no line %q above the diff", name, "# touches: db, http")
}

// label reads the surfaces.
func (c *labelled) label(words string) error {
	for _, w := range strings.FieldsFunc(words, func(r rune) bool { return r == ',' || r == ' ' }) {
		switch s := conform.Surface(w); {
		case w == "none":
		case slices.Contains(conform.Surfaces(), s):
			c.wants = append(c.wants, s)
		default:
			return fmt.Errorf("%s: no surface %q", c.source, w)
		}
	}
	return nil
}

// parseCases reads a file with many cases, each "=== NAME | PATH | LABELS" and a diff, or
// only the lines of one hunk.
func parseCases(name string, src []byte) ([]labelled, error) {
	var out []labelled
	var body []string
	flush := func() {
		if len(out) > 0 {
			last := &out[len(out)-1]
			last.diff = whole(last.path, body)
		}
		body = nil
	}
	lines := bufio.NewScanner(bytes.NewReader(src))
	lines.Buffer(nil, len(src)+1)
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		head, isHead := strings.CutPrefix(line, "=== ")
		if !isHead {
			if len(out) > 0 {
				body = append(body, line)
			}
			continue
		}
		flush()
		words := strings.Split(head, "|")
		if len(words) != 3 {
			return nil, fmt.Errorf("%s:%d: want === NAME | PATH | LABELS", name, n)
		}
		c := labelled{name: strings.TrimSpace(words[0]), path: strings.TrimSpace(words[1]), source: fmt.Sprintf("%s:%d", name, n)}
		if err := c.label(words[2]); err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	flush()
	return out, lines.Err()
}

// from is where a hunk without a head is said to begin: not at the top of its file.
const from = 41

// whole makes a diff of a body that is one, or the lines of a single hunk.
func whole(name string, body []string) []byte {
	for len(body) > 0 && body[len(body)-1] == "" {
		body = body[:len(body)-1]
	}
	text := strings.Join(body, "\n") + "\n"
	if strings.HasPrefix(text, "diff ") || strings.HasPrefix(text, "--- ") || strings.Contains(text, "\n--- a/") {
		return []byte(text)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "diff --git a/%s b/%s\n--- a/%s\n+++ b/%s\n", name, name, name, name)
	if !strings.HasPrefix(text, "@@ ") {
		old, cur := 0, 0
		for i, line := range body {
			if line == "" {
				body[i], line = " ", " "
			}
			if line[0] != '+' {
				old++
			}
			if line[0] != '-' {
				cur++
			}
		}
		text = strings.Join(body, "\n") + "\n"
		fmt.Fprintf(&b, "@@ -%d,%d +%d,%d @@\n", from, old, from, cur)
	}
	b.WriteString(text)
	return []byte(b.String())
}
