package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// source is the code of the module, by folder and by name, from which the schemas of
// outputs are made: what the types of an output say, and their comments.
type source struct {
	types   map[string]map[string]*ast.TypeSpec // folder, name
	comment map[*ast.TypeSpec]string
	imports map[*ast.TypeSpec]map[string]string // name in the file, folder or path
	strings map[string]string                   // okstra.X/v1 literals, and a place of each
}

var (
	outputName = regexp.MustCompile(`\bokstra\.([a-z-]+)/v1\b`)
	// isOutput is how a comment says that its type is an output, or several.
	isOutput    = regexp.MustCompile(`^\w+ is okstra\.([a-z-]+)/v1\b`)
	sentenceEnd = regexp.MustCompile(`[.:](\s|$)`)
)

// closed are the words that some strings have, by output and place.
var closed = map[string][]string{
	"stage-list stages[].state":              {"done", "active", "ready", "blocked"},
	"board stages[].state":                   {"done", "active", "ready", "blocked"},
	"stage-show state":                       {"done", "active", "ready", "blocked"},
	"plan-graph stages[].state":              {"", "done", "active", "ready", "blocked"},
	"plan-check files[].findings[].severity": {"error", "warning"},
	"touches touches[].surface":              {"db", "io", "http", "external"},
}

func readSource(t *testing.T) *source {
	t.Helper()
	s := &source{
		types: map[string]map[string]*ast.TypeSpec{}, comment: map[*ast.TypeSpec]string{},
		imports: map[*ast.TypeSpec]map[string]string{}, strings: map[string]string{},
	}
	const root = "../.."
	for _, glob := range []string{"*", "*/*", "*/*/*"} {
		files, err := filepath.Glob(filepath.Join(root, glob, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			folder, err := filepath.Rel(root, filepath.Dir(name))
			if err != nil {
				t.Fatal(err)
			}
			s.read(filepath.ToSlash(folder), name, file)
		}
	}
	return s
}

// read takes in one file.
func (s *source) read(folder, name string, file *ast.File) {
	if s.types[folder] == nil {
		s.types[folder] = map[string]*ast.TypeSpec{}
	}
	imports := map[string]string{"": folder}
	for _, spec := range file.Imports {
		from := strings.TrimPrefix(strings.Trim(spec.Path.Value, `"`), "git-okstra/")
		as := path.Base(from)
		if spec.Name != nil {
			as = spec.Name.Name
		}
		imports[as] = from
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GenDecl:
			for _, spec := range n.Specs {
				if spec, ok := spec.(*ast.TypeSpec); ok {
					s.types[folder][spec.Name.Name] = spec
					s.imports[spec] = imports
					s.comment[spec] = firstNonEmpty(spec.Doc.Text(), n.Doc.Text())
				}
			}
		case *ast.BasicLit:
			if m := regexp.MustCompile(`^"okstra\.([a-z-]+)/v1"$`).FindStringSubmatch(n.Value); m != nil {
				s.strings[m[1]] = name
			}
		}
		return true
	})
}

// outputs are the types whose comment says that they are an output.
func (s *source) outputs() map[string]*ast.TypeSpec {
	out := map[string]*ast.TypeSpec{}
	for _, types := range s.types {
		for _, spec := range types {
			if !isOutput.MatchString(s.comment[spec]) {
				continue
			}
			sentence := sentenceEnd.Split(s.comment[spec], 2)[0]
			for _, m := range outputName.FindAllStringSubmatch(sentence, -1) {
				out[m[1]] = spec
			}
		}
	}
	return out
}

// named are the outputs that string constants name, each with a file that does.
func (s *source) named() map[string]string { return s.strings }

// object is a JSON object whose keys keep their order.
type object []member

type member struct {
	key   string
	value any
}

