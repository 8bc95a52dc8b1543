package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"git-okstra/docs/schemas"
)

// TestSchemas holds docs/schemas to the types that are printed. A schema that the code
// names needs a type whose comment names it: // listJSON is okstra.list/v1.
func TestSchemas(t *testing.T) {
	src := readSource(t)
	var made []string
	for name, spec := range src.outputs() {
		made = append(made, name)
		got := src.schema(name, spec)
		file := "../../docs/schemas/" + name + ".schema.json"
		if *update {
			if err := os.WriteFile(file, got, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil || !bytes.Equal(want, got) {
			t.Errorf("%s is not what the code prints (%v): go test ./cmd/git-okstra -run TestSchemas -update", file, err)
		}
	}
	if len(made) < 35 {
		t.Errorf("only %d outputs: %q", len(made), made)
	}
	for name, at := range src.named() {
		if !slices.Contains(made, name) {
			t.Errorf("%s names okstra.%s/v1, and no type's comment does", at, name)
		}
	}
	files, err := filepath.Glob("../../docs/schemas/*.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var named []string
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".schema.json")
		named = append(named, name)
		if text, err := os.ReadFile(file); err != nil || strings.Contains(string(text), "is printed by git okstra") && !slices.Contains(made, name) {
			t.Errorf("%s: nothing prints it (%v)", file, err)
		}
	}
	if got := schemas.Names(); !slices.Equal(got, named) && !*update {
		t.Errorf("embedded: %q, there are %q", got, named)
	}
}

// strict is the schema of an output that allows no key but those it knows.
var strict = func() func(name string) (*jsonschema.Resolved, error) {
	var mu sync.Mutex
	known := map[string]*jsonschema.Resolved{}
	return func(name string) (*jsonschema.Resolved, error) {
		mu.Lock()
		defer mu.Unlock()
		if s := known[name]; s != nil {
			return s, nil
		}
		text, ok := schemas.Get(name)
		if !ok {
			return nil, fmt.Errorf("no schema for %q", name)
		}
		text = regexp.MustCompile(`("properties": \{)`).ReplaceAll(text, []byte(`"additionalProperties": false, $1`))
		var s jsonschema.Schema
		if err := json.Unmarshal(text, &s); err != nil {
			return nil, err
		}
		r, err := s.Resolve(nil)
		known[name] = r
		return r, err
	}
}()

// validOutput holds all that a command printed with --json against the schemas that the
// values name.
func validOutput(out []byte) error {
	dec := json.NewDecoder(bytes.NewReader(out))
	for {
		var v map[string]any
		if err := dec.Decode(&v); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("not JSON: %w: %.200q", err, out)
		}
		name, _ := v["schema"].(string)
		if !strings.HasPrefix(name, "okstra.") {
			return fmt.Errorf("no schema of ours: %.200q", out)
		}
		s, err := strict(name)
		if err == nil {
			err = s.Validate(v)
		}
		if err != nil {
			return fmt.Errorf("%s: %w: %.500s", name, err, out)
		}
	}
}

// watchJSON is run for a command of a script: what it prints with --json has to be as
// its schema says, else it ends with a code that no command has.
func watchJSON(args []string, std streams) int {
	own, _ := cutCommand(args)
	text := func(word string) bool {
		return slices.Contains([]string{"-h", "schema", "complete", "completion"}, word)
	}
	if !slices.Contains(own, "--json") || slices.ContainsFunc(own, text) {
		return run(args, std)
	}
	var seen bytes.Buffer
	std.out = io.MultiWriter(std.out, &seen)
	code := run(args, std)
	if err := validOutput(seen.Bytes()); err != nil {
		_, _ = fmt.Fprintf(os.Stderr, "git okstra %q: %v\n", args, err)
		const broken = 97
		return broken
	}
	return code
}

// TestValidOutput: the check that every script goes through finds what is wrong.
func TestValidOutput(t *testing.T) {
	good := `{"schema":"okstra.version/v1","version":"1","go":"2"}`
	for _, c := range []struct {
		out string
		ok  bool
	}{
		{good, true},
		{good + "\n" + good + "\n", true},
		{"", true},
		{"hello " + good, false},
		{good[:20], false},
		{`[1]`, false},
		{`{"schema":"okstra.nix/v1"}`, false},
		{`{"version":"1"}`, false},
		{`{"schema":"okstra.version/v1","version":1,"go":"2"}`, false},
		{`{"schema":"okstra.version/v1","version":"1"}`, false},
		{`{"schema":"okstra.version/v1","version":"1","go":"2","more":1}`, false},
	} {
		if err := validOutput([]byte(c.out)); (err == nil) != c.ok {
			t.Errorf("%q: %v", c.out, err)
		}
	}
}

// TestSchemaCommand prints them, and says what there is where there is none.
func TestSchemaCommand(t *testing.T) {
	ask := func(words ...string) (int, string, string) {
		var out, said bytes.Buffer
		code := run(words, streams{in: strings.NewReader(""), out: &out, err: &said})
		return code, out.String(), said.String()
	}
	code, list, said := ask("schema")
	if code != 0 || said != "" || strings.Count(list, "\n") != len(schemas.Names()) {
		t.Fatalf("%d %q %q", code, list, said)
	}
	for _, name := range strings.Fields(list) {
		code, text, said := ask("schema", name)
		var s jsonschema.Schema
		if err := json.Unmarshal([]byte(text), &s); code != 0 || said != "" || err != nil {
			t.Errorf("%s: %d %q %v", name, code, said, err)
			continue
		}
		if _, err := s.Resolve(nil); err != nil || s.Schema != "https://json-schema.org/draft/2020-12/schema" {
			t.Errorf("%s: %v, %q", name, err, s.Schema)
		}
	}
	_, short, _ := ask("schema", "stage-list")
	if code, long, _ := ask("schema", "okstra.stage-list/v1"); code != 0 || long != short {
		t.Errorf("the whole name: %d %q", code, long)
	}
	for _, name := range []string{"nix", "../schemas", ""} {
		if code, out, said := ask("schema", name+"x"); code != exitUsage || out != "" || !strings.Contains(said, "hint: see: git okstra schema") {
			t.Errorf("%q: %d %q %q", name, code, out, said)
		}
	}
	if code, out, _ := ask("schema", "--json"); code != 0 || validOutput([]byte(out)) != nil {
		t.Errorf("%d %v", code, validOutput([]byte(out)))
	}
	if code, out, _ := ask("schema", "nix", "--json"); code != exitUsage || validOutput([]byte(out)) != nil {
		t.Errorf("%d %q", code, out)
	}
}
