package main

import (
	"errors"
	"slices"
	"strings"

	"git-okstra/gitops"
	"git-okstra/hooks"
	"git-okstra/internal/report"
	"git-okstra/plan"
)

type initCmd struct {
	Undo  bool `help:"Take back what init has written, the hooks among it."`
	Hooks bool `help:"Put the hooks into place as well, as hooks install does."`

	Agents bool   `help:"Write a section for coding agents into FILE as well, or bring it up to date; with --undo, take it out of FILE."`
	File   string `arg:"" optional:"" help:"The file for --agents, in this worktree. Default: AGENTS.md at its top." placeholder:"FILE"`
}

// configBlock is the name of what init writes into the repository's configuration.
const configBlock = "git-okstra init"

// initJSON is okstra.init/v1.
type initJSON struct {
	Schema  string       `json:"schema"`
	File    string       `json:"file"`
	Changes []initChange `json:"changes"`
	Undone  bool         `json:"undone"`
	Skipped []string     `json:"skipped"` // remotes whose names no ref can hold
	Hooks   []hookJSON   `json:"hooks"`   // with --hooks, and what --undo took away
	Agents  agentsJSON   `json:"agents"`  // with --agents, and what --undo took away
}

// initChange is one value: added now, removed now, or there already.
type initChange struct {
	Action string `json:"action"` // add, present or remove
	Key    string `json:"key"`
	Value  string `json:"value"`
}

// Run writes the configuration that shows the log in git's own commands and fetches
// the state of others, or takes it back.
func (c *initCmd) Run(a *app) error {
	repo, err := a.open()
	if err != nil {
		return err
	}
	out := initJSON{Schema: "okstra.init/v1", File: repo.ConfigFile(), Changes: []initChange{}, Undone: c.Undo, Skipped: []string{}, Hooks: []hookJSON{}}
	agents, err := c.planAgents(a)
	if err != nil {
		return err
	}
	own, err := repo.ConfigBlock(configBlock)
	if err != nil {
		return err
	}
	if c.Undo {
		for _, v := range own {
			out.Changes = append(out.Changes, initChange{"remove", v.Key, v.Value})
		}
		err = repo.RemoveConfigBlock(configBlock)
	} else {
		var block, want []gitops.ConfigValue
		want, out.Skipped = initValues(repo)
		block, out.Changes = initChanges(repo.Config(), own, want)
		if slices.ContainsFunc(out.Changes, func(c initChange) bool { return c.Action != "present" }) {
			err = repo.SetConfigBlock(configBlock, block)
		}
	}
	if errors.Is(err, gitops.ErrConfigLocked) {
		return &commandError{code: exitEnvironment, message: printableLines(err.Error()), hints: []string{"try again; if no git is running, remove the lock file"}}
	}
	if err != nil {
		return err
	}
	found, err := c.hooks(a)
	if err != nil {
		return err
	}
	out.Hooks = append(out.Hooks, found.Hooks...)
	if err := agents.write(); err != nil {
		return err
	}
	out.Agents = agents.agentsJSON
	a.sayInit(out)
	if !a.flags.JSON {
		if len(found.Hooks) > 0 {
			a.sayHooks(found)
		}
		a.sayAgents(agents)
	}
	return nil
}

// hooks puts the hooks into place where that is wanted, or takes them away.
func (c *initCmd) hooks(a *app) (hooksJSON, error) {
	switch {
	case c.Undo:
		out, err := (&hooksUninstallCmd{}).uninstall(a)
		out.Hooks = slices.DeleteFunc(out.Hooks, func(h hookJSON) bool { return h.State == string(hooks.Nothing) })
		return out, err
	case c.Hooks:
		return (&hooksInstallCmd{}).install(a)
	}
	return hooksJSON{}, nil
}

// initSettings tells the doctor what init would change where it was run before.
type initSettings struct{ repo *gitops.Repo }

// Missing lists the values that init would add.
func (s initSettings) Missing() ([]string, error) {
	own, err := s.repo.ConfigBlock(configBlock)
	if err != nil || len(own) == 0 {
		return nil, err
	}
	var out []string
	want, _ := initValues(s.repo)
	_, changes := initChanges(s.repo.Config(), own, want)
	for _, c := range changes {
		if c.Action == "add" {
			out = append(out, c.Key+" = "+c.Value)
		}
	}
	return out, nil
}

// Complete writes them.
func (s initSettings) Complete() error {
	own, err := s.repo.ConfigBlock(configBlock)
	if err != nil {
		return err
	}
	want, _ := initValues(s.repo)
	block, _ := initChanges(s.repo.Config(), own, want)
	return s.repo.SetConfigBlock(configBlock, block)
}

// initChanges says what the block is to hold, and how that differs from what it
// holds now. A value that the user has set elsewhere is not written again.
func initChanges(config gitops.Config, own, want []gitops.ConfigValue) (block []gitops.ConfigValue, changes []initChange) {
	for _, v := range want {
		action := "add"
		switch {
		case slices.Contains(own, v):
			action = "present"
			block = append(block, v)
		case slices.Contains(config.All(v.Key), v.Value):
			action = "present"
		default:
			block = append(block, v)
		}
		changes = append(changes, initChange{action, v.Key, v.Value})
	}
	for _, v := range own {
		if !slices.Contains(want, v) { // of a remote that is gone
			changes = append(changes, initChange{"remove", v.Key, v.Value})
		}
	}
	return block, changes
}

// initValues are the settings: the log in git log and git show, and the state of each
// remote in a namespace of its own. A fetch never writes on local refs of ours, and a
// pattern that matches nothing at the remote is no error to git. One refspec that git
// cannot read ends every fetch, of whichever remote: a name that no ref can hold is
// left out.
func initValues(repo *gitops.Repo) (out []gitops.ConfigValue, skipped []string) {
	out = []gitops.ConfigValue{{Key: "notes.displayref", Value: "refs/notes/okstra/*"}}
	skipped = []string{}
	for _, remote := range repo.Config().Subsections("remote.", ".url") {
		if !gitops.ValidRefName(gitops.RefName("refs/okstra-remote/" + remote + "/state")) {
			skipped = append(skipped, remote)
			continue
		}
		for _, kind := range [][2]string{{"refs/okstra/*", "state"}, {"refs/notes/okstra/*", "notes"}, {"refs/notes/okstra-qa/*", "qa"}} {
			out = append(out, gitops.ConfigValue{
				Key:   "remote." + remote + ".fetch",
				Value: "+" + kind[0] + ":refs/okstra-remote/" + remote + "/" + kind[1] + "/*",
			})
		}
	}
	return out, skipped
}

func (a *app) sayInit(out initJSON) {
	if a.flags.JSON {
		writeJSON(a.std.out, out)
		return
	}
	var rows [][]string
	for _, c := range out.Changes {
		if c.Action != "present" {
			rows = append(rows, []string{c.Action, c.Key, c.Value})
		}
	}
	switch {
	case len(rows) > 0:
		a.tell("%s\n%s", plan.Printable(out.File), report.Table(rows))
	case out.Agents.Action == "add", out.Agents.Action == "update", out.Agents.Action == "remove":
	case out.Undone:
		a.tell("nothing to take back\n")
	default:
		a.tell("all set already\n")
	}
	for _, remote := range out.Skipped {
		a.tell("left out  the remote %q: no ref can hold its name\n", remote)
	}
	if !out.Undone && len(out.Skipped) == 0 && !slices.ContainsFunc(out.Changes, func(c initChange) bool { return strings.HasPrefix(c.Key, "remote.") }) {
		a.tell("no remote yet: run init again when there is one\n")
	}
}
