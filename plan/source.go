package plan

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// MaxSize is the largest plan in bytes that is read; a larger one is a P1 problem.
const MaxSize = 16 << 20

var bom = []byte("\xef\xbb\xbf")

// normalize gives the text without byte order mark and with LF line ends.
// Only line ends change their length, so lines and columns stay those of the
// file; that is why one position rule serves LF, CRLF and mixed files alike.
func normalize(src []byte) string {
	src = bytes.TrimPrefix(src, bom)
	if bytes.IndexByte(src, '\r') < 0 {
		return string(src)
	}
	out := make([]byte, 0, len(src))
	for i := 0; i < len(src); i++ {
		switch {
		case src[i] != '\r':
			out = append(out, src[i])
		case i+1 < len(src) && src[i+1] == '\n': // the LF follows and is kept
		default:
			out = append(out, '\n')
		}
	}
	return string(out)
}

// unreadable finds what makes a file no plan at all (P1), if anything does.
// The size is judged on the file as given, before any copy of it is made.
func unreadable(src []byte) (Problem, bool) {
	if len(src) > MaxSize {
		return Problem{
			Code: CodeUnreadable, Pos: Position{1, 1},
			Message: fmt.Sprintf("the file has %d bytes, more than the %d that a plan may have", len(src), MaxSize),
			Hint:    "move large material out of the plan and refer to it",
		}, true
	}
	if at := bytes.IndexByte(src, 0); at >= 0 {
		return Problem{
			Code: CodeUnreadable, Pos: rawPosition(src, at),
			Message: "the file holds a NUL byte", Hint: "a plan is plain UTF-8 text: remove the byte",
		}, true
	}
	if at := firstInvalid(src); at >= 0 {
		return Problem{
			Code: CodeUnreadable, Pos: rawPosition(src, at),
			Message: fmt.Sprintf("byte 0x%02x is not valid UTF-8", src[at]),
			Hint:    "save the file as UTF-8",
		}, true
	}
	return Problem{}, false
}

// firstInvalid gives the offset of the first byte that is not UTF-8, or -1.
func firstInvalid(src []byte) int {
	if utf8.Valid(src) {
		return -1
	}
	for i := 0; i < len(src); {
		r, size := utf8.DecodeRune(src[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}

// rawPosition is the position of a byte of a file that cannot be indexed.
func rawPosition(src []byte, at int) Position {
	head := normalize(src[:at])
	return newLineIndex(head).position(len(head))
}
