package hooks

import (
	"bytes"
	"path"
	"regexp"
	"strings"
	"sync"

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

// HasStageMap reports whether a document has a Stage Map's heading of the second level.
// Code, quotes and comments do not count.
func HasStageMap(src []byte) bool {
	if !bytes.Contains(src, []byte("Stage")) { // quick, for most of what is Markdown
		return false
	}
	for _, h := range plan.Parse(src).Headings {
		if h.Level == 2 && mapTitle().MatchString(h.Text) {
			return true
		}
	}
	return false
}
