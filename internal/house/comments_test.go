package house

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// plainMethods mean what the interface that they are for says; they need no comment.
var plainMethods = []string{"Error", "String", "Unwrap", "Len", "Less", "Swap", "Read", "Write", "Close"}

func TestComments(t *testing.T) {
	t.Parallel()
	h := open(t)
	problems := packageComments(h.files)
	for _, s := range h.files {
		problems = append(problems, undocumented(s)...)
	}
	report(t, problems)
}

// packageComments finds packages without a package comment, and with two.
func packageComments(files []source) []string {
	comments := map[string]int{}
	for _, s := range files {
		if s.test() {
			continue
		}
		if doc := s.file.Doc.Text(); doc == "" {
			comments[s.room()] += 0
		} else {
			comments[s.room()]++
		}
	}
	var problems []string
	for room, n := range comments {
		if n != 1 {
			problems = append(problems, fmt.Sprintf("%s: %d package comments, want 1", room, n))
		}
	}
	return problems
}

// undocumented finds exported names of a file without a doc comment. A comment on a
// group of constants, variables or types is enough for all of it.
func undocumented(s source) []string {
	if s.test() || s.generated {
		return nil
	}
	var problems []string
	check := func(name *ast.Ident, docs ...*ast.CommentGroup) {
		said := slices.ContainsFunc(docs, func(doc *ast.CommentGroup) bool { return strings.TrimSpace(doc.Text()) != "" })
		if name.IsExported() && !said {
			problems = append(problems, fmt.Sprintf("%s: exported %s has no comment", s.at(name.Pos()), name.Name))
		}
	}
	for _, decl := range s.file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Recv == nil || (ownerExported(decl.Recv) && !slices.Contains(plainMethods, decl.Name.Name)) {
				check(decl.Name, decl.Doc)
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					check(spec.Name, decl.Doc, spec.Doc, spec.Comment)
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						check(name, decl.Doc, spec.Doc, spec.Comment)
					}
				}
			}
		}
	}
	return problems
}

// ownerExported reports whether a method's type is exported.
func ownerExported(recv *ast.FieldList) bool {
	exported := false
	ast.Inspect(recv.List[0].Type, func(n ast.Node) bool {
		name, ok := n.(*ast.Ident)
		exported = exported || ok && name.IsExported()
		return !ok
	})
	return exported
}

func TestUndocumentedFindings(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"// F does.\nfunc F() {}":                   nil,
		"func F() {}":                               {"plan/a.go:2: exported F"},
		"func f() {}":                               nil,
		"func (t *T) M() {}":                        {"exported M"},
		"func (t *T[V]) M() {}":                     {"exported M"},
		"func (t *t) M() {}":                        nil,
		"func (t T) Error() string { return \"\" }": nil,
		"type T int":                                {"exported T"},
		"// T is.\ntype T int":                      nil,
		"const (\n\tA = 1\n\tB = 2 // B is.\n)":     {"exported A"},
		"// All.\nconst (\n\tA = 1\n\tB = 2\n)":     nil,
		"var A, b = 1, 2":                           {"exported A"},
		"//go:generate x\nfunc F() {}":              {"exported F"},
		"type (\n\t// T is.\n\tT int\n\tU int\n)":   {"exported U"},
	} {
		expect(t, undocumented(parse(t, "plan/a.go", "package plan\n"+text+"\n")), want)
	}
	if got := undocumented(parse(t, "plan/a_test.go", "package plan\nfunc F() {}\n")); got != nil {
		t.Errorf("test file: %q", got)
	}
}

func TestPackageCommentsFindings(t *testing.T) {
	t.Parallel()
	expect(t, packageComments([]source{
		parse(t, "a/a.go", "// Package a is.\npackage a\n"),
		parse(t, "a/b.go", "package a\n"),
		parse(t, "b/a.go", "package b\n"),
		parse(t, "c/a.go", "// Package c is.\npackage c\n"),
		parse(t, "c/b.go", "// Package c is too.\npackage c\n"),
		parse(t, "d/a_test.go", "package d\n"),
	}), []string{"b: 0 package comments", "c: 2 package comments"})
}
