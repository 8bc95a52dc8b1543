package workspace

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"git-okstra/gitops"
)

// attributes is what a tree's .gitattributes files say of the way from a blob to a file
// (gitattributes(5)): which paths git may write with other bytes. It errs on the side of
// more paths: a later line that takes an attribute back is not looked at.
type attributes struct {
	any  bool // of every path
	text bool // some paths are text: a file of those that has a CR may count as changed
	some []converted
}

// converted names paths, by the fixed parts of a pattern, that an attribute converts.
type converted struct {
	dir            string // of the .gitattributes file, with a slash at its end
	prefix, suffix string
	base           bool   // they are of the last part of a path, not of all below dir
	filter         string // the filter's name; "" for what git does itself
}

// matches reports whether the pattern may match a path.
func (c *converted) matches(name string) bool {
	rest, below := strings.CutPrefix(name, c.dir)
	if !below {
		return false
	}
	if c.base {
		rest = rest[strings.LastIndexByte(rest, '/')+1:]
	}
	return strings.HasPrefix(rest, c.prefix) && strings.HasSuffix(rest, c.suffix)
}

// readAttributes reads all the .gitattributes files of a tree.
func readAttributes(ctx context.Context, repo *gitops.Repo, entries []gitops.TreeEntry) (attributes, error) {
	const name = ".gitattributes"
	var out attributes
	for _, e := range entries {
		dir, is := strings.CutSuffix(e.Name, name)
		if !is || dir != "" && !strings.HasSuffix(dir, "/") || e.Mode == gitops.ModeGitlink {
			continue
		}
		_, data, err := repo.ReadObject(ctx, e.Hash)
		if err != nil {
			return out, fmt.Errorf("read %q: %w", e.Name, err)
		}
		for line := range bytes.Lines(bytes.TrimPrefix(data, []byte("\ufeff"))) {
			out.add(dir, string(line))
		}
	}
	return out, nil
}

// add takes one line of the .gitattributes file in dir.
func (a *attributes) add(dir, line string) {
	fields := strings.FieldsFunc(line, attributeBlank)
	if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
		return
	}
	if strings.HasPrefix(fields[0], `"`) {
		// Where a quoted pattern ends is not looked for.
		a.text = true
		a.any = a.any || strings.Contains(line, "eol") || strings.Contains(line, "filter") ||
			strings.Contains(line, "ident") || strings.Contains(line, "encoding")
		return
	}
	for _, attr := range fields[1:] {
		name, value, _ := strings.Cut(attr, "=")
		switch name {
		case "text", "crlf":
			a.text = a.text || value != "auto"
		case "eol":
			a.text = true
			if value != "lf" {
				a.convert(dir, fields[0], "")
			}
		case "filter":
			if value == "" { // set without a value: no filter has that name
				continue
			}
			a.convert(dir, fields[0], value)
		case "ident", "working-tree-encoding":
			a.convert(dir, fields[0], "")
		}
	}
}

// wild are the characters with a meaning in a pattern (gitignore(5)).
const wild = `*?[\`

// convert notes a pattern whose paths an attribute converts. What is not of a simple form
// counts as every path.
func (a *attributes) convert(dir, pattern, filter string) {
	first, last := strings.IndexAny(pattern, wild), strings.LastIndexAny(pattern, `*?]\`)
	if strings.HasPrefix(pattern, "[attr]") || strings.HasPrefix(pattern, "!") || strings.Contains(pattern, `\`) ||
		first > last || strings.Contains(pattern, "[:") {
		a.any = true
		return
	}
	c := converted{dir: dir, filter: filter, base: !strings.Contains(pattern, "/")}
	if first < 0 {
		c.prefix = strings.TrimPrefix(pattern, "/")
		c.suffix = c.prefix
	} else {
		c.prefix = strings.TrimPrefix(pattern[:first], "/")
		// "**/x" is x at the top as well, and "x/**/y" is x/y.
		c.suffix = strings.TrimPrefix(pattern[last+1:], "/")
	}
	a.some = append(a.some, c)
}

// under reports which paths are converted where those filters are set up, and whether one
// of them is among what converts. An attribute with the name of any other filter means
// nothing.
func (a *attributes) under(drivers []string) (some []converted, filtered bool) {
	for _, c := range a.some {
		set := slices.Contains(drivers, c.filter)
		if c.filter == "" || set {
			some = append(some, c)
		}
		filtered = filtered || set
	}
	return some, filtered
}

// attributeBlank is what separates the words of a .gitattributes line.
func attributeBlank(r rune) bool { return strings.ContainsRune(" \t\r\n", r) }
