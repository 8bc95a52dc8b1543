package hooks

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"git-okstra/gitops"
	"git-okstra/internal/marked"
)

// Manager is a program that has git's hooks in its hands and is told in its own
// configuration what they are to run.
type Manager struct {
	Name   string
	Config string // the file to add to, or the folder of such files (husky); "" where there is none yet
	top    string
	names  []string // the hooks that are added there; for all others a script of ours is as good
}

// managerWords tell whose a hook's file is, as these programs write it.
var managerWords = []struct{ word, manager string }{
	{"lefthook", "lefthook"},
	{"prek", "prek"},
	{"pre-commit.com", "pre-commit"},
	{"pre_commit", "pre-commit"},
	{"hk run", "hk"},
}

// configNames are the files that they read, in their order. pre-commit and prek only count where
// they are installed: they leave other hooks alone, and many projects have their
// file for CI alone. The others would write over our script once they are.
var configNames = map[string][]string{
	"lefthook": {
		"lefthook.yml", "lefthook.yaml", "lefthook.toml", "lefthook.json", ".lefthook.yml", ".lefthook.yaml", ".lefthook.toml", ".lefthook.json",
		".config/lefthook.yml", ".config/lefthook.yaml", ".config/lefthook.toml", ".config/lefthook.json",
	},
	"hk":         {"hk.pkl", ".config/hk.pkl"},
	"pre-commit": {".pre-commit-config.yaml"},
	"prek":       {"prek.toml", ".pre-commit-config.yaml", ".pre-commit-config.yml"},
}

// configured are the hooks that a manager's configuration can do justice to. pre-commit and prek give
// what they run neither git's input nor more than one ref of a push, and hk
// has no more than these two.
var configured = map[string][]string{
	"husky": append(Names(), OptIn()...), "lefthook": append(Names(), OptIn()...),
	"hk": {"pre-commit", "pre-push"}, "pre-commit": {"pre-commit"}, "prek": {"pre-commit"},
}

// ManagerOf finds the program that has the hooks, if there is one.
func ManagerOf(repo *gitops.Repo, f Folder) (Manager, bool) {
	name := f.manager()
	if name == "" && repo.Config().HasSection("hook.hk-") {
		name = "hk"
	}
	m := Manager{Name: name, top: f.Top, names: configured[name]}
	switch {
	case name == "husky":
		m.Config = f.Path
		if filepath.Base(f.Path) == "_" {
			m.Config = filepath.Dir(f.Path)
		}
		return m, true
	case name != "":
		m.Config = firstOf(f.Top, configNames[name])
		return m, true
	}
	for _, name := range []string{"lefthook", "hk"} {
		if file := firstOf(f.Top, configNames[name]); file != "" {
			return Manager{Name: name, Config: file, top: f.Top, names: configured[name]}, true
		}
	}
	return m, false
}

// manager reads from the folder itself whose it is.
func (f Folder) manager() string {
	for _, file := range []string{"h", "husky.sh", "_/husky.sh"} {
		if _, err := os.Stat(filepath.Join(f.Path, filepath.FromSlash(file))); err == nil && f.Set && (file != "h" || filepath.Base(f.Path) == "_") {
			return "husky"
		}
	}
	for _, name := range append(Names(), OptIn()...) {
		h, err := f.Look(name)
		if err != nil {
			continue
		}
		text := h.text
		if kept, err := os.ReadFile(KeptOf(h.Path)); err == nil {
			text += string(kept)
		}
		for _, w := range managerWords {
			if strings.Contains(text, w.word) && h.State != Absent {
				return w.manager
			}
		}
	}
	return ""
}

// firstOf is the first of the files that is there, "" if none is.
func firstOf(top string, names []string) string {
	if top == "" {
		return ""
	}
	for _, name := range names {
		path := filepath.Join(top, filepath.FromSlash(name))
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path
		}
	}
	return ""
}

// Takes reports whether a hook is added to the manager's configuration.
func (m Manager) Takes(name string) bool { return slices.Contains(m.names, name) }

// Edit is what a manager's file is to get for some hooks.
type Edit struct {
	File    string // absolute, "" where the manager has none yet
	Names   []string
	Lines   []string // as a person would add them
	Present bool     // it is there already
	after   []byte
	why     error // why it cannot be written by us
}

// Edits says what is to be added for the hooks.
func (m Manager) Edits(names []string) []Edit {
	names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !m.Takes(n) })
	if m.Name == "husky" {
		var out []Edit
		for _, name := range names {
			out = append(out, m.edit(filepath.Join(m.Config, name), []string{name}))
		}
		return out
	}
	if len(names) == 0 {
		return nil
	}
	return []Edit{m.edit(m.Config, names)}
}

func (m Manager) edit(file string, names []string) Edit {
	e := Edit{File: file, Names: names, Lines: m.sample(file, names)}
	before, err := os.ReadFile(file)
	if err != nil && (!errors.Is(err, fs.ErrNotExist) || m.Name != "husky") {
		e.why = err
		if file == "" {
			e.why = errors.New("it has no configuration here")
		}
		return e
	}
	e.after, e.Present = before, true
	for _, name := range names {
		if runs(e.after, name) {
			continue
		}
		e.Present = false
		if e.after, err = m.add(file, e.after, name); err != nil {
			e.why = err
			return e
		}
	}
	return e
}

// runs reports whether a file calls us for a hook.
func runs(text []byte, name string) bool {
	return bytes.Contains(text, []byte("okstra hooks run "+name))
}

// Write adds to the file. Errors: *RefusedError where that is left to a person.
func (e Edit) Write() error {
	switch {
	case e.Present:
		return nil
	case e.why != nil:
		return refused("add the lines yourself", "%q cannot be added to: %s", e.File, e.why)
	}
	if _, err := os.Stat(e.File); errors.Is(err, fs.ErrNotExist) { // a file of husky's folder
		temp, err := writeBeside(e.File, string(e.after), 0o777)
		if err != nil {
			return err
		}
		return os.Rename(temp, e.File)
	}
	return replaceFile(e.File, e.after)
}

// Withdraw takes out of the manager's files what was added, and says which files that
// were. Errors: *RefusedError where a block has lost its end.
func (m Manager) Withdraw() (changed []string, err error) {
	files := []string{m.Config}
	if m.Name == "husky" {
		files = nil
		for _, name := range append(Names(), OptIn()...) {
			files = append(files, filepath.Join(m.Config, name))
		}
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) || err == nil && !marked.In(text) {
			continue
		}
		if err != nil {
			return changed, err
		}
		rest, ours, ok := marked.Remove(text)
		switch {
		case !ok:
			return changed, refused("take the lines out yourself", "%q has a line %q and no %q behind it", file, marked.Begin, marked.End)
		case ours:
			err = os.Remove(file)
		default:
			err = replaceFile(file, rest)
		}
		if err != nil {
			return changed, err
		}
		changed = append(changed, file)
	}
	return changed, nil
}
