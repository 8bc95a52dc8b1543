package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"git-okstra/gitops"
	"git-okstra/internal/report"
	"git-okstra/plan"
	"git-okstra/plan/rules"
)

type planCmd struct {
	Check   planCheckCmd   `cmd:"" help:"Check plans against the rules of their okstra release."`
	Approve planApproveCmd `cmd:"" help:"Check a plan, mark it approved and pin the revision."`
}

type planCheckCmd struct {
	Files   []string `arg:"" help:"Plan files; - is standard input, REV:PATH a file in history." placeholder:"FILE"`
	Ruleset string   `help:"The okstra release whose rules count." placeholder:"VERSION"`
	Strict  bool     `help:"Let S9 warnings and every other warning reject the plan."`
}

// maxPlan is how much of a plan is read: one byte more than a plan may have, so
// that the rules see that it is too large.
const maxPlan = 16<<20 + 1

// Run checks every file and reports all findings.
func (c *planCheckCmd) Run(a *app) error {
	var check report.PlanCheck
	opts, err := a.ruleOptions(c.Ruleset, c.Strict)
	if err != nil {
		return err
	}
	for _, file := range c.Files {
		src, err := a.readPlan(file)
		if err != nil {
			return err
		}
		opts.TaskRoot = a.taskRootOf(file)
		res := rules.Check(plan.Parse(src), opts)
		check.Add(file, src, res, res.OK())
	}
	a.showCheck(&check)
	if !check.OK() {
		a.code = exitFindings
	}
	return nil
}

func (a *app) showCheck(check *report.PlanCheck) {
	switch {
	case a.flags.JSON:
		writeJSON(a.std.out, check)
	case !a.flags.Quiet || !check.OK():
		a.print("%s", check.Text())
	}
}

// ruleOptions takes okstra.ruleset from git's configuration where there is a
// repository; a plan can be checked outside of one.
func (a *app) ruleOptions(ruleset string, strict bool) (rules.Options, error) {
	opts := rules.Options{Ruleset: ruleset, Strict: strict}
	repo, err := a.open()
	switch {
	case errors.Is(err, gitops.ErrNotRepository):
		return opts, nil
	case err != nil:
		return opts, err
	}
	opts.ConfigRuleset = repo.Config().Get("okstra.ruleset")
	opts.ProjectRoots = projectRoots(repo.Config())
	return opts, nil
}

// taskRootOf is a plan's task root below the worktree's top, "" where the plan is
// no file of this repository.
func (a *app) taskRootOf(file string) string {
	abs, err := filepath.Abs(file)
	if err != nil || a.repo == nil || file == "-" {
		return ""
	}
	return a.pathInRepo(taskRoot(abs))
}

// projectRoots reads okstra.project.<name>.root, the folders of a repository with
// several projects.
func projectRoots(c gitops.Config) map[string]string {
	roots := map[string]string{}
	for _, name := range c.Subsections("okstra.project.", ".root") {
		roots[name] = c.Get("okstra.project." + name + ".root")
	}
	return roots
}

// readPlan reads a plan from a file, standard input or history.
func (a *app) readPlan(name string) ([]byte, error) {
	if name == "-" {
		src, err := a.interruptible(func() ([]byte, error) { return io.ReadAll(io.LimitReader(a.std.in, maxPlan)) })
		if err != nil {
			return nil, fmt.Errorf("read standard input: %w", err)
		}
		return src, nil
	}
	src, err := a.interruptible(func() ([]byte, error) { return readFile(name) })
	if !errors.Is(err, fs.ErrNotExist) {
		return src, err
	}
	if strings.Contains(name, ":") {
		repo, openErr := a.open()
		if openErr != nil {
			return nil, openErr
		}
		src, revErr := repo.File(a.ctx, name)
		if revErr == nil {
			return src, nil
		}
	}
	return nil, &commandError{code: exitUsage, message: fmt.Sprintf("no plan at %q", name), hints: []string{"name a Markdown file, - for standard input, or REV:PATH"}}
}

// interruptible waits for a read that may block for ever (a terminal, a pipe) or
// for the signal that ends the command, whichever comes first.
func (a *app) interruptible(read func() ([]byte, error)) ([]byte, error) {
	type result struct {
		data []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		data, err := read()
		done <- result{data, err}
	}()
	select {
	case r := <-done:
		return r.data, r.err
	case <-a.ctx.Done():
		return nil, a.ctx.Err()
	}
}

// readFile reads a plan file, never more than a plan may have.
func readFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, &commandError{code: exitUsage, message: fmt.Sprintf("%q is a folder", name), hints: []string{"name the plan file in it"}}
	}
	src, err := io.ReadAll(io.LimitReader(f, maxPlan))
	if err != nil {
		return nil, fmt.Errorf("read plan: %w", err)
	}
	return src, nil
}
