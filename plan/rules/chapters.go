package rules

import (
	"fmt"
	"strings"

	"git-okstra/plan"
)

const (
	partOptions  = "Option Candidates"
	partCoverage = "Requirement Coverage"
	partApproval = "User Approval Request"
)

// fail adds an error about the whole plan at an offset.
func (c *checker) fail(code string, offset int, message, hint string) {
	c.report(code, 0, offset, message, hint)
}

// warn adds a warning about the whole plan at an offset.
func (c *checker) warn(code string, offset int, message, hint string) {
	c.add(Finding{Code: code, Severity: Warning, Pos: c.doc.Position(offset), Message: message, Hint: hint})
}

// checkHeadings is P3.
func checkHeadings(c *checker) {
	for _, words := range c.rules.headings() {
		if c.headingWith(words) >= 0 {
			continue
		}
		hint := "add a heading with these words, in English; a translation may follow them"
		if other := otherLast[words]; other != "" && c.headingWith(other) >= 0 {
			hint = fmt.Sprintf("releases %s have %s in its place: if the plan is written for one of them, name it in the front matter (okstra: …), else add the heading",
				lastSince[other], plan.Quote(other))
		}
		c.fail("P3", 0, "no heading holds the words "+plan.Quote(words), hint)
	}
}

// otherLast pairs the two headings of which each release asks for one.
var (
	otherLast = map[string]string{partCoverage: partApproval, partApproval: partCoverage}
	lastSince = map[string]string{partCoverage: "from 0.56.1 on", partApproval: "before 0.56.1"}
)

// headingWith gives the first heading that holds the words, -1 if none does.
func (c *checker) headingWith(words string) int {
	for i, h := range c.doc.Headings {
		if holds(h.Text, words) {
			return i
		}
	}
	return -1
}

// chapter gives the heading that begins with the words, a number aside; failing
// that, one that holds them. A report's own title may speak of its chapters.
func (c *checker) chapter(words string) int {
	for i, h := range c.doc.Headings {
		if strings.HasPrefix(strings.TrimLeft(h.Text, "0123456789.-()§ "), words) {
			return i
		}
	}
	return c.headingWith(words)
}

// holds reports whether the words stand in the text, not as the end of a
// longer word; anything may follow them.
func holds(text, words string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], words)
		if i < 0 {
			return false
		}
		if at += i; at == 0 || !alnum(text[at-1]) {
			return true
		}
		at += len(words)
	}
}

func alnum(b byte) bool {
	return '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}

// checkOptions is P4.
func checkOptions(c *checker) {
	at := c.chapter(partOptions)
	if at < 0 {
		return // P3 says so
	}
	parent, n := c.doc.Headings[at], 0
	from, to := c.doc.HeadingsIn(c.doc.Section(at))
	for i := from + 1; i < to; i++ {
		h := c.doc.Headings[i]
		if h.Level != parent.Level+1 {
			continue
		}
		n++
		if !c.namesFiles(c.doc.Section(i)) {
			c.fail("P4", h.Offset, "the option "+plan.Quote(h.Text)+" names no file that it creates, modifies or deletes",
				"add lines of the forms Create: path — why, Modify: path:range — why, Delete: path — why")
		}
	}
	if n < 2 {
		c.fail("P4", parent.Offset, fmt.Sprintf("%s has %s, fewer than two", plan.Quote(parent.Text), count(n, "option")),
			"give each option a heading one level below")
	}
}

// namesFiles reports whether a line of the File Structure stands in the span.
func (c *checker) namesFiles(span plan.Span) bool {
	for l := range c.doc.Lines(span) {
		if fileLine(l.Text) {
			return true
		}
	}
	return false
}

// fileLine reads "Create: path — …", "Delete: path — …" and "Modify:
// path:range — …". The path has no spaces, the dash is an em dash.
func fileLine(line string) bool {
	verb, rest, ok := strings.Cut(line, ":")
	target, why, dash := strings.Cut(rest, "—")
	target = strings.TrimSpace(target)
	if !ok || !dash || target == "" || strings.ContainsAny(target, " \t") || strings.TrimSpace(why) == "" {
		return false
	}
	switch verb {
	case "Create", "Delete":
		return true
	case "Modify":
		name, lines, _ := strings.Cut(target, ":")
		return name != "" && lines != ""
	}
	return false
}
