package taskfolder

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strings"

	"git-okstra/plan"
)

// Report is an approved report: the plan.
type Report struct {
	Path   string // below the folder, slashes
	Source []byte
}

// readReport finds the newest approved report: of the Markdown files at the top and
// below runs/ whose front matter says approved: true, the last one by name, where
// numbers in names count as numbers.
func (f *Folder) readReport(names []string) error {
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !isReport(name) })
	slices.SortFunc(names, func(a, b string) int { return natural(b, a) })
	for _, name := range names {
		src, err := f.content(name, plan.MaxSize)
		if err != nil {
			return err
		}
		if src != nil && approved(src) {
			f.Report = &Report{name, src}
			return nil
		}
	}
	return nil
}

func isReport(name string) bool {
	return path.Ext(name) == ".md" && (!strings.Contains(name, "/") || strings.HasPrefix(name, "runs/"))
}

// approved looks at the front matter; the body is not read where the beginning cannot
// say it.
func approved(src []byte) bool {
	const front = 33 << 10
	head := src[:min(len(src), front)]
	if !bytes.Contains(head, []byte("approved")) {
		return false
	}
	return plan.Parse(src).FrontMatter.Approved
}

// natural compares names, runs of digits in them by their value.
func natural(a, b string) int {
	for a != "" && b != "" {
		x, y := digits(a), digits(b)
		if x != "" && y != "" {
			v, w := strings.TrimLeft(x, "0"), strings.TrimLeft(y, "0")
			if c := cmp.Or(cmp.Compare(len(v), len(w)), strings.Compare(v, w)); c != 0 {
				return c
			}
			a, b = a[len(x):], b[len(y):]
			continue
		}
		if a[0] != b[0] {
			return cmp.Compare(a[0], b[0])
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Compare(len(a), len(b))
}

func digits(s string) string {
	return s[:len(s)-len(strings.TrimLeft(s, "0123456789"))]
}
