package manifest

import (
	_ "embed" // the schema
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"git-okstra/plan"
)

//go:embed schema.json
var schemaText []byte

// Schema is the published JSON Schema of a manifest.
func Schema() []byte { return slices.Clone(schemaText) }

// compiled is the schema ready for use: all of it, and the parts of an entry, by which a
// mistake gets its place.
type compiled struct {
	whole, entry *jsonschema.Resolved
	properties   map[string]*jsonschema.Resolved
}

// load compiles the schema when the first manifest is read.
var load = sync.OnceValues(func() (*compiled, error) {
	resolve := func(s *jsonschema.Schema) (*jsonschema.Resolved, error) {
		return s.Resolve(&jsonschema.ResolveOptions{})
	}
	parse := func(pick func(*jsonschema.Schema) *jsonschema.Schema) (*jsonschema.Resolved, error) {
		var s jsonschema.Schema // a schema belongs to one resolution: each gets its own
		if err := json.Unmarshal(schemaText, &s); err != nil {
			return nil, fmt.Errorf("schema of the manifest: %w", err)
		}
		part := pick(&s)
		if part != &s {
			part.Defs = s.Defs
			if s.Defs["entry"] == part {
				part.Defs = map[string]*jsonschema.Schema{"waiver": s.Defs["waiver"]}
			}
			delete(part.Defs, "entry")
		}
		return resolve(part)
	}
	out := &compiled{properties: map[string]*jsonschema.Resolved{}}
	var err error
	if out.whole, err = parse(func(s *jsonschema.Schema) *jsonschema.Schema { return s }); err != nil {
		return nil, err
	}
	if out.entry, err = parse(func(s *jsonschema.Schema) *jsonschema.Schema { return s.Defs["entry"] }); err != nil {
		return nil, err
	}
	for _, name := range properties {
		out.properties[name], err = parse(func(s *jsonschema.Schema) *jsonschema.Schema { return s.Defs["entry"].Properties[name] })
		if err != nil {
			return nil, err
		}
	}
	return out, nil
})

// properties are those of an entry.
var properties = []string{"stageKey", "script", "runCommand", "requirementIds", "requires", "passContract", "exemption", "waiver"}

// needs says in words what a property has to be: a pattern tells a person little.
var needs = map[string]string{
	"stageKey":       "has to be <task-id>-stage-<N>",
	"script":         "has to be a path inside " + Scripts + ", without . or .. in it",
	"runCommand":     "has to be a command, without a NUL",
	"requirementIds": "has to be a list of ids without blanks, each once",
	"requires":       "has to be a list of db, io, http and external, each once",
	"passContract":   "has to be a text or an object",
	"exemption":      "has to be a reason",
	"waiver":         "has to name surface (or surfaces) and why, and may have until, by and at",
}

// validate holds the text against the schema. The library names the first mistake of a
// value and no place, so entries and their parts are asked one by one where the whole is
// refused.
func validate(src []byte, at places) []Problem {
	c, err := load()
	if err != nil {
		return []Problem{at.problem("", "%s", err)}
	}
	var whole any
	if err := json.Unmarshal(src, &whole); err != nil {
		return []Problem{at.problem("", "it is no JSON: %s", plan.Printable(err.Error()))}
	}
	if c.whole.Validate(whole) == nil {
		return nil
	}
	list, prefix := whole, ""
	if object, ok := whole.(map[string]any); ok {
		list, prefix = object["entries"], "/entries"
	}
	entries, ok := list.([]any)
	if !ok {
		return []Problem{at.problem(prefix, "it is no list of entries, and no object that has one under \"entries\"")}
	}
	var out []Problem
	for i, e := range entries {
		out = append(out, c.inEntry(e, prefix+"/"+strconv.Itoa(i), at)...)
	}
	if len(out) == 0 { // what the parts do not show
		out = append(out, at.problem("", "it does not fit the schema"))
	}
	return out
}

// inEntry finds what is wrong with one entry.
func (c *compiled) inEntry(e any, pointer string, at places) []Problem {
	if c.entry.Validate(e) == nil {
		return nil
	}
	object, ok := e.(map[string]any)
	if !ok {
		return []Problem{at.problem(pointer, "an entry has to be an object")}
	}
	var out []Problem
	for _, name := range slices.Sorted(maps.Keys(object)) {
		property := c.properties[name]
		switch where := pointer + "/" + escape(name); {
		case property == nil:
			out = append(out, at.problem(where, "an entry has no %s; it has %s", plan.Quote(name), strings.Join(properties, ", ")))
		case property.Validate(object[name]) != nil:
			out = append(out, at.problem(where, "%s %s", name, needs[name]))
		}
	}
	if len(out) > 0 {
		return out
	}
	if object["exemption"] == nil {
		for _, name := range []string{"stageKey", "script", "runCommand", "requires"} {
			if object[name] == nil {
				out = append(out, at.problem(pointer, "the entry has no %s", name))
			}
		}
	}
	if len(out) == 0 {
		out = append(out, at.problem(pointer, "the entry needs a stageKey, and script, runCommand and requires or else an exemption"))
	}
	return out
}
