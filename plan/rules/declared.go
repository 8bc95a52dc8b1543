package rules

import (
	"path"
	"slices"
	"strings"

	"git-okstra/plan"
)

// Declaration is what a stage's section says about conformance. The zero value is
// nothing: a plan of a ruleset that asks for no declaration.
type Declaration struct {
	Tests, Exempt bool
	Reason        string   // of an exemption
	Script        string   // of tests: below qa/scripts/, whatever task root it was named with
	Requires      []string // of tests, as listed
}

// Declared reads the declaration of an approved plan's stage. A section that does not
// have exactly one sound declaration, which S11 refuses where it is in force, declares
// nothing.
func Declared(st plan.Stage) Declaration {
	doc := plan.Parse([]byte(st.Section))
	var found []plan.Token
	for _, t := range doc.Tokens {
		if t.Key == plan.ConformanceTests || t.Key == plan.ConformanceExemption {
			found = append(found, t)
		}
	}
	if len(found) != 1 || found[0].Empty() {
		return Declaration{}
	}
	if found[0].Key == plan.ConformanceExemption {
		return Declaration{Exempt: true, Reason: found[0].Value}
	}
	d := parseDeclaration(found[0].Value)
	script := d.script
	if _, below, ok := strings.Cut(script, "/qa/scripts/"); ok {
		script = "qa/scripts/" + below
	}
	if d.stage != st.Number || d.broken || !strings.HasPrefix(script, "qa/scripts/") {
		return Declaration{}
	}
	return Declaration{Tests: true, Script: script, Requires: d.requires}
}

// NamedFiles lists the files that a stage's Exit Contract and step table name, cleaned
// and sorted: what looks like a file, and each word of the column "files".
func NamedFiles(st plan.Stage) []string {
	out := slices.Clone(st.Files)
	c := &checker{doc: plan.Parse([]byte(st.Section))}
	for i, h := range c.doc.Headings {
		if h.Level != 3 || !titled(h.Text, partSteps) {
			continue
		}
		span := c.doc.Section(i)
		for _, f := range c.doc.Files(span) {
			if !f.Outside {
				out = append(out, f.Path)
			}
		}
		t, ok := c.firstTable(span)
		if column := c.column(t, "files"); ok && column >= 0 {
			for _, r := range t.Rows {
				out = append(out, listedFiles(c.text(r, column))...)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// listedFiles are the words of a cell that can be paths of the repository.
func listedFiles(cell string) []string {
	var out []string
	for _, word := range strings.FieldsFunc(cell, func(r rune) bool { return strings.ContainsRune(",; \t、，；", r) }) {
		word, _, _ = strings.Cut(strings.Trim(word, "`*_()\"'"), ":")
		f := path.Clean(word)
		if strings.Trim(word, "-–—:.…") == "" || f == ".." || strings.HasPrefix(f, "../") || strings.HasPrefix(f, "/") {
			continue
		}
		out = append(out, f)
	}
	return out
}
