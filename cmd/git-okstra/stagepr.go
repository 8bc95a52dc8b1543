package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"unicode/utf8"

	"git-okstra/internal/lifecycle"
	"git-okstra/internal/report"
	"git-okstra/notes"
	"git-okstra/plan"
)

type stagePRCmd struct {
	planFlag `embed:""`

	Stages []string `arg:"" optional:"" help:"Stage numbers: 2, 2,4 or 2-4; not needed inside a stage's worktree." placeholder:"N"`
}

// Run prints a pull request's text.
func (c *stagePRCmd) Run(a *app) error {
	e, t, err := a.look()
	if err != nil {
		return err
	}
	numbers := []plan.StageNumber{t.Here}
	switch {
	case len(c.Stages) > 0:
		if numbers, err = parseStages(c.Stages); err != nil {
			return err
		}
	case t.Here == 0:
		return &commandError{code: exitUsage, message: "a pull request for which stages?", hints: []string{"name them, or run this inside a stage's worktree"}}
	}
	for _, n := range numbers {
		if err := e.Known(t, n); err != nil {
			return err
		}
	}
	pr, err := a.pullRequest(t, numbers)
	if err != nil {
		return err
	}
	if a.flags.JSON {
		writeJSON(a.std.out, pr)
		return nil
	}
	a.print("%s", pr.Text())
	return nil
}

// pullRequest writes the text of a pull request for stages.
func (a *app) pullRequest(t *lifecycle.Task, numbers []plan.StageNumber) (report.PullRequest, error) {
	in := report.PRInput{Task: t.Key.String(), Plan: t.Plan}
	var err error
	if in.Template, err = a.prTemplate(t); err != nil {
		return report.PullRequest{}, err
	}
	lines, err := notes.ReadStages(a.ctx, a.repo, t.NotesTip, numbers)
	if err != nil {
		return report.PullRequest{}, err
	}
	for _, st := range t.Plan.Stages {
		if !slices.Contains(numbers, st.Number) {
			continue
		}
		s := report.PRStage{Stage: st, Head: string(t.Done[st.Number])}
		for _, l := range lines {
			r := l.Row
			if r.Stage == st.Number && r.Status == notes.Done && r.Head != "" && r.Head == t.Done[st.Number] && r.Carry != nil && !ofAnother(t.Key, r) {
				s.Base, s.Files, s.Passed = string(r.Carry.StageCommitRange.Base), r.Carry.FilesChanged, r.Carry.ValidationsPassed
			}
		}
		for _, d := range st.DependsOn {
			other, _ := t.Plan.Stage(d)
			s.CarryIn = append(s.CarryIn, report.PRDependency{Stage: d, Title: other.Title, Head: string(t.Done[d])})
		}
		in.Stages = append(in.Stages, s)
	}
	return report.MakePullRequest(in), nil
}

// maxTemplate bounds a template: a forge takes no longer text anyway.
const maxTemplate = 64 << 10

// prTemplate reads okstra.prTemplate, a file of the project: in the caller's worktree,
// without one in the integration branch. It cannot lie outside, nor lead there by a link.
func (a *app) prTemplate(t *lifecycle.Task) (string, error) {
	path := a.repo.Config().Get("okstra.prTemplate")
	if path == "" {
		return "", nil
	}
	no := func(why string) error {
		return &commandError{
			code: exitEnvironment, message: fmt.Sprintf("okstra.prTemplate: %q %s", path, why),
			hints: []string{"it is a file of this project, named from its top, such as .github/pull_request_template.md"},
		}
	}
	if !filepath.IsLocal(filepath.FromSlash(path)) {
		return "", no("is not a path inside of the project")
	}
	text, err := a.projectFile(t, path)
	var missing *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", no("is not there")
	case errors.Is(err, errNoRegular):
		return "", no("is no regular file")
	case errors.As(err, &missing) && !errors.Is(err, fs.ErrPermission):
		return "", no("cannot be read inside of the project: " + plan.Printable(missing.Err.Error()))
	case err != nil:
		return "", err
	case len(text) > maxTemplate:
		return "", no(fmt.Sprintf("has more than %d KiB", maxTemplate>>10))
	case !utf8.Valid(text):
		return "", no("is not UTF-8")
	}
	return string(text), nil
}

// errNoRegular marks a folder, a device or a pipe in place of a file.
var errNoRegular = errors.New("no regular file")

// projectFile reads the beginning of a file of the project.
func (a *app) projectFile(t *lifecycle.Task, path string) ([]byte, error) {
	if a.repo.WorkTree() == "" {
		values, err := a.repo.RefValues(a.ctx, t.Meta.Onto)
		if err != nil {
			return nil, err
		}
		if values[t.Meta.Onto] == "" {
			return nil, fs.ErrNotExist
		}
		return a.repo.FileAt(a.ctx, values[t.Meta.Onto], filepath.ToSlash(filepath.Clean(filepath.FromSlash(path))))
	}
	root, err := os.OpenRoot(a.repo.WorkTree())
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	info, err := root.Stat(filepath.FromSlash(path))
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errNoRegular
	}
	f, err := root.Open(filepath.FromSlash(path))
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f, maxTemplate+1))
}

// isFolder reports whether a folder stands at a path.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
