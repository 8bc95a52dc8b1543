package house

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// source is one parsed Go file of the module.
type source struct {
	path      string // slash-separated, relative to the module's root
	text      []byte
	fset      *token.FileSet
	file      *ast.File
	generated bool
}

// room is the package's folder, relative to the module's root.
func (s source) room() string { return path.Dir(s.path) }

// test reports whether the go tool compiles the file for tests only.
func (s source) test() bool { return strings.HasSuffix(s.path, "_test.go") }

// lines counts the lines that are not blank.
func (s source) lines() int {
	n := 0
	for line := range bytes.Lines(s.text) {
		if len(bytes.TrimSpace(line)) > 0 {
			n++
		}
	}
	return n
}

// at names a place as a compiler does.
func (s source) at(pos token.Pos) string {
	return fmt.Sprintf("%s:%d", s.path, s.fset.Position(pos).Line)
}

// imports is the file's imports, by path; the value is the name it has in the file.
func (s source) imports() map[string]string {
	all := make(map[string]string, len(s.file.Imports))
	for _, spec := range s.file.Imports {
		from := strings.Trim(spec.Path.Value, "`\"")
		name := path.Base(from)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		all[from] = name
	}
	return all
}

// house is the whole module.
type house struct {
	root   string // absolute folder of go.mod
	module string // the module's path
	files  []source
}

// open finds the module that holds this package and parses all of it, whatever the
// build constraints say.
func open(t *testing.T) house {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatalf("find the module: %v", err)
	}
	h := house{root: root, module: field(string(mod), "module")}
	if h.module == "" {
		t.Fatal("go.mod has no module line")
	}
	h.files = parseTree(t, root)
	if len(h.files) == 0 {
		t.Fatal("no Go file found")
	}
	return h
}

// field is the value of a one-word go.mod directive, or "".
func field(mod, name string) string {
	for line := range strings.Lines(mod) {
		if words := strings.Fields(line); len(words) == 2 && words[0] == name {
			return words[1]
		}
	}
	return ""
}

// parseTree parses the Go files under root that the go tool would look at.
func parseTree(t *testing.T, root string) []source {
	t.Helper()
	var files []source
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != root && foreign(name):
			return fs.SkipDir
		case entry.IsDir() || filepath.Ext(name) != ".go" || strings.ContainsAny(entry.Name()[:1], "._"):
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		files = append(files, parse(t, filepath.ToSlash(rel), string(text)))
		return nil
	})
	if err != nil {
		t.Fatalf("parse the module: %v", err)
	}
	return files
}

// foreign reports whether a folder is no part of the module.
func foreign(dir string) bool {
	base := filepath.Base(dir)
	if base == "testdata" || base == "vendor" || strings.ContainsAny(base[:1], "._") {
		return true
	}
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

func parse(t *testing.T, name, text string) source {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return source{path: name, text: []byte(text), fset: fset, file: file, generated: ast.IsGenerated(file)}
}

// report fails the test once for each problem.
func report(t *testing.T, problems []string) {
	t.Helper()
	slices.Sort(problems)
	for _, problem := range slices.Compact(problems) {
		t.Error(problem)
	}
}

// expect compares a check's findings in a sample with the wanted ones: each wanted
// text is part of one finding, in order, and there is no other.
func expect(t *testing.T, got, want []string) {
	t.Helper()
	slices.Sort(got)
	ok := len(got) == len(want)
	for i := 0; ok && i < len(got); i++ {
		ok = strings.Contains(got[i], want[i])
	}
	if !ok {
		t.Errorf("findings:\n\t%s\nwant:\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}
