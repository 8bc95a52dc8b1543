package conform

import (
	"hash/maphash"
	"strings"
)

// cancelLayout voids a group of lines that only was laid out anew: what is removed and
// what is added are the same but for blanks, line ends and comments.
func cancelLayout(group []change) {
	var old, cur strings.Builder
	for _, c := range group {
		if c.side == Removed {
			old.WriteString(c.key())
		} else {
			cur.WriteString(c.key())
		}
	}
	if old.Len() > 0 && strings.ReplaceAll(old.String(), ",)", ")") == strings.ReplaceAll(cur.String(), ",)", ")") {
		for i := range group {
			group[i].void = true
		}
	}
}

// mostHeld is how many changed lines are kept to find those that moved from file to
// file. What comes behind them in a diff is looked at by file.
const mostHeld = 200_000

// seed is the same for all lines of a process.
var seed = maphash.MakeSeed()

// cancelMoved voids lines that are removed in one place and added in another, as often
// as both are.
func cancelMoved(files []*verdict) {
	counts := map[uint64][2]int{}
	walk := func(do func(l *held, n [2]int) [2]int) {
		for _, v := range files {
			for i := range v.lines {
				if l := &v.lines[i]; !l.void && l.key != 0 {
					counts[l.key] = do(l, counts[l.key])
				}
			}
		}
	}
	walk(func(l *held, n [2]int) [2]int {
		n[l.side()]++
		return n
	})
	for key, n := range counts {
		both := min(n[0], n[1])
		counts[key] = [2]int{both, both}
	}
	walk(func(l *held, n [2]int) [2]int {
		if n[l.side()] > 0 {
			n[l.side()]--
			l.void = true
		}
		return n
	})
}
