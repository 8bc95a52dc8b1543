package plan

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Printable escapes what a terminal could act on in text that comes from a
// repository, a plan or another clone; everything else stays as it is.
func Printable(s string) string {
	if utf8.ValidString(s) && strings.IndexFunc(s, unsafe) < 0 {
		return s
	}
	quoted := strconv.Quote(s)
	return quoted[1 : len(quoted)-1]
}

func unsafe(r rune) bool { return !strconv.IsPrint(r) }
