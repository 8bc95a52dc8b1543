package conform

import (
	"bytes"
	"fmt"
	"go/format"
	"os"
	"reflect"
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
	b.WriteString("\n")
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
