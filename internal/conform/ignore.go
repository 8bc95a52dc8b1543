package conform

import "strings"

// why says why a file is not looked at, "" where it is.
func (r *Rules) why(f FileDiff, a Attributes) string {
	path := f.Path()
	switch {
	case f.Mode == "160000":
		return "submodule"
	case a.Generated:
		return "generated"
	case a.Vendored:
		return "vendored"
	case a.Documentation:
		return "documentation"
	}
	head := ""
	for _, e := range r.ignored {
		if e.why == "generated" && a.NotGenerated || e.why == "vendored" && a.NotVendored || e.why == "documentation" && a.NotDocumentation {
			continue
		}
		if e.paths().MatchString(path) {
			return e.why
		}
		if e.head != nil {
			if head == "" {
				head = firstLines(f)
			}
			if e.head().MatchString(head) {
				return e.why
			}
		}
	}
	if f.Binary && r.language(path) == nil && len(r.pathRules(f.Old))+len(r.pathRules(f.New)) == 0 {
		return "binary"
	}
	return ""
}

// headLines is how far down a file says that it is generated.
const headLines = 12

// firstLines are the first lines of the file, as far as the diff shows them.
func firstLines(f FileDiff) string {
	var b strings.Builder
	for _, hunk := range f.Hunks {
		for _, l := range hunk {
			if l.Old <= headLines && l.New <= headLines {
				b.WriteString(l.Text + "\n")
			}
		}
	}
	return b.String()
}
