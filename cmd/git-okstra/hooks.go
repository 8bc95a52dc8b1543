package main

import (
	"context"
	"fmt"

	"git-okstra/hooks"
	"git-okstra/internal/lifecycle"
)

type hooksCmd struct {
	Run hooksRunCmd `cmd:"" help:"Do what one of git's hooks is for."`
}

type hooksRunCmd struct {
	Name string   `arg:"" help:"The hook's name: post-rewrite."`
	Args []string `arg:"" optional:"" help:"Its arguments, as git gave them."`
}

// Run is what the hook's script calls.
func (c *hooksRunCmd) Run(a *app) error {
	if c.Name != "post-rewrite" {
		return &commandError{code: exitUsage, message: fmt.Sprintf("no hook %q here", c.Name), hints: []string{"there is: post-rewrite"}}
	}
	// A rewrite that has happened must not look failed: all that goes wrong is a warning.
	word := "rewrite"
	if len(c.Args) > 0 {
		word = oneLine(c.Args[0])
	}
	err := a.postRewrite(word)
	if err == nil {
		return nil
	}
	a.say("warning: git okstra: rows of rewritten commits were not carried over: %s", printableLines(err.Error()))
	a.say("hint: find rewritten stages with: git okstra reconcile")
	return nil
}

func (a *app) postRewrite(word string) error {
	repo, err := a.open()
	if err != nil {
		return err
	}
	return hooks.PostRewrite(a.ctx, repo, word, a.std.in, carrier{a})
}

// carrier hands the hook the transition.
type carrier struct{ a *app }

// Carry takes rows and done stages of every task over.
func (c carrier) Carry(ctx context.Context, list []hooks.Rewrite, why string) error {
	commits := make([]lifecycle.Rewrite, len(list))
	for i, r := range list {
		commits[i] = lifecycle.Rewrite(r)
	}
	e, err := c.a.engine("")
	if err != nil {
		return err
	}
	return e.CarryOver(ctx, commits, why, func(key string, moved []lifecycle.Move) {
		for _, m := range moved {
			c.a.say("git okstra: stage %d of %s is done at %s now", m.Stage, key, m.To.Short())
		}
	})
}
