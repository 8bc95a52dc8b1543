package report

import (
	"strings"

	"git-okstra/plan"
)

// mdText writes one line of foreign text so that Markdown shows it as it is: nothing in
// it is markup, and nothing in it ends what stands around it.
func mdText(s string) string {
	s = plainLine(s)
	var b strings.Builder
	for i, r := range s {
		first := strings.TrimLeft(s[:i], "0123456789") == ""
		switch {
		case strings.ContainsRune("\\`*_[<&~|", r),
			i == 0 && strings.ContainsRune("#>-+=", r),
			first && (r == '.' || r == ')') && i > 0:
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// mdCode writes one line of foreign text as a code span.
func mdCode(s string) string {
	s = plainLine(s)
	if s == "" {
		return ""
	}
	run, longest := 0, 0
	for _, r := range s {
		if r == '`' {
			run++
		} else {
			run = 0
		}
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		return fence + " " + s + " " + fence
	}
	return fence + s + fence
}

// plainLine is foreign text on one line, with nothing that a terminal acts on.
func plainLine(s string) string { return plan.Printable(strings.Join(strings.Fields(s), " ")) }

// plainLines is foreign text with its lines and tabs kept.
func plainLines(s string) string {
	lines := strings.Split(strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n"), "\n")
	for i, l := range lines {
		words := strings.Split(l, "\t")
		for j, w := range words {
			words[j] = plan.Printable(w)
		}
		lines[i] = strings.Join(words, "\t")
	}
	return strings.Join(lines, "\n")
}
