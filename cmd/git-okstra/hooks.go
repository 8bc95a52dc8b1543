package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"git-okstra/hooks"
	"git-okstra/plan"
)

type hooksCmd struct {
	Install   hooksInstallCmd   `cmd:"" help:"Put the hooks into place; those that are there stay and run first."`
	Uninstall hooksUninstallCmd `cmd:"" help:"Take them away again: every file is as it was before."`
	Status    hooksStatusCmd    `cmd:"" help:"Say which hooks run; --self-test tries them."`
	Run       hooksRunCmd       `cmd:"" help:"Do what one of git's hooks is for."`
}

type hooksInstallCmd struct {
	Names  []string `arg:"" optional:"" help:"The hooks: pre-commit, pre-push and post-rewrite unless others are named; prepare-commit-msg only if it is." placeholder:"NAME"`
	Write  bool     `help:"Add the lines to the configuration of husky, lefthook, pre-commit, prek or hk, where one of them has the hooks."`
	Shared bool     `help:"Also into a folder outside of the repository, which others may use as well."`
}

// hooksJSON is okstra.hooks-install/v1, okstra.hooks-uninstall/v1 and okstra.hooks-status/v1.
type hooksJSON struct {
	Schema  string     `json:"schema"`
	Folder  string     `json:"folder"`
	Manager string     `json:"manager"` // "" where no other program has the hooks
	Hooks   []hookJSON `json:"hooks"`
}

// hookJSON is one hook.
type hookJSON struct {
	Name  string   `json:"name"`
	Way   string   `json:"way"` // script, or config: the manager's
	State string   `json:"state"`
	File  string   `json:"file"`
	Kept  string   `json:"kept"`  // the hook that runs first, "" if there is none
	Lines []string `json:"lines"` // to be added to the file
	Why   string   `json:"why"`   // why nothing was done
}

// hookPlace is what the three commands start from.
type hookPlace struct {
	folder  hooks.Folder
	manager hooks.Manager
	managed bool
}

func (a *app) hookPlace() (p hookPlace, err error) {
	repo, err := a.open()
	if err != nil {
		return p, err
	}
	if p.folder, err = hooks.FolderOf(repo); err != nil {
		return p, err
	}
	info, statErr := os.Stat(p.folder.Path)
	off := ""
	switch {
	case p.folder.Off: // git looks in the root folder then
		off = "core.hooksPath is set to nothing"
	case statErr == nil && !info.IsDir():
		off = fmt.Sprintf("core.hooksPath is %q, which is no folder", p.folder.Path)
	}
	if off != "" {
		return p, &commandError{
			code: exitFindings, message: off + ": hooks are switched off here",
			hints: []string{"see who set it: git config --show-origin core.hooksPath"},
		}
	}
	p.manager, p.managed = hooks.ManagerOf(repo, p.folder)
	return p, nil
}

// takes reports whether a hook goes into the manager's configuration.
func (p hookPlace) takes(name string) bool { return p.managed && p.manager.Takes(name) }

// hookNames are the hooks that were named, else all of the given ones.
func hookNames(named, all []string) ([]string, error) {
	if len(named) == 0 {
		return all, nil
	}
	for _, name := range named {
		if !hooks.Known(name) {
			return nil, noHook(name)
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(named))), nil
}

func noHook(name string) error {
	return &commandError{code: exitUsage, message: fmt.Sprintf("no hook %q here", name), hints: []string{
		"there are: " + strings.Join(append(hooks.Names(), hooks.OptIn()...), ", "),
	}}
}

// Run installs. It is 1 if one of the hooks does not run afterwards.
func (c *hooksInstallCmd) Run(a *app) error {
	out, err := c.install(a)
	if err == nil {
		a.sayHooks(out)
	}
	return err
}

func (c *hooksInstallCmd) install(a *app) (out hooksJSON, err error) {
	names, err := hookNames(c.Names, hooks.Names())
	if err != nil {
		return out, err
	}
	p, err := a.hookPlace()
	if err != nil {
		return out, err
	}
	if p.folder.Shared && !c.Shared && !p.managed {
		where := "see who set it: git config --show-origin core.hooksPath"
		if !p.folder.Set {
			where = "see where the link leads: ls -l " + plan.Printable(p.folder.Path)
		}
		return out, &commandError{
			code: exitFindings, message: fmt.Sprintf("the hooks of this repository are in %q, outside of it: other repositories may use them as well", p.folder.Path),
			hints: []string{"if they may all have it: git okstra hooks install --shared", where},
		}
	}
	leave, _ := a.repo.Queue(a.ctx) // two installs at once would take each other's script for a hook that was there before
	defer leave()
	out = hooksJSON{Schema: "okstra.hooks-install/v1", Folder: p.folder.Path, Manager: p.manager.Name, Hooks: []hookJSON{}}
	if p.managed {
		out.Hooks, err = configureHooks(p.manager, names, c.Write)
		if err != nil {
			return out, hookError(err)
		}
	}
	for _, name := range names {
		if p.takes(name) {
			continue
		}
		h, err := p.install(name)
		if err != nil {
			return out, hookError(err)
		}
		out.Hooks = append(out.Hooks, h)
	}
	if slices.ContainsFunc(out.Hooks, func(h hookJSON) bool { return h.State == "to-add" || h.Why != "" }) {
		a.code = exitFindings
	}
	return out, nil
}

