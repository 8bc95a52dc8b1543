package main

import (
	"fmt"
	"os"
	"strings"

	"git-okstra/gitops"
	"git-okstra/hooks"
	"git-okstra/internal/report"
)

// protectRule guards the refs of ours at a remote.
const protectRule = "protect"

// prePush judges every ref of a push. No ref, nothing to do: no process is started.
func (a *app) prePush(c *hooksRunCmd, call hooks.Call) error {
	pushes, err := hooks.ParsePushes(call.Input)
	if err != nil || len(pushes) == 0 {
		return err
	}
	out := report.NewChanges("okstra.hooks-run/v1", "pre-push", os.Getenv("OKSTRA_SKIP"))
	name, url := "", ""
	if len(call.Args) > 0 {
		name, url = call.Args[0], call.Args[len(call.Args)-1]
	}
	if err := a.judgePushes(out, name, url, pushes); err != nil {
		return err
	}
	a.showChanges(out, c.Format, "git push --no-verify", a.std.err)
	return nil
}

func (a *app) judgePushes(out *report.Changes, name, url string, pushes []hooks.Push) error {
	repo, err := a.open()
	if err != nil {
		return err
	}
	var commits []hooks.Push
	for _, p := range pushes {
		harm, err := p.Harm(a.ctx, repo)
		if err != nil {
			return err
		}
		if harm != "" {
			out.Add(report.ChangeFinding{
				Rule: protectRule, Severity: report.SeverityError, Ref: string(p.Remote), Message: "the push " + harm,
				Hint: "exchange state with: git okstra sync",
			})
		}
		// our own refs hold no branch's files, and git's notes neither
		if n := string(p.Remote); p.New != "" && !strings.HasPrefix(n, "refs/okstra") && !strings.HasPrefix(n, "refs/notes/") {
			commits = append(commits, p)
		}
	}
	if len(commits) == 0 {
		return nil
	}
	globs, err := a.planGlobs()
	if err != nil {
		return err
	}
	pushed, err := hooks.NewPushed(a.ctx, repo, name, url, pushes)
	if err != nil {
		return err
	}
	stages, err := a.stageJudge(out)
	if err != nil {
		return err
	}
	for _, p := range commits {
		tip, err := a.tipOf(p)
		if err != nil || tip == "" {
			if err != nil {
				return err
			}
			continue
		}
		files, err := pushed.Files(a.ctx, tip, globs)
		if err != nil {
			return err
		}
		if err := a.judgePlans(out, files, string(p.Remote)); err != nil {
			return err
		}
		if err := stages.pushed(p, tip, pushed.Has(p.Old)); err != nil {
			return err
		}
	}
	return nil
}

// tipOf is the commit that a ref of a push leads to, "" for a tag of something else.
func (a *app) tipOf(p hooks.Push) (gitops.Hash, error) {
	if strings.HasPrefix(string(p.Remote), "refs/heads/") {
		return p.New, nil
	}
	kinds, err := a.repo.ObjectTypes(a.ctx, []gitops.Hash{p.New})
	if err != nil || kinds[p.New] == gitops.TypeCommit {
		return p.New, err
	}
	if kinds[p.New] != gitops.TypeTag {
		return "", nil
	}
	tip, err := a.repo.ResolveCommit(a.ctx, string(p.New))
	if err != nil && a.ctx.Err() == nil {
		return "", nil //nolint:nilerr // a tag of a tree or a file: no branch's files
	}
	return tip, err
}

// stageTrailer is what prepare-commit-msg adds.
const stageTrailer = "Okstra-Stage"

// prepareMessage adds the stage to a commit's message in a stage's worktree. It never
// keeps anybody from committing.
func (a *app) prepareMessage(args []string) error {
	if len(args) == 0 {
		return &commandError{code: exitUsage, message: "git gives this hook the message's file"}
	}
	repo, err := a.open()
	if err == nil && a.inStage() && hooks.Operation(repo.GitDir()) == "" {
		err = a.addStageTrailer(args[0])
	}
	if err != nil {
		a.say("warning: git okstra: the message got no %s: %s", stageTrailer, printableLines(err.Error()))
	}
	return nil
}

func (a *app) addStageTrailer(file string) error {
	_, t, err := a.look()
	if err != nil || t.Here == 0 {
		return err
	}
	return a.repo.AddTrailer(a.ctx, file, gitops.Trailer{Key: stageTrailer, Value: fmt.Sprintf("%s#%d", t.Key, t.Here)})
}
