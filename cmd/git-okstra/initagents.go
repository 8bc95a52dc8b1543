package main

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"git-okstra/internal/marked"
	"git-okstra/plan"
)

// agentsText tells a coding agent how to work on a stage. docs/agents.md shows it.
//
//go:embed help/agents.md
var agentsText string

// agentsName is the file that coding agents read.
const agentsName = "AGENTS.md"

// agentsJSON is what became of the section for coding agents.
type agentsJSON struct {
	File   string `json:"file"`   // absolute, links followed; "" where there is none
	Action string `json:"action"` // add, update, present, remove or none
	Line   int    `json:"line"`   // of the section's first line, before it was removed where it was; 0 for none
	Lines  int    `json:"lines"`  // how many it has, those around it among them
}

// agentsEdit is what a file is to become.
type agentsEdit struct {
	agentsJSON
	before, after []byte // nil: no file
}

// planAgents says what the section's file is to become, and changes nothing.
func (c *initCmd) planAgents(a *app) (agentsEdit, error) {
	if c.File != "" && !c.Agents {
		return agentsEdit{}, &commandError{code: exitUsage, message: fmt.Sprintf("what is %q for?", c.File), hints: []string{"a file is named with --agents"}}
	}
	none := agentsEdit{agentsJSON: agentsJSON{Action: "none"}}
	if !c.Agents && (!c.Undo || a.repo.WorkTree() == "") {
		return none, nil
	}
	e, err := c.agentsEdit(a)
	if err != nil && !c.Agents { // nothing of ours was asked for there
		a.say("warning: left alone: %s", err)
		return none, nil
	}
	return e, err
}

func (c *initCmd) agentsEdit(a *app) (agentsEdit, error) {
	path, err := c.agentsPath(a)
	if err != nil {
		return agentsEdit{}, err
	}
	e := agentsEdit{agentsJSON: agentsJSON{File: path, Action: "none"}}
	if e.before, err = os.ReadFile(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return e, fmt.Errorf("read file for agents: %w", err)
	}
	if bytes.IndexByte(e.before, 0) >= 0 {
		return e, &commandError{code: exitFindings, message: fmt.Sprintf("%q is no text", path), hints: []string{"name another file"}}
	}
	e.after, err = e.text(c.Undo)
	var damaged *marked.DamagedError
	if errors.As(err, &damaged) {
		return e, &commandError{
			code: exitFindings, message: fmt.Sprintf("%s:%d: %s", plan.Printable(path), damaged.Line, damaged.Why),
			hints: []string{"mend these lines, or remove them with what is between them, and try again"},
		}
	}
	return e, err
}

// text is the file's text with the section, or without it.
func (e *agentsEdit) text(undo bool) ([]byte, error) {
	from, to, err := marked.One(e.before)
	switch {
	case err != nil:
		return nil, err
	case undo && from == to:
		return e.before, nil
	case undo:
		e.Action = "remove"
		e.place(e.before, from, to)
		rest, ours, _ := marked.Remove(e.before)
		if ours {
			rest = nil
		}
		return rest, nil
	}
	lines := strings.Split(strings.TrimSuffix(agentsText, "\n"), "\n")
	after, err := marked.Block{Comment: "<!--", Close: "-->", Lines: append(append([]string{""}, lines...), "")}.Put(e.before)
	if err != nil {
		return nil, err
	}
	e.Action = "update"
	switch {
	case bytes.Equal(after, e.before):
		e.Action = "present"
	case from == to:
		e.Action = "add"
	}
	from, to, err = marked.One(after)
	e.place(after, from, to)
	return after, err
}

func (e *agentsEdit) place(text []byte, from, to int) {
	e.Line, e.Lines = bytes.Count(text[:from], []byte("\n"))+1, bytes.Count(text[from:to], []byte("\n"))
}

// agentsPath is the file behind all links. It lies in the worktree, and not in git's
// folder: a repository that links it elsewhere must not have us write there.
func (c *initCmd) agentsPath(a *app) (string, error) {
	if a.repo.WorkTree() == "" {
		return "", &commandError{code: exitEnvironment, message: "there is no worktree here for " + agentsName, hints: []string{"go to a worktree of this repository"}}
	}
	path := filepath.Join(a.repo.WorkTree(), agentsName)
	if c.File != "" {
		path = absolute(c.File)
	}
	no := func(why, hint string) (string, error) {
		return "", &commandError{code: exitFindings, message: fmt.Sprintf("%q %s", path, why), hints: []string{hint}}
	}
	top, err := filepath.EvalSymlinks(a.repo.WorkTree())
	if err != nil {
		return "", fmt.Errorf("find worktree: %w", err)
	}
	folder, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return no("has no folder to be in", "make the folder first")
	}
	whole := filepath.Join(folder, filepath.Base(path))
	if info, err := os.Lstat(whole); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		if whole, err = filepath.EvalSymlinks(path); err != nil {
			return no("is a link that leads to no file", "remove the link, or name another file")
		}
	}
	rel, err := filepath.Rel(top, whole)
	inGit := slices.ContainsFunc(strings.Split(filepath.ToSlash(rel), "/"), func(part string) bool { return strings.EqualFold(part, ".git") })
	if err != nil || !filepath.IsLocal(rel) || inGit {
		return no("is not in the worktree, or leads out of it", "name a file of this worktree")
	}
	if info, err := os.Stat(whole); err == nil && !info.Mode().IsRegular() {
		return no("is no regular file", "name a file")
	}
	return whole, nil
}

// write makes the file what it is to be, at once or not at all.
func (e *agentsEdit) write() error {
	switch {
	case bytes.Equal(e.before, e.after) && (e.before == nil) == (e.after == nil):
		return nil
	case e.before == nil:
		return createFile(e.File, e.after)
	}
	now, err := os.ReadFile(e.File)
	if err != nil || !bytes.Equal(now, e.before) {
		return &commandError{code: exitFindings, message: fmt.Sprintf("%q was changed meanwhile, and is left alone", e.File), hints: []string{"try again"}}
	}
	if e.after == nil {
		return os.Remove(e.File)
	}
	info, err := os.Stat(e.File)
	if err != nil {
		return err
	}
	tmp, err := writeBeside(e.File, e.after, info.Mode().Perm())
	if err != nil {
		return fmt.Errorf("write file for agents: %w", err)
	}
	return os.Rename(tmp, e.File)
}

// sayAgents shows which lines go and which come.
func (a *app) sayAgents(e agentsEdit) {
	if e.Action == "none" || e.Action == "present" {
		return
	}
	gone, come := strings.SplitAfter(string(e.before), "\n"), strings.SplitAfter(string(e.after), "\n")
	for len(gone) > 0 && len(come) > 0 && gone[0] == come[0] {
		gone, come = gone[1:], come[1:]
	}
	for len(gone) > 0 && len(come) > 0 && gone[len(gone)-1] == come[len(come)-1] {
		gone, come = gone[:len(gone)-1], come[:len(come)-1]
	}
	a.tell("%s  %s, %d lines from line %d\n", e.Action, plan.Printable(e.File), e.Lines, e.Line)
	a.tellLines("-", gone)
	a.tellLines("+", come)
}

func (a *app) tellLines(sign string, lines []string) {
	for _, line := range lines {
		if line != "" {
			a.tell("  %s\n", strings.TrimRight(sign+" "+plan.Printable(strings.TrimRight(line, "\r\n")), " "))
		}
	}
}
