package conform

import "strings"

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

// cancelMoved voids lines that are removed in one place and added in another, as often
// as both are.
func cancelMoved(files []*judged) {
	removed := map[string][]*change{}
	each(files, Removed, func(c *change) { removed[c.key()] = append(removed[c.key()], c) })
	each(files, Added, func(c *change) {
		if from := removed[c.key()]; len(from) > 0 {
			from[0].void, c.void = true, true
			removed[c.key()] = from[1:]
		}
	})
}

func each(files []*judged, side Side, do func(*change)) {
	for _, j := range files {
		for i := range j.changes {
			if c := &j.changes[i]; c.side == side && !c.void && !c.empty() {
				do(c)
			}
		}
	}
}