// MarshalJSON writes the members in their order.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		value := &bytes.Buffer{}
		enc := json.NewEncoder(value)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(m.value); err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%q:%s", m.key, bytes.TrimSpace(value.Bytes()))
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// schema is the JSON Schema of an output.
func (s *source) schema(name string, spec *ast.TypeSpec) []byte {
	about := outputName.ReplaceAllString(strings.Join(strings.Fields(s.comment[spec]), " "), "okstra.$1/v1")
	head := object{
		{"$schema", "https://json-schema.org/draft/2020-12/schema"},
		{"title", "okstra." + name + "/v1"},
		{"$comment", "is printed by git okstra; keys are only ever added"},
	}
	_, told, ok := strings.Cut(about, "/v1: ")
	if ok {
		head = append(head, member{"description", told})
	}
	body := s.of(spec.Type, s.imports[spec], name, "")
	for i, m := range body {
		if m.key == "properties" {
			properties := m.value.(object)
			for j := range properties {
				if properties[j].key == "schema" {
					properties[j].value = object{{"const", "okstra." + name + "/v1"}}
				}
			}
			body[i].value = properties
		}
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(append(head, body...)); err != nil {
		panic(err)
	}
	return out.Bytes()
}

// of is the schema of a type as it is written at a place of an output.
func (s *source) of(e ast.Expr, imports map[string]string, output, place string) object {
	switch e := e.(type) {
	case *ast.StructType:
		return s.ofStruct(e, imports, output, place)
	case *ast.StarExpr:
		inner := s.of(e.X, imports, output, place)
		return object{{"anyOf", []object{inner, {{"type", "null"}}}}}
	case *ast.ArrayType:
		return object{{"type", "array"}, {"items", s.of(e.Elt, imports, output, place+"[]")}}
	case *ast.MapType:
		return object{{"type", "object"}, {"additionalProperties", s.of(e.Value, imports, output, place+".*")}}
	case *ast.SelectorExpr:
		pkg := imports[e.X.(*ast.Ident).Name]
		if spec := s.types[pkg][e.Sel.Name]; spec != nil {
			return s.of(spec.Type, s.imports[spec], output, place)
		}
		return foreign[path.Base(pkg)+"."+e.Sel.Name]
	case *ast.Ident:
		if spec := s.types[imports[""]][e.Name]; spec != nil {
			return s.of(spec.Type, s.imports[spec], output, place)
		}
		if words := closed[output+" "+place]; words != nil {
			return object{{"enum", words}}
		}
		return basic(e.Name)
	}
	return object{}
}

// foreign are the types of other modules that outputs have; json.RawMessage is anything.
var foreign = map[string]object{"json.RawMessage": {}, "time.Time": {{"type", "string"}}, "time.Duration": {{"type", "integer"}}}

func basic(name string) object {
	switch name {
	case "string":
		return object{{"type", "string"}}
	case "bool":
		return object{{"type", "boolean"}}
	case "any":
		return object{}
	case "float64":
		return object{{"type", "number"}}
	}
	return object{{"type", "integer"}}
}

// ofStruct lists the keys, those of embedded types among them; all that are not left out
// where empty are required.
func (s *source) ofStruct(e *ast.StructType, imports map[string]string, output, place string) object {
	var properties object
	required := []string{}
	for _, field := range e.Fields.List {
		tag := ""
		if field.Tag != nil {
			text, _ := strconv.Unquote(field.Tag.Value)
			tag = reflect.StructTag(text).Get("json")
		}
		key, options, _ := strings.Cut(tag, ",")
		if len(field.Names) == 0 && key == "" {
			inner := s.of(field.Type, imports, output, place)
			for _, m := range inner {
				switch m.key {
				case "properties":
					properties = append(properties, m.value.(object)...)
				case "required":
					required = append(required, m.value.([]string)...)
				}
			}
			continue
		}
		if key == "-" || key == "" {
			continue
		}
		at := strings.TrimPrefix(place+"."+key, ".")
		optional := strings.Contains(options, "omitempty")
		kind := field.Type
		if star, ok := kind.(*ast.StarExpr); ok && optional {
			kind = star.X
		}
		value := s.of(kind, imports, output, at)
		if told := firstNonEmpty(field.Comment.Text(), field.Doc.Text()); told != "" {
			value = append(slices.Clone(value), member{"description", strings.Join(strings.Fields(told), " ")})
		}
		properties = append(properties, member{key, value})
		if !optional {
			required = append(required, key)
		}
	}
	return object{{"type", "object"}, {"properties", properties}, {"required", required}}
}
