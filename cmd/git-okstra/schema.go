package main

import (
	"fmt"
	"strings"

	"git-okstra/docs/schemas"
)

type schemaCmd struct {
	Name string `arg:"" optional:"" help:"An output: stage-list, or okstra.stage-list/v1; without it, the names of all." placeholder:"NAME"`
}

// schemasJSON is okstra.schemas/v1: what there is a schema of.
type schemasJSON struct {
	Schema  string   `json:"schema"`
	Schemas []string `json:"schemas"` // names for git okstra schema NAME
}

// Run prints one JSON Schema, or the names of all.
func (c *schemaCmd) Run(a *app) error {
	if c.Name == "" {
		if a.flags.JSON {
			writeJSON(a.std.out, schemasJSON{"okstra.schemas/v1", schemas.Names()})
			return nil
		}
		a.print("%s\n", strings.Join(schemas.Names(), "\n"))
		return nil
	}
	text, ok := schemas.Get(c.Name)
	if !ok {
		return &commandError{code: exitUsage, message: fmt.Sprintf("there is no schema %q", c.Name), hints: []string{"see: git okstra schema"}}
	}
	a.print("%s", text)
	return nil
}
