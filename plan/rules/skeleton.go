package rules

import (
	_ "embed" // for the texts
	"strconv"
	"strings"
	"unicode"

	"git-okstra/plan"
)

//go:embed texts/skeleton.md
var skeleton string

// Skeleton writes a new plan for a task under the newest ruleset: every chapter,
// one stage, and TODO where its author must write. Each TODO is a finding, and
// nothing else is: P4 for each of the two options, P5 for the gate result, S10a
// and S10b for the slice value and the acceptance, S10c for the first step,
// three S10d for the test cases, S11 for the conformance line. Parts of the key
// that are empty are left out of the front matter.
func Skeleton(key plan.TaskKey, title string) []byte {
	title = escapeTitle(title)
	if title == "" {
		title = "first slice"
	}
	var b strings.Builder
	b.WriteString("---\nokstra: " + Newest + "\napproved: false\n")
	for _, kv := range [][2]string{{"project", key.Project}, {"group", key.Group}, {"task", key.Task}} {
		if strings.TrimSpace(kv[1]) != "" {
			b.WriteString(kv[0] + ": " + strconv.Quote(kv[1]) + "\n")
		}
	}
	b.WriteString("---\n" + strings.ReplaceAll(skeleton, "{{title}}", title))
	return []byte(b.String())
}

// escapeTitle makes one line of text that a heading and a cell show alike.
func escapeTitle(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, " "))
	var b strings.Builder
	for _, r := range strings.Join(strings.Fields(s), " ") {
		if strings.ContainsRune("\\`*_[]<>&#~!|{}", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
