package plan

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrNotApprovable is wrapped by the errors of [SetApproved]: the front matter
// cannot be changed without guessing what its author meant.
var ErrNotApprovable = errors.New("approval cannot be written into the front matter")

// SetApproved sets approved: true in the front matter and leaves every other
// byte as it is. A plan without front matter gets one. What is approved
// already is given back unchanged.
func SetApproved(src []byte) ([]byte, error) {
	before := Parse(src)
	if len(before.Problems) > 0 && !before.onlyApprovedEmpty() {
		p := before.Problems[0]
		return nil, fmt.Errorf("%w: line %d: %s", ErrNotApprovable, p.Pos.Line, p.Message)
	}
	if before.FrontMatter.Approved {
		return bytes.Clone(src), nil
	}
	out := before.approve(src)
	after := Parse(out)
	if len(after.Problems) > 0 || !after.FrontMatter.Approved || !sameBesideApproval(before, after) {
		return nil, fmt.Errorf("%w: its YAML is of an unusual form: write approved: true by hand", ErrNotApprovable)
	}
	return out, nil
}

// onlyApprovedEmpty: "approved:" without a value is a problem that approval mends.
func (d *Document) onlyApprovedEmpty() bool {
	return len(d.Problems) == 1 && d.FrontMatter.approvedIs == approvedNull
}

// approve makes the edit; SetApproved proves it afterwards.
func (d *Document) approve(src []byte) []byte {
	eol := lineEnd(src)
	fm := d.FrontMatter
	switch {
	case !fm.Present:
		at := len(src) - len(bytes.TrimPrefix(src, bom))
		return slices.Insert(bytes.Clone(src), at, []byte("---"+eol+"approved: true"+eol+"---"+eol)...)
	case fm.approvedIs == approvedBool:
		at := rawOffset(src, fm.approvedAt)
		n := len("false") // the only spelling lengths of false are the same
		return slices.Replace(bytes.Clone(src), at, min(at+n, len(src)), []byte("true")...)
	case fm.approvedIs == approvedNull:
		return d.fillApproved(src)
	}
	indent := strings.Repeat(" ", max(0, fm.firstKey.Column-1))
	at := rawOffset(src, Position{2, 1})
	return slices.Insert(bytes.Clone(src), at, []byte(indent+"approved: true"+eol)...)
}

// fillApproved writes the value behind an "approved:" that has none.
func (d *Document) fillApproved(src []byte) []byte {
	const key = "approved:"
	line := d.FrontMatter.approvedAt.Line
	head := rawOffset(src, Position{line, 1})
	at := bytes.Index(src[head:], []byte(key))
	if at < 0 {
		return bytes.Clone(src)
	}
	return slices.Insert(bytes.Clone(src), head+at+len(key), []byte(" true")...)
}

// lineEnd is the line end of the file's first line, LF if it has none.
func lineEnd(src []byte) string {
	at := bytes.IndexAny(src, "\r\n")
	switch {
	case at < 0 || src[at] == '\n':
		return "\n"
	case at+1 < len(src) && src[at+1] == '\n':
		return "\r\n"
	}
	return "\r"
}

// rawOffset finds a position in the bytes as given.
func rawOffset(src []byte, p Position) int {
	at := len(src) - len(bytes.TrimPrefix(src, bom))
	for line := 1; line < p.Line && at < len(src); line++ {
		end := bytes.IndexAny(src[at:], "\r\n")
		if end < 0 {
			return len(src)
		}
		at += end + 1
		if src[at-1] == '\r' && at < len(src) && src[at] == '\n' {
			at++
		}
	}
	head := string(src[at:])
	return at + newLineIndex(head).offset(Position{1, p.Column})
}

func sameBesideApproval(a, b *Document) bool {
	x, y := a.FrontMatter, b.FrontMatter
	return x.Okstra.Text == y.Okstra.Text && x.Project.Text == y.Project.Text && x.Group.Text == y.Group.Text &&
		x.Task.Text == y.Task.Text && x.Category.Text == y.Category.Text &&
		a.index.text[a.body:] == b.index.text[b.body:]
}
