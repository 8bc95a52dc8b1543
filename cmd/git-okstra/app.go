package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/alecthomas/kong"
)

// streams are the command's standard streams: data goes to out, everything said
// to a person about it goes to err.
type streams struct {
	in  io.Reader
	out io.Writer
	err io.Writer
}

// globals are the flags that every command takes.
type globals struct {
	JSON    bool   `help:"Print one JSON object instead of text."`
	Task    string `help:"The task, PROJECT:GROUP:TASK or any unambiguous end of it." placeholder:"KEY"`
	Quiet   bool   `short:"q" help:"Say nothing but errors."`
	Verbose int    `short:"v" type:"counter" help:"Say more; twice: every git call with its time."`
}

// cli is the command line.
type cli struct {
	globals

	Plan    planCmd    `cmd:"" help:"Check and approve plans."`
	Stage   stageCmd   `cmd:"" help:"Choose, start and end stages."`
	Log     logCmd     `cmd:"" help:"Show the rows of the task's log."`
	Demo    demoCmd    `cmd:"" help:"Run the whole flow in a throw-away repository."`
	Version versionCmd `cmd:"" help:"Print the version."`
}

// exitRequest carries kong's wish to exit (after printing help) out of Parse.
type exitRequest int

// run is the whole program: it parses, runs one command and returns the exit
// code.
func run(args []string, std streams) (code int) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	defer func() {
		switch r := recover().(type) {
		case nil:
		case exitRequest:
			code = int(r)
		default:
			panic(r)
		}
	}()
	return runContext(ctx, args, std)
}

func runContext(ctx context.Context, args []string, std streams) int {
	var c cli
	parser, err := kong.New(&c,
		kong.Name("git okstra"),
		kong.Description("Validate a plan, take its stages one by one in worktrees of their own, and keep all state in refs and notes."),
		kong.Writers(std.out, std.err),
		kong.Exit(func(code int) { panic(exitRequest(code)) }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
	)
	if err != nil {
		return fail(std, slices.Contains(args, "--json"), err)
	}
	kctx, err := parser.Parse(args)
	if err != nil {
		return fail(std, slices.Contains(args, "--json"), usageError(err))
	}
	a := &app{ctx: ctx, std: std, flags: c.globals}
	defer a.close()
	if err := kctx.Run(a); err != nil {
		return fail(std, a.flags.JSON, err)
	}
	return a.code
}

// usageError turns kong's complaint into ours.
func usageError(err error) error {
	e := &commandError{code: exitUsage, message: err.Error(), hints: []string{"see: git okstra -h"}}
	var parse *kong.ParseError
	if errors.As(err, &parse) && parse.Context != nil {
		if sel := parse.Context.Selected(); sel != nil {
			e.hints = []string{fmt.Sprintf("see: git okstra %s -h", sel.Path())}
		}
	}
	return e
}
