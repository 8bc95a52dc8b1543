package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"git-okstra/hooks"
	"git-okstra/internal/lifecycle"
	"git-okstra/internal/report"
)

type hooksRunCmd struct {
	Hook   string   `help:"The hook's own file: the one that was there before it runs first." placeholder:"FILE"`
	Format string   `help:"text, json, sarif (SARIF 2.1.0) or github (workflow annotations)." enum:"text,json,sarif,github" default:"text" placeholder:"FORMAT"`
	Name   string   `arg:"" help:"The hook's name." placeholder:"NAME"`
	Args   []string `arg:"" optional:"" passthrough:"" help:"Its arguments, as git gave them."`
}

// plainHook recognises what our own scripts call, which has to be quick: it needs no
// parser of the command line. nil where the words are anything else.
func plainHook(args []string) *hooksRunCmd {
	const words = 3
	if len(args) < words || args[0] != "hooks" || args[1] != "run" {
		return nil
	}
	c := &hooksRunCmd{Format: "text"}
	args = args[2:]
	if hook, ok := strings.CutPrefix(args[0], "--hook="); ok {
		c.Hook = hook
		args = args[1:]
	}
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return nil
	}
	c.Name, c.Args = args[0], args[1:]
	return c
}

// Run is what the hook's script calls.
func (c *hooksRunCmd) Run(a *app) error {
	if !hooks.Known(c.Name) {
		return noHook(c.Name)
	}
	call := hooks.Call{Path: c.Hook, Name: c.Name, Args: c.Args}
	if hooks.TakesInput(c.Name) {
		input, err := a.interruptible(func() ([]byte, error) { return io.ReadAll(a.std.in) })
		if err != nil {
			return fmt.Errorf("read standard input: %w", err)
		}
		call.Input = input
	}
	code, ran, err := call.RunKept(a.ctx, a.std.out, a.std.err)
	if ran {
		selfTested("kept", c.Name, code)
	}
	if err != nil {
		return err
	}
	if code != 0 && c.Name != "post-rewrite" {
		a.code = code
		return nil
	}
	defer func() { selfTested("okstra", c.Name, a.code) }()
	switch c.Name {
	case "post-rewrite":
		a.code = code // git does not look at it
		return a.postRewrite(call)
	case "prepare-commit-msg":
		return a.prepareMessage(call.Args)
	case "pre-push":
		return a.prePush(c, call)
	}
	return a.preCommit(c)
}

// selfTestFile names where a self-test wants to be told what ran.
const selfTestFile = "OKSTRA_HOOKS_SELF_TEST"

// selfTested tells a self-test what ran, if there is one.
func selfTested(who, name string, code int) {
	file := os.Getenv(selfTestFile)
	if file == "" {
		return
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return // then the test sees that nothing was told
	}
	defer func() { _ = f.Close() }()
	_, _ = fmt.Fprintf(f, "%s %s %d\n", who, name, code)
}

// postRewrite carries over. A rewrite that has happened must not look failed: all that
// goes wrong is a warning.
func (a *app) postRewrite(call hooks.Call) error {
	word := "rewrite"
	if len(call.Args) > 0 {
		word = oneLine(call.Args[0])
	}
	repo, err := a.open()
	if err == nil {
		err = hooks.PostRewrite(a.ctx, repo, word, strings.NewReader(string(call.Input)), carrier{a})
	}
	if err == nil {
		return nil
	}
	a.say("warning: git okstra: rows of rewritten commits were not carried over: %s", printableLines(err.Error()))
	a.say("hint: find rewritten stages with: git okstra reconcile")
	return nil
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

// showChanges prints what a hook or CI found, and sets the exit code. Text is for the
// given stream; over is how the check is left out as a whole.
func (a *app) showChanges(c *report.Changes, format, over string, text io.Writer) {
	switch {
	case a.flags.JSON || format == "json":
		writeJSON(a.std.out, c)
	case format == "sarif":
		log, err := json.MarshalIndent(c.SARIF(version), "", "  ")
		if err != nil { // our own structs: strings and numbers
			panic(err)
		}
		a.print("%s\n", log)
	case format == "github":
		a.print("%s", c.Annotations())
	case !c.Silent() && (!a.flags.Quiet || c.Verdict != report.VerdictPass):
		_, _ = fmt.Fprint(text, c.Text(over))
	}
	switch c.Verdict {
	case report.VerdictBlock:
		a.code = exitFindings
	case report.VerdictUndecided:
		a.code = exitGate
	}
}
