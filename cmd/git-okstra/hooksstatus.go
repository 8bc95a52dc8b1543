package main

import (
	"git-okstra/hooks"
	"git-okstra/internal/report"
)

type hooksStatusCmd struct {
	SelfTest bool `name:"self-test" help:"Commit and push in a throw-away clone, through the hooks as they are, and say what ran."`
}

// Run says for each hook whether it runs: 1 if one does not.
func (c *hooksStatusCmd) Run(a *app) error {
	p, err := a.hookPlace()
	if err != nil {
		return err
	}
	if c.SelfTest {
		return a.selfTest(p)
	}
	out := hooksJSON{Schema: "okstra.hooks-status/v1", Folder: p.folder.Path, Manager: p.manager.Name, Hooks: []hookJSON{}}
	for _, name := range append(hooks.Names(), hooks.OptIn()...) {
		h, err := p.status(name)
		if err != nil {
			return hookError(err)
		}
		optional := name == hooks.OptIn()[0]
		if h.State != "runs" && !optional {
			a.code = exitFindings
		}
		out.Hooks = append(out.Hooks, h)
	}
	if a.flags.JSON {
		writeJSON(a.std.out, out)
		return nil
	}
	rows := [][]string{}
	for _, h := range out.Hooks {
		kept := ""
		if h.Kept != "" {
			kept = "first runs " + h.Kept
		}
		rows = append(rows, []string{h.Name, h.State, h.File, firstNonEmpty(h.Why, kept)})
	}
	a.print("%s", report.Table(rows))
	if a.code != 0 {
		a.say("hint: put them into place with: git okstra hooks install")
	}
	return nil
}

// status looks at one hook, where it would be.
func (p hookPlace) status(name string) (hookJSON, error) {
	out := hookJSON{Name: name, Way: "script", Lines: []string{}}
	if p.takes(name) {
		out.Way, out.State = "config", "missing"
		for _, e := range p.manager.Edits([]string{name}) {
			if out.File = e.File; e.Present {
				out.State = "runs"
			}
		}
		return out, nil
	}
	h, err := p.folder.Look(name)
	if err != nil {
		return out, err
	}
	out.File, out.Kept = h.Path, h.Kept
	switch {
	case h.State == hooks.Ours && h.Runs:
		out.State = "runs"
	case h.State == hooks.Old && h.Runs:
		out.State, out.Why = "runs", "of another version: install renews it"
	case h.State == hooks.Blocked:
		out.State, out.Why = "missing", "a folder has its name"
	case h.State == hooks.Edited:
		out.State, out.Why = "edited", "somebody has written into it"
	case h.State == hooks.Foreign && h.Kept != "":
		out.State, out.Why = "replaced", "something else took our hook's place"
	case h.State == hooks.Foreign:
		out.State, out.Why = "missing", "another hook is there"
	case h.State == hooks.Absent:
		out.State = "missing"
	default:
		out.State, out.Why = "missing", "it may not be executed"
	}
	return out, nil
}
