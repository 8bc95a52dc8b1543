package hooks

import (
	"bytes"
	"encoding/binary"
	"path"
	"regexp"
	"strings"
	"sync"
	"unicode/utf16"

	"git-okstra/gitops"
	"git-okstra/plan"
)

// PlanGlobs are the patterns of okstra.planPath. A pattern counts from the repository's
// top; * and ? stay in one folder, ** is any number of them, and a pattern without a
// slash fits in every folder.
type PlanGlobs []string

// Match reports whether one of them fits.
func (g PlanGlobs) Match(name string) bool {
	for _, pattern := range g {
		if !strings.Contains(pattern, "/") {
			pattern = "**/" + pattern
		}
		if matchParts(strings.Split(strings.TrimPrefix(pattern, "/"), "/"), strings.Split(name, "/")) {
			return true
		}
	}
	return false
}

// Check gives the first pattern that cannot be read.
func (g PlanGlobs) Check() error {
	for _, pattern := range g {
		if _, err := path.Match(pattern, ""); err != nil {
			return refused("write it as docs/hooks.md shows", "okstra.planPath: bad pattern %q", pattern)
		}
	}
	return nil
}

func matchParts(pattern, name []string) bool {
	for len(pattern) > 0 {
		if pattern[0] == "**" {
			for len(pattern) > 1 && pattern[1] == "**" { // as good as one
				pattern = pattern[1:]
			}
			for i := range len(name) + 1 {
				if matchParts(pattern[1:], name[i:]) {
					return true
				}
			}
			return false
		}
		if len(name) == 0 {
			return false
		}
		if ok, err := path.Match(pattern[0], name[0]); !ok || err != nil {
			return false
		}
		pattern, name = pattern[1:], name[1:]
	}
	return len(name) == 0
}

// IsMarkdown reports whether a path is called as Markdown is.
func IsMarkdown(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".md", ".markdown", ".mdown", ".mkd":
		return true
	}
	return false
}

// mayBePlan reports whether a file has to be looked into.
func mayBePlan(f gitops.StagedFile, globs PlanGlobs) bool {
	return (f.Mode == gitops.ModeFile || f.Mode == gitops.ModeExec) && globs.Picks([]byte(f.Path))
}

// Picks reports whether a file of that path may be a plan.
func (g PlanGlobs) Picks(name []byte) bool {
	const longest = len(".markdown")
	if last := name[len(name)-1] | ' '; len(g) == 0 && last != 'd' && last != 'n' {
		return false // nearly every file of a large tree
	}
	end := name[max(0, len(name)-longest):] // short enough to be no allocation
	return IsMarkdown(string(end)) || len(g) > 0 && g.Match(string(name))
}

// AnyPlan reports whether one of the files has to be looked into.
func AnyPlan(files []gitops.StagedFile, globs PlanGlobs) bool {
	for _, f := range files {
		if mayBePlan(f, globs) {
			return true
		}
	}
	return false
}

// mapTitle is the text of a Stage Map's heading, with whatever number, or with none.
var mapTitle = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:[0-9]+(?:\.[0-9]+)*\.? +)?Stage Map(?:$|[^\pL\pN_])`)
})

// mapLine is such a heading as one sees it in a line, with nothing of what is around it.
var mapLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^ {0,3}##[ \t]+(?:[0-9]+(?:\.[0-9]+)*\.? +)?Stage Map(?:$|[^\pL\pN_])`)
})

// HasStageMap reports whether a document has a Stage Map's heading of the second level.
// Code, quotes and comments do not count. A document that cannot be read as a plan has
// one all the same if it would have it without what is wrong: one bad byte must not take a plan
// out of the hook's sight.
func HasStageMap(src []byte) bool {
	src = ofUTF16(src)
	if !bytes.Contains(src, []byte("Stage")) { // quick, for most of what is Markdown
		return false
	}
	doc := plan.Parse(src)
	if unreadable(doc) {
		src = bytes.ReplaceAll(bytes.ToValidUTF8(src[:min(len(src), plan.MaxSize)], []byte("?")), []byte{0}, []byte("?"))
		if doc = plan.Parse(src); unreadable(doc) { // more blocks than are read
			return mapLine().Match(src)
		}
	}
	for _, h := range doc.Headings {
		if h.Level == 2 && mapTitle().MatchString(h.Text) {
			return true
		}
	}
	return false
}

func unreadable(d *plan.Document) bool {
	return len(d.Problems) == 1 && d.Problems[0].Code == plan.CodeUnreadable
}

// ofUTF16 is a text as UTF-8 that is in the 16 bits which some shells write, by its
// byte order mark; any other as it is.
func ofUTF16(src []byte) []byte {
	var order binary.ByteOrder = binary.LittleEndian
	switch {
	case bytes.HasPrefix(src, []byte("\xfe\xff")):
		order = binary.BigEndian
	case !bytes.HasPrefix(src, []byte("\xff\xfe")):
		return src
	}
	units := make([]uint16, 0, len(src)/2)
	for src = src[2:min(len(src), plan.MaxSize)]; len(src) > 1; src = src[2:] {
		units = append(units, order.Uint16(src))
	}
	return []byte(string(utf16.Decode(units)))
}
