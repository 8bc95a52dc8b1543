// Package schemas holds the JSON Schemas of what git okstra prints with --json, and of
// files that it reads. Those of outputs are written from the Go types by
// `go test ./cmd/git-okstra -run TestSchemas -update`.
package schemas

import (
	"embed"
	"strings"
)

//go:embed *.schema.json
var files embed.FS

const ending = ".schema.json"

// Names lists them, in order: stage-list for okstra.stage-list/v1.
func Names() []string {
	var out []string
	entries, err := files.ReadDir(".")
	if err != nil {
		return nil // what is embedded can always be listed
	}
	for _, e := range entries {
		out = append(out, strings.TrimSuffix(e.Name(), ending))
	}
	return out
}

// Get gives one of them as JSON, by its name or by the schema that an output names:
// okstra.stage-list/v1. It reports whether there is one.
func Get(name string) ([]byte, bool) {
	name = strings.TrimSuffix(strings.TrimPrefix(name, "okstra."), "/v1")
	text, err := files.ReadFile(name + ending)
	return text, err == nil
}
