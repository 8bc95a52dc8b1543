package conform

import (
	"bytes"
	"fmt"
	"go/format"
	"os"
	"reflect"
	"slices"
	"testing"
)

// written is a value of the form as Go source. Places stay out: they are for errors, and
// ours has none.
func written(b *bytes.Buffer, v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		b.WriteString("{")
		for i := range v.NumField() {
			if f := v.Field(i); !f.IsZero() && f.Kind() != reflect.Int {
				fmt.Fprintf(b, "%s: ", v.Type().Field(i).Name)
				if f.Kind() != reflect.String {
					b.WriteString(typeName(f.Type()))
				}
				written(b, f)
				b.WriteString(", ")
			}
		}
		b.WriteString("}")
	case reflect.Slice:
		b.WriteString("{")
		for i := range v.Len() {
			if v.Index(i).Field(0).Kind() == reflect.Struct { // a rule, a language: its own lines
				b.WriteString("\n")
			}
			written(b, v.Index(i))
			b.WriteString(", ")
		}
		b.WriteString("}")
	default:
		fmt.Fprintf(b, "%q", v.String())
	}
}

func typeName(t reflect.Type) string {
	if t.Kind() == reflect.Slice {
		return "[]" + t.Elem().Name()
	}
	return t.Name()
}

// filtered are all patterns of the form that are held against lines and paths through a
// filter.
func filtered(form fileForm) []string {
	var out []string
	for _, i := range form.Ignore {
		out = append(out, globSources(values(i.Paths))...)
	}
	for _, l := range form.Languages {
		out = slices.Concat(out, values(l.Imports), globSources(values(l.Files)))
	}
	for _, r := range form.Rules {
		out = slices.Concat(out, values(r.Any), globSources(values(r.Paths)))
		if r.Pattern.value != "" {
			out = append(out, r.Pattern.value)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// TestNeedsGenerated: what one of our patterns needs is never worked out again.
func TestNeedsGenerated(t *testing.T) {
	t.Parallel()
	seen := 0
	for _, rule := range Builtin().List {
		for _, p := range rule.parts {
			seen++
			if i := slices.IndexFunc(builtinNeeds, func(n patternNeeds) bool { return n.pattern == p.source }); i < 0 {
				t.Errorf("nothing is written of %q", p.source)
			} else if got := builtinNeeds[i].texts; !slices.Equal(got, needsOf(p.source)) || !slices.Equal(got, needs(p.source)) {
				t.Errorf("%q needs %q", p.source, needsOf(p.source))
			}
		}
	}
	if seen < len(Builtin().List)/2 {
		t.Errorf("%d patterns", seen)
	}
}

// TestSurfacesGenerated: the program has surfaces.yaml as Go values, for reading it took
// longer than judging. go generate, or this test with -update, writes them anew.
func TestSurfacesGenerated(t *testing.T) {
	t.Parallel()
	yaml, err := os.ReadFile("surfaces.yaml")
	if err != nil {
		t.Fatal(err)
	}
	checked := &Rules{}
	if err := checked.add("surfaces.yaml", yaml, true); err != nil {
		t.Fatal(err)
	}
	form, err := decodeRules(yaml)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	b.WriteString("// Code generated from surfaces.yaml by go generate. DO NOT EDIT.\n\npackage conform\n\nvar builtinForm = fileForm")
	written(&b, reflect.ValueOf(form))
	b.WriteString("\n\nvar builtinNeeds = []patternNeeds{\n")
	for _, p := range filtered(form) {
		fmt.Fprintf(&b, "{pattern: %q", p)
		if texts := needsOf(p); texts != nil {
			fmt.Fprintf(&b, ", texts: %#v", texts)
		}
		b.WriteString("},\n")
	}
	b.WriteString("}\n")
	want, err := format.Source(b.Bytes())
	if err != nil {
		t.Fatalf("%v\n%s", err, b.Bytes())
	}
	const file = "surfacesgen.go"
	if *update {
		if err := os.WriteFile(file, want, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what surfaces.yaml says: run go test ./internal/conform -run TestSurfacesGenerated -update", file)
	}
}
