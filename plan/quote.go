package plan

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// quoteLimit is how many code points of foreign text a message shows.
const quoteLimit = 80

// Quote renders text from a plan for a person's eye: in quotation marks, with
// control characters, terminal escapes and direction marks escaped, cut after
// 80 code points. Messages never show plan text in another way.
func Quote(s string) string {
	if len(s) > quoteLimit && utf8.RuneCountInString(s) > quoteLimit {
		n := 0
		for i := range s {
			if n == quoteLimit-1 {
				s = s[:i] + "…"
				break
			}
			n++
		}
	}
	return strconv.Quote(s)
}

// clean makes one line of another library's message safe to show.
func clean(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	q := Quote(line)
	return strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`)
}
