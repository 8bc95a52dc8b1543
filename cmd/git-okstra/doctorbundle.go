package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"git-okstra/gitops"
	"git-okstra/internal/bundle"
	"git-okstra/internal/doctor"
)

// bundleJSON is okstra.doctor-bundle/v1.
type bundleJSON struct {
	Schema   string       `json:"schema"`
	File     string       `json:"file"`
	Parts    []bundlePart `json:"parts"`
	WithPlan bool         `json:"with_plan"`
}

// bundlePart is one file in the archive.
type bundlePart struct {
	Name  string `json:"name"`
	Bytes int    `json:"bytes"`
	About string `json:"about"`
}

// bundler gathers the parts of a bundle. What cannot be looked at is a line among the
// errors and ends nothing: a bundle is wanted where something is broken.
type bundler struct {
	a      *app
	d      *bundle.Disguise
	repo   *gitops.Repo // nil where git does not open it
	files  []bundle.File
	parts  []bundlePart
	errors []string
}

// bundle writes the archive and says what is in it.
func (c *doctorCmd) bundle(a *app) error {
	if c.Repair {
		return &commandError{code: exitUsage, message: "--bundle shows what is there, and --repair changes it", hints: []string{"make the bundle first"}}
	}
	if !bundle.Known(c.Bundle) {
		return &commandError{code: exitUsage, message: fmt.Sprintf("%q is no name of an archive", c.Bundle), hints: []string{"let it end with .tar.gz or .zip"}}
	}
	b := &bundler{a: a}
	if err := b.begin(); err != nil {
		return err
	}
	b.versions()
	b.environment()
	b.settings()
	refs := b.refs() // first, for prose names objects that it lists
	b.findings(c)
	b.tasks(refs, c.WithPlan)
	b.add("errors.json", "what could not be looked at; git okstra keeps no log of errors", b.errors)
	b.readme(c.WithPlan)
	data, err := bundle.Pack(c.Bundle, b.files)
	if err != nil {
		return err
	}
	if err := writeNew(c.Bundle, data); err != nil {
		return err
	}
	if a.flags.JSON {
		writeJSON(a.std.out, bundleJSON{"okstra.doctor-bundle/v1", c.Bundle, b.parts, c.WithPlan})
	}
	a.say("%s has, with names, addresses and paths replaced:", c.Bundle)
	for _, part := range b.parts {
		a.say("  %-18s %s", part.Name, part.About)
	}
	return nil
}

// writeNew writes a file for its owner's eyes, and over none that is there.
func writeNew(name string, data []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return &commandError{code: exitFindings, message: fmt.Sprintf("%q is there already", name), hints: []string{"name another file"}}
	}
	if err != nil {
		return fmt.Errorf("write bundle: %w", err)
	}
	_, err = f.Write(data)
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write bundle: %w", errors.Join(err, os.Remove(name)))
	}
	return nil
}

// begin opens the repository as far as that can be done.
func (b *bundler) begin() error {
	manual, _, err := b.a.wholeManual()
	if err != nil {
		return err
	}
	vocabulary := []string{sectionText, manual.Text(80, nil)}
	for _, leaf := range manual.Leaves() {
		vocabulary = append(vocabulary, leaf.Text(80, nil))
	}
	for _, check := range doctor.Checks() {
		vocabulary = append(vocabulary, check.Code, check.Meaning, check.Repair)
	}
	repo, err := gitops.Open(b.a.ctx, gitops.Options{Env: append(os.Environ(), "GIT_NO_LAZY_FETCH=1"), Trace: b.a.trace()})
	key := gitops.Host()
	if err == nil {
		b.repo, b.a.repo = repo, repo
		key += "\n" + repo.CommonDir()
	} else {
		key += "\n" + gitops.LookAtWreck("").GitDir
	}
	b.d = bundle.NewDisguise(key, vocabulary...)
	b.failed("open the repository", err)
	return nil
}

// failed notes what could not be done; nil is nothing.
func (b *bundler) failed(doing string, err error) {
	if err == nil {
		return
	}
	b.errors = append(b.errors, doing+": "+b.d.Prose(err.Error()))
	for _, hint := range classify(err).hints {
		b.errors = append(b.errors, "  "+b.d.Prose(hint))
	}
}

// add puts a part into the bundle.
func (b *bundler) add(name, about string, v any) {
	var data bytes.Buffer
	if text, ok := v.(string); ok {
		data.WriteString(text)
	} else {
		enc := json.NewEncoder(&data)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		if err := enc.Encode(v); err != nil {
			b.failed("write "+name, err)
			return
		}
	}
	b.files = append(b.files, bundle.File{Name: name, Data: data.Bytes()})
	b.parts = append(b.parts, bundlePart{name, data.Len(), about})
}

func (b *bundler) versions() {
	git := "none"
	if out, err := exec.CommandContext(b.a.ctx, "git", "version").Output(); err == nil {
		git = strings.TrimSpace(strings.TrimPrefix(string(out), "git version"))
	}
	v := map[string]any{"git_okstra": programVersion(), "go": runtime.Version(), "git": git, "system": runtime.GOOS, "processor": runtime.GOARCH}
	if r := b.repo; r != nil {
		v["repository"] = map[string]any{
			"linked_worktree": r.Linked(), "in_a_work_tree": r.WorkTree() != "", "shallow": r.Shallow(), "partial": r.Partial(),
		}
	} else {
		w := gitops.LookAtWreck("")
		v["repository"] = map[string]any{"found": w.GitDir != "", "lacks": append([]string{}, w.Lacks...)}
	}
	b.add("versions.json", "versions, platform, kind of repository", v)
}

func (b *bundler) environment() {
	set := []string{}
	for _, name := range bundle.Variables() {
		if _, ok := os.LookupEnv(name); ok {
			set = append(set, name)
		}
	}
	b.add("environment.json", "which of git's and our variables are set, without their values", set)
}

// readme says in the archive what stderr says, and goes first.
func (b *bundler) readme(withPlan bool) {
	text := "What git okstra doctor --bundle gathered. Names of people, hosts, branches, tasks, remotes and paths are\n" +
		"replaced; the same name has the same replacement. Words that are neither git's nor git-okstra's are, too.\n\n"
	for _, part := range b.parts {
		text += fmt.Sprintf("%-18s %s\n", part.Name, part.About)
	}
	if withPlan {
		text += "\nThe plans are as they were approved, but for credentials in URLs.\n"
	}
	b.files = append([]bundle.File{{Name: "README.txt", Data: []byte(text)}}, b.files...)
	b.parts = append([]bundlePart{{"README.txt", len(text), "what the others are"}}, b.parts...)
}
