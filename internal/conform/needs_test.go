package conform

import (
	"regexp"
	"slices"
	"testing"
)

func TestNeeds(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string][]string{
		`\bhttp\.\w+`:                     {"http."},
		`\.(?:Open|OpenFile)\(`:           {".open(", ".openfile("},
		`(?i)\b\w*(?:repo|dao)\.\w+`:      {"repo.", "dao."},
		`^\s*@(?:Get|Post)\b`:             {"@get", "@post"},
		`[aA]b+c`:                         nil,
		`\w+`:                             nil,
		`a|b`:                             nil,
		`(?:ab)+x?`:                       {"ab"},
		`\w*(?:one|)\b`:                   nil,
		`(`:                               nil,
		`[^.\w](?:File|Directory)\.[A-Z]`: {"file.", "directory."},
	} {
		got := needs(pattern)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s needs %q, want %q", pattern, got, want)
		}
	}
}

// TestFilterMisses holds the filter to the patterns themselves: whatever one of ours
// fits among our examples must be marked.
func TestFilterMisses(t *testing.T) {
	t.Parallel()
	var patterns, lines []string
	for _, rule := range Builtin().List {
		for _, p := range rule.parts {
			patterns = append(patterns, p.source)
		}
		lines = append(lines, slices.Concat(rule.Yes, rule.No)...)
	}
	f := newFilter(patterns)
	fits := 0
	for i, p := range patterns {
		re := regexp.MustCompile(p)
		for _, line := range lines {
			if !re.MatchString(line) {
				continue
			}
			fits++
			hits := make([]bool, f.size)
			if f.mark(line, hits); !hits[i] {
				t.Errorf("%q fits %q but is not marked (needs %q)", p, line, needs(p))
			}
		}
	}
	if fits < len(Builtin().List) || len(f.always) > len(patterns)/4 {
		t.Errorf("%d fits; of %d patterns %d are always tried", fits, len(patterns), len(f.always))
	}
}
