package main

import (
	"errors"
	"os"
	"path/filepath"

	"git-okstra/gitops"
	"git-okstra/hooks"
	"git-okstra/internal/report"
	"git-okstra/plan"
	"git-okstra/plan/rules"
)

// planGlobKey names the setting that says where plans are.
const planGlobKey = "okstra.planPath"

// preCommit judges what is staged: the plans, and in a stage's worktree the stage.
func (a *app) preCommit(c *hooksRunCmd) error {
	if nothing, err := a.nothingStaged(); nothing || err != nil {
		return err
	}
	repo, err := a.open()
	if err != nil {
		return err
	}
	out := report.NewChanges("okstra.hooks-run/v1", "pre-commit", repo.Env("OKSTRA_SKIP"))
	if hooks.Operation(repo.GitDir()) == "rebase" {
		if a.inStage() {
			out.Why = "a rebase is under way; what comes of it is judged when it is pushed"
		}
		a.showChanges(out, c.Format, "", a.std.err)
		return nil
	}
	head, err := repo.Head(a.ctx)
	if err != nil {
		return err
	}
	files, err := hooks.Staged(a.ctx, repo, head)
	if err != nil {
		return err
	}
	if err := a.judgePlans(out, files, ""); err != nil {
		return err
	}
	if a.inStage() {
		s, err := a.stageJudge(out)
		if err == nil {
			err = s.staged(head)
		}
		if err != nil {
			return err
		}
	}
	a.showChanges(out, c.Format, "git commit --no-verify", a.std.err)
	return nil
}

// nothingStaged is the short way for most commits: no stage's worktree, no Markdown, and
// no setting that makes something else a plan. Mostly files say so; else it costs one git
// process or two. False only means that one has to look.
func (a *app) nothingStaged() (bool, error) {
	gitDir := os.Getenv("GIT_DIR")
	if gitDir == "" {
		var err error
		if gitDir, err = gitops.GitDirOf("."); err != nil || gitDir == "" {
			return false, nil //nolint:nilerr // then the long way tells
		}
	}
	if mayBeStage(gitDir) || hooks.Operation(gitDir) != "" {
		return false, nil
	}
	var globs hooks.PlanGlobs
	if !gitops.ConfigLacks(gitops.Options{}, "okstra") {
		config, err := gitops.ReadConfig(a.ctx, gitops.Options{Trace: a.trace()}, `^okstra\.planpath$`)
		if a.ctx.Err() != nil {
			return false, a.ctx.Err()
		}
		globs = config.All(planGlobKey)
		if err != nil || globs.Check() != nil {
			return false, nil //nolint:nilerr // then the long way tells
		}
	}
	if gitops.AsHead(a.ctx, gitops.Options{}, gitDir, globs.Picks) {
		return true, nil
	}
	return a.nothingByGit(globs)
}

// nothingByGit asks git what is staged.
func (a *app) nothingByGit(globs hooks.PlanGlobs) (bool, error) {
	files, err := gitops.StagedOnHead(a.ctx, gitops.Options{Trace: a.trace()})
	if a.ctx.Err() != nil {
		return false, a.ctx.Err()
	}
	// an error is no commit yet, or what else the long way tells
	return err == nil && !hooks.AnyPlan(files, globs), nil
}

// mayBeStage reports whether a worktree may have the mark of a stage.
func mayBeStage(gitDir string) bool {
	for _, name := range []string{"refs/worktree/okstra", "reftable"} {
		if _, err := os.Lstat(filepath.Join(gitDir, filepath.FromSlash(name))); !errors.Is(err, os.ErrNotExist) {
			return true
		}
	}
	return false
}

// inStage reports whether the caller's worktree may be a stage's.
func (a *app) inStage() bool { return mayBeStage(a.repo.GitDir()) }

// planGlobs are the patterns of okstra.planPath.
func (a *app) planGlobs() (hooks.PlanGlobs, error) {
	globs := hooks.PlanGlobs(a.repo.Config().All(planGlobKey))
	if err := globs.Check(); err != nil {
		return nil, hookError(err)
	}
	return globs, nil
}

// judgePlans judges the plans among some files; ref is what is pushed, "" in a commit.
func (a *app) judgePlans(out *report.Changes, files []gitops.StagedFile, ref string) error {
	globs, err := a.planGlobs()
	if err != nil {
		return err
	}
	plans, err := hooks.Plans(a.ctx, a.repo, files, globs)
	if err != nil {
		return err
	}
	opts := ruleOptions(a.repo.Config(), "", false)
	for _, p := range plans {
		out.Judged = append(out.Judged, p.Path)
		opts.TaskRoot = filepath.ToSlash(taskRoot(filepath.FromSlash(p.Path)))
		for _, f := range rules.Check(plan.Parse(p.Src), opts).Findings {
			out.Add(report.ChangeFinding{
				Rule: f.Code, Severity: string(f.Severity), Ref: ref, Stage: f.Stage, File: p.Path,
				Line: f.Pos.Line, Column: f.Pos.Column, Message: f.Message, Hint: f.Hint,
			})
		}
	}
	return nil
}
