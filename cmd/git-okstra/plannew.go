package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"git-okstra/plan"
	"git-okstra/plan/rules"
)

type planNewCmd struct {
	File  string `arg:"" optional:"" help:"The file to write; without it, or with -, the plan goes to standard output." placeholder:"FILE"`
	Title string `help:"The title of the plan and of its first stage." placeholder:"TEXT"`
}

// newJSON is okstra.plan-new/v1.
type newJSON struct {
	Schema       string        `json:"schema"`
	File         string        `json:"file"` // "" where none was written
	Text         string        `json:"text"`
	Placeholders []placeholder `json:"placeholders"`
}

// placeholder is a place to fill in: the plan passes when all are.
type placeholder struct {
	Line int    `json:"line"`
	Code string `json:"code"` // the rule that asks for it
	Text string `json:"text"` // the line as it stands
	Hint string `json:"hint"`
}

// Run writes the skeleton and names its placeholders.
func (c *planNewCmd) Run(a *app) error {
	if c.File == "-" {
		c.File = ""
	}
	key, err := c.key(a)
	if err != nil {
		return err
	}
	text := rules.Skeleton(key, c.Title)
	if c.File != "" {
		if err := createFile(c.File, text); err != nil {
			return err
		}
	}
	out := newJSON{"okstra.plan-new/v1", c.File, string(text), placeholders(text)}
	switch {
	case a.flags.JSON:
		writeJSON(a.std.out, out)
		return nil
	case c.File == "":
		a.print("%s", text)
	default:
		a.tell("%s: a new plan; it is valid once these are filled in:\n", plan.Printable(c.File))
	}
	if c.File != "" {
		for _, p := range out.Placeholders {
			a.tell("  %s:%d  %s  %s\n", plan.Printable(c.File), p.Line, p.Code, p.Hint)
		}
		a.tell("check it with: git okstra plan check %s\n", shellWord(c.File))
	}
	return nil
}

// key is the task that the plan is for, as far as --task or the file's place say.
func (c *planNewCmd) key(a *app) (plan.TaskKey, error) {
	if a.flags.Task != "" {
		key, err := plan.ParseTaskKey(a.flags.Task)
		if err != nil {
			return key, &commandError{code: exitUsage, message: err.Error(), hints: []string{"write it as PROJECT:GROUP:TASK"}}
		}
		return key, nil
	}
	if c.File == "" {
		return plan.TaskKey{}, nil
	}
	group, task, _ := plan.KeyFromPath(filepath.ToSlash(absolute(c.File)))
	return plan.TaskKey{Group: group, Task: task}, nil
}

func placeholders(text []byte) []placeholder {
	out := []placeholder{}
	lines := strings.Split(string(text), "\n")
	for _, f := range rules.Check(plan.Parse(text), rules.Options{Approval: true}).Findings {
		out = append(out, placeholder{f.Pos.Line, f.Code, lines[f.Pos.Line-1], f.Hint})
	}
	return out
}

// createFile writes a file that must not exist yet, whole or not at all.
func createFile(name string, data []byte) error {
	exists := &commandError{code: exitFindings, message: fmt.Sprintf("%q exists already", name), hints: []string{"name another file"}}
	if _, err := os.Lstat(name); err == nil {
		return exists
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return exists
	}
	if isMissing(err) {
		return &commandError{code: exitUsage, message: fmt.Sprintf("there is no folder %q", filepath.Dir(name)), hints: []string{"make it first"}}
	}
	if err != nil {
		return fmt.Errorf("write file: %w", err)
	}
	_, err = f.Write(data) // a few KiB: there at once, or not
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(fmt.Errorf("write file: %w", err), os.Remove(name))
	}
	return nil
}

// shellWord writes a file's name as a word that can be pasted into a shell.
func shellWord(name string) string {
	if strings.HasPrefix(name, "-") {
		name = "./" + name
	}
	plain := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("./_-+,:@%=", r)
	}
	if strings.IndexFunc(name, func(r rune) bool { return !plain(r) }) < 0 {
		return name
	}
	return "'" + strings.ReplaceAll(plan.Printable(name), "'", `'\''`) + "'"
}