// install puts one script into place.
func (p hookPlace) install(name string) (hookJSON, error) {
	out := hookJSON{Name: name, Way: "script", Lines: []string{}}
	h, err := p.folder.Look(name)
	if err != nil {
		return out, err
	}
	out.File = h.Path
	done, err := p.folder.Install(h, programFolder())
	var refused *hooks.RefusedError
	if errors.As(err, &refused) {
		out.State, out.Why, out.Lines = "refused", refused.Message, refused.Hints
		return out, nil
	}
	if err != nil {
		return out, err
	}
	if h, err = p.folder.Look(name); err != nil {
		return out, err
	}
	out.State, out.Kept = string(done), h.Kept
	return out, nil
}

// configureHooks adds the hooks to a manager's configuration, or says what to add.
func configureHooks(m hooks.Manager, names []string, write bool) ([]hookJSON, error) {
	out := []hookJSON{}
	for _, e := range m.Edits(names) {
		state, why, lines := "to-add", "", e.Lines
		switch {
		case e.Present:
			state, lines = string(hooks.Present), nil
		case write:
			err := e.Write()
			var refused *hooks.RefusedError
			switch {
			case errors.As(err, &refused):
				why = refused.Message
			case err != nil:
				return nil, err
			default:
				state, lines = "added", nil
			}
		}
		for i, name := range e.Names {
			if i > 0 {
				lines = nil // all of them were said with the first
			}
			out = append(out, hookJSON{Name: name, Way: "config", State: state, File: e.File, Lines: orEmpty(lines), Why: why})
		}
	}
	return out, nil
}

// programFolder is where this program is, "" where that cannot be known. What PATH leads
// to comes first: a link there outlives an update, the place of the program need not.
func programFolder() string {
	self, err := exec.LookPath("git-okstra")
	if err != nil || !filepath.IsAbs(self) {
		self, err = os.Executable()
	}
	if err != nil || !filepath.IsAbs(self) || strings.ContainsAny(self, "\n\r\x00") || filepath.Base(self) != "git-okstra" {
		return ""
	}
	return filepath.Dir(self)
}

// hookError tells which file could not be changed.
func hookError(err error) error {
	var refused *hooks.RefusedError
	if errors.As(err, &refused) {
		return &commandError{code: exitFindings, message: printableLines(refused.Message), hints: refused.Hints}
	}
	return fmt.Errorf("hooks: %w", err)
}

type hooksUninstallCmd struct {
	Names []string `arg:"" optional:"" help:"The hooks; all of ours unless some are named." placeholder:"NAME"`
}

// Run takes the hooks away.
func (c *hooksUninstallCmd) Run(a *app) error {
	out, err := c.uninstall(a)
	if err == nil {
		a.sayHooks(out)
	}
	return err
}

func (c *hooksUninstallCmd) uninstall(a *app) (out hooksJSON, err error) {
	names, err := hookNames(c.Names, append(hooks.Names(), hooks.OptIn()...))
	if err != nil {
		return out, err
	}
	p, err := a.hookPlace()
	if err != nil {
		return out, err
	}
	leave, _ := a.repo.Queue(a.ctx)
	defer leave()
	out = hooksJSON{Schema: "okstra.hooks-uninstall/v1", Folder: p.folder.Path, Manager: p.manager.Name, Hooks: []hookJSON{}}
	if p.managed && len(c.Names) == 0 {
		files, err := p.manager.Withdraw()
		if err != nil {
			return out, hookError(err)
		}
		for _, file := range files {
			out.Hooks = append(out.Hooks, hookJSON{Way: "config", State: string(hooks.Removed), File: file, Lines: []string{}})
		}
	}
	for _, name := range names {
		h, err := p.folder.Look(name)
		if err != nil {
			return out, hookError(err)
		}
		line := hookJSON{Name: name, Way: "script", File: h.Path, Lines: []string{}}
		done, err := p.folder.Uninstall(h)
		var refused *hooks.RefusedError
		switch {
		case errors.As(err, &refused):
			line.State, line.Why, line.Lines, a.code = "refused", refused.Message, refused.Hints, exitFindings
		case err != nil:
			return out, hookError(err)
		default:
			line.State = string(done)
		}
		out.Hooks = append(out.Hooks, line)
	}
	return out, nil
}

// sayHooks prints a line for each hook, and what is left to do.
func (a *app) sayHooks(out hooksJSON) {
	if a.flags.JSON {
		writeJSON(a.std.out, out)
		return
	}
	for _, h := range out.Hooks {
		line := plan.Printable(h.File)
		if h.Name != "" {
			line = h.Name + ": " + line
		}
		switch {
		case h.State == string(hooks.Nothing):
			continue
		case h.State == "to-add" && h.Why == "" && len(h.Lines) > 0:
			a.print("%s has the hooks here. Add to %s, or let --write do it:\n\n%s\n", out.Manager,
				plan.Printable(firstNonEmpty(h.File, "its configuration")), indent(strings.Join(h.Lines, "\n")))
			continue
		case h.State == "to-add" && h.Why == "":
			continue
		}
		a.tell("%-9s %s\n", h.State, line)
		if h.Kept != "" {
			a.tell("          first runs %s\n", plan.Printable(h.Kept))
		}
		if h.Why != "" {
			a.say("warning: %s", plan.Printable(h.Why))
			for _, l := range h.Lines {
				a.say("hint: %s", l)
			}
		}
	}
	added := slices.ContainsFunc(out.Hooks, func(h hookJSON) bool { return h.State == "added" })
	if added && (out.Manager == "lefthook" || out.Manager == "hk") {
		a.say("hint: for hooks that %s has not had before: %s install", out.Manager, out.Manager)
	}
}
